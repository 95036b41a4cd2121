package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/ui/input"
	"espy/ui/internal/script"
)

func inquires(id string, several bool) agent.QuestionAsked {
	return agent.QuestionAsked{ID: id, Call: message.ToolCall{ID: id, Name: "ask", Args: "{}"}, Question: tools.Question{
		Text: "Which database should the sessions go to?\u202e\x1b[2J", Several: several,
		Choices: []tools.Choice{{Label: "Postgres", About: "it runs here already"}, {Label: "SQLite", About: "one file, no server"},
			{Label: "keep them in memory\x1b]0;x\a", About: "they are gone with a restart, which the people who are signed in would notice at once and complain about"}}}}
}

func asked(t *testing.T, several bool) *driver {
	d := drive(t, 80, 24, nil, script.Opened())
	d.push(agent.TurnStarted{}, inquires("q1", several))
	armed(d)
	return d
}

func replies(d *driver) (out []agent.Reply) {
	for _, c := range d.loop.Commands() {
		if r, ok := c.(agent.Reply); ok {
			out = append(out, r)
		}
	}
	return out
}

func TestEveryAnswerToAQuestionSendsWhatItSays(t *testing.T) {
	for _, c := range []struct {
		keys    string
		several bool
		want    tools.Reply
	}{
		{"enter", false, tools.Reply{Chosen: []int{0}}},
		{"2", false, tools.Reply{Chosen: []int{1}}},
		{"down down space", false, tools.Reply{Chosen: []int{2}}},
		{"esc", false, tools.Reply{Dismissed: true}},
		{"o n o enter", false, tools.Reply{Words: "no"}},
		{"up enter n o enter", false, tools.Reply{Words: "no"}},
		{"o n esc 2", false, tools.Reply{Chosen: []int{1}}},
		{"o enter 1", false, tools.Reply{Chosen: []int{0}}},
		{"1 3 enter", true, tools.Reply{Chosen: []int{0, 2}}},
		{"space down space space enter", true, tools.Reply{Chosen: []int{0}}},
		{"down enter", true, tools.Reply{Chosen: []int{1}}},
		{"3 o a n d enter", true, tools.Reply{Chosen: []int{2}, Words: "and"}},
		{"2 o x esc enter", true, tools.Reply{Chosen: []int{1}}},
	} {
		d := asked(t, c.several)
		d.key(strings.Fields(c.keys)...)
		got := replies(d)
		if len(got) != 1 || got[0].ID != "q1" || !slices.Equal(got[0].Reply.Chosen, c.want.Chosen) || got[0].Reply.Words != c.want.Words || got[0].Reply.Dismissed != c.want.Dismissed {
			t.Errorf("%s sent %+v, want %+v", c.keys, got, c.want)
		}
		if d.m.dialog != nil || len(d.m.talk.inquiries) > 0 {
			t.Errorf("after %s the question still stands", c.keys)
		}
	}
}

func TestNothingTypedForSomethingElseAnswersAQuestion(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("so ")
	d.push(inquires("q1", false))
	d.until("the question is there", func() bool { return d.m.dialog != nil })
	d.types("1")
	armed(d)
	d.types("2o many")
	if got := replies(d); len(got) != 0 || d.m.comp.buf.text() != "so 12o many" {
		t.Errorf("typing answered: %v; the composer holds %q", got, d.m.comp.buf.text())
	}
	d.now = d.now.Add(time.Second)
	d.send(input.PasteMsg{Text: "1"})
	d.send(input.PasteMsg{Text: "1\n"})
	if got := replies(d); len(got) != 0 {
		t.Errorf("a paste answered: %v", got)
	}
	d.key("down")
	d.now = d.now.Add(100 * time.Millisecond)
	d.quick("2")
	if got := replies(d); len(got) != 0 {
		t.Errorf("a key after 100 ms answered: %v", got)
	}
	d.key("2")
	if got := replies(d); len(got) != 1 {
		t.Errorf("replies %v", got)
	}
}

func TestAPasteIntoOnesOwnWordsIsTextAndSendsNothing(t *testing.T) {
	d := asked(t, false)
	d.key("o")
	d.send(input.PasteMsg{Text: "first\nsecond\n"})
	if got := replies(d); len(got) != 0 {
		t.Fatalf("the paste sent %v", got)
	}
	d.key("enter")
	if got := replies(d); len(got) != 1 || !strings.HasPrefix(got[0].Reply.Words, "first second") {
		t.Errorf("replies %v", got)
	}
}

func TestAHostileQuestionShowsAsTextAndALongChoiceInFull(t *testing.T) {
	for _, w := range []int{40, 80, 120} {
		d := asked(t, false)
		view := d.m.dialog.view(w, 40, d.m.t)
		text := strings.Join(view, "\n")
		for _, bad := range []string{"\u202e", "\x1b[2J", "\x1b]0", "\a"} {
			if strings.Contains(text, bad) {
				t.Errorf("at %d columns the screen gets %q", w, bad)
			}
		}
		plain := strings.Join(strings.Fields(stripped(view)), " ")
		for _, words := range []string{"Which database", "Postgres", "something else", "complain about"} {
			if !strings.Contains(plain, words) {
				t.Errorf("at %d columns %q is not to be read:\n%s", w, words, stripped(view))
			}
		}
	}
}

func TestAQuestionGoesWithItsTurnAndTheNextOneComes(t *testing.T) {
	d := asked(t, false)
	d.push(inquires("q2", false), agent.QuestionSettled{ID: "q1"})
	d.until("the second one stands", func() bool { return d.m.dialog != nil && d.m.dialog.question.id() == "q2" })
	d.push(agent.TurnEnded{Reason: agent.EndInterrupted})
	d.until("it goes with the turn", func() bool { return d.m.dialog == nil })
	d.push(agent.TurnStarted{}, inquires("q3", false))
	armed(d)
	d.key("ctrl+c")
	if d.loop.Interrupts() != 1 || len(replies(d)) != 0 {
		t.Errorf("%d interrupts, replies %v", d.loop.Interrupts(), replies(d))
	}
}
