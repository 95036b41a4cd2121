package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
	"espy/media/clipboard"
	"espy/providers"
	"espy/store"
)

// patience bounds every wait of these tests; a healthy run never comes near it.
const patience = 30 * time.Second

// play answers one request.
type play func(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error)

// stage is a provider that plays its answers in order and keeps the requests it was sent.
type stage struct {
	mu       sync.Mutex
	plays    []play
	requests []providers.Request
}

func (s *stage) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	if len(s.plays) == 0 {
		s.mu.Unlock()
		return providers.Response{}, &providers.Error{Class: providers.ClassBadRequest, Message: "the test has no more answers"}
	}
	next := s.plays[0]
	s.plays = s.plays[1:]
	s.mu.Unlock()
	return next(ctx, req, emit)
}

func (s *stage) request(i int) providers.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[i]
}

func say(text string) play {
	return func(_ context.Context, _ providers.Request, emit func(providers.Delta)) (providers.Response, error) {
		emit(providers.Delta{Text: text})
		return providers.Response{Blocks: []message.Block{message.Text{Text: text}}, Stop: message.StopEnd, Usage: &message.Usage{Input: 100, Output: 10}}, nil
	}
}

func want(calls ...message.ToolCall) play {
	return func(context.Context, providers.Request, func(providers.Delta)) (providers.Response, error) {
		var blocks []message.Block
		for _, c := range calls {
			blocks = append(blocks, c)
		}
		return providers.Response{Blocks: blocks, Stop: message.StopTools}, nil
	}
}

func fail(err *providers.Error) play {
	return func(context.Context, providers.Request, func(providers.Delta)) (providers.Response, error) {
		return providers.Response{}, err
	}
}

func callOf(id, name, args string) message.ToolCall {
	return message.ToolCall{ID: id, Name: name, Args: args}
}

// house is a workspace with an agent at work in it.
type house struct {
	t       testing.TB
	dir     string
	state   string
	store   *store.Store
	session *store.Session
	stage   *stage
	agent   *Agent
	intake  *Intake
	jobs    *tools.Jobs
	guard   *guard.Guard
	stop    func()
	seen    []Event
	hooks   []extend.Hook
	adjust  func(*Options) // what a test wants otherwise
}

func sees(image providers.Capability) providers.Route {
	return providers.Route{Server: providers.Server{Name: "test", Protocol: "fake"},
		Model: providers.Model{Provider: "test", ID: "model-" + string(image), ImageInput: image, ImageCost: "anthropic-28", ContextWindow: 200000}}
}

func newHouse(t testing.TB, mode guard.Mode, plays ...play) *house {
	t.Helper()
	return newHouseFor(t, mode, plays...)
}

func newHouseFor(t testing.TB, mode guard.Mode, plays ...play) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), state: t.TempDir(), stage: &stage{plays: plays}}
	h.store = store.Open(h.state)
	session, err := h.store.Create(context.Background(), h.dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	h.move(session, store.Loaded{}, mode, sees(providers.Supported))
	return h
}

