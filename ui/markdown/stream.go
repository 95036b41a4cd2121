package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"espy/ui/screen"
)

// Stream draws a document that is still being written.
//
// How it works. Text is taken over line by line, made safe. The part that is not final yet is parsed whenever its lines are
// asked for, and everything before its last top-level block becomes final: what follows can only change the last block. Final
// blocks are drawn once. A code block that is open is even drawn line by line, plain; when its end comes it is drawn anew, in
// colours. So each call costs as much as the open block, and the whole as much as the document.
//
// One thing reaches back: a link definition at the end changes text before it. The final part is then drawn again, at once
// while that stays cheap, else when [Stream.Finish] says that no more will come.
type Stream struct {
	theme  Theme
	width  int
	text   []byte // safe, complete lines
	rest   []byte // the last line, as it came, without its end yet
	final  int    // text[:final] is drawn in lines
	parsed int    // length of text when it was last parsed
	lines  []string
	refs   []parser.Reference // link definitions met in text

	fence *fence // the open code block that begins at text[final], if one does
	spent int    // bytes drawn again
	stale bool   // lines were drawn before a link definition they may need
}

// NewStream returns an empty stream.
func NewStream(theme Theme) *Stream { return &Stream{theme: theme} }

// Append adds a piece of the document, cut anywhere, even inside a character.
func (s *Stream) Append(piece string) {
	i := strings.LastIndexByte(piece, '\n')
	if i < 0 {
		s.rest = append(s.rest, piece...)
		return
	}
	s.text = append(s.text, screen.Safe(string(s.rest)+piece[:i+1])...)
	s.rest = append(s.rest[:0], piece[i+1:]...)
}

// Lines returns the document so far in lines of at most width columns. The slice is good until the next call on the stream.
// A new width draws everything again.
func (s *Stream) Lines(width int) []string {
	if width != s.width {
		s.width = width
		s.redraw()
	}
	s.settle()
	return s.withOpen()
}

// Finish says that no more will come, and returns the lines as [Render] does.
func (s *Stream) Finish(width int) []string { return s.finish(width) }

func (s *Stream) finish(width int) []string {
	lines := s.Lines(width)
	if s.stale {
		s.stale = false
		s.redraw()
		lines = s.Lines(width)
	}
	return lines
}

// redraw forgets what was drawn, but not the link definitions.
func (s *Stream) redraw() {
	s.final, s.parsed, s.lines, s.fence = 0, -1, nil, nil
}

// settle makes final what can be.
func (s *Stream) settle() {
	if s.parsed == len(s.text) {
		return
	}
	s.parsed = len(s.text)
	if s.fence != nil && !s.fence.take(s.text[s.final:]) {
		return
	}
	s.fence = nil
	for again := true; again; {
		again = s.advance()
	}
	if s.fence != nil && s.fence.take(s.text[s.final:]) {
		s.fence = nil
	}
}

// advance draws every block of the unfinished text but the last. It is true when a link definition asks for a new start.
func (s *Stream) advance() (again bool) {
	source := s.text[s.final:]
	doc, refs := parse(source, s.refs)
	if len(refs) > len(s.refs) {
		if s.refs = refs; s.reachBack() {
			return true
		}
	}
	last := openBlock(doc)
	if last == nil {
		return false
	}
	start := lineStart(source, last.Pos())
	if start > 0 {
		r := renderer{source: source, theme: &s.theme}
		for n := doc.FirstChild(); n != last; n = n.NextSibling() {
			s.lines = join(s.lines, r.block(n, s.width, ""), false)
		}
		s.final += start
	}
	if code, ok := last.(*ast.FencedCodeBlock); ok && start >= 0 && isOpen(code, source) {
		s.fence = newFence(string(code.Language(source)), source[start:], s.width, &s.theme)
	}
	return false
}

// reachBack starts over when the final text may refer to a definition that came after it, and reports whether it did.
func (s *Stream) reachBack() bool {
	if bytes.IndexByte(s.text[:s.final], '[') < 0 {
		return false
	}
	if s.spent+s.final > redraws*len(s.text)+redrawSpare {
		s.stale = true
		return false
	}
	s.spent += s.final
	s.redraw()
	return true
}

// openBlock is the block that more text may change: the last one, with the link definitions right before it, because those
// are cut off the start of a paragraph.
func openBlock(doc ast.Node) ast.Node {
	n := doc.LastChild()
	for n != nil && n.PreviousSibling() != nil && n.PreviousSibling().Kind() == ast.KindLinkReferenceDefinition {
		n = n.PreviousSibling()
	}
	return n
}

// lineStart is where the line that holds source[pos] begins; -1 stays.
func lineStart(source []byte, pos int) int {
	if pos < 0 || pos > len(source) {
		return -1
	}
	return bytes.LastIndexByte(source[:pos], '\n') + 1
}

// withOpen is the final lines with those of the open block below.
func (s *Stream) withOpen() []string {
	partial := screen.Safe(string(s.rest))
	if s.fence != nil && !s.fence.closes(partial) && !strings.Contains(partial, "\n") {
		return s.under(s.fence.with(partial))
	}
	source := append(s.text[s.final:len(s.text):len(s.text)], partial...)
	doc, _ := parse(source, s.refs)
	r := renderer{source: source, theme: &s.theme}
	return s.under(r.blocks(doc, s.width, "", false))
}

// under returns the final lines with open below, without making open final.
func (s *Stream) under(open []string) []string {
	return join(s.lines[:len(s.lines):len(s.lines)], open, false)
}
