package media

import (
	"bytes"
	"context"
	"errors"
	stdgif "image/gif"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFileThatIsStillBeingWrittenIsLookedAtOnceMore(t *testing.T) {
	data := pngOf(t, screenshot(200, 150))
	for name, first := range map[string]int{"half": len(data) / 2, "nothing yet": 0} {
		sink := &memorySink{}
		pic, err := NewGate().Ingest(context.Background(), sink, growingSource(t, "shot.png", data[:first], data[first:]), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		proven(t, sink, pic)
		if pic.Receipt.Source.Bytes != int64(len(data)) || !bytes.Equal(sink.blobs[pic.Original], data) {
			t.Errorf("%s: %d bytes of %d", name, pic.Receipt.Source.Bytes, len(data))
		}
	}
}

func TestAPictureThatCanBeReadWhileItIsWrittenIsWaitedFor(t *testing.T) {
	var gif bytes.Buffer
	if err := stdgif.Encode(&gif, photograph(300, 200), nil); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{jpegOf(t, photograph(300, 200)), gif.Bytes()} {
		waitedFor(t, data)
	}
}

// waitedFor takes the first half of a picture to the gate, which its writer ends or leaves as it is.
func waitedFor(t *testing.T, data []byte) {
	t.Helper()
	for name, rest := range map[string][]byte{"its end comes": data[len(data)/2:], "nothing comes": nil} {
		sink := &memorySink{}
		pic, err := NewGate().Ingest(context.Background(), sink, growingSource(t, "shot.jpg", data[:len(data)/2], rest), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		proven(t, sink, pic)
		if whole := len(pic.Receipt.Warnings) == 0; whole != (rest != nil) || len(sink.blobs) > 2 {
			t.Errorf("%s: warnings %q, %d blobs", name, pic.Receipt.Warnings, len(sink.blobs))
		}
		if got := sink.blobs[pic.Original]; len(got) != len(data)/2+len(rest) {
			t.Errorf("%s: the original kept has %d bytes of %d", name, len(got), len(data))
		}
	}
}

// growingSource is a file with the first part of a picture, to which its writer adds the rest once it was looked at.
func growingSource(t *testing.T, name string, first, rest []byte) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, first, 0o600); err != nil {
		t.Fatal(err)
	}
	f, size := openFile(t, path)
	return Source{Name: name, Path: path, Bytes: &growing{File: f, path: path, rest: rest}, Size: size}
}

// growing is a file to which its writer adds the rest once it was looked at.
type growing struct {
	*os.File
	path  string
	rest  []byte
	stats int
}

func (g *growing) Stat() (os.FileInfo, error) {
	info, err := g.File.Stat()
	if g.stats++; g.stats == 1 {
		f, openErr := os.OpenFile(g.path, os.O_APPEND|os.O_WRONLY, 0)
		if openErr != nil {
			return nil, openErr
		}
		_, writeErr := f.Write(g.rest)
		return info, errors.Join(err, writeErr, f.Close())
	}
	return info, err
}

func TestABrokenFileThatNobodyWritesIsRefusedAtOnce(t *testing.T) {
	data := pngOf(t, screenshot(200, 150))
	path := filepath.Join(t.TempDir(), "shot.png")
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	f, size := openFile(t, path)
	counted := &statCounter{File: f}
	src := Source{Name: "shot.png", Path: path, Bytes: counted, Size: size}
	if r := refusal(t, src, Options{}); r.Fault != FaultBroken || counted.stats != 1 {
		t.Errorf("%+v after %d looks", r, counted.stats)
	}
}

type statCounter struct {
	*os.File
	stats int
}

func (s *statCounter) Stat() (os.FileInfo, error) { s.stats++; return s.File.Stat() }