// move starts an agent on a session.
func (h *house) move(session *store.Session, loaded store.Loaded, mode guard.Mode, route providers.Route) {
	h.t.Helper()
	secrets := guard.NewSecrets(guard.SecretOptions{Home: h.t.TempDir()})
	roots, err := guard.NewRoots(h.dir, nil, secrets)
	if err != nil {
		h.t.Fatal(err)
	}
	h.session, h.jobs = session, &tools.Jobs{}
	h.guard = guard.New(guard.Options{Mode: mode, Roots: roots})
	opt := Options{
		Session: session, Loaded: loaded, Folder: h.dir, Version: "test", Route: route,
		Connect: func(providers.Route) (providers.Provider, error) { return h.stage, nil },
		Guard:   h.guard, Tools: tools.New(tools.Builtin()...),
		Env:    tools.Env{Workspace: h.dir, Roots: roots, Gate: media.NewGate(), Ledger: &tools.Ledger{}, Jobs: h.jobs},
		Hooks:  h.hooks,
		System: func() []string { return []string{"be good"} }, MaxImages: 5, EvictStep: 5,
	}
	if h.adjust != nil {
		h.adjust(&opt)
	}
	if h.agent, err = New(opt); err != nil {
		h.t.Fatal(err)
	}
	h.intake = NewIntake(h.agent, h.store, secrets, clipboard.Env{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.agent.Run(ctx) }()
	var once sync.Once
	h.stop = func() {
		once.Do(func() { cancel(); <-done; h.jobs.End(); roots.Close(); session.Close() })
	}
	h.t.Cleanup(func() { h.stop() })
}

// again closes the session and resumes it, as the next start of the program does.
func (h *house) again(mode guard.Mode, route providers.Route) {
	h.t.Helper()
	id := h.session.ID()
	h.stop()
	session, loaded, err := h.store.Resume(context.Background(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	h.seen = nil
	h.move(session, loaded, mode, route)
}

// until reads events to the first for which stop holds.
func (h *house) until(what string, stop func(Event) bool) Event {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		events, err := h.agent.Next(ctx)
		if err != nil {
			h.t.Fatalf("waiting for %s: %v; seen %s", what, err, describe(h.seen))
		}
		h.seen = append(h.seen, events...)
		for _, e := range events {
			if stop(e) {
				return e
			}
		}
	}
}

func describe(events []Event) string {
	var s []string
	for _, e := range events {
		text := fmt.Sprintf("%T%+v", e, e)
		s = append(s, text[:min(len(text), 160)])
	}
	return strings.Join(s, "\n")
}

func (h *house) end() TurnEnded {
	h.t.Helper()
	return h.until("the turn's end", func(e Event) bool { _, ok := e.(TurnEnded); return ok }).(TurnEnded)
}

func (h *house) send(text string, attachments ...Attachment) {
	h.agent.Send(Submit{Prompt: Prompt{Text: []message.Text{{Text: text}}, Attachments: attachments}})
}

func (h *house) picture(name string, w, hgt int) string {
	h.t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, hgt))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7 / 5)
	}
	img.Set(0, 0, color.RGBA{uint8(len(name)), 1, 2, 255})
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		h.t.Fatal(err)
	}
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *house) attach(path string) Attachment {
	h.t.Helper()
	got, err := h.intake.AttachPaths(context.Background(), path)
	if err != nil || len(got) != 1 {
		h.t.Fatalf("attaching %s: %v, %d pictures", path, err, len(got))
	}
	return got[0]
}

// sent is what a model would read of a request.
func sent(req providers.Request) string {
	var s strings.Builder
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			fmt.Fprintf(&s, "%s %+v\n", m.Role, b)
		}
		for _, r := range m.Results {
			fmt.Fprintf(&s, "result %+v\n", r)
		}
	}
	return s.String()
}

func TestATurnRunsToolsAndWritesEverythingDown(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, want(callOf("c1", "read", `{"path":"a.txt"}`), callOf("c2", "read", `{"path":"missing.txt"}`)), say("done"))
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("hello there\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.send("read it")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	second := sent(h.stage.request(1))
	if !strings.Contains(second, "hello there") || strings.Count(second, "result") != 2 {
		t.Errorf("the model should read both results:\n%s", second)
	}
	h.stop()
	loaded, err := h.store.Read(context.Background(), h.session.ID())
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[message.Kind]int)
	for _, r := range loaded.Records {
		kinds[r.Header().Kind]++
	}
	for kind, n := range map[message.Kind]int{message.KindSession: 1, message.KindPrelude: 1, message.KindMessage: 3, message.KindResult: 2, message.KindUsage: 1} {
		if kinds[kind] != n {
			t.Errorf("%d %s records, want %d", kinds[kind], kind, n)
		}
	}
}

func TestAnEditMayFollowTheReadThatAllowsItInOneAnswer(t *testing.T) {
	h := newHouse(t, guard.ModeAuto, want(callOf("c1", "read", `{"path":"a.txt"}`), callOf("c2", "edit", `{"path":"a.txt","edits":[{"old_text":"one","new_text":"two"}]}`)), say("done"))
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.send("change it")
	h.end()
	if data, err := os.ReadFile(filepath.Join(h.dir, "a.txt")); err != nil || string(data) != "two\n" {
		t.Errorf("the edit did not happen: %q, %v\n%s", data, err, sent(h.stage.request(1)))
	}
}

