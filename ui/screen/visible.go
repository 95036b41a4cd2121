package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with nothing hidden and nothing harmful, for text a person is asked to approve. Control characters show
// as their pictures (ESC as ␛, carriage return as ␍), characters that cannot be seen, turn the direction of text or pass for
// a plain space as their number (<U+202E>), and bytes that are not UTF-8 as theirs (<0xFF>). Line feeds stay, tabs become
// spaces. Two texts that differ in more than tabs never look the same here because of a hidden character.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	f := filter{tab: TabWidth}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		f.show(r, s[i:i+size])
		i += size
	}
	return f.out.String()
}

// show writes one character, or what stands for it.
func (f *filter) show(r rune, raw string) {
	if !isModifier(r) {
		f.marks = 0
	}
	switch {
	case r == '\n':
		f.newline()
	case r == '\t':
		f.expandTab()
	case r < ' ':
		f.out.WriteRune('␀' + r)
	case r == 0x7f:
		f.out.WriteRune('␡')
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(&f.out, "<0x%02X>", raw[0])
	case r == ' ' || plainlySeen(r):
		f.mark(r)
	default:
		writeNumber(&f.out, r)
	}
}

// mark writes r, counting it when it sits on the character before.
func (f *filter) mark(r rune) {
	if isModifier(r) {
		if f.marks++; f.marks > maxMarks {
			writeNumber(&f.out, r)
			return
		}
	}
	f.out.WriteRune(r)
}

// plainlySeen reports whether r has a glyph of its own that no space, no joiner and no other character passes for.
func plainlySeen(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Zs, r) && !isUnseen(r) && steady(r) == r
}

func writeNumber(b *strings.Builder, r rune) { fmt.Fprintf(b, "<U+%04X>", r) }
