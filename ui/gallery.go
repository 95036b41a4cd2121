package ui

import (
	"context"
	"fmt"
	"image"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"espy/agent/message"
)

// previewMode is how pictures are drawn.
type previewMode int

const (
	previewOff    previewMode = iota
	previewBlocks             // as half blocks, in true or 256 colour
	previewKitty              // by the terminal itself, in placeholder cells
)

// gallery holds the pictures that are drawn in cells. A region asks it for a picture's lines while it is drawn; what
// is not there yet stands as blank lines of the same size and is made in a command, so that nothing moves when it
// comes. What was not shown for long is let go.
type gallery struct {
	mode    previewMode
	profile termenv.Profile
	tmux    bool
	high    uint8 // of this program's picture numbers

	pixels map[previewKey]*pixels  // by key without marks
	shots  map[previewKey]*drawing // by key with marks
	free   []uint8                 // numbers that may be given out
	wants  []previewKey            // asked for and not there, for the next round of commands
	owed   []owedShot              // made and not yet sent to the terminal
	turn   int                     // counts layouts
}

// pixels is a part of a picture at the size it is drawn at, or why there is none.
type pixels struct {
	image  image.Image
	failed bool
	asked  bool
	used   int
}

// drawing is the lines of a picture with its marks.
type drawing struct {
	lines []string
	id    kittyID // 0 where the terminal draws nothing itself
	sent  bool
	data  []byte // what the terminal is sent
	used  int
}

// owedShot is a picture the terminal is to be sent.
type owedShot struct {
	key  previewKey
	id   kittyID
	from image.Image
	mark []mark
}

func newGallery(high uint8) *gallery {
	g := &gallery{high: high, pixels: map[previewKey]*pixels{}, shots: map[previewKey]*drawing{}}
	for i := 255; i >= 1; i-- {
		g.free = append(g.free, uint8(i))
	}
	return g
}

// on reports whether pictures are drawn at all.
func (g *gallery) on() bool { return g != nil && g.mode != previewOff }

// lines are a picture's lines, each cols cells wide: blank until it is there, nil where it cannot be shown.
func (g *gallery) lines(ref string, region message.Rect, cols, rows int, marks ...mark) []string {
	if !g.on() || ref == "" || cols < 1 || rows < 1 {
		return nil
	}
	cols, rows = min(cols, mostCells), min(rows, mostCells)
	base := previewKey{ref: ref, region: region, cols: cols, rows: rows}
	key := base
	key.marks = fmt.Sprint(marks)
	if len(marks) == 0 {
		key.marks = ""
	}
	if d, ok := g.shots[key]; ok {
		d.used = g.turn
		return d.lines
	}
	p, ok := g.pixels[base]
	if !ok {
		p = &pixels{}
		g.pixels[base] = p
	}
	p.used = g.turn
	switch {
	case p.failed:
		return []string{strings.Repeat(" ", cols)}
	case p.image == nil:
		if !p.asked {
			p.asked = true
			g.wants = append(g.wants, base)
		}
		return blankCells(cols, rows)
	}
	return g.shoot(key, p.image, marks)
}

func blankCells(cols, rows int) []string {
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = strings.Repeat(" ", cols)
	}
	return lines
}

// shoot draws a picture that is there.
func (g *gallery) shoot(key previewKey, m image.Image, marks []mark) []string {
	d := &drawing{used: g.turn}
	switch g.mode {
	case previewKitty:
		if len(g.free) == 0 {
			return blankCells(key.cols, key.rows)
		}
		d.id = kittyID{g.high, g.free[len(g.free)-1]}
		g.free = g.free[:len(g.free)-1]
		d.lines = d.id.cells(key.cols, key.rows)
		g.owed = append(g.owed, owedShot{key, d.id, m, marks})
	default:
		size := key.pixels(false)
		d.lines = halfBlocks(shrunk(m, size, placeMarks(marks, key.region, size, 1)), g.profile)
	}
	g.shots[key] = d
	return d.lines
}

