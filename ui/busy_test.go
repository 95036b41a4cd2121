package ui

import (
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

// tell hands the session events as if the loop had sent them, and draws what follows.
func (d *driver) tell(events ...agent.Event) {
	d.send(arrived{talk: d.m.talks, events: events})
	d.still()
}

// overComposer is the line over the composer.
func (d *driver) overComposer() string {
	for _, line := range strings.Split(d.screen(), "\n") {
		if strings.HasPrefix(line, "──") {
			return line
		}
	}
	d.t.Fatalf("there is no line over the composer:\n%s", d.screen())
	return ""
}

func startOf(id, name, args string) agent.CallStarted {
	return agent.CallStarted{Call: message.ToolCall{ID: id, Name: name, Args: args}, Summary: name}
}

func endOf(id string) agent.CallFinished {
	return agent.CallFinished{Call: message.ToolCall{ID: id}, Result: message.ToolResult{CallID: id}}
}

func TestTheLineOverTheComposerSaysWhatTheTurnIsAt(t *testing.T) {
	d := drive(t, 120, 24, nil, script.Opened())
	for _, step := range []struct {
		what  string
		event agent.Event
		want  string
	}{
		{"a request goes out", agent.TurnStarted{}, "waiting for echo ─"},
		{"the model thinks", agent.ThinkingDelta{Text: "hm"}, "thinking ─"},
		{"it writes", agent.TextDelta{Text: "so"}, "writing ─"},
		{"it writes a call", agent.CallDelta{Name: "edit", Tokens: 4}, "writing a call of edit ─"},
		{"a command runs", startOf("a", "shell", `{"command":"go test ./..."}`), "running go test ./... ─"},
		{"files are kept before", agent.Activity{Text: "keeping what the files hold now, 200 of 800"}, "keeping what the files hold now, 200 of 800 ─"},
		{"they are kept", agent.Activity{}, "running go test ./... ─"},
		{"another runs beside it", startOf("b", "read_media", `{"path":"shot.png"}`), "running go test ./... and 1 more call ─"},
		{"the first ends", endOf("a"), "looking at shot.png ─"},
		{"all have ended", endOf("b"), "waiting for echo ─"},
		{"the conversation is summarised", agent.Activity{Text: "summarising, 80 tokens written"}, "summarising, 80 tokens written ─"},
	} {
		if d.tell(step.event); !strings.Contains(d.overComposer(), step.want) {
			t.Errorf("%s: the line is %q, want it to say %q", step.what, d.overComposer(), step.want)
		}
	}
}

func TestTokensAreEstimatedWhileAnAnswerIsWrittenAndThenAsReported(t *testing.T) {
	d := drive(t, 120, 24, nil, script.Opened())
	d.tell(agent.TurnStarted{}, agent.TextDelta{Text: strings.Repeat("word ", 400)})
	if line := d.overComposer(); !strings.Contains(line, "~12.4k in · ~") || !strings.Contains(line, " out · ") {
		t.Errorf("while it is written the line is %q", line)
	}
	d.tell(agent.AnswerDone{Message: message.Message{Usage: &message.Usage{Input: 13_000, Output: 400}}}, startOf("a", "shell", `{"command":"ls"}`))
	if line := d.overComposer(); !strings.Contains(line, " 13k in · ") || !strings.Contains(line, " 400 out · ") {
		t.Errorf("once it is reported the line is %q", line)
	}
}

func TestWhatStandsOverTheComposerDoesNotJump(t *testing.T) {
	d := drive(t, 120, 24, nil, script.Opened())
	d.tell(agent.TurnStarted{}, agent.TextDelta{Text: strings.Repeat("word ", 2500)})
	d.now = d.now.Add(50 * time.Second)
	place := -1
	for range 30 {
		d.now = d.now.Add(250 * time.Millisecond)
		d.tell(agent.TextDelta{Text: strings.Repeat("word ", 7)})
		line := d.overComposer()
		at := strings.Index(line, " s · ")
		if at < 0 || place >= 0 && at != place {
			t.Fatalf("the time stood at byte %d and stands at %d:\n%s", place, at, line)
		}
		place = at
	}
}

func TestABurstOfEventsMovesTheLineAFewTimesASecond(t *testing.T) {
	d := drive(t, 120, 24, nil, script.Opened())
	d.tell(agent.TurnStarted{}, agent.TextDelta{Text: "a"})
	before := d.m.pulse.doing
	d.send(arrived{talk: d.m.talks, events: []agent.Event{startOf("a", "shell", `{"command":"true"}`), endOf("a"), agent.ThinkingDelta{Text: "b"}}})
	if d.m.pulse.doing != before {
		t.Errorf("between two ticks the line went from %q to %q", before, d.m.pulse.doing)
	}
	d.send(tick{})
	if d.m.pulse.doing != "thinking" {
		t.Errorf("at the next tick it says %q, want thinking", d.m.pulse.doing)
	}
}

func TestWhatTakesLongToAttachSaysForHowLong(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Gate = make(chan struct{})
	d.key("ctrl+v")
	d.shows("looking at the clipboard")
	d.now = d.now.Add(4 * time.Second)
	d.send(tick{})
	if got := d.screen(); !strings.Contains(got, "4 s, esc stops") {
		t.Errorf("after four seconds the screen is\n%s", got)
	}
	close(d.intake.Gate)
	d.until("it is attached", func() bool { return len(d.m.jobs) == 0 })
}
