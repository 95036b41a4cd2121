package ui

import (
	"context"
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

// plainPicture is a picture of one colour.
func plainPicture(c color.Color) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 64, 36))
	for i := range 64 * 36 {
		m.Set(i%64, i/64, c)
	}
	return m
}

func withPreviews(o *Options) {
	o.Preview = func(context.Context, PreviewWant) (image.Image, error) {
		return plainPicture(color.RGBA{R: 200, A: 255}), nil
	}
}

// truecolour gives the driver's program a terminal with colours.
func (d *driver) truecolour() {
	d.m.profile = termenv.TrueColor
	d.m.choosePreviews()
}

func TestAPictureFillsItsBoxWithoutBeingStretched(t *testing.T) {
	for _, c := range []struct{ w, h, cols, rows, wantCols, wantRows int }{
		{1920, 1080, 40, 20, 40, 11}, {1000, 1000, 40, 10, 20, 10}, {100, 5000, 40, 10, 1, 10}, {5000, 10, 40, 10, 40, 1}, {0, 0, 40, 10, 0, 0},
	} {
		cols, rows := fitCells(c.w, c.h, c.cols, c.rows)
		if cols != c.wantCols || rows != c.wantRows {
			t.Errorf("%dx%d in %dx%d cells is %dx%d, want %dx%d", c.w, c.h, c.cols, c.rows, cols, rows, c.wantCols, c.wantRows)
		}
	}
}

func TestADrawingTakesExactlyItsCellsHoweverItIsDrawn(t *testing.T) {
	blocks := halfBlocks(shrunk(plainPicture(color.White), image.Pt(40, 20), nil), termenv.TrueColor)
	palette := halfBlocks(shrunk(plainPicture(color.White), image.Pt(40, 20), nil), termenv.ANSI256)
	placeholders := kittyID{7, 9}.cells(40, 10)
	for name, lines := range map[string][]string{"true colour": blocks, "256 colours": palette, "placeholders": placeholders} {
		if len(lines) != 10 {
			t.Errorf("%s: %d lines, want 10", name, len(lines))
		}
		for _, line := range lines {
			if w := cellsOf(line); w != 40 {
				t.Errorf("%s: a line takes %d columns, want 40", name, w)
			}
			if w := cellsOf(cut(line, 12)); w != 12 {
				t.Errorf("%s: a line cut to 12 columns takes %d", name, w)
			}
		}
	}
}

func TestTheNearestOf256ColoursIsNear(t *testing.T) {
	for _, c := range []struct {
		c    color.RGBA
		want int
	}{
		{color.RGBA{}, 16}, {color.RGBA{R: 255, G: 255, B: 255}, 231}, {color.RGBA{R: 255}, 196}, {color.RGBA{R: 128, G: 128, B: 128}, 244}, {color.RGBA{B: 95}, 17},
	} {
		if got := nearest256(c.c); got != c.want {
			t.Errorf("%v is colour %d, want %d", c.c, got, c.want)
		}
	}
}

func TestATransmissionNamesItsCellsAndPassesTmux(t *testing.T) {
	data, err := kittyID{2, 5}.transmission(plainPicture(color.Black), 10, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"i=33554437", "U=1", "c=10", "r=3", "q=2"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the transmission lacks %s: %.80q", want, data)
		}
	}
	wrapped, _ := kittyID{2, 5}.transmission(plainPicture(color.Black), 10, 3, true)
	if !strings.HasPrefix(string(wrapped), "\x1bPtmux;\x1b\x1b_G") {
		t.Errorf("in tmux it is not passed through: %.40q", wrapped)
	}
}

func TestAPictureComesIntoItsPlaceWithoutMovingAnything(t *testing.T) {
	gate := make(chan struct{})
	d := drive(t, 100, 40, func(o *Options) {
		o.Preview = func(ctx context.Context, _ PreviewWant) (image.Image, error) {
			select {
			case <-gate:
				return plainPicture(color.RGBA{R: 200, A: 255}), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}, conversation())
	d.truecolour()
	d.key("ctrl+l")
	d.until("the answer is rendered", func() bool { return allRendered(d) })
	before := d.screen()
	if strings.Contains(before, "▀") {
		t.Fatal("a picture is there before it was decoded")
	}
	close(gate)
	d.until("the picture shows", func() bool { return strings.Contains(d.screen(), "▀") })
	if after := strings.ReplaceAll(d.screen(), "▀", ""); squeezed(after) != squeezed(before) {
		t.Errorf("something moved when the picture came\nbefore:\n%s\nafter:\n%s", before, d.screen())
	}
}

// squeezed is a screen without the blanks at the ends of its lines.
func squeezed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestAPictureThatCannotBeDecodedLeavesItsWords(t *testing.T) {
	d := drive(t, 100, 40, func(o *Options) {
		o.Preview = func(context.Context, PreviewWant) (image.Image, error) { return nil, errors.New("broken") }
	}, conversation())
	d.truecolour()
	d.key("ctrl+l")
	d.until("the previews failed", func() bool {
		for _, p := range d.m.gallery.pixels {
			if !p.failed {
				return false
			}
		}
		return len(d.m.gallery.pixels) > 0
	})
	d.shows("image 1  shot.png  2048x1152")
}

func TestDrawingsLongOutOfSightAreLetGoAndTheirNumbersGivenAgain(t *testing.T) {
	g := newGallery(3)
	g.mode = previewKitty
	picture := plainPicture(color.White)
	for i := range 1000 {
		g.tidy()
		ref := "blobs/" + strings.Repeat("a", i%7) + string(rune('a'+i%26)) + strings.Repeat("b", i/26) + ".png"
		g.lines(ref, message.Rect{}, 10, 3)
		g.take(previewReady{previewKey{ref: ref, cols: 10, rows: 3}, picture, nil})
		if lines := g.lines(ref, message.Rect{}, 10, 3); !strings.Contains(lines[0], "\U0010eeee") {
			t.Fatalf("picture %d was not drawn", i)
		}
	}
	g.tidy()
	if len(g.shots) > mostDrawings || len(g.pixels) > mostDrawings {
		t.Errorf("%d drawings and %d pictures are kept, at most %d are", len(g.shots), len(g.pixels), mostDrawings)
	}
	if got := strings.Count(g.removals(), "a=d"); got != len(g.shots) {
		t.Errorf("%d pictures would be taken out at the end, %d are there", got, len(g.shots))
	}
}

func TestTheRowShowsItsPicturesAsCards(t *testing.T) {
	d := drive(t, 80, 24, withPreviews, script.Opened())
	d.truecolour()
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("/tmp/header.png", 2048, 1152), d.intake.Picture("/tmp/footer.png", 800, 600)}}
	d.key("ctrl+v")
	d.until("the pictures are drawn", func() bool { return strings.Count(d.screen(), "▀") > 50 })
	d.golden("cards")
	for i, line := range strings.Split(d.m.View(), "\n") {
		if w := ansi.StringWidth(line); w > 80 {
			t.Errorf("line %d takes %d columns of 80", i, w)
		}
	}
}
