package markdown

import "strings"

// highlight returns the lines of code, without their ends, coloured for language, a name as it stands after a fence. Each
// line stands alone. Code in a language that is not known is returned in the block's own style.
func highlight(language, code string, theme *Theme) []string {
	p := painter{theme: theme}
	if lang, ok := languageByName(language); ok {
		s := scanner{lang: lang, src: code, emit: p.add}
		s.run()
	} else {
		p.add(Plain, code)
	}
	return append(p.lines, p.line.String())
}

// painter collects tokens into lines.
type painter struct {
	theme *Theme
	lines []string
	line  strings.Builder
}

func (p *painter) add(class int, text string) {
	style := p.theme.Syntax[class]
	if style == "" {
		style = p.theme.Block
	}
	for {
		part, rest, more := strings.Cut(text, "\n")
		p.line.WriteString(style.Render(part))
		if !more {
			return
		}
		p.lines = append(p.lines, p.line.String())
		p.line.Reset()
		text = rest
	}
}
