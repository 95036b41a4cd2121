package ui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/input"
	"espy/ui/internal/script"
	"espy/ui/screen"
)

// turns is a conversation of n questions and answers.
func turns(n int) agent.Opened {
	var out []message.Message
	for i := range n {
		out = append(out, message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: fmt.Sprintf("question %d", i+1)}}},
			message.Message{Role: message.RoleAssistant, Stop: message.StopEnd, Blocks: []message.Block{message.Text{Text: fmt.Sprintf("## answer %d\n\n%s", i+1, script.Answer)}}})
	}
	return script.Opened(out...)
}

// quiet takes in what commands bring until every answer in the window is rendered.
func (d *driver) quiet() {
	d.t.Helper()
	d.until("the window is rendered", func() bool {
		for _, i := range d.m.list.owner {
			if a, ok := d.m.list.slots[i].entry.(*answer); ok && a.wanting(d.m.list.width) {
				return false
			}
		}
		return true
	})
}

func TestAFailedRequestIsOneLineThatCountsDown(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	failed := func(attempt int) agent.Notice {
		return agent.Notice{Kind: agent.NoticeRetried, Cause: "the server is busy", Wait: 5 * time.Second, Attempt: attempt, Most: 4,
			Sentence: "the server is busy; trying again"}
	}
	tell := func(e agent.Event) { d.m.talk.take(e, d.now) }
	tell(agent.TurnStarted{})
	tell(failed(2))
	d.now = d.now.Add(3 * time.Second)
	d.send(tick{})
	if !strings.Contains(d.screen(), "trying again in 2 s (attempt 2 of 4)") {
		t.Errorf("three of five seconds passed:\n%s", d.screen())
	}
	tell(failed(3))
	tell(failed(4))
	d.send(tick{})
	if s := d.screen(); strings.Count(s, "the server is busy") != 1 || !strings.Contains(s, "in 5 s (attempt 4 of 4)") {
		t.Errorf("three failures stand as\n%s", s)
	}
	tell(agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: "hello"}}}})
	tell(failed(2))
	tell(agent.TurnEnded{Reason: agent.EndInterrupted})
	d.send(tick{})
	s := d.screen()
	if !strings.Contains(s, "busy; tried again (attempt 4 of 4)") || !strings.Contains(s, "busy; not tried again (attempt 2 of 4)") {
		t.Errorf("the first went through, the second did not:\n%s", s)
	}
}

func TestACallWithoutAResultDoesNotRunOnAfterItsTurn(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	call := message.ToolCall{ID: "c1", Name: "write", Args: `{"path":"big.txt"}`}
	d.m.talk.take(agent.TurnStarted{}, d.now)
	d.m.talk.take(agent.CallStarted{Call: call, Summary: "write big.txt"}, d.now)
	d.now = d.now.Add(5 * time.Second)
	d.m.talk.take(agent.TurnEnded{Reason: agent.EndFailed, Err: errors.New("write: no space left on device")}, d.now)
	d.now = d.now.Add(5 * time.Second)
	d.send(tick{})
	if s := d.screen(); !strings.Contains(s, "✗ write big.txt") || strings.Contains(s, "◌") {
		t.Errorf("the turn ended, and its call had no result:\n%s", s)
	}
}

func TestAStormOfSizesEndsAsAFreshDraw(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	d := drive(t, 80, 24, nil, conversation())
	busy(d)
	for range 60 {
		d.send(tea.WindowSizeMsg{Width: 1 + random.IntN(140), Height: 1 + random.IntN(60)})
	}
	for _, size := range []struct{ w, h int }{{1, 1}, {10, 3}, {40, 10}, {100, 30}} {
		d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
		d.quiet()
		fresh := drive(t, size.w, size.h, nil, conversation())
		busy(fresh)
		fresh.quiet()
		d.still()
		fresh.still()
		if got, want := d.screen(), fresh.screen(); got != want {
			t.Errorf("at %dx%d the storm left\n%s\na fresh draw is\n%s", size.w, size.h, got, want)
		}
	}
}

const wide = "你好世界 👨‍👩‍👧‍👦 ❤️ 한글 ｶﾞ नमस्ते \u202e\x1b[31mred\x1b]0;title\x07 https://example.test/" + "very/long/path/that/never/ends/and/goes/on/and/on/and/on/and/on/without/a/blank\ttab\u00ad"

