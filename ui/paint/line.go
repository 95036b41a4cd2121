package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// measure is the cells a styled line takes, and whether every terminal agrees on them. They do on letters, ideographs
// and frames; they do not on joined emoji, on characters that sit on others and on scripts that shape.
func measure(line string) (cells int, sure bool) {
	for i := 0; i < len(line); {
		c := line[i]
		if c >= ' ' && c <= '~' {
			cells++
			i++
			continue
		}
		if c == '\x1b' {
			n := styleLen(line[i:])
			if n == 0 {
				return ansi.StringWidth(line), false
			}
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if r == kitty.Placeholder { // the marks on it say which part of a picture it is
			cells++
			i += marks(line[i:])
			continue
		}
		n := agreed(r)
		if n == 0 {
			return ansi.StringWidth(line), false
		}
		cells += n
	}
	return cells, true
}

// marks is the length of the characters s begins with that sit on the one before.
func marks(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(unicode.Mn, r) {
			break
		}
		n += size
	}
	return n
}

// agreed is how many cells a character takes in every terminal, 0 where they differ.
func agreed(r rune) int {
	if n := exact(r); n > 0 {
		return n
	}
	switch {
	case r == 0xad: // a soft hyphen: one cell in some, none in others
		return 0
	case r >= 0xa1 && r < 0x300, // Latin
		r >= 0x391 && r <= 0x3c9, r >= 0x400 && r <= 0x482, r >= 0x48a && r <= 0x52f, // Greek and Cyrillic
		r >= 0x2010 && r <= 0x2027, r >= 0x2030 && r <= 0x203a, r == 0x2043, // dashes, quotes, points
		r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff: // frames, blocks, Braille
		return 1
	}
	return 0
}

// exact is like agreed for the characters that take these cells even where a terminal draws those of ambiguous width
// wide: only behind them may a line be gone on with at a column.
func exact(r rune) int {
	switch {
	case r >= ' ' && r <= '~', r == '›':
		return 1
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, // kana
		r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3: // ideographs, Hangul
		return 2
	}
	return 0
}

// styleLen is the length of the style sequence (SGR) that s, which begins with ESC, begins with, and 0 where it begins
// with another.
func styleLen(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c < '0' || c > ';':
			return 0
		}
	}
	return 0
}

// place is where in a line to go on writing: the byte, the cell, and the style that holds there.
type place struct {
	at, cell int
	style    string
}

// shared is the place up to which two lines are the same and from which the second can be written at its column. It
// never lies inside a character, and what sits on a character goes with it.
func shared(old, line string) place {
	var here, before place
	for here.at < min(len(line), len(old)) && line[here.at] == old[here.at] {
		c := line[here.at]
		size, cells := 1, 1
		switch {
		case c == '\x1b':
			size, cells = styleLen(line[here.at:]), 0
		case c < ' ' || c > '~':
			r, n := utf8.DecodeRuneInString(line[here.at:])
			size, cells = n, exact(r)
			if cells == 0 {
				size = 0
			}
		}
		if size == 0 || !strings.HasPrefix(old[here.at:], line[here.at:here.at+size]) {
			break
		}
		if cells > 0 {
			before = here
		}
		here.at, here.cell = here.at+size, here.cell+cells
	}
	if !begins(old[here.at:]) || !begins(line[here.at:]) {
		here = before
	}
	here.style = styleOf(line[:here.at])
	if len(here.style) > longestStyle {
		return place{}
	}
	return here
}

// styleOf is the style that holds at the end of the beginning of a line.
func styleOf(s string) string {
	s = s[max(strings.LastIndex(s, "\x1b[m"), strings.LastIndex(s, "\x1b[0m"), 0):]
	style := ""
	for {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			return style
		}
		n := styleLen(s[i:])
		style, s = restyled(style, s[i:i+n]), s[i+n:]
	}
}

// restyled is the style after one more sequence.
func restyled(style, sequence string) string {
	if sequence == "\x1b[m" || sequence == "\x1b[0m" {
		return ""
	}
	return style + sequence
}

// begins reports whether what is next in a line, styles aside, can only begin a character of its own.
func begins(s string) bool {
	for s != "" && s[0] == '\x1b' {
		n := styleLen(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	if s == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return agreed(r) > 0
}
