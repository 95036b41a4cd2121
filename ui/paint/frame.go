package paint

// Frame is what the screen is to show at one moment. Its lines are not changed once it was handed over.
type Frame struct {
	Lines         []string // from the top, styled, each at most Width cells, no line feeds; what is missing is blank
	Width, Height int      // of the terminal, in cells
	Caret         Caret
}

// Caret is where the terminal's own cursor stands. The zero Caret is hidden.
type Caret struct {
	X, Y  int // cells from the top left corner
	Shown bool
	Shape Shape
}

// Shape is how a shown cursor looks.
type Shape int

// Shapes of a cursor, by xterm's numbers. Usual is what the person has set in the terminal.
const (
	Usual     Shape = 0
	Block     Shape = 2
	Underline Shape = 4
	Bar       Shape = 6
)
