package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of columns s takes, escape sequences counted as none. It is what Bubble Tea and Lip Gloss count; after
// [Safe] it is also what terminals draw. For text of several lines it is the sum, not the widest.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// isASCII reports whether every byte of s is printable ASCII: one byte, one column.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Truncate cuts s, one line, to at most width columns, ending in "…" when something was cut. Styles stay balanced.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width && isASCII(s) {
		return s
	}
	return ansi.Truncate(s, width, ellipsis)
}

// TruncateLeft cuts s, one line, from the left, as is best for paths: what remains is the end, after "…".
func TruncateLeft(s string, width int) string {
	over := Width(s) - width
	switch {
	case over <= 0:
		return s
	case width <= 0:
		return ""
	}
	cut := ansi.TruncateLeft(s, over+1, ellipsis)
	for Width(cut) > width { // half of a wide character was to go
		over++
		cut = ansi.TruncateLeft(s, over+1, ellipsis)
	}
	return cut
}

// PadRight adds spaces to s, one line, until it takes width columns. A wider s is returned as it is.
func PadRight(s string, width int) string {
	if n := width - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// Fit cuts or pads s, one line, to exactly width columns.
func Fit(s string, width int) string { return PadRight(Truncate(s, width), max(width, 0)) }
