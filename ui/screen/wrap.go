package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// How wrapping works. A paragraph is first cut into cells: what cannot be divided further, with its width and the style in
// force. Lines are then chosen greedily over the cells and written so that each stands alone: it opens the style it needs and
// closes it at its end, so that a list can show any line first. Cost is linear in the text.

// Wrap breaks s into lines of at most width columns: at spaces, after a hyphen inside a word, between Chinese, Japanese and
// Korean characters as their typography allows, and within a word only where it alone is too long. Spaces at a break go; all
// else stays. Colour sequences (SGR) are kept, repeated on each line they cover; any other control is dropped. A width below
// 2 counts as 2. The result has at least one line.
func Wrap(s string, width int) []string { return wrap(s, width, false) }

// Chop is [Wrap] for code and tables of figures: lines break at the column, never at words, and spaces stay.
func Chop(s string, width int) []string { return wrap(s, width, true) }

func wrap(s string, width int, hard bool) []string {
	width = max(width, minWidth)
	s = strings.ToValidUTF8(s, "\uFFFD") // a stray byte would be joined with what follows, even a control
	w := wrapper{width: width, hard: hard}
	for {
		para, rest, more := strings.Cut(s, "\n")
		w.paragraph(strings.TrimSuffix(para, "\r"))
		if !more {
			return w.lines
		}
		s = rest
	}
}

// cell is a grapheme cluster: text[start:end] in width columns.
type cell struct {
	start, end int32
	pen        int32 // index into wrapper.pens
	width      int8
	kind       kind
}

type kind int8

const (
	letter kind = iota
	space
	hyphen
	ideograph // may be parted from its neighbours
	opener    // may not end a line
	closer    // may not begin a line
)

type wrapper struct {
	width int
	hard  bool
	lines []string
	cells []cell
	pens  []string // styles met, by number; 0 is none
	pen   int32    // style in force, kept over paragraphs
}

func (w *wrapper) paragraph(s string) {
	if strings.IndexByte(s, '\t') >= 0 {
		s = strings.ReplaceAll(s, "\t", strings.Repeat(" ", TabWidth))
	}
	if w.pen == 0 && len(s) <= w.width && isASCII(s) {
		w.lines = append(w.lines, s)
		return
	}
	w.cells = w.cells[:0]
	w.scan(s)
	if len(w.cells) == 0 {
		w.lines = append(w.lines, "")
		return
	}
	for start := 0; start < len(w.cells); {
		end, next := w.next(start)
		w.lines = append(w.lines, w.render(s, start, end))
		start = next
	}
}

// scan cuts s into cells.
func (w *wrapper) scan(s string) {
	if len(w.pens) == 0 {
		w.pens = append(w.pens, "")
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c <= '~' && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
			w.add(i, i+1, 1, asciiKind(c))
			i++
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s[i:]); r < ' ' || r == 0x7f || isC1(r) {
			n := sequenceLen(s[i:])
			w.style(s[i : i+n])
			i += n
			continue
		}
		cluster, width := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		w.add(i, i+len(cluster), width, wideKind(cluster, width))
		i += len(cluster)
	}
}

func (w *wrapper) add(start, end, width int, k kind) {
	w.cells = append(w.cells, cell{int32(start), int32(end), w.pen, int8(width), k})
}

// style takes over a colour sequence. A full reset forgets all before it; everything else adds to what is in force.
func (w *wrapper) style(seq string) {
	body, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok || !strings.HasSuffix(body, "m") || strings.Trim(body, "0123456789;:") != "m" {
		return
	}
	body = strings.TrimSuffix(body, "m")
	now := w.pens[w.pen]
	switch {
	case strings.Trim(body, "0") == "":
		now = ""
	case body == "0" || strings.HasPrefix(body, "0;"):
		now = seq
	case len(now)+len(seq) > maxPen:
		now = seq
	default:
		now += seq
	}
	if now == w.pens[w.pen] {
		return
	}
	if now == "" {
		w.pen = 0
		return
	}
	w.pens = append(w.pens, now)
	w.pen = int32(len(w.pens) - 1)
}

// maxPen bounds, in bytes, the sequences added up between two resets.
const maxPen = 512

// next chooses the line that begins at cell start: it is cells[start:end], and the line after begins at next.
func (w *wrapper) next(start int) (end, next int) {
	used, chance := 0, -1
	for i := start; i < len(w.cells); i++ {
		c := w.cells[i]
		if i > start && !w.hard && w.mayBreak(i) {
			chance = i
		}
		if used+int(c.width) <= w.width {
			used += int(c.width)
			continue
		}
		switch {
		case w.hard:
			return i, i
		case c.kind == space:
			return w.trim(start, i), w.skip(i)
		case chance > start:
			return w.trim(start, chance), chance
		}
		return i, i
	}
	return len(w.cells), len(w.cells)
}

// mayBreak reports whether a line may begin at cell i.
func (w *wrapper) mayBreak(i int) bool {
	a, b := w.cells[i-1].kind, w.cells[i].kind
	switch {
	case b == space || b == closer || a == opener:
		return false
	case a == space:
		return true
	case a == hyphen:
		return b == letter && i > 1 && w.cells[i-2].kind == letter
	}
	return a == ideograph || a == closer || b == ideograph || b == opener
}

// trim takes the spaces off the end of cells[start:end].
func (w *wrapper) trim(start, end int) int {
	for end > start && w.cells[end-1].kind == space {
		end--
	}
	return end
}

// skip returns the first cell from i on that is not a space.
func (w *wrapper) skip(i int) int {
	for i < len(w.cells) && w.cells[i].kind == space {
		i++
	}
	return i
}

// render writes cells[start:end] of s as a line of its own.
func (w *wrapper) render(s string, start, end int) string {
	var b strings.Builder
	pen := int32(0)
	for i := start; i < end; {
		j := i + 1
		for j < end && w.cells[j].pen == w.cells[i].pen && w.cells[j].start == w.cells[j-1].end {
			j++
		}
		if p := w.cells[i].pen; p != pen {
			if pen != 0 {
				b.WriteString(reset)
			}
			b.WriteString(w.pens[p])
			pen = p
		}
		b.WriteString(s[w.cells[i].start:w.cells[j-1].end])
		i = j
	}
	if pen != 0 {
		b.WriteString(reset)
	}
	return b.String()
}

const reset = "\x1b[m"

func asciiKind(c byte) kind {
	switch c {
	case ' ':
		return space
	case '-':
		return hyphen
	}
	return letter
}

// wideKind classes a cluster beyond ASCII. Closing and opening marks are those the Japanese and Chinese rules name.
func wideKind(cluster string, width int) kind {
	r, size := utf8.DecodeRuneInString(cluster)
	switch {
	case strings.ContainsRune("、。，．・：；？！）］｝〉》」』】〕〗〙〛ー々ゝゞヽヾぁぃぅぇぉっゃゅょァィゥェォッャュョ％", r):
		return closer
	case strings.ContainsRune("（［｛〈《「『【〔〖〘〚", r):
		return opener
	case width > 1:
		return ideograph
	case size == len(cluster) && r != '\u00A0' && r != '\u202F' && unicode.Is(unicode.Zs, r):
		return space
	}
	return letter
}
