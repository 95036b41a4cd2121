package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"syscall"
	"testing"

	"espy/agent/message"
	"espy/agent/tools/toolstest"
	"espy/media"
	"espy/providers"
)

// pngOf is a real PNG that tells each of its pixels' place: red and blue hold x, green and alpha hold y.
func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, placeColour(x, y))
		}
	}
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func placeColour(x, y int) color.NRGBA {
	return color.NRGBA{uint8(x), uint8(y), uint8(x>>8<<4 | y>>8), 255}
}

// checkPlace checks that a picture begins at a place of pngOf, which JPEG may blur a little.
func checkPlace(t *testing.T, img image.Image, x, y int) {
	t.Helper()
	r, g, _, _ := img.At(0, 0).RGBA()
	near := func(got uint32, want uint8) bool { d := int(got>>8) - int(want); return d > -8 && d < 8 }
	if want := placeColour(x, y); !near(r, want.R) || !near(g, want.G) {
		t.Errorf("the first pixel is %d,%d, want that of %d,%d: %v", r>>8, g>>8, x, y, want)
	}
}

// pictureOf decodes what a result shows.
func pictureOf(t *testing.T, w *toolstest.Workspace, img message.Image) image.Image {
	t.Helper()
	decoded, _, err := image.Decode(bytes.NewReader(w.Blobs.Bytes(img.Ref)))
	if err != nil {
		t.Fatalf("%s is no picture: %v", img.Ref, err)
	}
	if b := decoded.Bounds(); b.Dx() != img.Width || b.Dy() != img.Height {
		t.Errorf("the block says %dx%d and the blob is %v", img.Width, img.Height, b)
	}
	return decoded
}

func TestReadMediaShowsACropInSourcePixels(t *testing.T) {
	w := toolstest.New(t)
	w.Write("shot.dat", string(pngOf(t, 3000, 400)))
	out := w.Call("read_media", `{"path":"shot.dat","crop":{"x":2500,"y":300,"width":200,"height":50}}`)
	if out.Result.IsError || len(out.Result.Images) != 1 {
		t.Fatalf("%+v", out.Result)
	}
	img := out.Result.Images[0]
	if img.Width != 200 || img.Height != 50 {
		t.Errorf("the crop is %dx%d", img.Width, img.Height)
	}
	checkPlace(t, pictureOf(t, w, img), 2500, 300)
	for _, says := range []string{"shot.dat (blob:", "source  png, 3000x400", "crop    200x50 at 2500,300", "source point = sent point + (2500, 300)"} {
		if !strings.Contains(out.Result.Text, says) {
			t.Errorf("the words are %q, without %q", out.Result.Text, says)
		}
	}
	var receipt media.Receipt
	if err := json.Unmarshal([]byte(out.Result.Meta[message.MetaReceipt]), &receipt); err != nil || receipt.Source.Width != 3000 || receipt.Crop == nil {
		t.Errorf("the receipt is %q, %v", out.Result.Meta[message.MetaReceipt], err)
	}
	if len(out.Pictures) != 1 {
		t.Fatalf("%d records", len(out.Pictures))
	}
	rec := out.Pictures[0]
	if rec.Ref != img.Ref || rec.Call != out.Result.CallID || rec.Name != "shot.dat" || rec.Source != w.Path("shot.dat") || rec.Detail != "auto" ||
		rec.Width != 3000 || rec.Height != 400 || rec.MediaType != img.MediaType || rec.Crop == nil || *rec.Crop != (message.Rect{X: 2500, Y: 300, Width: 200, Height: 50}) {
		t.Errorf("the record is %+v", rec)
	}
	if !bytes.Equal(w.Blobs.Bytes(rec.Original), pngOf(t, 3000, 400)) {
		t.Error("the original is not stored")
	}
}

func TestABlobNameOpensTheOriginal(t *testing.T) {
	w := toolstest.New(t)
	w.Write("shot.png", string(pngOf(t, 1200, 300)))
	small := w.Call("read_media", `{"path":"shot.png","detail":"low"}`).Result.Images[0]
	if small.Width != 1024 {
		t.Fatalf("low detail is %d wide", small.Width)
	}
	if err := os.Remove(w.Path("shot.png")); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"read_media", "read"} {
		args := map[string]any{"path": message.BlobName(small.Ref)}
		if tool == "read_media" {
			args["crop"] = map[string]int{"x": 1000, "y": 200, "width": 100, "height": 100}
		}
		out := w.Call(tool, args)
		if out.Result.IsError || !strings.Contains(out.Result.Text, "source  png, 1200x300") {
			t.Errorf("%s: %s", tool, out.Result.Text)
			continue
		}
		if tool == "read_media" {
			checkPlace(t, pictureOf(t, w, out.Result.Images[0]), 1000, 200)
		}
	}
}

