package ui

import (
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/ui/input"
	"espy/ui/internal/script"
)

func answers(d *driver) []agent.Answer {
	var out []agent.Answer
	for _, c := range d.loop.Commands() {
		if a, ok := c.(agent.Answer); ok {
			out = append(out, a)
		}
	}
	return out
}

func asking(t *testing.T) *driver {
	d := drive(t, 80, 24, nil, script.Opened())
	d.push(asks("q1"))
	d.until("the question is there", func() bool { return d.m.dialog != nil })
	return d
}

func armed(d *driver) {
	d.t.Helper()
	d.until("the question can be answered", func() bool { return d.m.dialog != nil && d.m.dialog.question.armed })
}

func TestKeysTypedBeforeAQuestionStoodGoToTheText(t *testing.T) {
	d := asking(t)
	d.key("y")
	if len(answers(d)) != 0 || d.m.comp.buf.text() != "y" {
		t.Errorf("answers %v, text %q", answers(d), d.m.comp.buf.text())
	}
}

func TestTypingThatGoesOnNeverAnswers(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("so ")
	d.push(asks("q1"))
	armed(d)
	d.types("many y") // the first key comes 50 ms after the last one before the question
	if len(answers(d)) != 0 {
		t.Fatalf("typing answered: %v", answers(d))
	}
	if got := d.m.comp.buf.text(); got != "so many y" {
		t.Errorf("the composer holds %q", got)
	}
}

func TestAKeyRightAfterAnotherDoesNotAnswer(t *testing.T) {
	d := asking(t)
	armed(d)
	d.key("down")
	d.now = d.now.Add(100 * time.Millisecond)
	d.quick("enter")
	if len(answers(d)) != 0 {
		t.Fatalf("a key after 100 ms answered: %v", answers(d))
	}
	d.key("y")
	if got := answers(d); len(got) != 1 || got[0].ID != "q1" || got[0].Choice != guard.ChoiceOnce {
		t.Errorf("answers %v, want q1 allowed once", got)
	}
}

func TestAPasteNeverAnswersAndIsNotLost(t *testing.T) {
	d := asking(t)
	armed(d)
	d.send(input.PasteMsg{Text: "y\n"})
	d.send(input.PasteMsg{Text: "a"})
	if len(answers(d)) != 0 || d.m.comp.buf.text() != "y\na" {
		t.Errorf("answers %v, text %q", answers(d), d.m.comp.buf.text())
	}
}

func TestEveryChoiceSendsItsAnswer(t *testing.T) {
	for keys, want := range map[string]agent.Answer{
		"y":          {ID: "q1", Choice: guard.ChoiceOnce},
		"s":          {ID: "q1", Choice: guard.ChoiceSession},
		"a":          {ID: "q1", Choice: guard.ChoiceAlways},
		"n":          {ID: "q1", Choice: guard.ChoiceDeny},
		"esc":        {ID: "q1", Choice: guard.ChoiceDeny},
		"enter":      {ID: "q1", Choice: guard.ChoiceOnce},
		"down enter": {ID: "q1", Choice: guard.ChoiceSession},
		"r n o enter": {ID: "q1", Choice: guard.ChoiceDeny,
			Reason: "no"},
	} {
		d := asking(t)
		armed(d)
		d.key(strings.Fields(keys)...)
		if got := answers(d); len(got) != 1 || got[0] != want {
			t.Errorf("%s sent %v, want %v", keys, got, want)
		}
		if d.m.dialog != nil {
			t.Errorf("after %s the question still stands", keys)
		}
	}
}

func TestCtrlCOnAQuestionStopsTheTurn(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.push(agent.TurnStarted{}, asks("q1"))
	armed(d)
	d.key("ctrl+c")
	if d.loop.Interrupts() != 1 || len(answers(d)) != 0 {
		t.Errorf("%d interrupts, answers %v", d.loop.Interrupts(), answers(d))
	}
}

