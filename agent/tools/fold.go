package tools

import (
	"fmt"
	"strings"
)

// folder takes base64 out of what is shown: a picture printed by a command costs a context more than a book and
// tells a model nothing. A run inside a line is folded by itself; lines of equal length that hold nothing else
// are wrapped base64 and are folded together. It holds back only lines that may belong to such a run.
type folder struct {
	emit func(text string, ended bool)
	name string // how the whole text is named

	held   []outputLine // lines of a run not yet long enough to fold
	chars  int          // characters of the run
	width  int          // length of its lines
	class  charset      // what occurred in it
	folded bool         // it is long enough: its lines are no longer held
	ended  bool         // its last line ended
	any    bool         // something was folded
}

type outputLine struct {
	text  string
	ended bool
}

// charset is which groups of base64's alphabet occurred.
type charset uint8

const (
	hasUpper charset = 1 << iota
	hasLower
	hasDigit
	isEncoded = hasUpper | hasLower | hasDigit
)

// line takes the next line, or a piece of a long one.
func (f *folder) line(text string, ended bool) {
	if f.chars == 0 && len(text) < minFoldLine {
		f.emit(text, ended)
		return
	}
	class, dense := denseClass(text)
	switch {
	case dense && f.chars > 0 && len(text) == f.width:
		f.join(text, ended, class)
	case dense && f.chars > 0 && len(text) < f.width:
		f.join(text, ended, class)
		f.close()
	case dense && len(text) >= minFoldLine:
		f.close()
		f.width = len(text)
		f.join(text, ended, class)
	default:
		f.close()
		f.emit(f.foldInside(text), ended)
	}
}

func (f *folder) join(text string, ended bool, class charset) {
	f.chars += len(text)
	f.class |= class
	f.ended = ended
	if f.chars >= minFoldChars && f.class == isEncoded {
		f.folded, f.held = true, nil
	}
	if f.folded {
		return
	}
	f.held = append(f.held, outputLine{text, ended})
	if len(f.held) > maxHeldLines {
		f.close()
	}
}

// maxHeldLines bounds what is held back of a run that is long but not base64 (rows of one letter).
const maxHeldLines = 1000

// close ends a run: what was long enough is named by its size, the rest is passed on as it stood.
func (f *folder) close() {
	if f.folded {
		f.emit(f.note(f.chars), f.ended)
	}
	for _, l := range f.held {
		f.emit(l.text, l.ended)
	}
	f.held, f.chars, f.width, f.class, f.folded = nil, 0, 0, 0, false
}

func (f *folder) note(chars int) string {
	f.any = true
	return fmt.Sprintf("[base64, %s characters folded; whole text in %s]", thousands(chars), f.name)
}

// foldInside folds long runs within a line.
func (f *folder) foldInside(line string) string {
	if len(line) < minFoldChars {
		return line
	}
	var b strings.Builder
	for len(line) > 0 {
		n, class := denseRun(line)
		if n >= minFoldChars && class == isEncoded {
			b.WriteString(f.note(n))
		} else {
			n = max(n, 1)
			b.WriteString(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

// denseClass reports whether a line is nothing but base64.
func denseClass(line string) (charset, bool) {
	line = strings.TrimRight(line, "=")
	n, class := denseRun(line)
	return class, n > 0 && n == len(line)
}

// denseRun measures the base64 at the start of a text.
func denseRun(text string) (int, charset) {
	var class charset
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z':
			class |= hasUpper
		case c >= 'a' && c <= 'z':
			class |= hasLower
		case c >= '0' && c <= '9':
			class |= hasDigit
		case c == '+' || c == '/' || c == '-' || c == '_':
		case c == '=' && i > 0:
			end := i
			for end < len(text) && end < i+2 && text[end] == '=' {
				end++
			}
			return end, class
		default:
			return i, class
		}
	}
	return len(text), class
}
