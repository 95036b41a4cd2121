package ui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent/message"
	"espy/ui/internal/script"
	"espy/ui/screen"
)

func TestAStormOfTheWheelInALongSessionShowsEveryFrameWhole(t *testing.T) {
	huge := message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: strings.Repeat("a line of the first message\n", 20_000)}}}
	opened := turns(2500)
	opened.Messages = append([]message.Message{huge}, opened.Messages...)
	d := drive(t, 120, 40, nil, opened)
	for i := range 2000 { // ten seconds of 200 a second
		button := tea.MouseButtonWheelUp
		if i%500 >= 400 {
			button = tea.MouseButtonWheelDown
		}
		d.send(tea.MouseMsg{Button: button, Action: tea.MouseActionPress})
		if lines := strings.Count(d.m.View(), "\n") + 1; lines != 40 {
			t.Fatalf("after %d events the frame has %d lines", i, lines)
		}
	}
	d.m.list.top()
	d.send(draftDue{})
	d.shows("a line of the first message")
	if held := len(d.m.list.drawn); held > 6*keepItems {
		t.Errorf("%d entries hold drawn lines", held)
	}
}

// atTheEdge are texts whose columns terminals and programs count apart.
var atTheEdge = []string{"你好世界", "한글", "\u1112\u1161\u11ab", "👨‍👩‍👧‍👦", "❤️", "⚠️", "1️⃣", "🇩🇪", "ｶﾞ", "नमस्ते", "👍🏽", "soft\u00adhyphen", "e\u0301", "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "a\u200bb"}

func TestWideTextAtTheRightEdgeKeepsItsColumns(t *testing.T) {
	for _, text := range atTheEdge {
		for width := 20; width < 27; width++ {
			for pad := width - 10; pad < width; pad++ {
				line := strings.Repeat("x", pad) + text + text
				d := drive(t, width, 12, nil, script.Opened(message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: line}}},
					message.Message{Role: message.RoleAssistant, Stop: message.StopEnd, Blocks: []message.Block{message.Text{Text: line}}}))
				d.m.comp.paste(line)
				d.send(draftDue{})
				for i, drawn := range strings.Split(d.m.View(), "\n") {
					if n := screen.Width(drawn); n > width {
						t.Errorf("%q after %d columns: line %d takes %d of %d", text, pad, i, n, width)
					}
				}
				if got := d.m.comp.buf.text(); got != line {
					t.Errorf("the composer holds %q, want %q", got, line)
				}
				d.m.work.end()
			}
		}
	}
}

func TestAStormOfSizesWithPicturesEndsAsAFreshDraw(t *testing.T) {
	d := drive(t, 90, 30, withPreviews, conversation())
	d.truecolour()
	busy(d)
	for i := range 60 {
		w, h := 1+(i*37)%180, 1+(i*23)%60
		d.send(tea.WindowSizeMsg{Width: w, Height: h})
	}
	d.send(tea.WindowSizeMsg{Width: 90, Height: 30})
	whole := func() bool {
		for _, p := range d.m.gallery.pixels {
			if p.used == d.m.gallery.turn && p.image == nil {
				return false
			}
		}
		return allRendered(d)
	}
	d.key("ctrl+l")
	d.until("all is drawn", whole)
	d.still()
	d.m.list.restyle()
	d.send(draftDue{})
	stormed := d.cells()
	fresh := drive(t, 90, 30, withPreviews, conversation())
	fresh.truecolour()
	busy(fresh)
	fresh.key("ctrl+l")
	fresh.now = d.now
	fresh.m.talk.started = d.m.talk.started
	fresh.until("all is drawn", func() bool {
		return strings.Count(fresh.screen(), "▀") == strings.Count(d.screen(), "▀") && allRendered(fresh)
	})
	fresh.still()
	fresh.send(draftDue{})
	if got := fresh.cells(); got != stormed {
		t.Errorf("after 60 sizes the cells are\n%s\nfresh they are\n%s", stormed, got)
	}
}