// placeMarks maps marks to the pixels of a drawing. Region must be the part that is drawn, in the marks' pixels.
func placeMarks(marks []mark, region message.Rect, size image.Point, wide int) []placedMark {
	var placed []placedMark
	for _, m := range marks {
		placed = append(placed, placedMark{scaleRect(m.rect, region, size), m.kind, wide})
	}
	return placed
}

// previewReady brings a picture's pixels.
type previewReady struct {
	key   previewKey
	image image.Image
	err   error
}

// previewSent brings what was sent to the terminal, to be sent again when its screen was lost.
type previewSent struct {
	key  previewKey
	id   kittyID
	data []byte
}

// take keeps what a command made.
func (g *gallery) take(r previewReady) {
	p, ok := g.pixels[r.key]
	if !ok {
		return
	}
	p.image, p.failed = r.image, r.err != nil
}

// tidy is called before a layout. It lets go of what was shown longest ago, beyond what is worth keeping. It returns what the terminal is to be told.
func (g *gallery) tidy() string {
	g.turn++
	var out strings.Builder
	for len(g.shots) > mostDrawings {
		key, oldest := previewKey{}, g.turn
		for k, d := range g.shots {
			if d.used < oldest {
				key, oldest = k, d.used
			}
		}
		if oldest == g.turn { // everything is on the screen
			break
		}
		out.WriteString(g.drop(key))
	}
	for len(g.pixels) > mostDrawings {
		key, oldest := previewKey{}, g.turn
		for k, p := range g.pixels {
			if p.used < oldest && (p.image != nil || p.failed) {
				key, oldest = k, p.used
			}
		}
		if oldest == g.turn {
			break
		}
		delete(g.pixels, key)
	}
	return out.String()
}

func (g *gallery) drop(key previewKey) string {
	d := g.shots[key]
	delete(g.shots, key)
	if d == nil || d.id.low == 0 {
		return ""
	}
	g.free = append([]uint8{d.id.low}, g.free...)
	return d.id.removal(g.tmux)
}

// removals is what takes every picture of this program out of the terminal.
func (g *gallery) removals() string {
	var out strings.Builder
	for _, d := range g.shots {
		if d.id.low != 0 {
			out.WriteString(d.id.removal(g.tmux))
		}
	}
	return out.String()
}

// reset forgets all drawings, for another way of drawing. It returns what the terminal is to be told.
func (g *gallery) reset(mode previewMode) string {
	var out strings.Builder
	for key := range g.shots {
		out.WriteString(g.drop(key))
	}
	g.mode, g.owed, g.wants = mode, nil, nil
	clear(g.pixels)
	return out.String()
}

// tidyPreviews is tidy, and has what it let go of drawn again where it is still on the screen.
func (m *model) tidyPreviews() tea.Cmd {
	before := len(m.gallery.shots)
	gone := m.gallery.tidy()
	if len(m.gallery.shots) < before {
		m.list.repaint()
	}
	return m.tellGraphics([]byte(gone))
}

// previews makes the commands that a layout gave rise to.
func (m *model) previews() tea.Cmd {
	g := m.gallery
	if !g.on() {
		return nil
	}
	var cmds []tea.Cmd
	for _, key := range g.wants {
		cmds = append(cmds, m.fetchPreview(key))
	}
	for _, shot := range g.owed {
		cmds = append(cmds, m.sendPreview(shot))
	}
	g.wants, g.owed = nil, nil
	m.nameGraphics()
	return tea.Batch(cmds...)
}

// fetchPreview decodes and scales a part of a picture.
func (m *model) fetchPreview(key previewKey) tea.Cmd {
	preview, size := m.o.Preview, key.pixels(m.gallery.mode == previewKitty)
	return m.work.do(func(ctx context.Context) tea.Msg {
		if err := m.decodes.Acquire(ctx, 1); err != nil {
			return previewReady{key: key, err: err}
		}
		defer m.decodes.Release(1)
		img, err := preview(ctx, PreviewWant{Ref: key.ref, Region: key.region, Side: max(size.X, size.Y)})
		return previewReady{key, img, err}
	})
}

