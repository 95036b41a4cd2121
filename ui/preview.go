package ui

import (
	"image"

	"espy/agent/message"
)

// PreviewWant names a part of a stored picture and the size it is to be shown at.
type PreviewWant struct {
	Ref    string
	Region message.Rect // upright pixels of that blob; the zero Rect is all of it
	Side   int          // the longest side of what comes back, in pixels, at most
}

// mark is a rectangle drawn over a picture.
type mark struct {
	rect message.Rect // in the pixels of the picture the preview is of
	kind markKind
}

// markKind is how a mark is drawn.
type markKind int

const (
	markOutline markKind = iota
	markBlack            // it hides
	markCrop             // all around it is dimmed
)

// previewKey is one drawing of a picture: which part, in how many cells, with what drawn over it.
type previewKey struct {
	ref        string
	region     message.Rect
	cols, rows int
	marks      string // the marks in words, so that a key can be compared
}

// pixels returns how many pixels a drawing in cells has: two in a cell, one above the other, or in a terminal that
// draws pictures itself as many as its cells have at most.
func (k previewKey) pixels(kitty bool) image.Point {
	if kitty {
		return image.Pt(k.cols*cellPixelsX, k.rows*cellPixelsY)
	}
	return image.Pt(k.cols, 2*k.rows)
}

// fitCells is the most cells of a box that a picture fills without being stretched: a cell is twice as high as it is
// wide. A picture is not drawn larger than its own pixels.
func fitCells(w, h, cols, rows int) (int, int) {
	if w <= 0 || h <= 0 || cols <= 0 || rows <= 0 {
		return 0, 0
	}
	c, r := cols, (cols*h+w)/(2*w)
	if r > rows {
		c, r = (rows*2*w+h/2)/h, rows
	}
	return min(max(c, 1), cols), min(max(r, 1), rows)
}

// scaleRect maps a rectangle of a picture's region to the pixels of a drawing of it.
func scaleRect(r, region message.Rect, size image.Point) image.Rectangle {
	if region.Width <= 0 || region.Height <= 0 {
		return image.Rectangle{}
	}
	x := func(v int) int { return (v - region.X) * size.X / region.Width }
	y := func(v int) int { return (v - region.Y) * size.Y / region.Height }
	out := image.Rect(x(r.X), y(r.Y), x(r.X+r.Width), y(r.Y+r.Height))
	if out.Dx() == 0 {
		out.Max.X++
	}
	if out.Dy() == 0 {
		out.Max.Y++
	}
	return out
}
