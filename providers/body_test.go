package providers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/message"
)

// folder is a Blobs over a directory of real files.
type folder string

func (f folder) OpenBlob(ref string) (io.ReadSeekCloser, error) {
	return os.Open(filepath.Join(string(f), filepath.Base(ref)))
}

func (f folder) put(t testing.TB, name string, data []byte) message.Image {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(f), name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return message.Image{Ref: "blobs/" + name, MediaType: "image/png", Width: 1, Height: 1}
}

type part struct {
	Text  string `json:"text,omitempty"`
	Data  string `json:"data,omitempty"`
	Parts []part `json:"parts,omitempty"`
}

func TestABodyIsTheJSONWithThePicturesInPlace(t *testing.T) {
	blobs := folder(t.TempDir())
	var images []message.Image
	var bytesOf [][]byte
	for i, size := range []int{1, 2, 3, blobChunk - 1, blobChunk, blobChunk + 1, 3*blobChunk + 2} {
		data := bytes.Repeat([]byte{byte(i), 0xff}, size)[:size]
		bytesOf = append(bytesOf, data)
		images = append(images, blobs.put(t, string(rune('a'+i))+".png", data))
	}
	b := NewBody(blobs)
	var parts []part
	for _, img := range images {
		parts = append(parts, part{Text: "<é & \u2028>"}, part{Data: b.DataURL(img)})
	}
	if err := b.Encode(parts); err != nil {
		t.Fatal(err)
	}
	for attempt := range 2 {
		sent, err := io.ReadAll(b.Reader())
		if err != nil || int64(len(sent)) != b.Len() {
			t.Fatalf("attempt %d: read %d bytes (%v), announced %d", attempt, len(sent), err, b.Len())
		}
		var got []part
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		for i, data := range bytesOf {
			text, ok := strings.CutPrefix(got[2*i+1].Data, "data:image/png;base64,")
			raw, err := base64.StdEncoding.DecodeString(text)
			if !ok || err != nil || !bytes.Equal(raw, data) {
				t.Errorf("attempt %d: picture %d arrived changed", attempt, i)
			}
		}
	}
}

func TestAMissingOrEmptyPictureIsFoundBeforeAnythingIsSent(t *testing.T) {
	blobs := folder(t.TempDir())
	for name, img := range map[string]message.Image{
		"gone":  {Ref: "blobs/gone.png", MediaType: "image/png"},
		"empty": blobs.put(t, "empty.png", nil),
	} {
		b := NewBody(blobs)
		err := b.Encode(part{Data: b.Picture(img)})
		var e *Error
		if !errors.As(err, &e) || e.Class != ClassMissingBlob || e.Ref != img.Ref {
			t.Errorf("%s: got %v, want a missing-blob error naming %s", name, err, img.Ref)
		}
	}
}

func TestAPictureWithoutATypeThatProvidersTakeIsRefused(t *testing.T) {
	blobs := folder(t.TempDir())
	good := blobs.put(t, "a.png", []byte("x"))
	for _, label := range []string{"", "image/jpg", "image/svg+xml", "text/html"} {
		bad := good
		bad.MediaType = label
		b := NewBody(blobs)
		err := b.Encode([]string{b.Picture(good), b.Picture(bad)})
		var e *Error
		if !errors.As(err, &e) || e.Class != ClassPicture || e.Picture != 1 {
			t.Errorf("label %q gave %v, want a picture error for picture 1", label, err)
		}
	}
}

func TestAPictureThatShrinksWhileItIsSentIsAMissingBlob(t *testing.T) {
	blobs := folder(t.TempDir())
	img := blobs.put(t, "a.png", bytes.Repeat([]byte("x"), 100))
	b := NewBody(blobs)
	if err := b.Encode(part{Data: b.Picture(img)}); err != nil {
		t.Fatal(err)
	}
	blobs.put(t, "a.png", []byte("x"))
	_, err := io.ReadAll(b.Reader())
	if ClassOf(err) != ClassMissingBlob {
		t.Errorf("got %v, want a missing-blob error", err)
	}
}

func TestAPlaceInAnErrorLeadsToItsPicture(t *testing.T) {
	blobs := folder(t.TempDir())
	img := blobs.put(t, "a.png", []byte("x"))
	b := NewBody(blobs)
	body := map[string]any{"model": "m", "messages": []part{
		{Text: "none"},
		{Parts: []part{{Text: "t"}, {Data: b.Picture(img)}, {Data: b.Picture(img)}}},
		{Parts: []part{{Parts: []part{{Text: "result"}, {Data: b.Picture(img)}}}}},
	}}
	if err := b.Encode(body); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{"messages.1.parts.1: bad", 0},
		{"messages.1.content.2.image.source.base64.data: bad", 1},
		{"Invalid 'messages[1].parts[2].image_url.url'", 1},
		{"messages.2.content.0.tool_result.content.1.image.source", 2},
		{"messages.2: bad", 2},
		{"messages.1: two pictures there", -1},
		{"messages.0.content.0: no picture there", -1},
		{"input[1].content[1] and more", 0},
		{"no place at all", -1},
	} {
		got := -1
		for _, way := range (serverError{message: c.text}).ways() {
			got = b.PictureAt(way)
		}
		if got != c.want {
			t.Errorf("%q leads to picture %d, want %d", c.text, got, c.want)
		}
	}
}
