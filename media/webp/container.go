package webp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
)

// section is a part of the file.
type section struct {
	r           io.ReaderAt
	off, length int64
}

// head reads the first n bytes, or fewer where the section ends before.
func (s section) head(n int) ([]byte, error) {
	b := make([]byte, min(int64(n), s.length))
	got, err := s.r.ReadAt(b, s.off)
	if err == io.EOF {
		err = nil
	}
	return b[:got], err
}

// from is the section without its first n bytes.
func (s section) from(n int64) section {
	n = min(n, s.length)
	return section{s.r, s.off + n, s.length - n}
}

// frame is the picture that will be read: the only one, or the first of an animation.
type frame struct {
	canvas   image.Point
	at       image.Point // on the canvas, even
	size     image.Point
	lossless bool
	data     section // VP8 from its frame tag on, VP8L from its signature on
	alpha    section // with its header byte; empty where there is none
	warnings []string
	cut      bool // the file ends before it says; an orientation may be missing, which stands last
}

// readContainer finds the picture. Chunks of unknown kinds are stepped over, wherever they stand.
func readContainer(r io.ReaderAt, size int64) (*frame, error) {
	file := section{r, 0, size}
	b, err := file.head(12)
	if err != nil {
		return nil, err
	}
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:]) != "WEBP" {
		return nil, errors.New("it does not begin as a WebP file does")
	}
	f := &frame{}
	if missing := 8 + int64(binary.LittleEndian.Uint32(b[4:])) - size; missing > 1 {
		f.warnings = append(f.warnings, fmt.Sprintf("the file is %d bytes shorter than it says", missing))
		f.cut = true
	}
	if err := f.find(file.from(12)); err != nil {
		return nil, err
	}
	return f, f.check()
}

// find reads chunks up to the one that holds the pixels.
func (f *frame) find(in section) error {
	for range maxChunks {
		kind, data, rest, err := nextChunk(in)
		if err != nil {
			return err
		}
		switch kind {
		case "":
			return errors.New("the file ends before its picture")
		case "VP8X":
			if err := f.readCanvas(data); err != nil {
				return err
			}
		case "ALPH":
			if f.alpha.length == 0 {
				f.alpha = data
			}
		case "VP8 ", "VP8L":
			f.lossless, f.data = kind == "VP8L", data
			if err := f.readSize(); err != nil {
				return err
			}
			if f.size != f.canvas {
				return fmt.Errorf("the picture is %dx%d and said to be %dx%d", f.size.X, f.size.Y, f.canvas.X, f.canvas.Y)
			}
			return nil
		case "ANMF":
			return f.readFrame(data)
		}
		in = rest
	}
	return fmt.Errorf("there are more than %d chunks before the picture", maxChunks)
}

// nextChunk splits the first chunk off: its kind, "" at the end, and what of its data is there.
func nextChunk(in section) (kind string, data, rest section, err error) {
	b, err := in.head(8)
	if err != nil || len(b) < 8 {
		return "", data, rest, err
	}
	length := int64(binary.LittleEndian.Uint32(b[4:]))
	in = in.from(8)
	data = section{in.r, in.off, min(length, in.length)}
	return string(b[:4]), data, in.from(length + length&1), nil
}

func le24(b []byte) int { return int(b[2])<<16 | int(b[1])<<8 | int(b[0]) }

func (f *frame) readCanvas(data section) error {
	b, err := data.head(10)
	if err != nil {
		return err
	}
	if len(b) < 10 {
		return errors.New("the file ends inside its header")
	}
	f.canvas = image.Pt(le24(b[4:])+1, le24(b[7:])+1)
	return nil
}

// readFrame reads a frame of an animation: its place, then the chunks inside it.
func (f *frame) readFrame(data section) error {
	b, err := data.head(16)
	if err != nil {
		return err
	}
	if len(b) < 16 || f.canvas == (image.Point{}) {
		return errors.New("the animation's first frame is damaged")
	}
	f.at = image.Pt(2*le24(b), 2*le24(b[3:]))
	said := image.Pt(le24(b[6:])+1, le24(b[9:])+1)
	f.alpha = section{}
	inside := data.from(16)
	for range maxChunks {
		kind, part, rest, err := nextChunk(inside)
		switch {
		case err != nil:
			return err
		case kind == "":
			return errors.New("the animation's first frame is empty")
		case kind == "ALPH" && f.alpha.length == 0:
			f.alpha = part
		case kind == "VP8 " || kind == "VP8L":
			f.lossless, f.data = kind == "VP8L", part
			if err := f.readSize(); err != nil {
				return err
			}
			if f.size != said {
				return fmt.Errorf("the animation's first frame is %dx%d and said to be %dx%d", f.size.X, f.size.Y, said.X, said.Y)
			}
			return nil
		}
		inside = rest
	}
	return fmt.Errorf("there are more than %d chunks before the picture", maxChunks)
}

// readSize reads how large the picture is from the head of its data.
func (f *frame) readSize() error {
	b, err := f.data.head(10)
	if err != nil {
		return err
	}
	switch {
	case f.lossless && len(b) >= 5 && b[0] == losslessSignature:
		v := binary.LittleEndian.Uint32(b[1:])
		f.size = image.Pt(int(v&0x3fff)+1, int(v>>14&0x3fff)+1)
	case !f.lossless && len(b) == 10 && b[0]&1 == 0 && string(b[3:6]) == "\x9d\x01\x2a":
		f.size = image.Pt(int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff))
	default:
		return errors.New("the picture data does not begin as it should")
	}
	if f.canvas == (image.Point{}) {
		f.canvas = f.size
	}
	return nil
}

// check holds the sizes against each other, before anything is allocated by them.
func (f *frame) check() error {
	if f.size.X <= 0 || f.size.Y <= 0 {
		return errors.New("it has no pixels")
	}
	if f.canvas.X > maxSide || f.canvas.Y > maxSide {
		return fmt.Errorf("the canvas is %dx%d pixels and WebP pictures have at most %d a side", f.canvas.X, f.canvas.Y, maxSide)
	}
	end := f.at.Add(f.size)
	if end.X > f.canvas.X || end.Y > f.canvas.Y {
		return fmt.Errorf("the frame of %dx%d at %d,%d is not inside the canvas of %dx%d", f.size.X, f.size.Y, f.at.X, f.at.Y, f.canvas.X, f.canvas.Y)
	}
	return nil
}

// covers reports whether the frame is all of the canvas.
func (f *frame) covers() bool { return f.size == f.canvas }