func TestACommandThatGoesOnBelowTheScreenSaysSoUntilItsEndShows(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	ask := asks("q1")
	ask.Effect.Kind, ask.Effect.Command, ask.Effect.Diff = guard.KindExec, "true"+strings.Repeat("\n", 60)+"rm -rf build", false
	d.push(ask)
	armed(d)
	d.shows("more lines; pgdown shows them")
	for range 60 {
		if strings.Contains(d.screen(), "rm -rf build") {
			break
		}
		d.key("pgdown")
	}
	d.key("pgdown")
	d.shows("rm -rf build")
	if strings.Contains(d.screen(), "more line") {
		t.Error("at the end there is said to be more")
	}
}

func TestAPathOutsideIsOfferedOnceForTheSessionOrWithItsFolder(t *testing.T) {
	for key, want := range map[string]guard.Choice{"y": guard.ChoiceOnce, "s": guard.ChoiceSession, "a": guard.ChoiceAlways, "n": guard.ChoiceDeny} {
		d := drive(t, 80, 24, nil, script.Opened())
		ask := asks("q1")
		ask.Effect = guard.Effect{Tool: "read", Kind: guard.KindRead, Paths: []string{"../out/a\u202e.txt"}, Summary: "read ../out/a\u202e.txt"}
		ask.Decision = guard.Decision{Verdict: guard.Ask, Reason: "it is outside", Opening: guard.Opening{Path: "/out/a\u202e.txt", Folder: "/out"}}
		d.push(ask)
		armed(d)
		screen := strings.Join(d.m.dialog.view(80, 24, d.m.t), "\n")
		for _, words := range []string{"open a path outside the workspace?", "open it once", "open it this session", "trust its folder", "deny", "/out"} {
			if !strings.Contains(screen, words) {
				t.Errorf("the question lacks %q:\n%s", words, screen)
			}
		}
		if strings.Contains(screen, "\u202e") {
			t.Error("a character that turns the writing round reaches the screen")
		}
		d.key(key)
		if got := answers(d); len(got) != 1 || got[0].Choice != want {
			t.Errorf("%s sent %v, want %s", key, got, want)
		}
	}
}

func TestAPlanIsShownWholeAndRendered(t *testing.T) {
	for key, want := range map[string]agent.Answer{"y": {ID: "q1", Choice: guard.ChoiceOnce}, "s": {ID: "q1", Choice: guard.ChoiceSession}, "n": {ID: "q1", Choice: guard.ChoiceDeny}} {
		d := drive(t, 80, 24, nil, script.Opened())
		ask := asks("q1")
		ask.Effect = guard.Effect{Tool: "exit_plan", Kind: guard.KindPlan, Summary: "the plan", Preview: "# Steps\n\n- first **step**\n\n<!-- rm -rf / -->\n\n[text](https://example.com/x) a\u202eb \x1b[2J"}
		ask.Decision = guard.Decision{Verdict: guard.Ask, Reason: "approving the plan ends plan mode"}
		d.push(ask)
		armed(d)
		screen := strings.Join(d.m.dialog.view(80, 40, d.m.t), "\n")
		for _, words := range []string{"the plan: carry it out?", "Steps", "first", "step", "rm -rf", "example.com/x", "<U+202E>", "␛", "approve, mode auto", "go on planning"} {
			if !strings.Contains(screen, words) {
				t.Errorf("the plan lacks %q:\n%s", words, screen)
			}
		}
		d.key(key)
		if got := answers(d); len(got) != 1 || got[0] != want {
			t.Errorf("%s sent %v, want %v", key, got, want)
		}
	}
}

func TestQuestionsComeOneAfterTheOtherAndGoWhenSettledElsewhere(t *testing.T) {
	d := asking(t)
	d.push(asks("q2"))
	d.until("both are known", func() bool { return len(d.m.talk.asks) == 2 })
	d.push(agent.PermissionSettled{ID: "q1", Allowed: false})
	d.until("the second one shows", func() bool { return d.m.dialog != nil && d.m.dialog.question.ask.ID == "q2" })
	armed(d)
	d.key("y")
	if got := answers(d); len(got) != 1 || got[0].ID != "q2" {
		t.Errorf("answers %v", got)
	}
	d.push(asks("q3"))
	d.until("the third one shows", func() bool { return d.m.dialog != nil })
	d.push(agent.TurnEnded{Reason: agent.EndInterrupted})
	d.until("it goes with the turn", func() bool { return d.m.dialog == nil })
}
