package store

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"espy/agent/message"
)

// untitled is the title of a session in which nothing was sent yet.
const untitled = "(nothing sent)"

// Summary describes a session for lists.
type Summary struct {
	ID       string
	Folder   string
	Title    string // the title record's; else the first line typed, or "picture: NAME"
	Created  time.Time
	Updated  time.Time
	Messages int   // of the person and of models
	Prompts  int   // of the person
	Pictures int   // different ones
	Bytes    int64 // of the log, the blobs, the tasks and what files held
}

// meta is meta.json: a summary and the size of the log it was taken from. It can be rebuilt at any time, and is
// when the log's size differs, so it is written without a sync. What files held is measured again for a session that
// is open, or was never closed.
type meta struct {
	V         int       `json:"v"`
	ID        string    `json:"id"`
	Folder    string    `json:"folder"`
	Title     string    `json:"title"`
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
	Messages  int       `json:"messages"`
	Prompts   int       `json:"prompts"`
	Pictures  int       `json:"pictures"`
	LogBytes  int64     `json:"log_bytes"`
	BlobBytes int64     `json:"blob_bytes"`
	FileBytes int64     `json:"file_bytes"`
	Closed    bool      `json:"closed"`
}

// metaVersion changes when a summary is counted in another way, so that older ones are rebuilt.
const metaVersion = 2

func (m meta) summary() Summary {
	title := m.Title
	if title == "" {
		title = untitled
	}
	return Summary{
		ID: m.ID, Folder: m.Folder, Title: title, Created: m.Created, Updated: m.Updated,
		Messages: m.Messages, Prompts: m.Prompts, Pictures: m.Pictures, Bytes: m.LogBytes + m.BlobBytes + m.FileBytes,
	}
}

// readMeta reads a folder's meta.json; one that is missing, foreign or broken is the zero meta.
func readMeta(dir string) meta {
	text, err := readSmall(filepath.Join(dir, metaName), maxMetaBytes)
	if err != nil {
		return meta{}
	}
	var m meta
	if json.Unmarshal(text, &m) != nil || m.V != metaVersion || m.ID != filepath.Base(dir) {
		return meta{}
	}
	return m
}

// statesBytes is the size of what is kept of files in a session's folder.
func statesBytes(dir string) (total int64) {
	_ = filepath.WalkDir(filepath.Join(dir, StatesName), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // what cannot be read, or is gone again, counts nothing
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// tally counts records into a meta as they pass.
type tally struct {
	meta
	titled   bool                // a title record or the first typed line gave the title
	pictures map[string]struct{} // refs counted
	names    map[string]string   // ref -> what its picture record calls it, while a title may need it
	first    string              // ref of the picture that gives the title
}

func newTally(id, folder string) *tally {
	return &tally{
		meta:     meta{V: metaVersion, ID: id, Folder: folder},
		pictures: map[string]struct{}{},
		names:    map[string]string{},
	}
}

// at notes that something happened.
func (t *tally) at(when time.Time) {
	if when.IsZero() {
		return
	}
	if t.Created.IsZero() {
		t.Created = when.UTC()
	}
	t.Updated = when.UTC()
}

func (t *tally) add(r message.Record) {
	t.at(r.Header().Time)
	switch r := r.(type) {
	case message.SessionRecord:
		t.Folder, t.Created = r.Folder, r.Time
	case message.TitleRecord:
		t.Title, t.titled = shorten(r.Title), true
	case message.MessageRecord:
		t.addMessage(r.Message)
	case message.ResultRecord:
		t.see(r.Images...)
	case message.PictureRecord:
		t.see(message.Image{Ref: r.Ref})
		t.name(r)
	}
}

func (t *tally) addMessage(m message.Message) {
	t.see(m.Images()...)
	if m.Role != message.RoleUser && m.Role != message.RoleAssistant {
		return
	}
	t.Messages++
	if m.Role != message.RoleUser {
		return
	}
	t.Prompts++
	if t.titled || t.first != "" {
		return
	}
	if line := firstLine(m.TypedText()); line != "" {
		t.Title, t.titled = shorten(line), true
		return
	}
	if images := m.Images(); len(images) > 0 {
		t.first = images[0].Ref
		t.titleFromPicture()
	}
}

func (t *tally) see(images ...message.Image) {
	for _, i := range images {
		t.pictures[i.Ref] = struct{}{}
	}
	t.Pictures = len(t.pictures)
}

// name remembers what a picture is called, which the log may say before or after the message that shows it.
func (t *tally) name(r message.PictureRecord) {
	if t.titled {
		return
	}
	t.names[r.Ref] = r.Name
	t.titleFromPicture()
}

func (t *tally) titleFromPicture() {
	if t.first == "" || t.titled {
		return
	}
	name := t.names[t.first]
	if name == "" {
		name = message.BlobName(t.first)
	}
	t.Title = shorten("picture: " + name)
}

// save writes meta.json. It is best effort: a list rebuilds what is missing.
func (t *tally) save(dir string) {
	if text, err := json.Marshal(t.meta); err == nil {
		_ = replaceFile(filepath.Join(dir, metaName), append(text, '\n'), false)
	}
}

// firstLine is the first line with something on it.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// shorten makes one row of a title: no control characters, at most titleRunes runes.
func shorten(title string) string {
	var row []rune
	for _, r := range strings.TrimSpace(title) {
		if unicode.IsControl(r) {
			r = ' '
		}
		if row = append(row, r); len(row) > titleRunes {
			return strings.TrimRight(string(row[:titleRunes-1]), " ") + "…"
		}
	}
	return string(row)
}