// sendPreview scales and marks a picture and sends it to the terminal.
func (m *model) sendPreview(s owedShot) tea.Cmd {
	out, tmux := m.out, m.gallery.tmux
	return m.work.do(func(context.Context) tea.Msg {
		from := s.from
		if len(s.mark) > 0 {
			size := from.Bounds().Size()
			from = shrunk(from, size, placeMarks(s.mark, s.key.region, size, 3))
		}
		data, err := s.id.transmission(from, s.key.cols, s.key.rows, tmux)
		if err != nil || out == nil {
			return nil
		}
		out.Graphics(data)
		return previewSent{s.key, s.id, data}
	})
}

func (m *model) onPreviewReady(r previewReady) {
	m.gallery.take(r)
	m.list.repaint()
}

func (m *model) onPreviewSent(s previewSent) tea.Cmd {
	d, ok := m.gallery.shots[s.key]
	if !ok || d.id != s.id { // it was let go of while it was made
		return m.tellGraphics([]byte(s.id.removal(m.gallery.tmux)))
	}
	d.sent, d.data = true, s.data
	return nil
}

// tellGraphics sends the terminal something about pictures.
func (m *model) tellGraphics(b []byte) tea.Cmd {
	out := m.out
	if out == nil || len(b) == 0 {
		return nil
	}
	return m.work.do(func(context.Context) tea.Msg {
		out.Graphics(b)
		return nil
	})
}

// nameGraphics tells the writer what to take out of the terminal before the screen is left.
func (m *model) nameGraphics() {
	if m.out != nil && m.gallery.mode == previewKitty {
		m.out.SetFarewell(m.gallery.removals())
	}
}

// resendGraphics sends every picture again after another program had the terminal.
func (m *model) resendGraphics() tea.Cmd {
	var all []byte
	for _, d := range m.gallery.shots {
		all = append(all, d.data...)
	}
	return m.tellGraphics(all)
}

// choosePreviews decides how pictures are drawn, from the settings and what the terminal has told so far.
func (m *model) choosePreviews() tea.Cmd {
	mode := m.previewMode()
	if mode == m.gallery.mode {
		return nil
	}
	gone := m.gallery.reset(mode)
	m.list.repaint()
	return m.tellGraphics([]byte(gone))
}

func (m *model) previewMode() previewMode {
	colours := m.profile == termenv.TrueColor || m.profile == termenv.ANSI256
	switch {
	case m.o.Preview == nil || m.o.Previews == "off" || m.o.NoColor || m.t.name == "none":
		return previewOff
	case m.o.Previews == "kitty":
		return previewKitty
	case m.o.Previews != "blocks" && (m.caps.Placeholders || m.passes):
		return previewKitty
	case colours:
		return previewBlocks
	}
	return previewOff
}

// askTmux asks whether tmux passes pictures on to a terminal that draws them. tmux answers for itself when the terminal is
// asked.
func (m *model) askTmux() tea.Cmd {
	ask := m.o.TmuxPictures
	if ask == nil || !m.gallery.tmux || m.o.Preview == nil || m.o.Previews != "" && m.o.Previews != "auto" {
		return nil
	}
	return m.work.do(func(ctx context.Context) tea.Msg { return tmuxPictures{ask(ctx)} })
}

// tmuxPictures brings what tmux said.
type tmuxPictures struct{ yes bool }

func (m *model) onTmuxPictures(t tmuxPictures) tea.Cmd {
	m.passes = t.yes
	return m.choosePreviews()
}

// ownNumber is the high byte of this program's picture numbers: programs that share a terminal should differ.
func ownNumber() uint8 { return uint8(1 + os.Getpid()%250) }
