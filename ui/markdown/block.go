package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"espy/ui/screen"
)

// renderer draws the blocks of one parsed text.
type renderer struct {
	source []byte
	theme  *Theme
	depth  int // blocks around the one that is drawn
	lists  int // lists around it
}

// block draws n in lines of at most width columns. The result has no lines for what is not seen, such as link definitions.
func (r *renderer) block(n ast.Node, width int, base Style) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(n, width, base)
	case *ast.Paragraph, *ast.TextBlock:
		return screen.Wrap(r.inline(n, base), width)
	case *ast.FencedCodeBlock:
		return r.fenced(n, width)
	case *ast.CodeBlock:
		return r.code("", blockText(n, r.source), width)
	case *ast.Blockquote:
		return r.quote(n, width, base)
	case *ast.List:
		return r.list(n, width, base)
	case *ast.ThematicBreak:
		return []string{r.theme.Rule.Render(strings.Repeat("─", max(width, 1)))}
	case *ast.HTMLBlock:
		return r.htmlBlock(n, width)
	case *extast.Table:
		return r.table(n, width, base)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return r.blocks(n, width, base, false)
}

// blocks draws the children of n below each other, parted by a blank line unless tight.
func (r *renderer) blocks(n ast.Node, width int, base Style, tight bool) []string {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return screen.Wrap(r.written(n), width)
	}
	defer func() { r.depth-- }()
	var lines []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines = join(lines, r.block(c, width, base), tight)
	}
	return lines
}

// join puts the lines of a block under those before it.
func join(above, below []string, tight bool) []string {
	if len(above) > 0 && len(below) > 0 && !tight {
		above = append(above, "")
	}
	return append(above, below...)
}

// written is what the source says from the first to the last line inside n: for nesting too deep to draw.
func (r *renderer) written(n ast.Node) string {
	from, to := len(r.source), 0
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			from = min(from, n.Lines().At(0).Start)
			to = max(to, n.Lines().At(n.Lines().Len()-1).Stop)
		}
		return ast.WalkContinue, nil
	})
	if from >= to {
		return ""
	}
	return strings.TrimSuffix(string(r.source[from:to]), "\n")
}

func (r *renderer) heading(n *ast.Heading, width int, base Style) []string {
	mark := ""
	if r.theme.Heading == "" { // without styles the marks say that it is one
		mark = strings.Repeat("#", n.Level) + " "
	}
	return screen.Wrap(mark+r.inline(n, base.With(r.theme.Heading)), width)
}

func (r *renderer) fenced(n *ast.FencedCodeBlock, width int) []string {
	code := blockText(n, r.source)
	language := string(n.Language(r.source))
	if isOpen(n, r.source) {
		return r.openCode(language, code, width)
	}
	return r.code(language, code, width)
}

// code draws a finished code block: its language, and below it the text in colours.
func (r *renderer) code(language, code string, width int) []string {
	lines := r.label(language, width)
	if code == "" {
		return lines
	}
	code = strings.TrimSuffix(code, "\n")
	if len(code) > maxHighlight {
		return r.plainCode(lines, code, width)
	}
	inner, indent := codeWidth(width)
	for _, line := range highlight(language, code, r.theme) {
		if screen.Width(line) <= inner {
			lines = append(lines, indented(indent, line))
			continue
		}
		for _, part := range screen.Chop(line, inner) {
			lines = append(lines, indented(indent, part))
		}
	}
	return lines
}

// openCode draws a code block that is still being written, without colours.
func (r *renderer) openCode(language, code string, width int) []string {
	lines := r.label(language, width)
	if code == "" {
		return lines
	}
	return r.plainCode(lines, strings.TrimSuffix(code, "\n"), width)
}

func (r *renderer) plainCode(lines []string, code string, width int) []string {
	inner, indent := codeWidth(width)
	for _, part := range screen.Chop(code, inner) {
		lines = append(lines, indented(indent, r.theme.Block.Render(part)))
	}
	return lines
}

// indented puts indent before a line, unless it is empty.
func indented(indent, line string) string {
	if line == "" {
		return ""
	}
	return indent + line
}

func (r *renderer) label(language string, width int) []string {
	if language == "" {
		return nil
	}
	inner, indent := codeWidth(width)
	return []string{indent + r.theme.Label.Render(screen.Truncate(language, inner))}
}

// codeWidth is how many columns code has, and what stands before it.
func codeWidth(width int) (inner int, indent string) {
	if width < minBody {
		return max(width, 2), ""
	}
	return width - codeIndent, strings.Repeat(" ", codeIndent)
}

func (r *renderer) htmlBlock(n *ast.HTMLBlock, width int) []string {
	text := blockText(n, r.source)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(r.source))
	}
	var b strings.Builder
	styled(&b, r.theme.HTML, strings.TrimRight(text, "\n"))
	return screen.Wrap(b.String(), width)
}

func (r *renderer) quote(n ast.Node, width int, base Style) []string {
	bar := r.theme.Bar.Render("│") + " "
	return r.hang(bar, bar, width, func(width int) []string {
		return r.blocks(n, width, base.With(r.theme.Quote), false)
	})
}

// hang draws a body with first before its first line and rest, as wide, before the others. Where that would leave too little
// width, the body goes below.
func (r *renderer) hang(first, rest string, width int, body func(width int) []string) []string {
	used := screen.Width(first)
	if width-used < minBody {
		return append([]string{screen.Truncate(strings.TrimRight(first, " "), max(width, 2))}, body(width)...)
	}
	lines := body(width - used)
	if len(lines) == 0 {
		return []string{strings.TrimRight(first, " ")}
	}
	for i, line := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if line == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		lines[i] = prefix + line
	}
	return lines
}

func (r *renderer) list(n *ast.List, width int, base Style) []string {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return screen.Wrap(r.written(n), width)
	}
	r.lists++
	defer func() { r.depth--; r.lists-- }()
	var lines []string
	number := n.Start
	digits := len(strconv.Itoa(n.Start + max(n.ChildCount()-1, 0)))
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := bullets[(r.lists-1)%len(bullets)]
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker)
			mark = strings.Repeat(" ", max(digits+1-len(mark), 0)) + mark
			number++
		}
		first, rest := r.theme.Mark.Render(mark)+" ", strings.Repeat(" ", screen.Width(mark)+1)
		below := r.hang(first, rest, width, func(width int) []string { return r.blocks(item, width, base, n.IsTight) })
		lines = join(lines, below, n.IsTight)
	}
	return lines
}

// bullets are the marks of unordered lists by depth.
var bullets = [...]string{"•", "◦", "▪"}
