package agent

import (
	"sync"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/store"
)

// journal is the session's log on disk and in memory, kept equal. Only the loop holds one.
type journal struct {
	mu      sync.Mutex
	session *store.Session
	history *projection.History
	now     func() time.Time
}

// head fills in what every record starts with. On-path records continue the newest one.
func (j *journal) head(kind message.Kind, parent string) message.Head {
	return message.NewHead(kind, store.NewID(), parent, j.now())
}

// append writes what make returns, given the head to continue from, and only then believes it. The records of
// one call are written together: all of them or none.
func (j *journal) append(make func(h *heads) []message.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	records := make(&heads{j: j, at: j.history.Head()})
	if len(records) == 0 {
		return nil
	}
	if err := j.session.Append(records...); err != nil {
		return err
	}
	j.history.Append(records...)
	return nil
}

// read gives access to the history while nothing is being appended.
func (j *journal) read(look func(h *projection.History)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	look(j.history)
}

// heads hands out record heads inside one append.
type heads struct {
	j  *journal
	at string
}

// next is the head of an on-path record; the following one continues it.
func (h *heads) next(kind message.Kind) message.Head {
	head := h.j.head(kind, h.at)
	h.at = head.ID
	return head
}

// beside is the head of a record that holds for the whole session.
func (h *heads) beside(kind message.Kind) message.Head { return h.j.head(kind, "") }

// mark gives a proposed mark its head.
func (h *heads) mark(m message.MarkRecord) message.MarkRecord {
	if m.Mark.OnPath() {
		m.Head = h.next(message.KindMark)
	} else {
		m.Head = h.beside(message.KindMark)
	}
	return m
}