func TestALongStripIsHintedAtAndSliced(t *testing.T) {
	w := toolstest.New(t)
	w.Write("page.png", string(pngOf(t, 80, 7000)))
	whole := w.Call("read_media", `{"path":"page.png"}`)
	if !strings.Contains(whole.Result.Text, "4 full-size crops would show it legibly: call read_media with slices 4") {
		t.Errorf("the words are %q", whole.Result.Text)
	}
	out := w.Call("read_media", `{"path":"page.png","slices":4}`)
	if out.Result.IsError || len(out.Result.Images) != 4 || len(out.Pictures) != 4 {
		t.Fatalf("%d pictures: %s", len(out.Result.Images), out.Result.Text)
	}
	end := 0
	for i, rec := range out.Pictures {
		if rec.Crop == nil || rec.Crop.Width != 80 || rec.Crop.Y > end || i > 0 && rec.Crop.Y == end || rec.Ref != out.Result.Images[i].Ref {
			t.Errorf("slice %d is %+v after %d", i, rec.Crop, end)
		}
		if out.Result.Images[i].Height != rec.Crop.Height {
			t.Errorf("slice %d is not at full size", i)
		}
		end = rec.Crop.Y + rec.Crop.Height
	}
	if end != 7000 {
		t.Errorf("the slices end at %d", end)
	}
	wide := w.Call("read_media", `{"path":"page.png","slices":2,"crop":{"x":10,"y":1000,"width":60,"height":20}}`)
	if wide.Result.IsError || *wide.Pictures[0].Crop != (message.Rect{X: 10, Y: 1000, Width: 30, Height: 20}) || *wide.Pictures[1].Crop != (message.Rect{X: 39, Y: 1000, Width: 31, Height: 20}) {
		t.Errorf("a wide crop is sliced to %+v", wide.Pictures)
	}
	if out := w.Call("read_media", `{"path":"page.png","slices":9}`); !out.Result.IsError {
		t.Error("nine slices were made")
	}
}

func TestOnABlindRouteReadMediaFailsBeforeItOpensTheFile(t *testing.T) {
	const want = "read_media: the active model route does not support image input. Switch to a route marked vision-capable with /model, or configure the route's image_input capability, then try again."
	w := toolstest.New(t)
	w.Route.Model.ImageInput = providers.Unsupported
	w.Write("shot.png", string(pngOf(t, 10, 10)))
	for _, path := range []string{"shot.png", "nowhere.png", "/etc/shadow", "blob:123"} {
		if out := w.Call("read_media", map[string]any{"path": path}); !out.Result.IsError || out.Result.Text != want || w.Blobs.Len() != 0 {
			t.Errorf("%s: %q", path, out.Result.Text)
		}
	}
	w.Route.Model.ImageInput = providers.Unknown
	if out := w.Call("read_media", `{"path":"shot.png"}`); out.Result.IsError {
		t.Errorf("an unknown route is refused: %s", out.Result.Text)
	}
}

func TestWhatIsNoPictureIsRefusedInASentence(t *testing.T) {
	w := toolstest.New(t)
	w.Write("error.png", "curl: (6) Could not resolve host\n")
	w.Write("empty.png", "")
	whole := pngOf(t, 100, 100)
	w.Write("cut.png", string(whole[:len(whole)/2]))
	w.Write("shot.png", string(pngOf(t, 100, 100)))
	ref := w.Call("shell", `{"command":"seq 1 20000"}`).Result.Meta[message.MetaBlob]
	for _, args := range []string{
		`{"path":"error.png"}`, `{"path":"empty.png"}`, `{"path":"cut.png"}`, `{"path":"."}`, `{"path":"blob:ffff"}`,
		`{"path":"error.png","slices":3}`, fmt.Sprintf(`{"path":%q}`, message.BlobName(ref)),
		`{"path":"shot.png","crop":{"x":90,"y":0,"width":100,"height":10}}`,
		`{"path":"shot.png","crop":{"x":0,"y":0,"width":0,"height":10}}`,
		`{"path":"shot.png","crop":{"x":0,"y":0}}`,
		`{"path":"shot.png","detail":"huge"}`,
	} {
		out := w.Call("read_media", args)
		if !out.Result.IsError || len(out.Result.Images)+len(out.Pictures) != 0 || !strings.HasPrefix(out.Result.Text, "read_media: ") {
			t.Errorf("%s: %+v", args, out.Result)
		}
	}
}

func TestReadShowsAPictureAndSaysHowToLookCloser(t *testing.T) {
	w := toolstest.New(t)
	w.Write("Screenshot at 3\u202fPM.png", string(pngOf(t, 400, 300)))
	out := w.Call("read", map[string]any{"path": "Screenshot at 3 PM.png"})
	if out.Result.IsError || len(out.Result.Images) != 1 || len(out.Pictures) != 1 || !strings.Contains(out.Result.Text, "[the true name is \"Screenshot at 3\u202fPM.png\"]") {
		t.Errorf("%+v", out.Result)
	}
	text, err := json.Marshal(out.Result)
	if err != nil || strings.Contains(string(text), "iVBORw0KGgo") {
		t.Errorf("the result carries bytes: %.200s %v", text, err)
	}
}

func TestAFileOfARedactedPictureIsNotShown(t *testing.T) {
	w := toolstest.New(t)
	w.Write("shot.png", string(pngOf(t, 40, 30)))
	w.Write("copy.png", string(pngOf(t, 40, 30)))
	w.Write("other.png", string(pngOf(t, 41, 30)))
	hidden := ""
	w.Env.Redacted = func(abs, hash string) bool {
		if abs == w.Path("shot.png") {
			hidden = hash
		}
		return abs == w.Path("shot.png") || hash == hidden
	}
	for _, tool := range []string{"read", "read_media"} {
		for _, name := range []string{"shot.png", "copy.png"} {
			if out := w.Call(tool, map[string]any{"path": name}); !out.Result.IsError || len(out.Result.Images) != 0 {
				t.Errorf("%s shows %s", tool, name)
			}
		}
		if out := w.Call(tool, `{"path":"other.png"}`); out.Result.IsError {
			t.Errorf("%s refuses another file: %s", tool, out.Result.Text)
		}
	}
}

func TestAPictureThatCannotBeStoredIsAMachineError(t *testing.T) {
	w := toolstest.New(t)
	w.Write("shot.png", string(pngOf(t, 40, 30)))
	w.Blobs.Fail(syscall.ENOSPC)
	for _, tool := range []string{"read", "read_media"} {
		if _, err := w.CallContext(context.Background(), tool, `{"path":"shot.png"}`); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s ends with %v", tool, err)
		}
	}
}
