package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/input"
)

// monkey presses keys, pastes, clicks, resizes and has events come, without sense.
type monkey struct {
	*driver
	random *rand.Rand
	keys   []string
	calls  int
}

func newMonkey(t *testing.T, seed uint64) *monkey {
	m := &monkey{driver: furnished(t, "dark", 80, 24), random: rand.New(rand.NewPCG(seed, 7))}
	seen := map[string]bool{}
	for _, b := range bindings() {
		for _, key := range b.keys {
			if leaving := key == "ctrl+c" || key == "ctrl+d" || key == "ctrl+z" || key == "ctrl+g"; !seen[key] && !leaving {
				seen[key] = true
				m.keys = append(m.keys, key)
			}
		}
	}
	return m
}

func (m *monkey) step() {
	pick := func(list []string) string { return list[m.random.IntN(len(list))] }
	switch m.random.IntN(12) {
	case 0:
		sizes := []int{1, 2, 3, 5, 8, 10, 24, 40, 80, 200}
		m.send(tea.WindowSizeMsg{Width: sizes[m.random.IntN(len(sizes))], Height: sizes[m.random.IntN(len(sizes))]})
	case 1:
		m.send(input.PasteMsg{Text: pick([]string{wide, "a\nb\nc", strings.Repeat("long ", 400), "/tmp/shot.png", "", "\x1b[201~\x00"})})
	case 2:
		m.send(tea.MouseMsg{X: m.random.IntN(80), Y: m.random.IntN(24), Action: tea.MouseActionPress,
			Button: []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}[m.random.IntN(3)]})
	case 3:
		m.send(arrived{talk: m.m.talks, events: m.events()})
	case 4, 5:
		m.key(pick([]string{"/", "@", "!", "a", "é", "日", " ", "y", "n", "x", "1"}))
	default:
		m.key(pick(m.keys))
	}
	for more := true; more; {
		select {
		case msg := <-m.msgs:
			m.send(msg)
		default:
			more = false
		}
	}
}

// events are some that a loop might send next.
func (m *monkey) events() []agent.Event {
	m.calls++
	id := fmt.Sprint("m", m.calls)
	all := [][]agent.Event{
		{agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: wide}}}}},
		{agent.ThinkingDelta{Text: wide}, agent.TextDelta{Text: "# " + wide + "\n```go\nx"}},
		{startOf(id, "shell", `{"command":"`+strings.Repeat("x", 90)+`"}`), agent.CallProgress{CallID: id, Text: wide + "\n" + wide}},
		{startOf(id, "shell", "{}"), endOf(id)},
		{asks(id)},
		{agent.Activity{Text: wide}},
		{agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: "done\n\n- " + wide}}}}},
		{agent.Notice{Kind: agent.NoticeError, Sentence: wide}},
		{agent.TurnEnded{Reason: agent.EndInterrupted}},
		{agent.QueueChanged{Queue: []agent.Queued{{ID: id, Prompt: agent.Prompt{Text: []message.Text{{Text: wide}}}}}}},
	}
	return all[m.random.IntN(len(all))]
}

func TestWhateverIsDoneTheScreenStaysWhole(t *testing.T) {
	for seed := range uint64(8) {
		m := newMonkey(t, seed)
		for step := range 400 {
			m.step()
			if m.quit {
				t.Fatalf("seed %d, step %d: the program ended", seed, step)
			}
			frame := m.m.View()
			lines := strings.Split(frame, "\n")
			if len(lines) > m.m.height {
				t.Fatalf("seed %d, step %d: %d lines on a screen of %d", seed, step, len(lines), m.m.height)
			}
			for _, line := range lines {
				if cellsOf(line) > m.m.width {
					t.Fatalf("seed %d, step %d: a line of %d columns on a screen of %d: %q", seed, step, cellsOf(line), m.m.width, line)
				}
			}
		}
	}
}
