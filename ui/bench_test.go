package ui

import (
	"fmt"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// BenchmarkKeyToView is a key in the composer and the frame after it. It must not depend on how long the
// conversation is.
func BenchmarkKeyToView(b *testing.B) {
	for _, n := range []int{10, 10_000} {
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
