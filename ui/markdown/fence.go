package markdown

import (
	"bytes"
	"strings"
)

// fence is the code block at the end of a stream while it is open. It keeps what was drawn of it, so that a long block costs
// no more than its new lines.
type fence struct {
	mark   string // "`" or "~"
	count  int    // how many of it opened the block
	indent int    // spaces before it; as many are taken off each line
	read   int    // bytes of the block, from its first line on, that are drawn
	width  int
	r      *renderer
}

// newFence describes the open block that is all of source, to be drawn width columns wide below its label. It is nil when the
// first line of source is no fence.
func newFence(source []byte, width int, theme *Theme) *fence {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	trimmed := bytes.TrimLeft(line, " ")
	if len(trimmed) == 0 {
		return nil
	}
	f := &fence{mark: string(trimmed[:1]), indent: len(line) - len(trimmed), width: width, r: &renderer{theme: theme}}
	f.count = len(trimmed) - len(bytes.TrimLeft(trimmed, f.mark))
	f.read = min(len(line)+1, len(source))
	return f
}

// closes reports whether line, without its end, is the closing fence.
func (f *fence) closes(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	after := strings.TrimLeft(trimmed, f.mark)
	return len(line)-len(trimmed) <= 3 && len(trimmed)-len(after) >= f.count && strings.Trim(after, " ") == ""
}

// take draws the lines of block that came since the last call, and reports whether one of them closed it.
func (f *fence) take(block []byte) (lines []string, closed bool) {
	for f.read < len(block) {
		line, _, _ := bytes.Cut(block[f.read:], []byte("\n"))
		if f.closes(string(line)) {
			return nil, true
		}
		lines = f.draw(lines, string(line))
		f.read += len(line) + 1
	}
	return lines, false
}

// draw adds one line of the block to lines.
func (f *fence) draw(lines []string, line string) []string {
	return f.r.plainCode(lines, f.strip(line), f.width)
}

// strip takes the fence's own indentation off a line.
func (f *fence) strip(line string) string {
	for n := f.indent; n > 0 && strings.HasPrefix(line, " "); n-- {
		line = line[1:]
	}
	return line
}
