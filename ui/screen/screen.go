// Package screen holds what every region of the screen needs to put text on it: making outside text harmless, measuring it,
// wrapping it and cutting it to a width.
//
// Two promises are kept here and relied on everywhere else. No byte of a file, a tool, a model or a name reaches the terminal
// as a control sequence once it went through [Safe] or [Visible]. And a line that [Wrap], [Chop], [Truncate] or [Fit] returned
// is never wider than was asked, in columns as the renderer counts them.
//
// All functions are pure and safe for concurrent use. The package knows nothing of Bubble Tea, of Markdown or of colours.
package screen

const (
	// TabWidth is the distance between tab stops, in columns: enough to show nesting, little enough for narrow panes.
	TabWidth = 4

	// minWidth is the narrowest a line can be, in columns: a Chinese character or an emoji takes two and cannot be halved.
	minWidth = 2

	// maxMarks is how many combining marks one character may carry. Hebrew, Thai and Vietnamese text needs up to four; heaps
	// of them draw over the lines around.
	maxMarks = 6

	// maxSequence bounds, in bytes, how far the end of a control string in outside text is looked for. Past it the text is
	// shown: a sequence that never ends must not swallow what follows.
	maxSequence = 64 << 10

	// ellipsis marks text that was cut. It takes one column.
	ellipsis = "…"
)