func TestNoLineIsWiderThanTheScreenNorHoldsAControl(t *testing.T) {
	picture := message.Image{Ref: "blobs/" + wide, MediaType: "image/png", Width: 20, Height: 10}
	call := message.ToolCall{ID: "c", Name: wide, Args: wide}
	e := script.Opened(
		message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: wide}, message.Text{Text: wide, Origin: message.OriginFile}, message.Text{Text: wide, Origin: message.OriginShell}, picture}},
		message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Thinking{Text: wide}, message.Text{Text: wide}, call}},
		message.Message{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: "c", Text: wide, Images: []message.Image{picture}, IsError: true, Meta: map[string]string{message.MetaSummary: wide, message.MetaExit: wide}}}},
	)
	e.Folder, e.Session = "/"+wide, wide
	e.Pictures[picture.Ref] = message.PictureRecord{Ref: picture.Ref, Name: wide, Number: 1}
	for _, size := range []struct{ w, h int }{{1, 1}, {2, 5}, {7, 9}, {20, 12}, {40, 10}, {80, 24}, {250, 80}} {
		d := drive(t, size.w, size.h, func(o *Options) { o.First.NotAccepted = []string{wide} }, e)
		d.m.attach(d.intake.Picture(wide, 10, 10))
		d.send(input.PasteMsg{Text: wide})
		ask := asks("q")
		ask.Effect.Command, ask.Effect.Tool, ask.Decision.Reason = wide, wide, wide
		for _, step := range []func(){func() {}, func() { d.m.list.toggleAll() }, func() { d.m.row.focus(); d.m.viewSelected() }, func() { d.m.viewer.mark() }, func() { d.m.viewer = nil; d.m.dialog = d.m.helpPanel() },
			func() { d.m.dialog = newQuestion(ask, d.now, d.m.t, d.m.keys) }, func() { d.m.dialog = nil; d.m.say(wide, true) }} {
			step()
			d.send(draftDue{})
			lines := strings.Split(d.m.View(), "\n")
			if len(lines) != size.h {
				t.Errorf("at %dx%d there are %d lines", size.w, size.h, len(lines))
			}
			for _, line := range lines {
				if n := screen.Width(line); n > size.w {
					t.Errorf("at %dx%d a line is %d wide: %q", size.w, size.h, n, line)
				}
				if bare := stripColour(line); strings.ContainsAny(bare, "\x1b\x07\u202e\t\r") {
					t.Errorf("at %dx%d a line holds a control character: %q", size.w, size.h, line)
				}
			}
		}
	}
}

// stripColour takes out what styles write and nothing else.
func stripColour(line string) string {
	for {
		i := strings.Index(line, "\x1b[")
		if i < 0 {
			return line
		}
		j := i + 2
		for j < len(line) && (line[j] == ';' || line[j] >= '0' && line[j] <= '9') {
			j++
		}
		if j == len(line) || line[j] != 'm' {
			return line
		}
		line = line[:i] + line[j+1:]
	}
}

func TestScrollingShowsEveryLineOnceAndComesBack(t *testing.T) {
	d := drive(t, 80, 24, nil, turns(12))
	d.quiet()
	bottom := d.screen()
	for range 400 {
		d.send(tea.MouseMsg{Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress})
		d.quiet()
	}
	d.shows("question 1")
	if d.m.list.follow {
		t.Fatal("at the top the window follows the end")
	}
	var seen []string
	for range 2000 {
		top := d.m.list.window[0]
		d.m.list.scroll(1)
		d.m.list.layout()
		d.quiet()
		seen = append(seen, stripColour(top))
		if d.m.list.follow {
			break
		}
	}
	all := strings.Join(seen, "\n")
	for i := range 11 {
		for _, what := range []string{"question", "answer"} {
			if n := strings.Count(all+"\n", fmt.Sprintf("%s %d\n", what, i+1)); n != 1 {
				t.Errorf("%s %d passed the top of the window %d times", what, i+1, n)
			}
		}
	}
	d.key("ctrl+end")
	if got := d.screen(); got != bottom {
		t.Errorf("back at the end the screen is\n%s\nit was\n%s", got, bottom)
	}
}

