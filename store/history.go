package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"espy/agent/message"
)

// History is the prompts a person sent, over all sessions, in <state>/history.jsonl: one JSON object a line,
// oldest first. Many processes may add to it at once; none loses another's entry.
type History struct{ dir string }

// HistoryEntry is one prompt. Images are references into the folder of Session; they may be gone by the time the
// prompt is recalled.
type HistoryEntry struct {
	Text    string          `json:"text"`
	Folder  string          `json:"folder"` // the workspace it was sent in
	Session string          `json:"session,omitempty"`
	Images  []message.Image `json:"images,omitempty"`
	Time    time.Time       `json:"time"`
}

// OpenHistory uses <state>/history.jsonl, making it with the first Add.
func OpenHistory(state string) *History { return &History{dir: state} }

// Add appends an entry, synced. Of more than 1200 entries the newest 1000 stay. A prompt over 1 MiB is refused.
func (h *History) Add(ctx context.Context, e HistoryEntry) error {
	if len(e.Text) > maxPromptBytes {
		return fmt.Errorf("a prompt of %d bytes is not kept for recall; the most is %d", len(e.Text), maxPromptBytes)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := makeDir(h.dir); err != nil {
		return writeError(h.dir, err)
	}
	release, err := h.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return h.append(append(text, '\n'))
}

// hold takes the lock that every writer of history takes. It waits a bounded time.
func (h *History) hold(ctx context.Context) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, historyWait)
	defer cancel()
	file := flock.New(filepath.Join(h.dir, historyLock), flock.SetPermissions(fileMode))
	if _, err := file.TryLockContext(ctx, historyPoll); err != nil {
		file.Close()
		return nil, fmt.Errorf("the prompt was not added to %s: another process holds it: %w", h.path(), err)
	}
	return file.Close, nil
}

func (h *History) path() string { return filepath.Join(h.dir, historyName) }

func (h *History) append(text []byte) error {
	log, err := openAppend(h.path())
	if err != nil {
		return writeError(h.dir, err)
	}
	err = log.append(text)
	if closing := log.close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return h.trim()
}

// trim rewrites a history that grew long to its newest entries.
func (h *History) trim() error {
	entries, lines, err := h.read("", historyKept)
	if err != nil || lines <= historyRewrite {
		return err
	}
	var kept bytes.Buffer
	for _, e := range entries {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		kept.Write(append(text, '\n'))
	}
	return writeError(h.dir, replaceFile(h.path(), kept.Bytes(), true))
}

// Entries returns the newest prompts sent in a folder, newest first, at most most of them. Folder "" means all;
// most 0 or less means all that are kept. Lines that cannot be read are skipped.
func (h *History) Entries(folder string, most int) ([]HistoryEntry, error) {
	if most <= 0 {
		most = historyRewrite
	}
	entries, _, err := h.read(folder, most)
	slices.Reverse(entries)
	return entries, err
}

// read returns the last most entries of a folder, oldest first, and how many lines the file has.
func (h *History) read(folder string, most int) (entries []HistoryEntry, lines int, err error) {
	f, _, err := openRegular(h.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	reader := newLineReader(f, maxRecordBytes)
	for {
		l, err := reader.next()
		if errors.Is(err, io.EOF) {
			return entries, lines, nil
		}
		if err != nil {
			return entries, lines, err
		}
		lines++
		e, ok := decodeEntry(l)
		if !ok || folder != "" && filepath.Clean(e.Folder) != filepath.Clean(folder) {
			continue
		}
		if entries = append(entries, e); len(entries) > most {
			entries = slices.Delete(entries, 0, 1)
		}
	}
}

func decodeEntry(l line) (HistoryEntry, bool) {
	var e HistoryEntry
	if l.size > int64(len(l.text)) || !utf8.Valid(l.text) || json.Unmarshal(l.text, &e) != nil {
		return HistoryEntry{}, false
	}
	return e, e.Text != "" || len(e.Images) > 0
}

// Clear forgets every prompt.
func (h *History) Clear(ctx context.Context) error {
	if !exists(h.path()) {
		return nil
	}
	release, err := h.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := os.Remove(h.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
