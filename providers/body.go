package providers

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"espy/agent/message"
)

// Body is a request body whose pictures stay on disk. It is JSON text with holes: an adapter puts the marker
// that Picture returns where a picture's base64 text belongs, and Encode cuts the text at the markers. What is
// sent is read from disk as it is sent, a chunk at a time, so a request costs its words in memory and no more,
// its length is known beforehand, and it can be read again for another attempt.
type Body struct {
	blobs    Blobs
	nonce    string // starts every marker; random, so that no text can hold one
	pictures []message.Image
	text     []byte
	segments []segment
	size     int64
}

// segment is a stretch of text, or the picture whose base64 text stands there.
type segment struct {
	text    []byte
	picture int   // index into pictures; -1 for text
	size    int64 // bytes of the blob
}

// NewBody starts a body that reads pictures through blobs.
func NewBody(blobs Blobs) *Body {
	var random [16]byte
	rand.Read(random[:]) // never fails
	return &Body{blobs: blobs, nonce: "espy-" + hex.EncodeToString(random[:]) + "-"}
}

// Picture returns the marker that stands for the picture's base64 text. It must be called in the order of the
// request's pictures, because that order is what Error.Picture counts.
func (b *Body) Picture(img message.Image) string {
	b.pictures = append(b.pictures, img)
	return b.nonce + strconv.Itoa(len(b.pictures)-1) + ";"
}

// DataURL is Picture as a data URL.
func (b *Body) DataURL(img message.Image) string {
	return "data:" + img.MediaType + ";base64," + b.Picture(img)
}

// Pictures is how many pictures the body carries.
func (b *Body) Pictures() int { return len(b.pictures) }

// Encode fixes the body as the JSON of v. Every picture is opened and measured here: one that cannot be is a
// ClassMissingBlob error, and one without a type a provider takes a ClassPicture error, before any byte left.
func (b *Body) Encode(v any) error {
	text, err := EncodeJSON(v)
	if err != nil {
		return &Error{Class: ClassBadRequest, Picture: -1, Message: "the request cannot be written as JSON: " + err.Error(), Err: err}
	}
	b.text, b.segments, b.size = text, nil, 0
	sizes, err := b.measure()
	if err != nil {
		return err
	}
	return b.cut(sizes)
}

func (b *Body) measure() ([]int64, error) {
	known := map[string]int64{}
	sizes := make([]int64, len(b.pictures))
	for i, img := range b.pictures {
		switch img.MediaType {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
		default:
			return nil, &Error{Class: ClassPicture, Picture: i, Ref: img.Ref,
				Message: fmt.Sprintf("%s is labelled %q, and providers take image/png, image/jpeg, image/gif and image/webp", img.Ref, img.MediaType)}
		}
		size, seen := known[img.Ref]
		if !seen {
			var err error
			if size, err = blobSize(b.blobs, img.Ref); err != nil {
				return nil, missing(img.Ref, err)
			}
			known[img.Ref] = size
		}
		sizes[i] = size
	}
	return sizes, nil
}

func blobSize(blobs Blobs, ref string) (int64, error) {
	f, err := blobs.OpenBlob(ref)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size == 0 {
		err = errors.New("the file is empty")
	}
	return size, err
}

func missing(ref string, err error) *Error {
	why := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		why = "the file is gone"
	}
	return &Error{Class: ClassMissingBlob, Picture: -1, Ref: ref, Message: fmt.Sprintf("the picture %s cannot be sent: %s", ref, why), Err: err}
}

// cut splits the text at the markers, each of which must stand exactly once.
func (b *Body) cut(sizes []int64) error {
	rest, found := b.text, 0
	for {
		before, after, ok := bytes.Cut(rest, []byte(b.nonce))
		b.addText(before)
		if !ok {
			break
		}
		number, tail, _ := bytes.Cut(after, []byte(";"))
		i, err := strconv.Atoi(string(number))
		if err != nil || i >= len(sizes) {
			return fmt.Errorf("providers: a picture marker is broken in the request body")
		}
		b.segments = append(b.segments, segment{picture: i, size: sizes[i]})
		b.size += int64(base64.StdEncoding.EncodedLen(int(sizes[i])))
		rest, found = tail, found+1
	}
	if found != len(sizes) {
		return fmt.Errorf("providers: %d pictures were to be sent and %d stand in the request body", len(sizes), found)
	}
	return nil
}

func (b *Body) addText(text []byte) {
	b.segments = append(b.segments, segment{text: text, picture: -1})
	b.size += int64(len(text))
}

// Len is the length of the encoded body in bytes.
func (b *Body) Len() int64 { return b.size }

// PictureAt finds the picture a server means when it names a place in the request: the numbers on the way to
// it, [11 8] for "messages.11.content.8". A longer way is cut, a shorter one is taken where it leads to one
// picture only. Without a picture there it returns -1.
func (b *Body) PictureAt(way []int) int {
	if len(way) == 0 {
		return -1
	}
	found := -1
	for i, place := range b.places() {
		if !hasPrefix(place, way) && !hasPrefix(way, place) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func hasPrefix(way, prefix []int) bool {
	if len(prefix) > len(way) {
		return false
	}
	for i, n := range prefix {
		if way[i] != n {
			return false
		}
	}
	return true
}

// places walks the JSON text and returns, for each picture, the list indexes on the way to it. Only errors
// need it, so it is not kept.
func (b *Body) places() [][]int {
	places := make([][]int, len(b.pictures))
	w := placeWalk{dec: json.NewDecoder(bytes.NewReader(b.text)), visit: func(text string, way []int) {
		_, after, ok := bytes.Cut([]byte(text), []byte(b.nonce))
		if !ok {
			return
		}
		i, err := strconv.Atoi(string(bytes.TrimSuffix(after, []byte(";"))))
		if err == nil && i < len(places) {
			places[i] = append([]int(nil), way...)
		}
	}}
	w.value()
	return places
}

type placeWalk struct {
	dec   *json.Decoder
	way   []int
	visit func(text string, way []int)
}

// value reads one JSON value. The text is our own, so it is well formed.
func (w *placeWalk) value() {
	token, err := w.dec.Token()
	if err != nil {
		return
	}
	switch t := token.(type) {
	case string:
		w.visit(t, w.way)
	case json.Delim:
		depth := len(w.way)
		if t == '[' {
			w.way = append(w.way, 0)
		}
		for w.dec.More() {
			if t == '{' {
				w.dec.Token() // the key
			}
			w.value()
			if t == '[' {
				w.way[depth]++
			}
		}
		w.dec.Token() // the closing bracket
		w.way = w.way[:depth]
	}
}
