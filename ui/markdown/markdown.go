// Package markdown turns Markdown, as models write it, into lines for a terminal.
//
// It reads CommonMark with tables, strike-through, task lists and bare links, by way of goldmark, and draws it itself: every
// line stands alone (its styles open and close in it) and is never wider than was asked, wide characters and long words
// included. Text is made harmless by package screen before it is parsed, and again where the parser decodes entities, so no
// document can send a control sequence to the terminal.
//
// [Render] draws a whole document. [Stream] draws one that is still being written and only works on the block that is open;
// once all text is there, its lines are those of Render.
//
// The package knows nothing of Bubble Tea, of the terminal or of where text comes from. All functions are pure and safe for
// concurrent use; a Stream belongs to one goroutine.
package markdown

const (
	// maxHighlight is the longest code block, in bytes, that is coloured; longer ones are plain.
	maxHighlight = 200 << 10

	// minBody is the least number of columns that the body of a list item or quotation is given. Where nesting leaves less,
	// the body goes below its mark, at full width.
	minBody = 12

	// maxDepth is how deep blocks may nest before the rest is shown as it is written; a list counts twice, for itself and its
	// items. No page goes deeper.
	maxDepth = 24

	// maxEntity is the longest entity, in bytes, with its ampersand and semicolon: "&CounterClockwiseContourIntegral;".
	maxEntity = 33

	// codeIndent is how far code blocks stand in, in columns: set apart without borders that would be copied along.
	codeIndent = 2

	// minColumn is the narrowest a table column may become, in columns; where the table needs more columns than fit, each row
	// becomes a list of "heading: value".
	minColumn = 5

	// maxColumns is how many table columns are drawn side by side.
	maxColumns = 32

	// redraws is how many times the length of its text a stream may draw again because links were defined late, plus
	// redrawSpare bytes. What is over waits for the end.
	redraws     = 4
	redrawSpare = 64 << 10
)

// Render draws src in lines of at most width columns; a width below 2 counts as 2. An empty document has no lines. Cost is
// linear in src: a page of 8 KB takes 2 to 4 ms, half of it in the parser.
func Render(src string, width int, theme Theme) []string {
	s := NewStream(theme)
	s.Append(src)
	return s.Finish(width)
}
