package ui

import (
	"math"

	"espy/agent"
	"espy/agent/message"
)

// viewer is a picture that fills the screen. It is looked at by zooming and panning; one that waits on the row can also be
// cropped and blacked out. What is done is kept as edits, which can be undone until the viewer is left: leaving it has
// them made.
type viewer struct {
	a        agent.Attachment
	editable bool
	ref      string // the picture that is drawn: the original where there is one
	w, h     int    // its upright pixels

	zoom   int     // halvings of what shows; 0 is all of it
	cx, cy float64 // the middle of what shows, in pixels
	cols   int     // of the box the picture is drawn in
	rows   int

	rect  *message.Rect // being moved and sized
	step  int           // pixels a key moves it by
	edits []edit
	lines []string // the screen
}

// edit is a crop or a blackening. A crop without a rectangle takes the crop away.
type edit struct {
	black bool
	rect  *message.Rect
}

// viewSteps are the pixels a key moves a rectangle by.
func viewSteps() [3]int { return [3]int{1, 10, 100} }

func newViewer(a agent.Attachment, editable bool) *viewer {
	v := &viewer{a: a, editable: editable, ref: a.Record.Original, w: a.Record.Width, h: a.Record.Height, step: 10}
	if v.ref == "" || v.w <= 0 || v.h <= 0 {
		v.ref, v.w, v.h = a.Image.Ref, a.Image.Width, a.Image.Height
	}
	v.cx, v.cy = float64(v.w)/2, float64(v.h)/2
	return v
}

// shows is the part of the picture in the box, in its pixels.
func (v *viewer) shows() message.Rect {
	if v.cols < 1 || v.rows < 1 || v.w < 1 || v.h < 1 {
		return message.Rect{Width: v.w, Height: v.h}
	}
	scale := math.Min(float64(v.cols)/float64(v.w), float64(2*v.rows)/float64(v.h)) * float64(int(1)<<v.zoom)
	w := min(v.w, max(int(float64(v.cols)/scale), 1))
	h := min(v.h, max(int(float64(2*v.rows)/scale), 1))
	x := min(max(int(v.cx)-w/2, 0), v.w-w)
	y := min(max(int(v.cy)-h/2, 0), v.h-h)
	return message.Rect{X: x, Y: y, Width: w, Height: h}
}

// magnify zooms in or out, towards the rectangle where there is one.
func (v *viewer) magnify(by int) {
	if v.rect != nil {
		v.cx, v.cy = float64(v.rect.X)+float64(v.rect.Width)/2, float64(v.rect.Y)+float64(v.rect.Height)/2
	}
	before := v.zoom
	v.zoom = min(max(v.zoom+by, 0), mostZoom)
	if s := v.shows(); by > 0 && (s.Width < leastShown || s.Height < leastShown) && v.zoom > 0 {
		v.zoom = before
	}
	v.settle()
}

// settle keeps the middle where the picture is, so that a key the other way works at once.
func (v *viewer) settle() {
	s := v.shows()
	v.cx, v.cy = float64(s.X)+float64(s.Width)/2, float64(s.Y)+float64(s.Height)/2
}

// move pans, or moves the rectangle.
func (v *viewer) move(dx, dy int) {
	if v.rect == nil {
		s := v.shows()
		v.cx += float64(dx*s.Width) / panShare
		v.cy += float64(dy*s.Height) / panShare
		v.settle()
		return
	}
	v.rect.X = min(max(v.rect.X+dx*v.step, 0), v.w-v.rect.Width)
	v.rect.Y = min(max(v.rect.Y+dy*v.step, 0), v.h-v.rect.Height)
	v.follow()
}

// size makes the rectangle wider or narrower, taller or shorter, at its right and lower side.
func (v *viewer) size(dw, dh int) {
	if v.rect == nil {
		v.mark()
		return
	}
	v.rect.Width = min(max(v.rect.Width+dw*v.step, 1), v.w-v.rect.X)
	v.rect.Height = min(max(v.rect.Height+dh*v.step, 1), v.h-v.rect.Y)
	v.follow()
}

// follow keeps the rectangle's moving corner in sight.
func (v *viewer) follow() {
	s, r := v.shows(), v.rect
	if r.X < s.X || r.X+r.Width > s.X+s.Width {
		v.cx = float64(r.X) + float64(min(r.Width, s.Width))/2
	}
	if r.Y < s.Y || r.Y+r.Height > s.Y+s.Height {
		v.cy = float64(r.Y) + float64(min(r.Height, s.Height))/2
	}
	v.settle()
}

// mark puts a rectangle into the middle of what shows, or takes it away.
func (v *viewer) mark() {
	if v.rect != nil {
		v.rect = nil
		return
	}
	s := v.shows()
	v.rect = &message.Rect{X: s.X + s.Width/4, Y: s.Y + s.Height/4, Width: max(s.Width/2, 1), Height: max(s.Height/2, 1)}
}

func (v *viewer) nextStep() {
	all := viewSteps()
	for i, s := range all {
		if s == v.step {
			v.step = all[(i+1)%len(all)]
			return
		}
	}
}

// edit does something to the picture with the rectangle.
func (v *viewer) edit(black bool) {
	v.edits = append(v.edits, edit{black, v.rect})
	v.rect = nil
}

// undo takes the last edit back and puts its rectangle where it was.
func (v *viewer) undo() bool {
	if len(v.edits) == 0 {
		return false
	}
	last := v.edits[len(v.edits)-1]
	v.edits = v.edits[:len(v.edits)-1]
	if last.rect != nil {
		back := *last.rect
		v.rect = &back
	}
	return true
}

// result is the crop and the blackened areas as they stand.
func (v *viewer) result() (crop *message.Rect, black []message.Rect) {
	if v.a.Record.Original != "" {
		crop = v.a.Record.Crop
	}
	for _, e := range v.edits {
		if e.black {
			black = append(black, *e.rect)
		} else {
			crop = e.rect
		}
	}
	return crop, black
}

// marks is what is drawn over the picture.
func (v *viewer) marks() []mark {
	crop, black := v.result()
	var all []mark
	for _, r := range black {
		all = append(all, mark{rect: r, kind: markBlack})
	}
	if crop != nil {
		all = append(all, mark{rect: *crop, kind: markCrop})
	}
	if v.rect != nil {
		all = append(all, mark{rect: *v.rect})
	}
	return all
}
