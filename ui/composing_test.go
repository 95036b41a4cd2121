package ui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"espy/agent"
	"espy/agent/message"
	"espy/media"
	"espy/ui/input"
	"espy/ui/internal/script"
)

func textOfPrompt(p agent.Prompt) string { return promptText(p) }

func names(all []agent.Attachment) string {
	var out []string
	for _, a := range all {
		out = append(out, a.Record.Name)
	}
	return strings.Join(out, ",")
}

func TestAQueueThatComesBackEndsWithoutBlankLines(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	prompt := func(text string) agent.Prompt {
		return agent.Prompt{Text: []message.Text{{Text: text, Origin: message.OriginTyped}}}
	}
	d.m.onDraft(draftLoaded{talk: d.m.talks, draft: draftJSON{Queue: []agent.Prompt{prompt("first"), prompt("second")}}})
	if got := d.m.comp.buf.text(); got != "first\n\nsecond" {
		t.Errorf("the queue comes back as %q", got)
	}
	for reason, want := range map[string]string{"It names a file": "it names a file", "Makefile decides": "Makefile decides", "No rule allows x": "no rule allows x"} {
		if got := midSentence(reason); got != want {
			t.Errorf("asked because %s, want %s", got, want)
		}
	}
}

func TestAQueuedMessageComesBackWithItsPictures(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	busy(d)
	d.key("x")
	d.key("alt+up")
	if got := d.m.comp.buf.text(); got != "then fix the footer too\n\nx" {
		t.Errorf("the composer holds %q", got)
	}
	if got := names(d.m.row.pictures); got != "footer.png,header.png" {
		t.Errorf("on the row are %s, want the queued message's picture and the one that was there", got)
	}
	commands := d.loop.Commands()
	if u, ok := commands[len(commands)-1].(agent.Unqueue); !ok || u.ID != "a" {
		t.Errorf("the loop was told %#v, want Unqueue of a", commands)
	}
}

func TestTypingWhileAPasteIsLookedAtKeepsItsPlace(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.types("see ")
	d.send(input.PasteMsg{Text: "/tmp/not a picture.txt"})
	d.types(" and tell")
	d.shows("looking at")
	close(d.intake.Gate)
	d.until("the paste is settled", func() bool { return len(d.m.jobs) == 0 })
	if got := d.m.comp.buf.text(); got != "see /tmp/not a picture.txt and tell" {
		t.Errorf("the composer holds %q", got)
	}
	d.types("!")
	if got := d.m.comp.buf.text(); !strings.HasSuffix(got, "tell!") {
		t.Errorf("the cursor moved: %q", got)
	}
}

func TestAPastedPictureGoesOntoTheRowAndLeavesNoText(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("ab")
	d.key("left")
	d.send(input.PasteMsg{Text: "/tmp/shot.png "})
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.types("x")
	if got := d.m.comp.buf.text(); got != "axb" {
		t.Errorf("the composer holds %q, want axb", got)
	}
}

func TestEnterWaitsForWhatIsBeingAttachedAndThenSends(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("clipboard", 100, 50)}}
	d.types("look")
	d.send(input.PasteMsg{})
	d.key("enter")
	d.shows("sends as soon as everything is attached")
	if n := len(d.submits()); n != 0 {
		t.Fatalf("%d messages left before the picture was there", n)
	}
	close(d.intake.Gate)
	d.until("the message is sent", func() bool { return len(d.submits()) == 1 })
	p := d.submits()[0].Prompt
	if textOfPrompt(p) != "look" || names(p.Attachments) != "clipboard" {
		t.Errorf("sent %q with %s", textOfPrompt(p), names(p.Attachments))
	}
	if !d.m.comp.buf.empty() || !d.m.row.empty() {
		t.Error("the composer still holds what was sent")
	}
}

