package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"

	"espy/media"
)

// spoolInMemory is how many bytes of a picture file are copied into memory; larger ones go through a file.
// An ordinary screenshot is below it.
const spoolInMemory = 4 << 20

// spooled is a copy of a file's bytes, taken when its path arrived.
type spooled struct {
	io.ReaderAt
	size int64
	file *os.File // nil for a copy in memory
}

// Close lets the copy go.
func (s *spooled) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// spool copies a file that is no larger than the gate admits. A file that grows meanwhile is copied up to one
// byte past that limit, so that the gate sees it is too large.
func (in *Intake) spool(f *os.File, size int64) (*spooled, error) {
	from := io.LimitReader(f, media.MaxSourceImageBytes+1)
	if size <= spoolInMemory {
		data, err := io.ReadAll(from)
		if err != nil {
			return nil, fmt.Errorf("%s could not be read: %w", path.Base(f.Name()), err)
		}
		return &spooled{ReaderAt: bytes.NewReader(data), size: int64(len(data))}, nil
	}
	copied, err := os.CreateTemp("", "espy-*.picture")
	if err != nil {
		return nil, err
	}
	s := &spooled{ReaderAt: copied, file: copied}
	if s.size, err = io.Copy(copied, from); err != nil {
		s.Close()
		return nil, fmt.Errorf("%s could not be copied: %w", path.Base(f.Name()), err)
	}
	return s, nil
}

func bytesAt(b []byte) io.ReaderAt { return bytes.NewReader(b) }

// blobSource makes a stored picture a source again.
func blobSource(ref string, f io.ReadSeeker) (media.Source, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return media.Source{}, err
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		at = &seekerAt{from: f}
	}
	return media.Source{Name: path.Base(ref), Bytes: at, Size: size}, nil
}

// seekerAt reads at offsets of something that can only seek. It is for one reader at a time.
type seekerAt struct{ from io.ReadSeeker }

func (s *seekerAt) ReadAt(p []byte, off int64) (int, error) {
	if _, err := s.from.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.from, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
