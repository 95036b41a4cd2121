package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

func (h *house) rewound() Rewound { h.t.Helper(); return newest[Rewound](h) }

// newest waits for the end of what was asked for and returns the newest event of a kind.
func newest[E Event](h *house) E {
	h.t.Helper()
	from := len(h.seen)
	h.end()
	for i := len(h.seen) - 1; i >= from; i-- {
		if e, ok := h.seen[i].(E); ok {
			return e
		}
	}
	var none E
	h.t.Fatalf("no %T among %s", none, describe(h.seen[from:]))
	return none
}

func (h *house) holds(name, want string) {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if want == "" && err == nil || want != "" && string(data) != want {
		h.t.Errorf("%s holds %q, %v; it should hold %q", name, data, err, want)
	}
}

func (h *house) put(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// shown is what the person said and the model answered, as the conversation stands.
func shown(messages []message.Message) string {
	var s []string
	for _, m := range messages {
		if m.Role == message.RoleUser || m.Role == message.RoleAssistant {
			s = append(s, strings.TrimSpace(m.PlainText()))
		}
	}
	return strings.Join(s, " | ")
}

// twoTurns is a session in which a picture was asked about and files were changed in two ways.
func twoTurns(t *testing.T) *house {
	h := newHouse(t, guard.ModeFull,
		say("first answer"),
		want(callOf("1", "write", `{"path":"made.txt","content":"by espy"}`)),
		want(callOf("2", "shell", `{"command":"echo changed > old.txt"}`)),
		say("second answer"))
	h.put("old.txt", "mine\n")
	h.send("one")
	h.end()
	h.send("two", h.attach(h.picture("shot.png", 40, 30)))
	h.end()
	h.holds("made.txt", "by espy")
	h.holds("old.txt", "changed\n")
	return h
}

func TestARewindBringsBackConversationFilesAndTheComposersPictures(t *testing.T) {
	h := twoTurns(t)
	points := h.agent.Points()
	if len(points) != 2 || points[1].Text != "two" || points[1].Pictures != 1 || points[1].Files != 2 || points[0].Files != 2 {
		t.Fatalf("%+v", points)
	}
	h.agent.Send(Rewind{To: points[1].ID})
	e := h.rewound()
	if got := shown(e.Messages); got != "one | first answer" {
		t.Errorf("the conversation is %q", got)
	}
	if p := e.Prompt; len(p.Text) != 1 || p.Text[0].Text != "two" || len(p.Attachments) != 1 || p.Attachments[0].Record.Number != 1 || p.Attachments[0].Record.Name != "shot.png" {
		t.Errorf("the composer gets %+v", e.Prompt)
	}
	if len(e.Files) != 2 || len(e.Faults) != 0 || !e.CanRedo {
		t.Errorf("%+v, %+v", e.Files, e.Faults)
	}
	h.holds("made.txt", "")
	h.holds("old.txt", "mine\n")

	h.agent.Send(Redo{})
	e = h.rewound()
	if got := shown(e.Messages); !strings.HasSuffix(got, "| second answer") || e.CanRedo || len(e.Prompt.Text) != 0 {
		t.Errorf("forward again: %q, %+v", got, e)
	}
	h.holds("made.txt", "by espy")
	h.holds("old.txt", "changed\n")
}

func TestWhatWasRewoundCanBeSentAgainAfterAResumeAndRedoEndsThere(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(Rewind{To: h.agent.Points()[1].ID, What: RewindConversation})
	prompt := h.rewound().Prompt
	h.holds("made.txt", "by espy")
	h.again(guard.ModeFull, sees(providers.Supported))
	h.stage.plays = []play{say("third answer")}
	h.agent.Send(Submit{Prompt: prompt})
	h.end()
	last := h.stage.request(len(h.stage.requests) - 1)
	if text := sent(last); strings.Contains(text, "second answer") || !strings.Contains(text, "two") || !strings.Contains(text, "first answer") {
		t.Errorf("the model reads %s", text)
	}
	if images := len(requestPictures(last)); images != 1 {
		t.Errorf("%d pictures are sent", images)
	}
	h.agent.Send(Redo{})
	if n := newest[Notice](h); !strings.Contains(n.Sentence, "nothing to go forward") {
		t.Errorf("it says %q", n.Sentence)
	}
	loaded, err := h.store.Read(t.Context(), h.session.ID())
	if err != nil || !strings.Contains(shown(messagesOf(loaded.Records)), "second answer") {
		t.Errorf("the log lost the branch: %v", err)
	}
}

// messagesOf is every message of a log, wherever the head is.
func messagesOf(records []message.Record) (all []message.Message) {
	for _, r := range records {
		if m, ok := r.(message.MessageRecord); ok {
			all = append(all, m.Body())
		}
	}
	return all
}

func TestAFileChangedByHandIsAskedAboutBeforeAnythingGoesBack(t *testing.T) {
	h := twoTurns(t)
	h.put("old.txt", "by hand")
	to := h.agent.Points()[1].ID
	h.agent.Send(Rewind{To: to})
	asked := newest[RewindAsked](h)
	if len(asked.Files) != 1 || asked.Files[0].Path != "old.txt" || asked.Rewind.To != to {
		t.Errorf("%+v", asked)
	}
	h.holds("made.txt", "by espy")
	if got := shown(h.agent.Messages()); !strings.HasSuffix(got, "second answer") {
		t.Errorf("the conversation moved: %q", got)
	}
	h.agent.Send(Rewind{To: to, Conflicts: ConflictKeep})
	h.rewound()
	h.holds("made.txt", "")
	h.holds("old.txt", "by hand")
}

func TestFilesAloneGoBackAndTheModelIsTold(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(Rewind{To: h.agent.Points()[0].ID, What: RewindFiles})
	e := h.rewound()
	if e.Conversation || len(e.Prompt.Text) != 0 || !strings.HasSuffix(shown(e.Messages), "second answer") {
		t.Errorf("%+v", e)
	}
	h.holds("old.txt", "mine\n")
	h.stage.plays = []play{say("noted")}
	h.send("go on")
	h.end()
	if text := sent(h.stage.request(len(h.stage.requests) - 1)); !strings.Contains(text, "took files back") || !strings.Contains(text, "old.txt") {
		t.Errorf("the model reads %s", text)
	}
}

func TestRewindingToTheFirstMessageLeavesAnEmptyConversationThatGoesOn(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(Rewind{To: h.agent.Points()[0].ID})
	if e := h.rewound(); len(e.Messages) != 0 || e.Prompt.Text[0].Text != "one" {
		t.Errorf("%+v", e)
	}
	h.again(guard.ModeFull, sees(providers.Supported))
	h.stage.plays = []play{say("anew")}
	h.send("from the start")
	h.end()
	if got := shown(h.agent.Messages()); got != "from the start | anew" {
		t.Errorf("%q", got)
	}
}

func TestModeAndModelStayWhenTheConversationGoesBack(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(SetMode{Mode: guard.ModePlan})
	h.agent.Send(Rewind{To: h.agent.Points()[1].ID})
	h.rewound()
	h.again(guard.ModeFull, sees(providers.Supported))
	h.agent.log.read(func(history *projection.History) {
		if history.Mode() != string(guard.ModePlan) {
			t.Errorf("the log says mode %q", history.Mode())
		}
	})
}

func TestARewindToSomethingElseThanTheConversationChangesNothing(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(Rewind{To: "01ARZ3NDEKTSV4RRFFQ69G5FAV"})
	h.end()
	if got := shown(h.agent.Messages()); !strings.HasSuffix(got, "second answer") {
		t.Errorf("%q", got)
	}
	h.holds("made.txt", "by espy")
}

func TestARenamedSessionIsListedUnderItsTitle(t *testing.T) {
	h := twoTurns(t)
	h.agent.Send(Rename{Title: "  the\nplan \x1b[31m "})
	h.until("the title", func(e Event) bool { _, ok := e.(Renamed); return ok })
	h.stop()
	list, err := h.store.List(t.Context(), h.dir, 0)
	if err != nil || len(list) != 1 || list[0].Title != "the plan  [31m" {
		t.Errorf("%+v, %v", list, err)
	}
}
