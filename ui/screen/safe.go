package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns s as it may be shown: escape sequences and control characters are taken out, and so are characters that turn
// the direction of text or cannot be seen, and those on whose width terminals disagree (joiners, variation selectors, skin
// tones, keycap rings, soft hyphens). Tabs become spaces up to the next multiple of [TabWidth] columns, every kind of line
// end becomes "\n", and bytes that are not UTF-8 become U+FFFD. Text that is visible stays: a control string without an end
// does not hide what follows it. Safe(Safe(s)) is Safe(s).
func Safe(s string) string { return SafeTabs(s, TabWidth) }

// SafeTabs is [Safe] with tab stops every tab columns; below 1 a tab is dropped.
func SafeTabs(s string, tab int) string {
	if isPlain(s) {
		return s
	}
	f := filter{tab: tab}
	f.out.Grow(len(s) + len(s)/8)
	f.run(s)
	return f.out.String()
}

// SafeLine is [Safe] for names, titles and other text that must stay on one line: line ends become spaces.
func SafeLine(s string) string {
	return strings.ReplaceAll(Safe(s), "\n", " ")
}

// isPlain reports whether s is printable ASCII and line feeds only, as most text is.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' && c != '\n') || c > '~' {
			return false
		}
	}
	return true
}

// filter carries what [Safe] must remember from one character to the next.
type filter struct {
	out   strings.Builder
	tab   int
	seg   int // where in out the text not yet counted in col begins
	col   int // columns of the line before seg
	marks int // combining marks since the last base character
}

func (f *filter) run(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= ' ' && c <= '~':
			f.out.WriteByte(c)
			f.marks = 0
			i++
		case c == '\n':
			f.newline()
			i++
		case c == '\r':
			i += len("\r")
			if i >= len(s) || s[i] != '\n' {
				f.newline()
			}
		case c == '\t':
			f.expandTab()
			i++
		case c < utf8.RuneSelf:
			i += sequenceLen(s[i:])
		default:
			i += f.wide(s[i:])
		}
	}
}

// wide handles the character beyond ASCII that s begins with and returns how many bytes of s it stood for.
func (f *filter) wide(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0x3200 && r <= 0xD7AF: // Chinese, Japanese, Korean: nothing there needs a closer look
		f.marks = 0
		f.out.WriteString(s[:size])
	case isC1(r):
		return sequenceLen(s)
	case r == '\u2028' || r == '\u2029' || r == '\u0085':
		f.newline()
	case isUnseen(r):
	case isModifier(r):
		if f.marks++; f.marks <= maxMarks {
			f.out.WriteRune(r)
		}
	default:
		f.marks = 0
		f.out.WriteRune(steady(r)) // an invalid byte decodes to U+FFFD, which is written as such
	}
	return size
}

func (f *filter) newline() {
	f.out.WriteByte('\n')
	f.seg, f.col, f.marks = f.out.Len(), 0, 0
}

func (f *filter) expandTab() {
	if f.tab < 1 {
		return
	}
	f.col += Width(f.out.String()[f.seg:])
	n := f.tab - f.col%f.tab
	for range n {
		f.out.WriteByte(' ')
	}
	f.col += n
	f.seg, f.marks = f.out.Len(), 0
}

// steady replaces the two characters whose width depends on what stands before them by their twins that always take two
// columns: the half-width voiced and semi-voiced sound marks of Japanese.
func steady(r rune) rune {
	switch r {
	case '\uFF9E':
		return '\u309B'
	case '\uFF9F':
		return '\u309C'
	}
	return r
}

func isModifier(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) }

func isC1(r rune) bool { return r >= 0x80 && r <= 0x9f && r != 0x85 }