func TestAFailedAttachmentHoldsTheMessageAndLosesNoText(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.intake.Fails = errors.New("shot.png is 30 MB; the limit is 20 MB")
	d.types("look at ")
	d.send(input.PasteMsg{Text: "/tmp/shot.png"})
	d.key("enter")
	close(d.intake.Gate)
	d.shows("nothing was sent")
	if got := d.m.comp.buf.text(); got != "look at /tmp/shot.png" {
		t.Errorf("the composer holds %q", got)
	}
	if len(d.submits()) != 0 {
		t.Error("the message left without its picture")
	}
}

func TestEscStopsWaitingAndKeepsTheMessage(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("clipboard", 100, 50)}}
	d.types("look")
	d.key("ctrl+v", "enter", "esc")
	close(d.intake.Gate)
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	if len(d.submits()) != 0 || d.m.comp.buf.text() != "look" {
		t.Errorf("after esc %d messages were sent and the composer holds %q", len(d.submits()), d.m.comp.buf.text())
	}
}

func TestAPictureWithoutTextCanBeSent(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("clipboard", 100, 50)}}
	d.key("alt+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.key("enter")
	p := d.submits()[0].Prompt
	if len(p.Text) != 0 || names(p.Attachments) != "clipboard" {
		t.Errorf("sent %q with %s", p.Text, names(p.Attachments))
	}
}

func TestABlindModelStopsAPictureAndLosesNothing(t *testing.T) {
	opened := script.Opened()
	opened.Route = script.Blind()
	d := drive(t, 80, 24, nil, opened)
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("clipboard", 100, 50)}}
	d.types("look")
	d.key("ctrl+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.key("enter")
	d.shows("cannot see images; choose a model that can with /model")
	d.shows("alt+m lists the models")
	if len(d.submits()) != 0 || d.m.comp.buf.text() != "look" || len(d.m.row.pictures) != 1 {
		t.Error("something was sent or lost")
	}
	d.key("up", "backspace")
	d.types(" @shot.png")
	d.key("enter")
	d.until("the @picture is refused too", func() bool { return len(d.m.jobs) == 0 && d.m.comp.buf.text() == "look @shot.png" })
	if len(d.submits()) != 0 {
		t.Error("an @picture went to a model that cannot see it")
	}
}

func TestARejectedPromptComesBackWhole(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.loop.React = func(l *script.Loop, c agent.Command) {
		if s, ok := c.(agent.Submit); ok {
			l.Push(agent.Rejected{Prompt: s.Prompt, Err: errDemo})
		}
	}
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("clipboard", 100, 50)}}
	d.types("look")
	d.key("ctrl+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.key("enter")
	d.shows(errDemo.Error())
	if d.m.comp.buf.text() != "look" || len(d.m.row.pictures) != 1 {
		t.Errorf("back came %q with %d pictures", d.m.comp.buf.text(), len(d.m.row.pictures))
	}
}

func TestAtFilesGoWithTheMessageAndPastesAreNotSearched(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	long := strings.Repeat("@not-a-file\n", 30)
	d.types("compare @a.go and @b.png ")
	d.send(input.PasteMsg{Text: long})
	d.key("enter")
	d.until("the message is sent", func() bool { return len(d.submits()) == 1 })
	p := d.submits()[0].Prompt
	if got := textOfPrompt(p); got != "compare @a.go and @b.png "+long {
		t.Errorf("sent %q", got)
	}
	files := 0
	for _, b := range p.Text {
		if b.Origin == message.OriginFile {
			files++
		}
	}
	if files != 1 || names(p.Attachments) != "b.png" {
		t.Errorf("%d files and pictures %s went along, want 1 and b.png", files, names(p.Attachments))
	}
}

