package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"espy/ui/input"
)

// edited brings the text back from the editor.
type edited struct {
	path string
	err  error
}

// editor hands the text to the person's editor; chips go as their text.
func (m *model) editor() tea.Cmd {
	if len(m.jobs) > 0 {
		m.say("wait until everything is attached, or press "+m.keys.key(actInterrupt), false)
		return nil
	}
	text := m.comp.buf.text()
	return m.work.do(func(context.Context) tea.Msg {
		path, err := writeTemp(text)
		return editorReady{path, err}
	})
}

// editorReady says that the text lies in a file for the editor.
type editorReady struct {
	path string
	err  error
}

func writeTemp(text string) (string, error) {
	f, err := os.CreateTemp("", "espy-*.md")
	if err != nil {
		return "", fmt.Errorf("no file for the editor: %w", err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("no file for the editor: %w", err)
	}
	return f.Name(), f.Close()
}

func (m *model) onEditorReady(e editorReady) tea.Cmd {
	if e.err != nil {
		m.say(e.err.Error(), true)
		return nil
	}
	m.away.Store(true)
	name := editorCommand(os.Getenv)
	cmd := exec.Command(name[0], append(name[1:], e.path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.o.Input, m.o.Output, os.Stderr // the terminal itself, not the program's reader of it
	return m.handOver(cmd.Run, func(err error) tea.Msg { return edited{e.path, err} })
}

// editorCommand is $VISUAL, $EDITOR or vi, with the arguments it was given there.
func editorCommand(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

func (m *model) onEdited(e edited) tea.Cmd {
	m.away.Store(false)
	again := m.back()
	if e.err != nil {
		m.say(fmt.Sprintf("the editor did not run: %v; set $VISUAL or $EDITOR", e.err), true)
	}
	return tea.Batch(again, m.work.do(func(context.Context) tea.Msg {
		defer os.Remove(e.path)
		text, err := os.ReadFile(e.path)
		if err != nil {
			return sentence{"the text did not come back from the editor: " + err.Error(), true}
		}
		return textWritten{strings.TrimSuffix(string(text), "\n"), e.err != nil}
	}))
}

// textWritten brings what the editor left.
type textWritten struct {
	text   string
	failed bool
}

func (m *model) onTextWritten(t textWritten) {
	if !t.failed && t.text != m.comp.buf.text() {
		m.comp.show(newlines(t.text))
	}
}

// suspend gives the terminal back to the shell until espy is brought to the foreground.
func (m *model) suspend() tea.Cmd {
	if !suspendable() {
		m.say("there is no shell to go back to; "+m.keys.key(actCancel)+" twice quits", false)
		return nil
	}
	return m.handOver(stopUntilWoken, func(err error) tea.Msg { return resumed{err} })
}

// resumed says that espy is in the foreground again.
type resumed struct{ err error }

func (m *model) onResumed(r resumed) tea.Cmd {
	if r.err != nil {
		m.say("espy could not be suspended: "+r.err.Error(), true)
	}
	return m.back()
}

// back is what follows once espy has the terminal again: its size may be another, its pictures are lost.
func (m *model) back() tea.Cmd {
	if m.out != nil {
		if width, height, err := m.out.Size(); err == nil {
			m.resize(width, height)
		}
	}
	return m.resendGraphics()
}

// quit ends the program. Right after the start the terminal may still be answering; what it says then must not end up in the
// shell, so its answers are waited for, but not for long.
func (m *model) quit() tea.Cmd {
	if m.quitting || m.caps.Done || m.asked.IsZero() || m.o.Clock().Sub(m.asked) > answerTime {
		return tea.Quit
	}
	m.quitting = true
	return m.work.after(answerPatience, quitNow{})
}

// quitNow says that the terminal's answers were waited for long enough.
type quitNow struct{}

// askTerminal asks the terminal what it can do, once the alternate screen is there, without waiting.
func (m *model) askTerminal() tea.Cmd {
	out := m.out
	if out == nil {
		return nil
	}
	m.asked = m.o.Clock()
	return m.work.do(func(context.Context) tea.Msg {
		_, err := out.File.WriteString(input.Query()) // a terminal that takes no question answers none
		_ = err
		return nil
	})
}

// onReply learns from the terminal's answers: its background for theme "auto", and whole frames.
func (m *model) onReply(r input.ReplyMsg) tea.Cmd {
	m.caps = m.caps.With(r)
	if r.Kind == input.Background && m.caps.Shade != input.UnknownShade && (m.o.Theme == "" || m.o.Theme == "auto") {
		m.dress(m.caps.Shade == input.Dark)
	}
	if r.Kind == input.Mode && m.painter != nil {
		m.painter.SetMarked(m.caps.Frames)
	}
	if r.Kind == input.Paste {
		return m.onClipEvent(r.Data)
	}
	if m.quitting && m.caps.Done {
		return tea.Quit
	}
	return tea.Batch(m.choosePreviews(), m.takeClipEvents())
}

// dress takes the theme for a dark or a light background.
func (m *model) dress(dark bool) {
	next := newTheme(m.o.Theme, dark, m.o.NoColor, m.profile)
	if next.name == m.t.name {
		return
	}
	*m.t = *next
	m.list.restyle()
	for i := range m.list.slots {
		if a, ok := m.list.slots[i].entry.(*answer); ok {
			a.forget()
		}
	}
}

// ColourDepth is how many colours the screen uses in a terminal, in words.
func ColourDepth(getenv func(string) string) string {
	switch profileOf(getenv) {
	case termenv.TrueColor:
		return "16 million"
	case termenv.ANSI256:
		return "256"
	case termenv.ANSI:
		return "16"
	}
	return "none"
}

// profileOf reads from the environment how many colours the terminal has; it asks the terminal nothing.
func profileOf(getenv func(string) string) termenv.Profile {
	term := getenv("TERM")
	switch colour := strings.ToLower(getenv("COLORTERM")); {
	case term == "dumb":
		return termenv.Ascii
	case colour == "truecolor" || colour == "24bit", strings.HasSuffix(term, "-direct"):
		return termenv.TrueColor
	case strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"), strings.Contains(term, "alacritty"), getenv("WT_SESSION") != "":
		return termenv.TrueColor
	case strings.Contains(term, "256color"), colour != "":
		return termenv.ANSI256
	}
	return termenv.ANSI
}
