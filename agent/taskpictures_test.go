package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
	"espy/providers/fake"
)

func TestATaskOnABlindModelIsRefusedItsPicturesBeforeAnythingIsSent(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {want(taskCall("c1", "Look", "LOOK", `"pictures":["shot.png"]`, `"model":"test/blind"`)), say("done")}})
	h.picture("shot.png", 40, 30)
	h.send("GO")
	h.end()
	if r := h.result("c1"); !r.IsError || !strings.Contains(r.Text, "test/blind cannot see images; choose a model that can") {
		t.Errorf("the result: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(h.session.Dir(), "tasks")); err == nil {
		t.Error("something of the task was stored")
	}
}

func echo(o *Options) {
	before := o.Tasks
	o.Tasks = func() TaskOptions {
		opt := before()
		opt.Connect = func(blobs providers.Blobs) func(providers.Route) (providers.Provider, error) {
			return func(r providers.Route) (providers.Provider, error) { return fake.New(r, blobs, nil), nil }
		}
		return opt
	}
}

func TestAPictureIsHandedToATaskByReferenceWithTheSameFourFields(t *testing.T) {
	var named string
	later := func(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
		return want(taskCall("c1", "Look", "check blobs", `"pictures":["`+named+`","other.png"]`))(ctx, req, emit)
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {later, say("done")}}, echo)
	at := h.attach(h.picture("shot.png", 40, 30))
	h.picture("other.png", 20, 10)
	named = message.BlobName(at.Image.Ref)
	h.send("GO", at)
	h.end()
	r := h.result("c1")
	if r.IsError || !strings.Contains(r.Text, "image: "+at.Image.Facts()) || !strings.Contains(r.Text, "image/png, 20x10") {
		t.Errorf("the task's model should have received both pictures, the first as %s:\n%s", at.Image.Facts(), r.Text)
	}
	if !strings.Contains(r.Text, "[image 1: shot.png, source 40x30") || strings.Count(r.Text, " bytes, image/png") != 2 {
		t.Errorf("the picture keeps its number and both open from the task's folder:\n%s", r.Text)
	}
	own, err := os.Stat(filepath.Join(h.session.Dir(), at.Image.Ref))
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.Stat(filepath.Join(h.session.Dir(), "tasks", r.Meta[message.MetaTask], at.Image.Ref))
	if err != nil || !os.SameFile(own, there) {
		t.Errorf("the picture should be the same file, linked: %v", err)
	}
	for _, name := range []string{"transcript.jsonl", filepath.Join("tasks", r.Meta[message.MetaTask], "transcript.jsonl")} {
		if log, err := os.ReadFile(filepath.Join(h.session.Dir(), name)); err != nil || strings.Contains(string(log), "iVBORw0KGgo") {
			t.Errorf("%s holds picture bytes, or %v", name, err)
		}
	}
}

func TestAPictureATaskNamesInItsAnswerComesBackAndOthersAreSaid(t *testing.T) {
	answer := func(_ context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
		results := req.Messages[len(req.Messages)-1].Results
		return say("See "+message.BlobName(results[0].Pictures[0].Image.Ref)+".")(context.Background(), req, emit)
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Look", "LOOK")), say("done")},
		"LOOK": {want(callOf("x", "read_media", `{"path":"one.png"}`), callOf("y", "read_media", `{"path":"two.png"}`)), answer},
	})
	h.picture("one.png", 40, 30)
	h.picture("two.png", 60, 50)
	h.send("GO")
	h.end()
	r := h.result("c1")
	if len(r.Images) != 1 || r.Images[0].Width != 40 {
		t.Fatalf("the picture that was named should come back: %+v", r)
	}
	if strings.Count(r.Text, "[image: image/png, 60x50, blobs/") != 1 || strings.Contains(r.Text, "40x30") {
		t.Errorf("the other one should be said:\n%s", r.Text)
	}
	if _, err := h.session.StatBlob(r.Images[0].Ref); err != nil {
		t.Errorf("the picture is not the session's own: %v", err)
	}
	if got := sent(h.stage.request(1)); !strings.Contains(got, "image from call c1: one.png, source 40x30") {
		t.Errorf("the session's model should see it introduced:\n%s", got)
	}
}

func TestABlindSessionLooksThroughATaskThatSees(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {want(taskCall("c1", "Look", "check blobs", `"pictures":["shot.png"]`, `"model":"quick"`)), say("I was told")}}, echo)
	h.agent.Send(SetRoute{Route: sees(providers.Unsupported)})
	h.picture("shot.png", 40, 30)
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	if r := h.result("c1"); r.IsError || !strings.Contains(r.Text, "- image: image/png, 40x30, blobs/") {
		t.Errorf("the task's model sees, whatever the session's does: %+v", r)
	}
	if got := sent(h.stage.request(1)); !strings.Contains(got, "40x30") || strings.Contains(got, "Pictures:[{") {
		t.Errorf("the session's model should read of it and get no picture:\n%s", got)
	}
}

func TestWhatThePersonHidStaysHiddenFromTasks(t *testing.T) {
	var hidden string
	later := func(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
		return want(taskCall("c1", "Look", "LOOK", `"pictures":["shot.png"]`), taskCall("c2", "Look", "check blobs", `"pictures":["`+hidden+`"]`),
			taskCall("c3", "Look", "call read_media {\"path\":\"shot.png\"}"))(ctx, req, emit)
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {later, say("done")}}, echo)
	at, err := h.intake.Recut(t.Context(), h.attach(h.picture("shot.png", 40, 30)), nil, []message.Rect{{X: 1, Y: 1, Width: 10, Height: 10}})
	if err != nil {
		t.Fatal(err)
	}
	hidden = message.BlobName(at.Image.Ref)
	h.send("GO", at)
	h.end()
	if r := h.result("c1"); !r.IsError || !strings.Contains(r.Text, "the person hid parts") {
		t.Errorf("the file it came from was handed over: %+v", r)
	}
	if r := h.result("c2"); r.IsError || !strings.Contains(r.Text, at.Image.Facts()) {
		t.Errorf("the redacted picture is to be handed over: %+v", r)
	}
	log := h.taskLog(h.result("c3"))
	if got := log.Messages[2].PlainText(); !strings.Contains(got, "the person hid parts") {
		t.Errorf("a task looked at the file it came from:\n%s", got)
	}
}

func TestAPictureOutsideTheWorkspaceIsHandedOverOnlyWhenThePersonOpensIt(t *testing.T) {
	other := newHouse(t, guard.ModeAsk)
	outside := other.picture("far.png", 40, 30)
	call := func(id string) message.ToolCall {
		return taskCall(id, "Look", "check blobs", `"pictures":["`+outside+`"]`)
	}
	h, _ := taskHouse(t, guard.ModeFull, map[string][]play{"GO": {want(call("c1")), want(call("c2")), say("done")}}, echo)
	h.send("GO")
	asked := h.question()
	if asked.Decision.Opening.Path == "" {
		t.Errorf("a path outside is asked about as one, in every mode: %+v", asked.Decision)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny})
	again := h.until("the second question", func(e Event) bool {
		q, ok := e.(PermissionAsked)
		return ok && q.ID != asked.ID
	}).(PermissionAsked)
	h.agent.Send(Answer{ID: again.ID, Choice: guard.ChoiceOnce})
	h.end()
	if r := h.result("c1"); r.Meta[message.MetaRefused] == "" {
		t.Errorf("the denied one: %+v", r)
	}
	if r := h.result("c2"); r.IsError || !strings.Contains(r.Text, "image/png, 40x30") {
		t.Errorf("the opened one: %+v", r)
	}
}