func TestALongPasteFoldsIsSentWholeAndUnfolds(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	long := strings.Repeat("line\n", 1204)
	d.send(input.PasteMsg{Text: long})
	d.shows("[pasted 1,204 lines]")
	d.key("alt+u")
	if d.m.comp.buf.hasChips() || d.m.comp.buf.text() != long {
		t.Error("the paste did not unfold to what was pasted")
	}
	d.key("ctrl+_")
	d.shows("[pasted 1,204 lines]")
	d.key("enter")
	if got := textOfPrompt(d.submits()[0].Prompt); got != long {
		t.Errorf("%d of %d bytes were sent", len(got), len(long))
	}
}

func TestTheRowActsOnTheSelectedPicture(t *testing.T) {
	d := drive(t, 100, 24, nil, script.Opened())
	d.m.attach(d.intake.Picture("a.png", 2048, 1152), d.intake.Picture("b.png", 2048, 1152))
	d.key("up", "right", "d")
	d.until("the detail changed", func() bool { return len(d.m.jobs) == 0 })
	if got := d.m.row.pictures[1]; got.Record.Detail != string(media.DetailHigh) || got.Image.Width != 4096 {
		t.Errorf("the second picture is at %s, %d wide", got.Record.Detail, got.Image.Width)
	}
	d.key("left", "backspace")
	d.until("the picture is discarded", func() bool { return len(d.intake.Discarded()) == 1 })
	if got := names(d.m.row.pictures); got != "b.png" {
		t.Errorf("left on the row is %s", got)
	}
	d.key("backspace")
	if !d.m.row.empty() || d.m.row.focused {
		t.Error("an empty row keeps the keys")
	}
}

func TestUpWalksHistoryAndComesBackToTheText(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) { o.History = func() []Past { return []Past{{Text: "one"}, {Text: "two"}} } }, script.Opened())
	d.until("history is there", func() bool { return len(d.m.comp.past) == 2 })
	d.types("now")
	for _, step := range []struct{ key, want string }{{"up", "two"}, {"up", "one"}, {"up", "one"}, {"down", "two"}, {"down", "now"}, {"ctrl+p", "two"}, {"ctrl+n", "now"}} {
		d.key(step.key)
		if got := d.m.comp.buf.text(); got != step.want {
			t.Fatalf("after %s the composer holds %q, want %q", step.key, got, step.want)
		}
	}
}

func TestRecalledMessagesBringTheirPicturesAndTakeThemAlong(t *testing.T) {
	picture := func(n string) message.Image {
		return message.Image{Ref: "blobs/" + strings.Repeat(n, 64) + ".png", MediaType: "image/png", Width: 40, Height: 30}
	}
	d := drive(t, 80, 24, func(o *Options) {
		o.History = func() []Past {
			return []Past{{Text: "one", Session: "s", Images: []message.Image{picture("a"), picture("b")}}, {Text: "two"}, {Text: "three", Session: "gone", Images: []message.Image{picture("c")}}}
		}
	}, script.Opened())
	d.until("history is there", func() bool { return len(d.m.comp.past) == 3 })
	d.m.attach(d.intake.Picture("own.png", 10, 10))
	d.key("ctrl+p")
	d.shows("the session of that message is gone")
	d.key("ctrl+p", "ctrl+p")
	d.until("both pictures are back", func() bool { return len(d.m.row.pictures) == 3 })
	d.key("ctrl+n")
	if got := names(d.m.row.pictures); got != "own.png" || d.m.comp.buf.text() != "two" {
		t.Errorf("after going on, the row holds %s and the composer %q", got, d.m.comp.buf.text())
	}
	d.key("ctrl+p")
	d.until("both pictures are back again", func() bool { return len(d.m.row.pictures) == 3 })
	d.key("enter")
	sent := d.submits()
	if len(sent) != 1 || len(sent[0].Prompt.Attachments) != 3 {
		t.Fatalf("sent %+v", sent)
	}
	if last := d.m.comp.past[len(d.m.comp.past)-1]; len(last.Images) != 3 {
		t.Errorf("the message is remembered with %d pictures", len(last.Images))
	}
}

