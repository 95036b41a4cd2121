package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"espy/ui/screen"
)

// inline draws what is inside n as text with styles and line ends, not yet wrapped. base is the style around it.
func (r *renderer) inline(n ast.Node, base Style) string {
	var b strings.Builder
	r.spans(&b, n, base, 0)
	return b.String()
}

// spans writes the children of n in style.
func (r *renderer) spans(b *strings.Builder, n ast.Node, style Style, depth int) {
	if depth > maxDepth {
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(b, c, style, depth+1)
	}
}

func (r *renderer) span(b *strings.Builder, n ast.Node, style Style, depth int) {
	t := r.theme
	switch n := n.(type) {
	case *ast.Text:
		r.text(b, n, style)
	case *ast.String:
		styled(b, style, unescape(n.Value))
	case *ast.CodeSpan:
		styled(b, style.With(t.Code), r.raw(n))
	case *ast.Emphasis:
		inner := t.Emphasis
		if n.Level == 2 {
			inner = t.Strong
		}
		r.spans(b, n, style.With(inner), depth)
	case *extast.Strikethrough:
		r.spans(b, n, style.With(t.Strike), depth)
	case *ast.Link:
		r.link(b, n, style, depth)
	case *ast.AutoLink:
		styled(b, style.With(t.Link), screen.SafeLine(string(n.Label(r.source))))
	case *ast.Image:
		r.image(b, n, style)
	case *ast.RawHTML:
		r.html(b, n, style)
	case *extast.TaskCheckBox:
		r.checkbox(b, n, style)
	default:
		r.spans(b, n, style, depth)
	}
}

func (r *renderer) text(b *strings.Builder, n *ast.Text, style Style) {
	value := n.Segment.Value(r.source)
	if n.IsRaw() {
		styled(b, style, string(value))
	} else {
		styled(b, style, unescape(value))
	}
	if n.HardLineBreak() || n.SoftLineBreak() { // models mean the line ends they write
		b.WriteByte('\n')
	}
}

// raw is the text inside n without markup. Line ends in it are spaces.
func (r *renderer) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(r.source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// link writes the text and, where it says something else, the address: what a person sees is where they would go.
func (r *renderer) link(b *strings.Builder, n *ast.Link, style Style, depth int) {
	var label strings.Builder
	r.spans(&label, n, "", depth)
	url := unescape(n.Destination)
	b.Grow(label.Len() + len(url))
	r.spans(b, n, style.With(r.theme.Link), depth)
	if shown := plain(label.String()); url != "" && url != shown && url != "mailto:"+shown {
		b.WriteString(style.With(r.theme.URL).Render(" (" + url + ")"))
	}
}

func (r *renderer) image(b *strings.Builder, n *ast.Image, style Style) {
	var alt strings.Builder
	r.spans(&alt, n, "", maxDepth-1)
	label := "[image]"
	if words := strings.Join(strings.Fields(plain(alt.String())), " "); words != "" {
		label = "[image: " + words + "]"
	}
	b.WriteString(style.With(r.theme.Image).Render(label))
	if url := unescape(n.Destination); url != "" {
		b.WriteString(style.With(r.theme.URL).Render(" (" + url + ")"))
	}
}

// html writes a tag as it is, but for the one that people and models use for a line end.
func (r *renderer) html(b *strings.Builder, n *ast.RawHTML, style Style) {
	var tag strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		tag.Write(segment.Value(r.source))
	}
	switch strings.ToLower(strings.ReplaceAll(tag.String(), " ", "")) {
	case "<br>", "<br/>":
		b.WriteByte('\n')
		return
	}
	styled(b, style.With(r.theme.HTML), tag.String())
}

func (r *renderer) checkbox(b *strings.Builder, n *extast.TaskCheckBox, style Style) {
	if n.IsChecked {
		b.WriteString(style.With(r.theme.Done).Render("[x]") + " ")
		return
	}
	b.WriteString(style.With(r.theme.Mark).Render("[ ]") + " ")
}

// plain is drawn text without its styles; there are no sequences in it but ours.
func plain(s string) string {
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		if !found {
			return s
		}
		_, after, _ = strings.Cut(after, "m")
		s = before + after
	}
}
