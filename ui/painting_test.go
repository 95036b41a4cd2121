package ui

import (
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"espy/providers"
	"espy/ui/internal/script"
	"espy/ui/paint"
)

// gated is a terminal that takes a frame only when it is told to, and says what it is given.
type gated struct {
	given chan string
	open  chan struct{}
}

func (g *gated) Write(b []byte) (int, error) {
	g.given <- string(b)
	<-g.open
	return len(b), nil
}

func TestAQuestionCanBeAnsweredOnlyAfterTheTerminalHasItsFrame(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	out := &gated{given: make(chan string, 100), open: make(chan struct{})}
	painter := paint.New(out, func(fault any) { t.Errorf("a fault: %v", fault) })
	painter.Resume()
	release := sync.OnceFunc(func() { close(out.open) })
	t.Cleanup(func() { release(); painter.Close() })
	d.m.painter = painter
	show := func() { painted{model: d.m}.View() }
	d.m.stale = true
	show()
	<-out.given // the terminal is busy with this frame from now on
	d.push(asks("q1"))
	d.until("the question is there", func() bool { return d.m.dialog != nil })
	d.m.stale = true
	show()
	d.key("y") // as long after the question as a person could want
	if len(answers(d)) != 0 || d.m.dialog.question.armed {
		t.Fatalf("a key answered a question that nobody could see: %v", answers(d))
	}
	release()
	armed(d)
	d.key("y")
	if len(answers(d)) != 1 {
		t.Errorf("answers %v, want one", answers(d))
	}
}

func TestTheFirstFrameNeedsNoMessage(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	p := painted{d.m, 100, 30}
	p.Init()
	if d.m.width != 100 || d.m.height != 30 || !d.m.stale {
		t.Errorf("after Init the screen is %dx%d", d.m.width, d.m.height)
	}
}

func TestANewSizeIsPaintedWholeAlsoWhereItIsTheOldOne(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	out := &gated{given: make(chan string, 100), open: make(chan struct{})}
	close(out.open)
	painter := paint.New(out, nil)
	painter.Resume()
	t.Cleanup(func() { painter.Close() })
	d.m.painter = painter
	p := painted{d.m, 80, 24}
	for range 3 {
		p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		p.View()
		if frame := <-out.given; !strings.Contains(frame, "A coding assistant") {
			t.Errorf("a size painted only %q", frame)
		}
	}
}

func TestTheCursorStandsInWhateverIsWrittenIn(t *testing.T) {
	routes := func() []providers.Route { return []providers.Route{script.Route(), script.Blind()} }
	d := drive(t, 80, 24, func(o *Options) { o.Models = routes }, conversation())
	stands := func(after string) {
		t.Helper()
		lines, c := strings.Split(d.m.View(), "\n"), d.m.caret
		if !c.Shown {
			t.Fatalf("there is no cursor behind %q:\n%s", after, d.screen())
		}
		if before := ansi.Strip(ansi.Truncate(lines[c.Y], c.X, "")); !strings.HasSuffix(before, after) {
			t.Errorf("before the cursor stands %q, want %q", before, after)
		}
		if strings.Contains(d.m.View(), caretMark) {
			t.Error("the mark of the cursor is drawn")
		}
	}
	d.types("some 你好")
	stands("› some 你好")
	d.key("left")
	stands("› some 你")
	d.key("ctrl+t")
	d.until("an entry is picked", func() bool { return d.m.list.picked >= 0 })
	if d.m.View(); d.m.caret.Shown {
		t.Error("there is a cursor though letters are commands")
	}
	d.key("/")
	d.types("tool")
	stands("find: tool")
	d.types("nowhere")
	stands("find: toolnowhere")
	d.key("esc", "esc", "end", "ctrl+u")
	d.types("/model")
	d.key("enter")
	d.until("the list of models", func() bool { return d.m.dialog != nil })
	d.types("ec")
	stands("filter: ec")
}