func TestAPictureTravelsByReferenceAndKeepsItsNumberOverAResume(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("I see it"), say("still there"))
	at := h.attach(h.picture("shot.png", 40, 30))
	if at.Record.Number != 1 {
		t.Errorf("the first picture has number %d", at.Record.Number)
	}
	if err := os.Remove(filepath.Join(h.dir, "shot.png")); err != nil {
		t.Fatal(err) // what was attached is sent, whatever becomes of the file
	}
	h.send("what is it?", at)
	h.end()
	first := sent(h.stage.request(0))
	if !strings.Contains(first, at.Image.Ref) || !strings.Contains(first, "[image 1: shot.png, source 40x30") {
		t.Errorf("the picture or its introduction is missing:\n%s", first)
	}
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.send("again?")
	h.end()
	if second := sent(h.stage.request(1)); !strings.Contains(second, at.Image.Ref) {
		t.Errorf("after a resume the picture is gone:\n%s", second)
	}
	log, err := os.ReadFile(filepath.Join(h.session.Dir(), "transcript.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(log, []byte("iVBORw0KGgo")) || len(log) > 20000 {
		t.Errorf("the transcript holds picture bytes or is large: %d bytes", len(log))
	}
}

func TestAPictureForABlindModelIsRefusedBeforeAnythingIsSent(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	h.agent.Send(SetRoute{Route: sees(providers.Unsupported)})
	at := h.attach(h.picture("shot.png", 4, 4))
	h.send("look", at)
	rejected := h.until("the refusal", func(e Event) bool { _, ok := e.(Rejected); return ok }).(Rejected)
	if !strings.Contains(rejected.Err.Error(), "/model") || len(rejected.Prompt.Attachments) != 1 {
		t.Errorf("want a way on and the prompt back, got %v, %+v", rejected.Err, rejected.Prompt)
	}
	if len(h.stage.requests) != 0 {
		t.Error("a request was sent")
	}
	h.agent.Send(SetRoute{Route: sees(providers.Supported)})
	h.stage.plays = []play{say("ok")}
	h.send("look", rejected.Prompt.Attachments...)
	h.until("the end", func(e Event) bool { end, ok := e.(TurnEnded); return ok && end.Reason == EndDone })
}

func TestARefusedPictureIsRetiredOnceAndTheNextTurnWorksAlsoAfterResume(t *testing.T) {
	h := newHouse(t, guard.ModeAsk,
		fail(&providers.Error{Class: providers.ClassPicture, Status: 400, Message: "Could not process image", Picture: 0}),
		say("without it"), say("next"), say("resumed"))
	a, b := h.attach(h.picture("a.png", 9, 9)), h.attach(h.picture("bb.png", 9, 9))
	h.send("compare", a, b)
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	retry := sent(h.stage.request(1))
	if !strings.Contains(retry, "[retired image: image/png, 9x9, "+a.Image.Ref+": the provider refused it: Could not process image]") || !strings.Contains(retry, "Ref:"+b.Image.Ref) {
		t.Errorf("want the first retired and the second kept:\n%s", retry)
	}
	h.send("go on")
	h.end()
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.send("and on")
	h.end()
	if after := sent(h.stage.request(3)); !strings.Contains(after, "[retired image") {
		t.Errorf("after a resume the retired picture is back:\n%s", after)
	}
}

func TestAGoneBlobBecomesASentence(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("seen"), say("gone"))
	at := h.attach(h.picture("a.png", 9, 9))
	h.send("look", at)
	h.end()
	if err := os.Remove(filepath.Join(h.session.Dir(), filepath.FromSlash(at.Image.Ref))); err != nil {
		t.Fatal(err)
	}
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.send("again")
	h.end()
	if got := sent(h.stage.request(1)); !strings.Contains(got, "[missing image: ") {
		t.Errorf("want the missing sentence:\n%s", got)
	}
}

