package markdown

import "github.com/yuin/goldmark/ast"

// Code returns the code blocks of a text, in order, each as it was written: without marks, indentation of the block or breaks
// of the screen.
func Code(source string) []string {
	src := []byte(source)
	doc, _ := parse(src, nil)
	var blocks []string
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindFencedCodeBlock, ast.KindCodeBlock:
			if code := blockText(n, src); entering && code != "" {
				blocks = append(blocks, code)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return blocks
}