func TestWhatIsReadStaysInPlaceWhileMoreArrives(t *testing.T) {
	d := drive(t, 80, 24, nil, turns(12))
	d.quiet()
	d.key("pgup", "pgup")
	d.quiet()
	before := d.m.list.window[0]
	reading := append([]string(nil), d.m.list.window...)
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "more"}}}})
	for i := range 20 {
		d.push(agent.TextDelta{Text: fmt.Sprintf("line %d\n\n", i)})
		d.until("it arrived", func() bool { return strings.Contains(answerText(d), fmt.Sprintf("line %d\n", i)) })
	}
	if got := d.m.list.window; strings.Join(got, "\n") != strings.Join(reading, "\n") {
		t.Errorf("the window moved from %q to %q", before, got[0])
	}
	d.shows("new below")
	d.key("ctrl+end")
	d.shows("line 19")
}

func TestMarkdownThatArrivesKeepsThePlace(t *testing.T) {
	d := drive(t, 80, 24, nil, turns(30))
	d.m.list.scroll(-200) // to where nothing is rendered yet
	d.send(draftDue{})
	last := d.m.list.last
	d.quiet()
	if d.m.list.last > last+1 || d.m.list.last < last-1 {
		t.Errorf("the window moved from entry %d to entry %d", last, d.m.list.last)
	}
}

func TestUnfoldingShowsArgumentsAndResult(t *testing.T) {
	d := drive(t, 100, 60, nil, conversation())
	d.quiet()
	if strings.Contains(d.screen(), `read {"path":"web/toolbar.css"}`) {
		t.Fatal("a folded call shows its arguments")
	}
	d.key("ctrl+o")
	d.shows(`read {"path":"web/toolbar.css"}`)
	d.shows("The toolbar clips its label.")
	d.key("ctrl+o", "ctrl+t", "up", "up", "enter")
	d.shows(`shell {"command":"npm test"}`)
	if strings.Contains(d.screen(), `read_media {"path":"shot.png"}`) {
		t.Error("unfolding one entry unfolded another")
	}
	d.key("esc")
}

func TestAnIdleProgramHasNothingRunning(t *testing.T) {
	d := drive(t, 80, 24, nil, conversation())
	d.quiet()
	frame := d.m.View()
	select {
	case msg := <-d.msgs:
		if _, batch := msg.(tea.BatchMsg); !batch {
			t.Fatalf("an idle program got %#v", msg)
		}
	case <-time.After(2 * spinnerPause):
	}
	if d.m.ticking || d.m.View() != frame {
		t.Error("something ticks while nothing happens")
	}
}

func answerText(d *driver) string {
	if d.m.talk.writing < 0 {
		return ""
	}
	return d.m.talk.answerEntry().text
}

func TestAFinishedCallSaysWhatItCameTo(t *testing.T) {
	for _, c := range []struct{ name, args, summary, want string }{
		{"shell", `{"command":"go  test ./..."}`, "go test ./... (exit 0)", "shell go test ./... (exit 0)"},
		{"grep", `{"pattern":"func main","path":"."}`, "func main: 2 matches in 1 file", "grep func main: 2 matches in 1 file"},
		{"read", `{"path":"main.go"}`, "read 12 lines of main.go", "read 12 lines of main.go"},
		{"write", `{"path":"b.txt","content":"hello"}`, "wrote b.txt (+2 -0 lines)", "wrote b.txt (+2 -0 lines)"},
		{"read", `{"path":"a.png"}`, "a.png: a picture", "read a.png: a picture"},
		{"odd", `not json`, "did it", "did it"},
		{"odd", `{"path":"x"}`, "", "odd x"},
	} {
		e := &call{call: message.ToolCall{Name: c.name, Args: c.args}}
		e.finish(message.ToolResult{Meta: map[string]string{message.MetaSummary: c.summary}}, nil, 0)
		if got := e.title(); got != c.want {
			t.Errorf("%s %s is titled %q, want %q", c.name, c.args, got, c.want)
		}
	}
}

func TestLinesFarFromTheWindowAreDropped(t *testing.T) {
	d := drive(t, 80, 24, nil, turns(2000))
	d.quiet()
	for range 3000 {
		d.send(tea.MouseMsg{Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress})
	}
	held := 0
	for _, s := range d.m.list.slots {
		if s.lines != nil {
			held++
		}
	}
	if held > 3*keepItems+10 || len(d.m.list.drawn) != held {
		t.Errorf("%d of %d entries hold lines, %d are remembered as drawn", held, len(d.m.list.slots), len(d.m.list.drawn))
	}
}