func TestAPermissionIsAskedAndTheAnswerObeyed(t *testing.T) {
	write := callOf("c1", "write", `{"path":"new.txt","content":"hi\n"}`)
	h := newHouse(t, guard.ModeAsk, want(write), say("denied then"), want(write), say("written"))
	h.send("write it")
	asked := h.until("the question", func(e Event) bool { _, ok := e.(PermissionAsked); return ok }).(PermissionAsked)
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny, Reason: "use another name"})
	h.end()
	if got := sent(h.stage.request(1)); !strings.Contains(got, "use another name") {
		t.Errorf("the model should read why:\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "new.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a denied write happened")
	}
	h.seen = nil
	h.send("write it")
	asked = h.until("the question", func(e Event) bool { _, ok := e.(PermissionAsked); return ok }).(PermissionAsked)
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
	h.end()
	if data, err := os.ReadFile(filepath.Join(h.dir, "new.txt")); err != nil || string(data) != "hi\n" {
		t.Errorf("the allowed write did not happen: %q, %v", data, err)
	}
}

func TestAnInterruptEndsTheTurnAndLeavesTheLogWellFormed(t *testing.T) {
	started := make(chan struct{})
	h := newHouse(t, guard.ModeFull,
		func(ctx context.Context, _ providers.Request, emit func(providers.Delta)) (providers.Response, error) {
			emit(providers.Delta{Text: "half an ans"})
			close(started)
			<-ctx.Done()
			return providers.Response{}, ctx.Err()
		},
		want(callOf("c1", "shell", `{"command":"sleep 60"}`), callOf("c2", "shell", `{"command":"echo never"}`)), say("fine"))
	h.send("go")
	<-started
	h.agent.Interrupt()
	if end := h.end(); end.Reason != EndInterrupted {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	h.seen = nil
	h.send("run")
	h.until("the command", func(e Event) bool { c, ok := e.(CallStarted); return ok && c.Call.ID == "c1" })
	h.agent.Interrupt()
	if end := h.end(); end.Reason != EndInterrupted {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	h.again(guard.ModeFull, sees(providers.Supported))
	h.send("well?")
	h.end()
	got := sent(h.stage.request(2))
	if !strings.Contains(got, "half an ans") || !strings.Contains(got, "interrupted and has no result") {
		t.Errorf("want the kept words and a synthetic result for the call that never ran:\n%s", got)
	}
}

func TestWhatIsTypedWhileBusyIsQueuedWithItsPicturesAndCanBeTakenBack(t *testing.T) {
	release := make(chan struct{})
	h := newHouse(t, guard.ModeAsk, func(ctx context.Context, r providers.Request, emit func(providers.Delta)) (providers.Response, error) {
		<-release
		return say("first")(ctx, r, emit)
	}, say("second"))
	h.send("one")
	h.until("the start", func(e Event) bool { _, ok := e.(TurnStarted); return ok })
	at := h.attach(h.picture("q.png", 5, 5))
	h.send("two", at)
	h.send("three")
	q := h.until("both queued", func(e Event) bool { q, ok := e.(QueueChanged); return ok && len(q.Queue) == 2 }).(QueueChanged)
	if len(q.Queue[0].Prompt.Attachments) != 1 {
		t.Error("the queued prompt lost its picture")
	}
	h.agent.Send(Unqueue{ID: q.Queue[1].ID})
	h.until("one left", func(e Event) bool { q, ok := e.(QueueChanged); return ok && len(q.Queue) == 1 })
	close(release)
	h.end()
	h.end()
	if got := sent(h.stage.request(1)); !strings.Contains(got, at.Image.Ref) || strings.Contains(got, "three") {
		t.Errorf("want the queued text with its picture and not the one taken back:\n%s", got)
	}
}

func TestLookingAtOtherDetailsAndAttachingAgainLeaveNoGapInTheNumbers(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("two pictures"))
	first, ctx := h.attach(h.picture("a.png", 50, 30)), context.Background()
	for _, d := range []media.Detail{media.DetailLow, media.DetailHigh, media.DetailAuto} {
		again, err := h.intake.Redetail(ctx, first, d)
		if err != nil || again.Record.Number != 1 {
			t.Fatalf("at detail %s it has number %d, %v", d, again.Record.Number, err)
		}
	}
	if twice := h.attach(filepath.Join(h.dir, "a.png")); twice.Record.Number != 1 {
		t.Errorf("the same picture attached twice is image %d", twice.Record.Number)
	}
	second := h.attach(h.picture("other.png", 20, 30))
	if second.Record.Number != 2 {
		t.Errorf("the second picture is image %d", second.Record.Number)
	}
	h.send("on the row and named in the text", first, second, first)
	h.end()
	if got := sent(h.stage.request(0)); strings.Count(got, "[image 1:") != 1 || strings.Count(got, "[image 2:") != 1 {
		t.Errorf("want each picture once:\n%s", got)
	}
}

func TestAtNamesAndAttachRefuseInTheSameWords(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	if err := os.WriteFile(filepath.Join(h.dir, ".env"), []byte("KEY=secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "notes.txt"), []byte("remember the milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.dir, "dir.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.picture("p.png", 3, 3)
	ctx := context.Background()
	texts, pictures, err := h.intake.AtFiles(ctx, "see @p.png and @notes.txt, not @someone or a@b.com")
	if err != nil || len(pictures) != 1 || len(texts) != 2 || !strings.Contains(texts[1].Text, "remember the milk") {
		t.Errorf("want one picture and one file, got %d and %v, %v", len(pictures), texts, err)
	}
	for _, name := range []string{"missing.png", ".env", "dir.d"} {
		_, _, at := h.intake.AtFiles(ctx, "look at @"+name)
		_, attach := h.intake.AttachPaths(ctx, name)
		if at == nil || attach == nil {
			t.Errorf("%s was taken: %v, %v", name, at, attach)
			continue
		}
		trim := func(err error) string { return strings.ReplaceAll(err.Error(), h.dir+"/", "") }
		if trim(at) != trim(attach) {
			t.Errorf("%s is refused in two ways:\n@       %s\n/attach %s", name, trim(at), trim(attach))
		}
	}
	if _, _, err := h.intake.AtFiles(ctx, "look at @/etc/passwd.png"); err == nil {
		t.Error("@ reached outside the workspace")
	}
}

func TestARecalledPromptBringsItsPicturesBackAlsoIntoAnotherSession(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("one"), say("two"), say("three"))
	at := h.attach(h.picture("shot.png", 30, 20))
	h.send("look", at)
	h.end()
	first := h.session.ID()
	back, err := h.intake.Recall(context.Background(), first, []message.Image{at.Image})
	if err != nil || len(back) != 1 || back[0].Record.Number != 1 {
		t.Fatalf("in its own session: %+v, %v", back, err)
	}
	h.send("again", back...)
	h.end()
	h.stop()
	session, err := h.store.Create(context.Background(), h.dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	h.seen = nil
	h.move(session, store.Loaded{}, guard.ModeAsk, sees(providers.Supported))
	back, err = h.intake.Recall(context.Background(), first, []message.Image{at.Image})
	if err != nil || len(back) != 1 || back[0].Record.Name != "shot.png" {
		t.Fatalf("in another session: %+v, %v", back, err)
	}
	h.send("here too", back...)
	h.end()
	if got := sent(h.stage.request(2)); !strings.Contains(got, at.Image.Ref) || !strings.Contains(got, "shot.png, source 30x20") {
		t.Errorf("the picture did not come along:\n%s", got)
	}
	if err := os.Remove(filepath.Join(h.store.Dir(first), filepath.FromSlash(at.Image.Ref))); err != nil {
		t.Fatal(err)
	}
	if _, err := h.intake.Recall(context.Background(), first, []message.Image{at.Image}); err == nil {
		t.Error("a picture whose bytes are gone was recalled")
	}
}

func TestPastedTextIsNeverLost(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	shot := h.picture("my shot.png", 6, 6)
	broken := filepath.Join(h.dir, "broken.png")
	if err := os.WriteFile(broken, []byte("error: no display\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, c := range []struct {
		paste    string
		pictures int
		notes    int
	}{
		{"'" + shot + "' ", 1, 0},
		{shot, 1, 0},
		{"plain words", 0, 0},
		{broken, 0, 1},
		{shot + "\n" + broken, 0, 1},
		{"\tkeep  my\r\nblanks ", 0, 0},
	} {
		p, err := h.intake.PastedText(ctx, c.paste)
		if err != nil || len(p.Attachments) != c.pictures || len(p.Notes) != c.notes {
			t.Errorf("%q: %d pictures, notes %q, %v", c.paste, len(p.Attachments), p.Notes, err)
		}
		if c.pictures == 0 && p.Text != c.paste {
			t.Errorf("%q came back as %q", c.paste, p.Text)
		}
	}
}
