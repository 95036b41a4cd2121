package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
	"espy/agent/message"
	"espy/providers/strict"
	"espy/store"
)

// asProgram is the variable that makes the test binary be espy.
const asProgram = "ESPY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	sandbox.Serve()
	lifeline.Serve()
	if os.Getenv(asProgram) != "" {
		os.Exit(execute())
	}
	os.Exit(m.Run())
}

// killsVariable says how many processes the kill test kills.
const killsVariable = "ESPY_TEST_KILLS"

// kills is that number; the default keeps a run of all tests short.
func kills(t *testing.T) int {
	text := os.Getenv(killsVariable)
	if text == "" {
		return 60
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s is no number", killsVariable, text)
	}
	return n
}

// secretKey must not stand in any file but the settings it was put into.
const secretKey = "sk-test-0123456789abcdef"

// busyScript is a turn with everything in it that is written down: thinking, words, calls that write, edit, run and
// look, and usage.
const busyScript = `
[[answer]]
when = "go on"
steps = [ { thinking = "hm" }, { text = "I will write, run and look.", piece = 4, delay_ms = 2 },
  { call = "write", args = '{"path":"out/made-%[1]d.txt","content":"made\n"}', id = "w%[1]d" },
  { call = "shell", args = '{"command":"echo changed >> log.txt; printf done"}', id = "s%[1]d" },
  { call = "read_media", args = '{"path":"shot.png"}', id = "m%[1]d" }, { usage = { input = 100, output = 20 } } ]
[[answer]]
when = "changed"
repeat = -1
steps = [ { text = "done" } ]
[[answer]]
repeat = -1
steps = [ { text = "All is done.", piece = 3, delay_ms = 1 }, { usage = { input = 120, output = 10 } } ]
`

// crashBench is a home, a workspace and a strict service for processes that are killed.
type crashBench struct {
	t      *testing.T
	dir    string
	server *strict.Server
	store  *store.Store
}

func newCrashBench(t *testing.T) *crashBench {
	t.Helper()
	b := &crashBench{t: t, server: strict.New(t, strict.Rules{Key: secretKey, AllowExtras: true})}
	home(t, "")
	b.dir, _ = os.Getwd()
	b.write("config/espy/config.toml", fmt.Sprintf(`
[providers.scripted]
protocol = "fake"
script = %q
[providers.one]
protocol = "chat"
base_url = "%[2]s/v1"
api_key = "${env:TEST_KEY}"
[providers.two]
protocol = "anthropic"
base_url = "%[2]s"
api_key = "${env:TEST_KEY}"
[providers.three]
protocol = "responses"
base_url = "%[2]s/v1"
api_key = "${env:TEST_KEY}"
`, filepath.Join(b.dir, "script.toml"), b.server.URL))
	t.Setenv("TEST_KEY", secretKey)
	b.store = store.Open(filepath.Join(b.dir, "state", "espy"))
	b.write("work/log.txt", "")
	b.shot(0)
	return b
}

