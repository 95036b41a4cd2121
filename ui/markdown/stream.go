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
	final  int    // text[:final] is final
	parsed int    // length of text when it was last looked at
	refs   []parser.Reference

	view  []string // lines: final ones, those of an open code block, and those that change with each call
	done  int      // how many are final
	open  int      // how many after them are of the open code block and stay while it is open
	fence *fence   // the open code block that begins at text[final], if one does

	spent int  // bytes drawn again
	stale bool // lines were drawn before a link definition they may need
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
func (s *Stream) Finish(width int) []string {
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
	s.final, s.parsed, s.done, s.open, s.fence = 0, -1, 0, 0, nil
}

// settle makes final what can be.
func (s *Stream) settle() {
	if s.parsed == len(s.text) {
		return
	}
	s.parsed = len(s.text)
	if s.fence != nil && s.follow() {
		return
	}
	for again := true; again; {
		s.fence, s.open = nil, 0
		again = s.advance()
	}
	if s.fence != nil {
		s.follow()
	}
}

// follow draws the new lines of the open code block, false when it is open no more.
func (s *Stream) follow() bool {
	lines, closed := s.fence.take(s.text[s.final:])
	if closed {
		s.fence, s.open = nil, 0
		return false
	}
	s.view = s.under(lines)
	s.open = len(s.view) - s.done
	return true
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
	r := renderer{source: source, theme: &s.theme}
	start := lineStart(source, last.Pos())
	if start > 0 {
		for n := doc.FirstChild(); n != last; n = n.NextSibling() {
			s.view = s.under(r.block(n, s.width, ""))
			s.done = len(s.view)
		}
		s.final += start
	}
	if code, ok := last.(*ast.FencedCodeBlock); ok && start >= 0 && isOpen(code, source) {
		s.fence = newFence(source[start:], s.width, &s.theme)
		s.view = s.under(r.label(string(code.Language(source)), s.width))
		s.open = len(s.view) - s.done
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

// withOpen is all lines that stay with those of the open block, or of the open line of a code block, below.
func (s *Stream) withOpen() []string {
	partial := screen.Safe(string(s.rest))
	if s.fence != nil && !s.fence.closes(partial) && !strings.Contains(partial, "\n") {
		if partial == "" {
			return s.view[:s.done+s.open]
		}
		s.view = s.under(s.fence.draw(nil, partial))
		return s.view
	}
	if s.fence != nil { // it ends with this line, if that stays as it is
		s.fence, s.open, s.parsed = nil, 0, -1
	}
	source := append(s.text[s.final:len(s.text):len(s.text)], partial...)
	doc, _ := parse(source, s.refs)
	r := renderer{source: source, theme: &s.theme}
	s.view = s.under(r.blocks(doc, s.width, "", false))
	return s.view
}

// under is the lines that stay with lines below, set off when they begin a block. It writes over what does not stay.
func (s *Stream) under(lines []string) []string {
	view := s.view[:s.done+s.open]
	return join(view, lines, s.open > 0)
}
