package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"espy/agent/message"
)

// refsIn finds every blob's name in a text, whatever stands around it: a record of a kind that is not known, a
// damaged line or a face's draft names pictures too.
var refsIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{64}\.(?:` + strings.Join(blobExts(), "|") + `)\b`)
})

// Fork makes a new session that says what another one said, up to and including the record upTo, or all of it for
// "". Blobs are hard-linked where the disk can and copied elsewhere, so that each session lives on without the
// other; one that is gone stays gone. What the source's requests have cost, its file states and its unsent draft
// stay with it. The source may be in use. It returns the new session's id.
func (s *Store) Fork(ctx context.Context, id, upTo string) (string, error) {
	loaded, err := s.Read(ctx, id)
	if err != nil {
		return "", err
	}
	if len(loaded.Records) == 0 {
		return "", &NotFoundError{id}
	}
	records, err := forked(loaded.Records, upTo)
	if err != nil {
		return "", fmt.Errorf("session %s: %w", id, err)
	}
	folder, version := opening(loaded.Records)
	session, err := s.Create(ctx, folder, version)
	if err != nil {
		return "", err
	}
	err = session.copyFrom(ctx, id, records)
	if err != nil {
		return "", errors.Join(err, session.abandon())
	}
	return session.ID(), session.Close()
}

func (s *Session) copyFrom(ctx context.Context, id string, records []message.Record) error {
	now := time.Now()
	opening := s.Opening(now)
	opening.Forked = id
	records = append([]message.Record{opening}, records...)
	if title := titleOf(records); title != "" {
		records = append(records, message.TitleRecord{Head: message.NewHead(message.KindTitle, NewID(), "", now), Title: title + " (fork)"})
	}
	batch, err := encode(records)
	if err != nil {
		return err
	}
	if err := s.linkAll(ctx, id, refsIn().FindAllString(string(batch), -1)); err != nil {
		return err
	}
	if err := s.copyTasks(ctx, filepath.Join(filepath.Dir(s.dir), filepath.Base(id)), records); err != nil {
		return err
	}
	return s.Append(records...)
}

// linkAll links what is still there.
func (s *Session) linkAll(ctx context.Context, from string, names []string) error {
	seen := make(map[string]bool, len(names))
	var refs []string
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			refs = append(refs, "blobs/"+name)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	return withoutMissing(s.Link(ctx, from, refs...))
}

// withoutMissing drops the errors of blobs that are gone or altered: the log's readers say so in their place.
func withoutMissing(err error) error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		if errors.As(err, new(*BlobError)) {
			return nil
		}
		return err
	}
	var kept []error
	for _, e := range joined.Unwrap() {
		kept = append(kept, withoutMissing(e))
	}
	return errors.Join(kept...)
}

// abandon removes a session that was not made whole.
func (s *Session) abandon() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.lock == nil {
		return nil
	}
	return errors.Join(s.closeLog(), removeSession(s.dir, s.lock))
}

// forked is what a fork takes over of a log. Marks and titles that hold for the whole session are taken even where
// they came later: what a provider refused it will refuse again.
func forked(records []message.Record, upTo string) ([]message.Record, error) {
	end := len(records)
	if upTo != "" {
		end = 0
		for i, r := range records {
			if r.Header().ID == upTo {
				end = i + 1
			}
		}
		if end == 0 {
			return nil, fmt.Errorf("there is no record %.40q to fork at", upTo)
		}
	}
	var taken []message.Record
	for i, r := range records {
		switch r := r.(type) {
		case message.SessionRecord, message.UsageRecord, message.FilesRecord:
			continue
		case message.MarkRecord:
			if i < end || !r.Mark.OnPath() {
				taken = append(taken, r)
			}
		case message.TitleRecord:
			taken = append(taken, r)
		default:
			if i < end {
				taken = append(taken, r)
			}
		}
	}
	if upTo != "" && !message.OnPath(records[end-1]) {
		return nil, fmt.Errorf("the record %.40q is not part of the conversation; fork at a message", upTo)
	}
	return taken, nil
}

// titleOf is what a list calls the session of these records; "" where nothing was sent.
func titleOf(records []message.Record) string {
	t := newTally("", "")
	for _, r := range records {
		t.add(r)
	}
	return strings.TrimSuffix(t.Title, " (fork)")
}