func (b *crashBench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// shot makes a picture that differs by number.
func (b *crashBench) shot(number int) string {
	b.t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range img.Pix {
		img.Pix[i] = byte(i * (number + 3))
	}
	img.Set(0, 0, color.RGBA{byte(number), byte(number >> 8), 3, 255})
	var text bytes.Buffer
	if err := png.Encode(&text, img); err != nil {
		b.t.Fatal(err)
	}
	b.write("work/shot.png", text.String())
	return filepath.Join(b.dir, "work", "shot.png")
}

// acknowledged is what a process said it has written down.
type acknowledged struct {
	session  string
	messages []string
	results  []string
	pictures []string
	ended    bool
}

// event is what a line of --events may hold, as far as it acknowledges something.
type event struct {
	Type    string   `json:"type"`
	Session string   `json:"session"`
	ID      string   `json:"id"`
	Blobs   []string `json:"blobs"`
}

// play runs one turn in a process of its own and kills that after a while; never for a negative one. It returns what
// the process had acknowledged.
func (b *crashBench) play(session string, number int, after time.Duration) (got acknowledged) {
	b.t.Helper()
	b.write("script.toml", fmt.Sprintf(busyScript, number))
	args := []string{"run", "go on", "--events", "--mode", "full", "--model", "scripted/any", "-C", filepath.Join(b.dir, "work"), "--attach", b.shot(number)}
	if session != "" {
		args = append(args, "--resume", session)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	if after >= 0 {
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the last line of a killed process
		}
		got.take(e)
	}
	io.Copy(io.Discard, out)
	err = cmd.Wait()
	if after < 0 && (err != nil || !got.ended) {
		b.t.Fatalf("the turn failed: %v: %s", err, complaint.String())
	}
	return got
}

func (a *acknowledged) take(e event) {
	if e.Session != "" {
		a.session = e.Session
	}
	switch e.Type {
	case "turn_started":
		a.messages = append(a.messages, e.ID)
	case "call_finished":
		a.results = append(a.results, e.ID)
		a.pictures = append(a.pictures, e.Blobs...)
	case "turn_ended":
		a.ended = true
	}
}

// verify resumes a session as the next start does, and checks that everything acknowledged is there.
func (b *crashBench) verify(got acknowledged) {
	b.t.Helper()
	session, loaded, err := b.store.Resume(b.t.Context(), got.session)
	if err != nil {
		b.t.Fatalf("session %s cannot be resumed: %v", got.session, err)
	}
	defer session.Close()
	have := make(map[string]bool)
	for _, r := range loaded.Records {
		switch r := r.(type) {
		case message.MessageRecord:
			have[r.ID] = true
			for _, i := range r.Message.Images() {
				got.pictures = append(got.pictures, i.Ref)
			}
		case message.ResultRecord:
			have[r.CallID] = true
			for _, i := range r.Images {
				got.pictures = append(got.pictures, i.Ref)
			}
		}
	}
	for _, id := range append(slices.Clone(got.messages), got.results...) {
		if !have[id] {
			b.t.Errorf("%s was acknowledged and is not in session %s", id, got.session)
		}
	}
	for _, ref := range got.pictures {
		f, err := session.OpenBlob(ref)
		if err != nil {
			b.t.Errorf("a picture that was acknowledged or is named in the log: %v", err)
			continue
		}
		f.Close()
	}
}

// goesOn sends a next turn to a strict service over each protocol.
func (b *crashBench) goesOn(session string) {
	b.t.Helper()
	devnull(b.t, func() {
		for _, server := range []string{"one", "two", "three"} {
			if code := codeOf("run next --model " + server + "/any --resume " + session + " -C " + filepath.Join(b.dir, "work")); code != 0 {
				b.t.Errorf("session %s does not go on with %s: exit code %d, refused because of %v", session, server, code, b.server.Refusals())
			}
		}
	})
	if refused := b.server.Refusals(); len(refused) > 0 {
		b.t.Errorf("the service refused: %v", refused)
	}
}

func TestAKillAtAnyMomentLosesNothingAcknowledged(t *testing.T) {
	b := newCrashBench(t)
	began := time.Now()
	whole := b.play("", 0, -1)
	full := time.Since(began)
	if len(whole.messages) != 1 || len(whole.results) != 3 || len(whole.pictures) == 0 {
		t.Fatalf("a whole turn acknowledges %+v", whole)
	}
	b.verify(whole)
	b.goesOn(whole.session)
	seed := rand.Uint64()
	t.Logf("seed %d, a whole turn takes %v", seed, full)
	random := rand.New(rand.NewPCG(seed, 1))
	const turnsOfASession = 6
	var told acknowledged
	cut := 0
	for i := range kills(t) {
		if i%turnsOfASession == 0 {
			told = acknowledged{}
		}
		began := time.Now()
		got := b.play(told.session, i+1, time.Duration(random.Int64N(int64(full)*5/4)))
		if got.ended {
			full = min(full, time.Since(began)) // the first turn found nothing in any cache
		}
		if got.session != "" {
			told.session = got.session
		}
		told.messages = append(told.messages, got.messages...)
		told.results = append(told.results, got.results...)
		told.pictures = append(told.pictures, got.pictures...)
		if !got.ended {
			cut++
		}
		if told.session == "" || len(told.messages) == 0 {
			continue // killed before anything was acknowledged
		}
		b.verify(told)
		b.goesOn(told.session)
		if t.Failed() {
			t.Fatalf("kill %d", i)
		}
	}
	if cut == 0 && kills(t) >= 10 {
		t.Error("no process was killed before its end")
	}
	t.Logf("%d processes were cut off", cut)
}

func TestNoFileHoldsAPicturesBase64OrAKey(t *testing.T) {
	b := newCrashBench(t)
	trace := filepath.Join(b.dir, "trace.jsonl")
	session := b.play("", 1, -1).session
	b.goesOn(session)
	devnull(t, func() {
		for _, server := range []string{"one", "two", "three", "scripted"} {
			if code := codeOf("run look --model " + server + "/any --resume " + session + " --trace " + trace + " --attach " + b.shot(7)); code != 0 {
				t.Errorf("%s: exit code %d", server, code)
			}
		}
		for _, format := range []string{"md", "html", "jsonl"} {
			codeOf("sessions export " + session + " --format " + format + " --out " + filepath.Join(b.dir, "state", "export."+format))
		}
		codeOf("sessions fork " + session)
	})
	b.events(session, filepath.Join(b.dir, "events.jsonl"))
	b.unsent()
	files := 0
	err := filepath.WalkDir(b.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, bad := range []string{"iVBORw0KGg", "/9j/4", secretKey} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("%s holds %s", path, bad)
			}
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
	for _, name := range []string{"events.jsonl", "state/espy/sessions/*/transcript.jsonl", "state/espy/sessions/*/draft/*.json"} {
		if found, _ := filepath.Glob(filepath.Join(b.dir, name)); len(found) == 0 {
			t.Errorf("no %s was written", name)
		}
	}
	if data, err := os.ReadFile(trace); err != nil || !strings.Contains(string(data), "[image/png, ") {
		t.Errorf("the trace says nothing of the picture: %v", err)
	}
}

// events writes what a turn with a picture tells into a file.
func (b *crashBench) events(session, path string) {
	b.t.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(os.Args[0], "run", "look", "--events", "--model", "one/any", "--resume", session, "--attach", b.shot(8))
	cmd.Env, cmd.Stdout = append(os.Environ(), asProgram+"=1"), f
	if err := cmd.Run(); err != nil {
		b.t.Error(err)
	}
}

// unsent leaves a draft with a picture in a session of its own.
func (b *crashBench) unsent() {
	b.t.Helper()
	session, err := b.store.Create(b.t.Context(), filepath.Join(b.dir, "work"), "1.0")
	if err != nil {
		b.t.Fatal(err)
	}
	defer session.Close()
	f, err := os.Open(b.shot(9))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	ref, err := session.Draft().PutBlob(b.t.Context(), "png", f)
	if err == nil {
		err = session.Draft().Save([]byte(`{"text":"half a thought","row":["` + ref + `"]}`))
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// devnull does something that prints.
func devnull(t *testing.T, do func()) {
	t.Helper()
	stdout := os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	os.Stdout = null
	defer func() { os.Stdout = stdout }()
	do()
}

func TestASecondEspyOnASessionIsToldHowToForkIt(t *testing.T) {
	b := newCrashBench(t)
	id := b.play("", 1, -1).session
	session, _, err := b.store.Resume(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	cmd := exec.Command(os.Args[0], "run", "hi", "--model", "scripted/any", "--resume", id)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "espy sessions fork "+id) {
		t.Fatalf("%v: %s", err, out)
	}
	cmd = exec.Command(os.Args[0], "sessions", "fork", id)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	fork, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	b.goesOn(strings.TrimSpace(string(fork)))
}
