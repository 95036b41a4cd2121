package ui

import (
	"bytes"
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// In a terminal with kitty's graphics a picture is sent once under a number and then stands in the text as cells of
// U+10EEEE, which are moved, covered and cut like any others. The number is told by the cells: its low byte by the
// foreground as one of 256 colours, which every multiplexer passes on, its high byte by a third combining character.

// kittyID is the number of a picture: low is 1 to 255, high is the program's own.
type kittyID struct{ high, low uint8 }

func (id kittyID) number() int { return int(id.high)<<24 | int(id.low) }

// cells are the lines that stand for a picture.
func (id kittyID) cells(cols, rows int) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;5;%dm", id.low)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
			b.WriteRune(kitty.Diacritic(int(id.high)))
		}
		b.WriteString("\x1b[39m")
		lines[y] = b.String()
	}
	return lines
}

// transmission is a picture and where it will stand, as the terminal is sent it.
func (id kittyID) transmission(m image.Image, cols, rows int, tmux bool) ([]byte, error) {
	var out bytes.Buffer
	o := kitty.Options{Action: kitty.TransmitAndPut, Quiet: 2, ID: id.number(), Format: kitty.PNG, VirtualPlacement: true,
		Columns: cols, Rows: rows, Chunk: true}
	if tmux {
		o.ChunkFormatter = ansi.TmuxPassthrough
	}
	err := kitty.EncodeGraphics(&out, m, &o)
	return out.Bytes(), err
}

// removal takes a picture and its data out of the terminal.
func (id kittyID) removal(tmux bool) string {
	s := ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", id.number()), "q=2")
	if tmux {
		s = ansi.TmuxPassthrough(s)
	}
	return s
}
