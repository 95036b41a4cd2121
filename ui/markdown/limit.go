package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxInline is how many marks of one kind (brackets, stars, tildes) are looked at in one paragraph. Their pairing costs the
// square of their number; a paragraph beyond this is no prose, and its other marks are shown as they are.
const maxInline = 2000

// limited is an inline parser that gives up in a paragraph with too many marks.
type limited struct {
	parser.InlineParser
	key parser.ContextKey
}

// tally counts the marks of one paragraph.
type tally struct {
	parent ast.Node
	marks  int
}

// Parse counts, and parses while the count allows it.
func (l limited) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	count, ok := pc.Get(l.key).(*tally)
	if !ok || count.parent != parent {
		count = &tally{parent: parent}
		pc.Set(l.key, count)
	}
	if count.marks++; count.marks > maxInline {
		return nil
	}
	return l.InlineParser.Parse(parent, block, pc)
}

// CloseBlock passes the end of a paragraph on to parsers that wait for it.
func (l limited) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := l.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// inlineParsers are goldmark's own and the one for strike-through, each limited.
func inlineParsers() []util.PrioritizedValue {
	const strikePriority = 500 // as its extension says
	all := append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), strikePriority))
	for i, p := range all {
		all[i].Value = limited{p.Value.(parser.InlineParser), parser.NewContextKey()}
	}
	return all
}
