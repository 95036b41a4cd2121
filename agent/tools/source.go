package tools

import (
	"io"
	"strings"
	"sync"

	"espy/agent/guard"
	"espy/agent/message"
)

// blobPrefix starts the name of a stored picture or text, as message.BlobName writes it.
const blobPrefix = "blob:"

// source is a file or a blob, open for reading.
type source struct {
	io.ReadSeekCloser
	file   found                  // zero for a blob
	ref    string                 // of the blob that was named; "" for a file
	record *message.PictureRecord // what the log knows of the blob's picture
	label  string                 // how to name it to a model
	size   int64
}

// open opens a path or a blob name. A picture's blob name opens the picture's original, so that a crop means
// the same pixels whichever rendition was named.
func open(env *Env, name string) (*source, error) {
	if strings.HasPrefix(name, blobPrefix) {
		return openBlob(env, name)
	}
	at, err := locate(env, name)
	if err != nil {
		return nil, err
	}
	f, path, err := env.Roots.Open(at.name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, &guard.PathError{Name: name, Kind: guard.FaultUnreadable, Sentence: path.Display + " cannot be read: " + err.Error()}
	}
	at.Path, at.info = path, info
	return &source{ReadSeekCloser: f, file: at, label: quoteName(path.Display), size: info.Size()}, nil
}

func openBlob(env *Env, name string) (*source, error) {
	ref, ok := env.Blobs.FindBlob(name)
	if !ok {
		return nil, mistakef("%s names no stored text or picture of this session, or the beginning of several; copy the name whole from the result that gave it", clip(name, 40))
	}
	s := &source{ref: ref, label: message.BlobName(ref)}
	open := ref
	if rec, known := env.Picture(ref); known {
		s.record = &rec
		if rec.Original != "" {
			open = rec.Original
		}
	}
	r, err := env.Blobs.OpenBlob(open)
	if err != nil {
		return nil, mistakef("%s cannot be opened: %v", s.label, err)
	}
	s.ReadSeekCloser = r
	if s.size, err = r.Seek(0, io.SeekEnd); err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		r.Close()
		return nil, mistakef("%s cannot be read: %v", s.label, err)
	}
	return s, nil
}

// head returns the first bytes, to tell what kind of file it is, and stands at the start again.
func (s *source) head() ([]byte, error) {
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(s, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, s.unreadable(err)
	}
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return nil, s.unreadable(err)
	}
	return head[:n], nil
}

func (s *source) unreadable(err error) error {
	return mistakef("%s cannot be read: %v", s.label, err)
}

// readerAt gives the bytes to the gate, which reads them in any order.
func (s *source) readerAt() io.ReaderAt {
	if at, ok := s.ReadSeekCloser.(io.ReaderAt); ok {
		return at
	}
	return &seekReader{s: s.ReadSeekCloser}
}

// seekReader makes an io.ReaderAt of what can only seek.
type seekReader struct {
	mu sync.Mutex
	s  io.ReadSeeker
}

func (r *seekReader) ReadAt(p []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.s.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.s, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

func maxSource(env *Env) int64 {
	if env.MaxSource > 0 {
		return env.MaxSource
	}
	return defaultMaxSource
}
