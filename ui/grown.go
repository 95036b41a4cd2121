package ui

import "strings"

// grown adds pieces to a text without copying all of it for each. The text may be set to another one meanwhile.
type grown struct{ text strings.Builder }

func (g *grown) add(text, piece string) string {
	if g.text.String() != text {
		g.text.Reset()
		g.text.WriteString(text)
	}
	g.text.WriteString(piece)
	return g.text.String()
}
