package media

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"espy/agent/message"
)

// fourColours is a PNG of four colours, 400x200: red, green above blue, white.
func fourColours(t *testing.T) Source {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 400, 200))
	for y := range 200 {
		for x := range 400 {
			c := color.NRGBA{A: 255}
			switch {
			case x < 200 && y < 100:
				c.R = 255
			case y < 100:
				c.G = 255
			case x < 200:
				c.B = 255
			default:
				c.R, c.G, c.B = 255, 255, 255
			}
			m.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return Source{Name: "quarters.png", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}
}

func TestAPreviewIsThePartThatWasAskedForAndNoLarger(t *testing.T) {
	gate := NewGate()
	whole, err := gate.Preview(t.Context(), fourColours(t), message.Rect{}, 40)
	if err != nil {
		t.Fatal(err)
	}
	if got := whole.Bounds().Size(); got != image.Pt(40, 20) {
		t.Errorf("the whole is %v, want 40x20", got)
	}
	part, err := gate.Preview(t.Context(), fourColours(t), message.Rect{X: 0, Y: 100, Width: 200, Height: 100}, 40)
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := part.At(20, 10).RGBA()
	if r>>8 != 0 || g>>8 != 0 || b>>8 != 255 {
		t.Errorf("the lower left part is %d,%d,%d, want blue", r>>8, g>>8, b>>8)
	}
}

func TestWhatIsNoPictureHasNoPreview(t *testing.T) {
	src := Source{Name: "notes.txt", Bytes: bytes.NewReader([]byte("hello")), Size: 5}
	if m, err := NewGate().Preview(t.Context(), src, message.Rect{}, 40); err == nil {
		t.Errorf("a text has a preview of %v", m.Bounds())
	}
}
