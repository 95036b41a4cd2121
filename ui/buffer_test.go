package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"espy/ui/paint"
	"espy/ui/screen"
)

func TestEditingLooksTheSameAsEditingAString(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "word ", "你好", "é", "e\u0301", "👨‍👩‍👧‍👦", "\n", "\t", "❤️", "한", " ", "x\ny\nz", "\u202e", "\xff"}
	for range 300 {
		b, want, at := newBuffer(), "", 0
		for range 60 {
			switch random.IntN(6) {
			case 0, 1, 2:
				piece := pieces[random.IntN(len(pieces))]
				b.insert(piece)
				want = want[:at] + piece + want[at:]
				at += len(piece)
			case 3:
				b.left()
			case 4:
				b.right()
			case 5:
				b.undoStep()
				b.undo = nil
				want = b.text()
			}
			if got := b.text(); got != want {
				t.Fatalf("the buffer holds %q, the string %q", got, want)
			}
			at = b.offset()
		}
	}
}

// offset is the cursor in bytes of the text.
func (b *buffer) offset() int {
	n := 0
	for i, line := range b.lines[:b.at.row+1] {
		if i == b.at.row {
			line = line[:b.at.col]
		} else {
			n++
		}
		for _, c := range line {
			n += len(c.text)
		}
	}
	return n
}

func TestUndoGoesBackToTheBeginning(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	actions := []action{actLeft, actRight, actWordLeft, actWordRight, actDelLeft, actDelRight, actDelWordLeft, actDelWord, actKillEnd, actKillStart, actYank, actNewline, actLineStart, actLineEnd, actTextStart, actTextEnd}
	for range 200 {
		b := newBuffer()
		b.insert("one two\nthree\u202ffour\n")
		b.undo, b.run = nil, false
		want := b.text()
		for range 40 {
			if random.IntN(3) == 0 {
				b.insert(string(rune('a' + random.IntN(26))))
			} else {
				b.edit(actions[random.IntN(len(actions))])
			}
			if b.at.row < 0 || b.at.row >= len(b.lines) || b.at.col < 0 || b.at.col > len(b.lines[b.at.row]) {
				t.Fatalf("the cursor is outside the text: %v", b.at)
			}
		}
		for len(b.undo) > 0 {
			b.undoStep()
		}
		if got := b.text(); got != want {
			t.Fatalf("undone to %q, want %q", got, want)
		}
	}
}

func TestWordsAndLinesAreCutAndPutBack(t *testing.T) {
	for _, c := range []struct {
		text string
		do   []action
		want string
	}{
		{"one two", []action{actDelWordLeft}, "one "},
		{"one two", []action{actDelWordLeft, actYank, actYank}, "one twotwo"},
		{"one two", []action{actLineStart, actDelWord}, " two"},
		{"Screenshot\u202fPM.png", []action{actDelWordLeft, actDelWordLeft}, "Screenshot\u202f"},
		{"one\ntwo", []action{actKillStart, actKillStart}, "one"},
		{"one\ntwo", []action{actTextStart, actKillEnd, actKillEnd}, "two"},
		{"one\ntwo", []action{actTextStart, actKillEnd, actTextEnd, actYank}, "\ntwoone"},
	} {
		b := newBuffer()
		b.insert(c.text)
		for _, a := range c.do {
			b.edit(a)
		}
		if got := b.text(); got != c.want {
			t.Errorf("%q after %v is %q, want %q", c.text, c.do, got, c.want)
		}
	}
}

func TestTheComposerShowsTheCursorInEveryPlace(t *testing.T) {
	th := newTheme("none", true, false, 0)
	for _, text := range []string{"", "short", strings.Repeat("word ", 30), strings.Repeat("你好", 40), "a\nb\n\nc", "\t\tx", strings.Repeat("x", 40)} {
		for width := 7; width < 30; width += 5 {
			c := newComposer(newKeymap(nil))
			c.buf.insert(text)
			for {
				lines := c.view(width, c.wants(width, 4), th, true, "")
				n := strings.Count(strings.Join(lines, "\n"), caretMark)
				if caret := takeCaret(lines, paint.Usual); n != 1 || !caret.Shown || caret.X < gutter || caret.X >= width {
					t.Fatalf("%q at width %d with the cursor at %v shows %d cursors, the last at %+v", text, width, c.buf.at, n, caret)
				}
				for _, line := range lines {
					if screen.Width(line) > width {
						t.Fatalf("%q at width %d draws %q", text, width, line)
					}
				}
				if c.buf.at == (spot{}) {
					break
				}
				c.buf.left()
			}
		}
	}
}

func TestUpAndDownKeepTheColumn(t *testing.T) {
	c := newComposer(newKeymap(nil))
	c.buf.insert("long line here\nab\nlong line here")
	c.wants(80, 10)
	c.vertical(-1)
	c.vertical(-1)
	if c.buf.at != (spot{0, 14}) {
		t.Errorf("two lines up the cursor is at %v, want the end of the first line", c.buf.at)
	}
	if c.vertical(-1) {
		t.Error("there is a line above the first")
	}
}

func FuzzComposer(f *testing.F) {
	f.Add("text\tand\nmore", 10)
	f.Add("\x1b[31m\u202e👨‍👩‍👧", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 3 + min(max(width, 0), 200)
		c := newComposer(newKeymap(nil))
		c.buf.insert(text)
		if got := c.buf.text(); got != newlines(text) {
			t.Fatalf("%q came back as %q", text, got)
		}
		for _, line := range c.view(width, c.wants(width, 5), newTheme("none", true, false, 0), true, "") {
			if !utf8.ValidString(line) {
				t.Fatalf("an invalid line is drawn: %q", line)
			}
		}
	})
}