func TestAnUnknownCommandNamesTheNearestAndStays(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("/modle x")
	d.key("enter")
	d.shows("did you mean /model?")
	if got := d.m.comp.buf.text(); got != "/modle x" {
		t.Errorf("the composer holds %q", got)
	}
	d.key("ctrl+c")
	d.types("/mode plan")
	d.key("enter", "up")
	if got := d.m.comp.buf.text(); got != "/mode plan" {
		t.Errorf("up after a command brings back %q", got)
	}
	d.key("ctrl+c")
	d.types("/tmp/shot.png shows what?")
	d.key("enter")
	if len(d.submits()) != 1 {
		t.Error("a message that begins with a path was taken for a command")
	}
}

func TestADraftSurvivesARestartWithItsPicturesAndFoldedPastes(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	long := strings.Repeat("\xff broken\n", 40)
	d.types("before ")
	d.send(input.PasteMsg{Text: long})
	d.m.attach(d.intake.Picture("a.png", 10, 10))
	d.key("x")
	d.until("the draft is saved", func() bool { return strings.Contains(string(d.intake.LoadDraft()), "a.png") })
	state := d.intake.LoadDraft()

	next := drive(t, 80, 24, nil)
	next.intake.SaveDraft(state)
	next.run(next.m.loadDraft())
	next.until("the draft is back", func() bool { return !next.m.comp.buf.empty() })
	if next.m.comp.buf.text() != "before "+long+"x" || !next.m.comp.buf.hasChips() || names(next.m.row.pictures) != "a.png" {
		t.Errorf("back came %q with %s", next.m.comp.buf.text(), names(next.m.row.pictures))
	}
}

func TestCtrlCClearsThenStopsTheTurnAndOnlyThenQuits(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.push(agent.TurnStarted{})
	d.until("the turn runs", func() bool { return d.m.talk.busy })
	d.types("a thought")
	d.key("ctrl+c")
	d.shows("cleared")
	if n := d.loop.Interrupts(); n != 0 {
		t.Error("clearing the text stopped the turn")
	}
	d.key("ctrl+c")
	d.shows("stopping")
	if n := d.loop.Interrupts(); n != 1 {
		t.Errorf("the turn was interrupted %d times", n)
	}
	if cmd := d.m.cancel(); cmd == nil {
		t.Error("a third ctrl+c does not quit")
	}
}

func TestWhatAShellLinePrintsIsReadWithoutUnfolding(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	call := message.ToolCall{ID: agent.TypedCall, Name: "shell", Args: `{"command":"git branch"}`}
	d.push(agent.CallStarted{Call: call, Summary: "shell: git branch"},
		agent.CallFinished{Call: call, Result: message.ToolResult{CallID: call.ID, Text: "* main\n  topic\n"}})
	d.shows("* main")
	d.shows("topic")
	d.push(agent.CallStarted{Call: call, Summary: "shell: seq 900"},
		agent.CallFinished{Call: call, Result: message.ToolResult{CallID: call.ID, Text: strings.Repeat("a line\n", 900)}})
	d.shows("876 lines more")
}

func TestAShellLineGoesToTheShellAndLeavesThePicturesOnTheRow(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.m.attach(d.intake.Picture("a.png", 10, 10))
	d.types("!git status @x.png")
	d.key("enter")
	p := d.submits()[0].Prompt
	if len(p.Text) != 1 || p.Text[0].Origin != message.OriginShell || p.Text[0].Text != "!git status @x.png" || len(p.Attachments) != 0 {
		t.Errorf("sent %+v", p)
	}
	if names(d.m.row.pictures) != "a.png" {
		t.Error("the picture left the row with a shell line")
	}
}

