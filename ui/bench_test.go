package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/ui/internal/script"
)

// BenchmarkKeyToView is a key in the composer and the frame after it. It must not depend on how long the
// conversation is.
func BenchmarkKeyToView(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			d := drive(b, 120, 40, nil, turns(n/2))
			d.quiet()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				name := "x"
				if i%80 == 79 {
					name = "ctrl+u"
				}
				d.quick(name)
			}
		})
	}
}

// BenchmarkScroll is a notch of the wheel and the frame after it, over answers that are rendered.
func BenchmarkScroll(b *testing.B) {
	d := drive(b, 120, 40, nil, turns(5000))
	d.quiet()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		button := tea.MouseButtonWheelUp
		if i%40 >= 20 {
			button = tea.MouseButtonWheelDown
		}
		d.send(tea.MouseMsg{Button: button, Action: tea.MouseActionPress})
	}
}

// BenchmarkResume is the first frame of a session of 2,000 turns and the first page up in it.
func BenchmarkResume(b *testing.B) {
	opened := turns(2000)
	for b.Loop() {
		d := drive(b, 120, 40, nil, opened)
		d.quick("pgup")
		d.m.work.end()
	}
}

// BenchmarkResize is a new width and the frame after it.
func BenchmarkResize(b *testing.B) {
	d := drive(b, 120, 40, nil, turns(5000))
	d.quiet()
	for i := 0; b.Loop(); i++ {
		d.send(tea.WindowSizeMsg{Width: 100 + i%40, Height: 40})
	}
}

// BenchmarkFrame is a frame in which everything that shows was drawn before, after something under it changed. It must
// not depend on how long the conversation is.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			d := drive(b, 120, 40, nil, turns(n/2))
			d.quiet()
			b.ReportAllocs()
			for b.Loop() {
				d.m.stale = true
				d.m.layout()
				d.m.View()
			}
		})
	}
}

// BenchmarkStreamedAnswer is an answer that comes in pieces of 200 bytes, each of them drawn: its cost a byte must not
// grow with the answer.
func BenchmarkStreamedAnswer(b *testing.B) {
	for _, size := range []int{25, 50, 100} {
		b.Run(fmt.Sprintf("KB=%d", size), func(b *testing.B) {
			text := strings.Repeat(script.Answer, size<<10/len(script.Answer)+1)[:size<<10]
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				d := drive(b, 120, 40, nil, turns(10))
				d.tell(agent.TurnStarted{})
				for rest := text; rest != ""; {
					n := min(200, len(rest))
					d.send(arrived{talk: d.m.talks, events: []agent.Event{agent.TextDelta{Text: strings.ToValidUTF8(rest[:n], "")}}})
					rest = rest[n:]
					d.until("the piece is drawn", func() bool { return !d.m.live.busy })
				}
				d.m.work.end()
			}
		})
	}
}
