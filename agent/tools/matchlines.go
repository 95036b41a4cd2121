package tools

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// lines searches one text. It only reads s, so that files can be searched side by side.
func (s *search) lines(ctx context.Context, name string, data []byte) fileHits {
	data = bytes.TrimPrefix(data, []byte(utf8Mark))
	var h fileHits
	if !bytes.Contains(data, s.needle) {
		return h
	}
	w := matchWriter{name: name, around: s.context, data: data}
	number := 0
	for start := 0; start < len(data); {
		number++
		if number%4096 == 0 && ctx.Err() != nil {
			return h
		}
		end, next := lineEnd(data, start)
		if s.re.Match(data[start:end]) {
			h.matched++
			switch {
			case s.mode == "files":
				h.text = name + "\n"
				return h
			case s.mode != "count":
				w.match(number, start, s.re.FindIndex(data[start:end]))
				if h.matched >= maxMatches {
					h.text = w.finish()
					return h
				}
			}
		} else {
			w.other(number, start)
		}
		start = next
	}
	if s.mode == "count" && h.matched > 0 {
		h.text = fmt.Sprintf("%s: %d\n", name, h.matched)
		return h
	}
	h.text = w.finish()
	return h
}

// needle is the longest text that a line must hold to match: looking for it first passes over most files at the
// speed of memory.
func needle(re *regexp.Regexp) []byte {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return []byte(literalOf(tree))
}

func literalOf(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalOf(re.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := literalOf(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
}

// lineEnd is where the line that starts at start ends, without its end mark, and where the next one starts.
func lineEnd(data []byte, start int) (end, next int) {
	i := bytes.IndexByte(data[start:], '\n')
	if i < 0 {
		return len(data), len(data)
	}
	end, next = start+i, start+i+1
	if end > start && data[end-1] == '\r' {
		end--
	}
	return end, next
}

// matchWriter writes matches as grep does: "name:12:text" for a match, "name-13-text" for a line around one,
// "--" between groups.
type matchWriter struct {
	name   string
	around int
	data   []byte

	out    strings.Builder
	recent []int // starts of the lines before, not written, at most around of them
	last   int   // number of the last line written
	after  int   // lines still to write after a match
}

func (w *matchWriter) match(number, start int, at []int) {
	first := number - len(w.recent)
	if w.around > 0 && w.last > 0 && first > w.last+1 {
		w.out.WriteString("--\n")
	}
	for i, s := range w.recent {
		w.line(first+i, s, '-', nil)
	}
	w.recent = w.recent[:0]
	w.line(number, start, ':', at)
	w.after = w.around
}

func (w *matchWriter) other(number, start int) {
	switch {
	case w.around == 0:
	case w.after > 0:
		w.after--
		w.line(number, start, '-', nil)
	default:
		if len(w.recent) == w.around {
			w.recent = append(w.recent[:0], w.recent[1:]...)
		}
		w.recent = append(w.recent, start)
	}
}

func (w *matchWriter) line(number, start int, mark byte, at []int) {
	end, _ := lineEnd(w.data, start)
	fmt.Fprintf(&w.out, "%s%c%d%c%s\n", w.name, mark, number, mark, excerpt(w.data[start:end], at))
	w.last = number
}

func (w *matchWriter) finish() string { return w.out.String() }

// excerpt cuts a long line so that the match stays in view.
func excerpt(line []byte, at []int) string {
	if len(line) <= maxMatchBytes {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := 0
	if at != nil && at[0] > maxMatchBytes/2 {
		from = min(at[0]-maxMatchBytes/4, len(line)-maxMatchBytes)
	}
	text := strings.ToValidUTF8(string(line[from:from+maxMatchBytes]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	return text + fmt.Sprintf("… [line of %s bytes]", thousands(len(line)))
}