func TestAnotherSessionTakesAlongOnlyWhatIsTypedWhileItOpens(t *testing.T) {
	gate := make(chan struct{})
	fail := errDemo
	other := &script.Intake{}
	d := drive(t, 80, 24, func(o *Options) {
		o.New = func(context.Context) (Conversation, error) {
			<-gate
			return Conversation{Loop: script.NewLoop(script.Opened()), Intake: other}, fail
		}
	}, script.Opened())
	d.m.attach(d.intake.Picture("a.png", 10, 10))
	d.types("old ")
	d.run(d.m.runNew(""))
	d.types("new")
	gate <- struct{}{}
	d.until("the failure is told", func() bool { return !d.m.moving })
	if d.m.comp.buf.text() != "old new" || names(d.m.row.pictures) != "a.png" {
		t.Fatalf("after a failure the composer holds %q and %s", d.m.comp.buf.text(), names(d.m.row.pictures))
	}
	fail = nil
	d.run(d.m.runNew(""))
	d.types("more")
	gate <- struct{}{}
	d.until("the new session is there", func() bool { return !d.m.moving && d.m.draft.loaded })
	if d.m.comp.buf.text() != "more" || !d.m.row.empty() {
		t.Errorf("the new session begins with %q and %s", d.m.comp.buf.text(), names(d.m.row.pictures))
	}
	if state := string(d.intake.LoadDraft()); !strings.Contains(state, "a.png") {
		t.Errorf("the old session's draft is %s", state)
	}
}

func TestASteeringMessageShowsUntilTheTurnTakesIt(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.push(agent.TurnStarted{})
	d.until("a turn runs", func() bool { return d.m.talk.busy })
	d.types("use min-height")
	d.key("ctrl+s")
	d.shows("use min-height  goes into this turn")
	if s := d.submits(); len(s) != 1 || !s[0].Steer {
		t.Fatalf("sent %+v", s)
	}
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "use min-height"}}}})
	d.until("it is taken", func() bool { return len(d.m.talk.steers) == 0 })
}

func TestAMessageWhoseFilesAreBeingReadIsInTheDraft(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.m.attach(d.intake.Picture("a.png", 10, 10))
	d.types("see @main.go")
	d.key("enter")
	if !d.m.comp.buf.empty() {
		t.Fatal("the message is still in the composer")
	}
	if err := d.m.farewell(nil); err != nil {
		t.Fatal(err)
	}
	var draft draftJSON
	if err := json.Unmarshal(d.intake.LoadDraft(), &draft); err != nil {
		t.Fatal(err)
	}
	if len(draft.Pieces) != 1 || string(draft.Pieces[0].Text) != "see @main.go\n\n" || names(draft.Pictures) != "a.png" {
		t.Errorf("the draft is %+v", draft)
	}
	close(d.intake.Gate)
}

func TestAPasteThatWasCutSaysSo(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.send(input.PasteMsg{Text: "text", Cut: 4096})
	d.shows("its last 4,096 bytes are left out")
}

func TestUpGoesOnThroughHistoryPastCommandsAndPictures(t *testing.T) {
	picture := message.Image{Ref: "blobs/aa.png", MediaType: "image/png", Width: 10, Height: 10}
	d := drive(t, 80, 24, func(o *Options) {
		o.History = func() []Past {
			return []Past{{Text: "first"}, {Text: "with a picture", Images: []message.Image{picture}}, {Text: "/mode plan"}, {Text: "see @ma"}}
		}
	}, script.Opened())
	d.intake.Paths = []string{"main.go", "make.go"}
	d.until("history is there", func() bool { return len(d.m.comp.past) == 4 })
	for _, want := range []string{"see @ma", "/mode plan", "with a picture", "first"} {
		d.key("up")
		d.until("what was recalled is settled", func() bool { return len(d.m.jobs) == 0 })
		if got := d.m.comp.buf.text(); got != want {
			t.Fatalf("up shows %q, want %q", got, want)
		}
		if d.m.hints.open() {
			t.Fatalf("a list of completions takes the keys at %q", want)
		}
	}
}
