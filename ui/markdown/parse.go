package markdown

import (
	"bytes"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"espy/ui/screen"
)

// markdownParser is set up on first use and never changes.
var markdownParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Linkify)).Parser()
})

// parse reads src, which is safe text, knowing the link definitions refs. It returns the document and all definitions known
// at its end, those of refs first.
//
// Should the parser ever panic over a document, that document is one paragraph of plain text: what a model writes must not end
// the program.
func parse(src []byte, refs []parser.Reference) (doc ast.Node, all []parser.Reference) {
	defer func() {
		if recover() != nil {
			doc, all = asWritten(src), refs
		}
	}()
	p := markdownParser() // before the context, which has room for the keys known by then
	ctx := parser.NewContext()
	known := make(map[string]bool, len(refs))
	for _, ref := range refs {
		ctx.AddReference(ref)
		known[util.ToLinkReference(ref.Label())] = true
	}
	doc = p.Parse(text.NewReader(src), parser.WithContext(ctx))
	all = refs
	for _, ref := range ctx.References() {
		if !known[util.ToLinkReference(ref.Label())] {
			all = append(all[:len(all):len(all)], ref)
		}
	}
	return doc, all
}

// asWritten is a document of one paragraph that says what src says.
func asWritten(src []byte) ast.Node {
	doc, paragraph := ast.NewDocument(), ast.NewParagraph()
	words := ast.NewTextSegment(text.NewSegment(0, len(src)))
	words.SetRaw(true)
	paragraph.AppendChild(paragraph, words)
	doc.AppendChild(doc, paragraph)
	return doc
}

// unescape resolves the backslashes and entities of a piece of text, which the parser leaves to whoever draws it. An entity
// can name any character, so the result is made safe again.
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		return string(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			n, decoded := entity(string(s[i:min(i+maxEntity, len(s))]))
			b.WriteString(decoded)
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return screen.SafeLine(b.String())
}

// entity decodes the entity that s begins with and returns its length. An ampersand that begins none stands for itself; the
// old names that HTML knows without a semicolon are none in Markdown.
func entity(s string) (int, string) {
	end := 1 + len(s[1:]) - len(strings.TrimLeftFunc(s[1:], isEntityRune))
	if end == 1 || end == len(s) || s[end] != ';' {
		return 1, "&"
	}
	decoded := html.UnescapeString(s[:end+1])
	if strings.HasSuffix(decoded, ";") && s[:end] != "&semi" {
		return 1, "&"
	}
	return end + 1, decoded
}

func isEntityRune(r rune) bool {
	return r == '#' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
}

// CodeBlock is a code block of a document.
type CodeBlock struct {
	Language string // the first word after the fence, "" where there is none
	Text     string // as written, with its line ends; not safe to show
}

// CodeBlocks returns the code blocks of src in order, wherever they are nested, with their text exactly as written, for
// copying.
func CodeBlocks(src string) []CodeBlock {
	source := []byte(src)
	doc, _ := parse(source, nil)
	var blocks []CodeBlock
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			blocks = append(blocks, CodeBlock{string(n.Language(source)), blockText(n, source)})
		case *ast.CodeBlock:
			blocks = append(blocks, CodeBlock{"", blockText(n, source)})
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// blockText is the text of a code or HTML block.
func blockText(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	return b.String()
}

// isOpen reports whether a fenced block has no closing fence: then nothing but blank text follows it in the source.
func isOpen(n *ast.FencedCodeBlock, source []byte) bool {
	end := 0
	switch {
	case n.Lines().Len() > 0:
		end = n.Lines().At(n.Lines().Len() - 1).Stop
	case n.Info != nil:
		end = n.Info.Segment.Stop
	default:
		end = max(n.Pos(), 0)
		for end < len(source) && (source[end] == '`' || source[end] == '~' || source[end] == ' ') {
			end++
		}
	}
	return strings.TrimSpace(string(source[min(end, len(source)):])) == ""
}
