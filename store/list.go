package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"espy/agent/message"
)

// Newest is the id of the folder's newest session with at least one user message; "" where there is none.
// Folder "" means any.
func (s *Store) Newest(ctx context.Context, folder string) (string, error) {
	var newest Summary
	err := s.each(ctx, folder, func(sum Summary) {
		if sum.Prompts > 0 && (newest.ID == "" || later(sum, newest) < 0) {
			newest = sum
		}
	})
	return newest.ID, err
}

// List returns summaries, newest first, reading no more than heads and meta.json. Folder "" means all, most 0 or
// less no bound.
func (s *Store) List(ctx context.Context, folder string, most int) ([]Summary, error) {
	var list []Summary
	err := s.each(ctx, folder, func(sum Summary) { list = append(list, sum) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, later)
	if most > 0 && len(list) > most {
		list = slices.Clip(list[:most])
	}
	return list, nil
}

// later orders summaries newest first; ids decide between equal times.
func later(a, b Summary) int {
	if byTime := b.Updated.Compare(a.Updated); byTime != 0 {
		return byTime
	}
	return strings.Compare(b.ID, a.ID)
}

// each calls do with every session of the folder. A session that cannot be read is left out: one bad folder must
// not hide the others.
func (s *Store) each(ctx context.Context, folder string, do func(Summary)) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.IsDir() || !validID(e.Name()) {
			continue
		}
		m, ok := s.meta(ctx, e.Name())
		if ok && (folder == "" || filepath.Clean(m.Folder) == filepath.Clean(folder)) {
			do(m.summary())
		}
	}
	return nil
}

// meta is a session's summary: from meta.json where that fits the log, else from the log, which also mends
// meta.json.
func (s *Store) meta(ctx context.Context, id string) (meta, bool) {
	dir := s.Dir(id)
	m := readMeta(dir)
	info, err := os.Stat(filepath.Join(dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, m.ID != "" && exists(filepath.Join(dir, draftName, stateName))
	}
	if err != nil {
		return meta{}, false
	}
	if m.ID != "" && m.LogBytes == info.Size() {
		if !m.Closed {
			m.FileBytes = statesBytes(dir)
		}
		return m, true
	}
	t, err := scan(ctx, dir, id)
	if err != nil {
		return meta{}, false
	}
	t.save(dir)
	return t.meta, true
}

// scan takes a summary from a log without holding more than the head of a line.
func scan(ctx context.Context, dir, id string) (*tally, error) {
	f, info, err := openRegular(filepath.Join(dir, logName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := newTally(id, "")
	lines := newLineReader(contextReader{ctx, io.LimitReader(f, info.Size())}, headBytes)
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if r, err := decodeHead(l); err == nil {
			t.add(r)
		}
	}
	if t.Updated.IsZero() { // not one readable record
		t.at(info.ModTime())
	}
	t.LogBytes = info.Size()
	t.BlobBytes = newBlobs(filepath.Join(dir, blobsName)).bytes() + tasksBytes(dir)
	t.FileBytes, t.Closed = statesBytes(dir), true // whoever has it open says otherwise with its next record
	return t, nil
}

// decodeHead reads a record of which only the start may be held; texts that were cut are short then.
func decodeHead(l line) (message.Record, error) {
	if l.size == int64(len(l.text)) {
		return decode(l.text)
	}
	if l.size > maxRecordBytes {
		return nil, errors.New("too long")
	}
	mended, ok := mend(l.text)
	if !ok {
		return nil, errors.New("cannot be mended")
	}
	return decode(mended)
}
