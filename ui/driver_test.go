package ui

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"espy/agent"
	"espy/ui/input"
	"espy/ui/internal/script"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// driver runs the model as Bubble Tea would, with a clock that only moves when a key is pressed.
type driver struct {
	t      testing.TB
	m      *model
	loop   *script.Loop
	intake *script.Intake
	msgs   chan tea.Msg
	now    time.Time
	quit   bool
}

func drive(t testing.TB, width, height int, change func(*Options), events ...agent.Event) *driver {
	t.Helper()
	d := &driver{t: t, loop: script.NewLoop(events...), intake: &script.Intake{}, msgs: make(chan tea.Msg, 64),
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	o := Options{Conversation: Conversation{Loop: d.loop, Intake: d.intake}, Folder: "/home/ana/shop", Version: "0.1.0",
		Cost:  func(_ string, w, h int, _ string) int { return w * h / 750 },
		First: FirstScreen{Try: "README.md", ModelReason: "no provider is configured"},
		Clock: func() time.Time { return d.now }}
	if change != nil {
		change(&o)
	}
	o.fill()
	work := newWorks(t.Context())
	t.Cleanup(work.end)
	theme := o.Theme
	if theme == "" {
		theme = "dark"
	}
	d.m = newModel(o, newTheme(theme, theme != "light", o.NoColor, termenv.TrueColor), work)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.until("the session opens", func() bool { return d.m.draft.loaded && (len(events) == 0 || d.m.talk.opened) })
	return d
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			select {
			case d.msgs <- msg:
			case <-d.m.work.ctx.Done():
			}
		}
	}()
}

func (d *driver) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
		return
	case tea.QuitMsg:
		d.quit = true
		return
	}
	_, cmd := d.m.Update(msg)
	d.m.View()
	if d.m.fault != "" {
		d.t.Fatalf("the program met a fault: %s", d.m.fault)
	}
	d.run(cmd)
}

// until takes messages in until a condition holds.
func (d *driver) until(what string, holds func() bool) {
	d.t.Helper()
	deadline := time.After(30 * time.Second)
	look := time.NewTicker(5 * time.Millisecond) // what a command did shows without a message
	defer look.Stop()
	for !holds() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-look.C:
		case <-deadline:
			d.t.Fatalf("waited in vain until %s; the screen was\n%s", what, d.screen())
		}
	}
}

// shows waits until a text is on the screen.
func (d *driver) shows(text string) {
	d.t.Helper()
	d.until("the screen shows "+text, func() bool { return strings.Contains(d.screen(), text) })
}

// key presses keys by name, a second apart.
func (d *driver) key(names ...string) {
	for _, name := range names {
		d.now = d.now.Add(time.Second)
		d.quick(name)
	}
}

// quick presses a key right after the one before.
func (d *driver) quick(name string) {
	if r := []rune(name); len(r) == 1 {
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: r})
		return
	}
	d.send(input.KeyMsg{Name: name})
}

// types writes text as fast as a person can.
func (d *driver) types(text string) {
	for _, r := range text {
		d.now = d.now.Add(50 * time.Millisecond)
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

func (d *driver) push(events ...agent.Event) { d.loop.Push(events...) }

// screen is what a person reads.
func (d *driver) screen() string {
	lines := strings.Split(ansi.Strip(d.m.View()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// still puts everything that moves with time where the clock says, whether or not a tick has come.
func (d *driver) still() {
	d.m.spin, d.m.stale = 0, true
	d.m.talk.count(d.m.o.Clock())
	d.m.sample()
	d.m.layout()
}

// golden compares the screen with a file.
func (d *driver) golden(name string) {
	d.t.Helper()
	d.still()
	path := filepath.Join("testdata", "screens", name+".txt")
	got := d.screen()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != string(want) {
		d.t.Errorf("the screen differs from %s (-update writes it anew)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// submits are the prompts that were handed to the loop.
func (d *driver) submits() []agent.Submit {
	var out []agent.Submit
	for _, c := range d.loop.Commands() {
		if s, ok := c.(agent.Submit); ok {
			out = append(out, s)
		}
	}
	return out
}

func TestAFaultInReadingTheTerminalEndsTheProgramInOrder(t *testing.T) {
	var report string
	r := guardedReader{nil, func(s string) { report = s }}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read = %d, %v; want the end of input", n, err)
	}
	if !strings.Contains(report, "guardedReader") {
		t.Errorf("the report does not say where: %q", report)
	}
}
