//go:build unix

package clipboard

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/media/clipboard/desktop"
)

// pngOf encodes noise, which does not compress: side*side*3 bytes and a little more.
func pngOf(t testing.TB, side int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&buf, noise(side)); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func noise(side int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32()) | byte(i%4/3*255)
	}
	return img
}

// provePNG is a strict gate: the whole picture must decode.
func provePNG(data []byte) error {
	_, _, err := image.Decode(bytes.NewReader(data))
	return err
}

// session is an Env with nothing but these variables, and with time for a machine that is busy with others.
func session(pairs ...string) Env {
	generous := waits{read: time.Minute, list: 20 * time.Second, fetch: 20 * time.Second, slow: 20 * time.Second, write: 20 * time.Second}
	return Env{GOOS: "linux", Prove: provePNG, ReadFile: noFile, waits: generous, Getenv: func(name string) string {
		for _, pair := range pairs {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value
			}
		}
		return ""
	}}
}

// hasty shortens the waits that a test expects to run out. The others stay generous.
func hasty(env Env) Env {
	env.waits = usualWaits()
	return env
}

func noFile(string) ([]byte, error) { return nil, os.ErrNotExist }

func mustRead(t *testing.T, env Env) Content {
	t.Helper()
	content, err := Read(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func faultOf(t *testing.T, env Env) *Error {
	t.Helper()
	content, err := Read(context.Background(), env)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %d bytes of image, text %q, %v; want an *Error", len(content.Image), content.Text, err)
	}
	return e
}

func TestAPictureOnTheXClipboardIsRead(t *testing.T) {
	display := desktop.X11(t)
	want := pngOf(t, 8)
	desktop.OfferImage(t, display, want)
	got := mustRead(t, session("DISPLAY="+display))
	if !bytes.Equal(got.Image, want) || got.Via != "X11" || got.MediaTypeOffered != "image/png" {
		t.Errorf("got %d bytes of %q via %s, want %d of image/png via X11", len(got.Image), got.MediaTypeOffered, got.Via, len(want))
	}
}

func TestALargePictureComesInPieces(t *testing.T) {
	display := desktop.X11(t)
	want := pngOf(t, 1200) // over 4 MB
	env := session("DISPLAY=" + display)
	t.Run("from xclip", func(t *testing.T) {
		desktop.OfferImage(t, display, want)
		if got := mustRead(t, env); !bytes.Equal(got.Image, want) {
			t.Errorf("got %d bytes, want %d", len(got.Image), len(want))
		}
	})
	t.Run("from an owner of many flavours", func(t *testing.T) {
		desktop.Owner{Flavours: []desktop.Flavour{
			{Target: "TIMESTAMP"}, {Target: "UTF8_STRING", Data: []byte("alt text")}, {Target: "image/bmp", Data: []byte("BM")},
			{Target: "image/png", Data: want},
		}}.Own(t, display)
		if got := mustRead(t, env); !bytes.Equal(got.Image, want) {
			t.Errorf("got %d bytes via %s, want %d", len(got.Image), got.Via, len(want))
		}
	})
}

// xCase is what an owner offers on X, and what a paste must bring.
type xCase struct {
	name     string
	flavours []desktop.Flavour
	image    []byte
	text     string
	note     bool
	fault    Fault
}

func xCases(good []byte) []xCase {
	utf8 := func(s string) desktop.Flavour { return desktop.Flavour{Target: "UTF8_STRING", Data: []byte(s)} }
	return []xCase{
		{name: "text", flavours: []desktop.Flavour{utf8("grüße\n")}, text: "grüße\n"},
		{name: "text in Latin-1 only", flavours: []desktop.Flavour{{Target: "STRING", Data: []byte("gr\xfc\xdfe")}}, text: "grüße"},
		{name: "a picture beside text", flavours: []desktop.Flavour{utf8("alt"), {Target: "image/png", Data: good}}, image: good},
		{name: "TIFF garbage before a good PNG", flavours: []desktop.Flavour{{Target: "image/tiff", Data: []byte("II*\x00junk")}, {Target: "image/png", Data: good}}, image: good},
		{name: "text called PNG, and a picture called JPEG",
			flavours: []desktop.Flavour{{Target: "image/png", Data: []byte("not a picture")}, {Target: "image/jpeg", Data: good}}, image: good},
		{name: "a flavour with an answer of another type", flavours: []desktop.Flavour{{Target: "image/png", Type: "UTF8_STRING", Data: good}}, image: good},
		{name: "a cut picture beside text", flavours: []desktop.Flavour{{Target: "image/png", Data: good[:len(good)/2]}, utf8("words")}, text: "words", note: true},
		{name: "only a cut picture", flavours: []desktop.Flavour{{Target: "image/png", Data: good[:len(good)/2]}}, fault: FaultUndecodable},
		{name: "an empty picture", flavours: []desktop.Flavour{{Target: "image/png"}}, fault: FaultUndecodable},
		{name: "picture bytes called text", flavours: []desktop.Flavour{utf8(string(good))}, fault: FaultNothing},
		{name: "nothing of use", flavours: []desktop.Flavour{{Target: "application/x-thing", Data: []byte("x")}}, fault: FaultNothing},
	}
}

func TestWhatAnXOwnerOffersIsJudgedByItsBytes(t *testing.T) {
	t.Parallel()
	display := desktop.X11(t)
	env := session("DISPLAY=" + display)
	for _, c := range xCases(pngOf(t, 8)) {
		t.Run(c.name, func(t *testing.T) {
			desktop.Owner{Flavours: c.flavours}.Own(t, display)
			if c.fault != "" {
				if e := faultOf(t, env); e.Fault != c.fault {
					t.Errorf("fault %s (%s), want %s", e.Fault, e, c.fault)
				}
				return
			}
			got := mustRead(t, env)
			if !bytes.Equal(got.Image, c.image) || got.Text != c.text || (got.Note != "") != c.note {
				t.Errorf("got %d bytes of image, text %q, note %q; want %d bytes, %q", len(got.Image), got.Text, got.Note, len(c.image), c.text)
			}
		})
	}
}

func TestCopiedPictureFilesComeBeforePictures(t *testing.T) {
	t.Parallel()
	display := desktop.X11(t)
	env := session("DISPLAY=" + display)
	icon := pngOf(t, 4)
	dir := t.TempDir()
	at := plant(t, dir, "notes.txt", "sub/b.txt")
	if err := os.WriteFile(at("my shot.png"), pngOf(t, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("unnamed"), pngOf(t, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	url := func(name string) string { return "file://" + dir + "/" + strings.ReplaceAll(name, " ", "%20") }
	for name, c := range map[string]struct {
		target, list  string
		files, others []string
	}{
		"a list of URLs":              {"text/uri-list", url("my shot.png") + "\r\n", []string{"my shot.png"}, nil},
		"GNOME's list":                {"x-special/gnome-copied-files", "copy\n" + url("my shot.png"), []string{"my shot.png"}, nil},
		"one of two is no picture":    {"text/uri-list", "# comment\r\n" + url("my shot.png") + "\r\n" + url("notes.txt") + "\r\n", []string{"my shot.png"}, []string{"notes.txt"}},
		"a picture without extension": {"text/uri-list", url("unnamed") + "\r\n", []string{"unnamed"}, nil},
		"no picture among them":       {"text/uri-list", url("notes.txt") + "\r\n", nil, []string{"notes.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			desktop.Owner{Flavours: []desktop.Flavour{{Target: "image/png", Data: icon}, {Target: c.target, Data: []byte(c.list)}}}.Own(t, display)
			got := mustRead(t, env)
			if !slices.Equal(got.Files, under(dir, c.files)) || !slices.Equal(got.Others, under(dir, c.others)) || got.Image != nil {
				t.Errorf("got files %q, others %q, %d bytes of image; want %q and %q", got.Files, got.Others, len(got.Image), c.files, c.others)
			}
			if (got.Note != "") != (c.files != nil && c.others != nil) {
				t.Errorf("the note is %q", got.Note)
			}
			if c.files == nil && got.Text != at("notes.txt") {
				t.Errorf("the text is %q, want the file's name", got.Text)
			}
		})
	}
	t.Run("none of them exists, the picture is taken", func(t *testing.T) {
		desktop.Owner{Flavours: []desktop.Flavour{{Target: "text/uri-list", Data: []byte(url("gone.png"))}, {Target: "image/png", Data: icon}}}.Own(t, display)
		if got := mustRead(t, env); !bytes.Equal(got.Image, icon) {
			t.Errorf("got %+v, want the picture", got)
		}
	})
}

func under(dir string, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

func TestAFlavourThatNeverComesCostsOnlyItsOwnWait(t *testing.T) {
	t.Parallel()
	display := desktop.X11(t)
	good := pngOf(t, 8)
	desktop.Owner{Flavours: []desktop.Flavour{{Target: "image/png", Silent: true}, {Target: "image/gif", Data: good}}}.Own(t, display)
	env := session("DISPLAY=" + display)
	env.waits.fetch = 500 * time.Millisecond
	if got := mustRead(t, env); !bytes.Equal(got.Image, good) {
		t.Errorf("got %d bytes, text %q; want the other flavour", len(got.Image), got.Text)
	}
}

func TestAHungXOwnerEndsInASentence(t *testing.T) {
	t.Parallel()
	display := desktop.X11(t)
	desktop.Owner{Silent: true}.Own(t, display)
	if e := faultOf(t, hasty(session("DISPLAY="+display))); e.Fault != FaultTimeout {
		t.Errorf("fault %s (%s), want %s", e.Fault, e, FaultTimeout)
	}
}

func TestAnEmptyXClipboardIsSaidToBeEmpty(t *testing.T) {
	display := desktop.X11(t)
	if e := faultOf(t, session("DISPLAY="+display)); e.Fault != FaultNothing {
		t.Errorf("fault %s (%s), want %s", e.Fault, e, FaultNothing)
	}
}

func TestACancelledReadReturns(t *testing.T) {
	display := desktop.X11(t)
	desktop.Owner{Silent: true}.Own(t, display)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, session("DISPLAY="+display)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read ends with %v", err)
	}
}

func TestAnXServerThatNeverAnswersEndsInASentence(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "x") // short: a socket's name must be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("unix", dir+"/mute:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	e := faultOf(t, fakes(t, hasty(session("DISPLAY="+dir+"/mute:0")), nil))
	if e.Fault != FaultTimeout && e.Fault != FaultUnavailable {
		t.Errorf("fault %s (%s)", e.Fault, e)
	}
}

func TestAnEmptyWaylandClipboardIsSaidToBeEmpty(t *testing.T) {
	desktop.Need(t, "wl-paste")
	if e := faultOf(t, session(desktop.Wayland(t)...)); e.Fault != FaultNothing {
		t.Errorf("fault %s (%s), want %s", e.Fault, e, FaultNothing)
	}
}

func TestWaylandIsAskedBeforeX(t *testing.T) {
	desktop.Need(t, "wl-paste")
	wayland, display := desktop.Wayland(t), desktop.X11(t)
	small, large := pngOf(t, 8), pngOf(t, 900)
	desktop.OfferText(t, display, "from X")
	env := session(append(wayland, "DISPLAY="+display)...)
	if got := mustRead(t, env); got.Text != "from X" {
		t.Errorf("with an empty Wayland clipboard got %+v, want X's text", got)
	}
	for _, want := range [][]byte{small, large} {
		desktop.OfferWayland(t, wayland, "image/png", want)
		if got := mustRead(t, env); !bytes.Equal(got.Image, want) || got.Via != "wl-paste" {
			t.Errorf("got %d bytes via %s, want %d via wl-paste", len(got.Image), got.Via, len(want))
		}
	}
	desktop.OfferWayland(t, wayland, "text/plain;charset=utf-8", []byte("grüße\n"))
	if got := mustRead(t, env); got.Text != "grüße\n" {
		t.Errorf("got text %q", got.Text)
	}
	dir := t.TempDir()
	at := plant(t, dir, "a b.png")
	desktop.OfferWayland(t, wayland, "text/uri-list", []byte("file://"+dir+"/a%20b.png\r\n"))
	if got := mustRead(t, env); !slices.Equal(got.Files, []string{at("a b.png")}) {
		t.Errorf("got files %q", got.Files)
	}
}

func TestWrittenTextIsOnTheClipboard(t *testing.T) {
	desktop.Need(t, "xclip", "wl-copy", "wl-paste")
	wayland, display := desktop.Wayland(t), desktop.X11(t)
	text := "grüße 你好 🙂\n" + strings.Repeat("line\n", 50_000)
	for name, env := range map[string]Env{"X11": session("DISPLAY=" + display), "Wayland": session(wayland...)} {
		if err := WriteText(context.Background(), env, text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got Content
		desktop.Until(t, "the text to be on the clipboard of "+name, func() bool {
			got, _ = Read(context.Background(), env) // the program left behind may not own it yet
			return got.Text != ""
		})
		if got.Text != text {
			t.Errorf("%s: %d bytes came back, want %d", name, len(got.Text), len(text))
		}
	}
}
