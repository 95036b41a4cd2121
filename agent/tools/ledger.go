package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"sync"
	"time"
)

// Ledger remembers which files the model has read, and as what, so that an edit can tell whether the file
// changed since: by the person, a build or another program. The zero value remembers nothing. It is safe for
// use from several calls.
type Ledger struct {
	mu   sync.Mutex
	seen map[string]stamp
}

// stamp is a file as it was read. Hash is "" for a file too large to be read whole; then size and time tell.
type stamp struct {
	size  int64
	mtime time.Time
	hash  string
}

// standing is what the ledger knows of a file.
type standing int

const (
	unread    standing = iota // the model never read it
	changed                   // it is not what the model read
	unchanged                 // it is
)

// Saw notes that the model was given a file whole by another road than read, such as an @file of a prompt. The
// path is absolute, with links resolved, as guard.Path has it.
func (l *Ledger) Saw(abs string, info fs.FileInfo, content []byte) {
	if content == nil {
		content = []byte{}
	}
	l.note(abs, stampOf(info, content))
}

func (l *Ledger) note(abs string, s stamp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]stamp{}
	}
	l.seen[abs] = s
}

func (l *Ledger) judge(abs string, now stamp) standing {
	l.mu.Lock()
	then, ok := l.seen[abs]
	l.mu.Unlock()
	switch {
	case !ok:
		return unread
	case then.hash != "" && now.hash != "":
		if then.hash == now.hash {
			return unchanged // touched, perhaps, but the same text
		}
	case then.size == now.size && then.mtime.Equal(now.mtime):
		return unchanged
	}
	return changed
}

// stampOf describes a file from its facts and content; content is nil where it was not read whole.
func stampOf(info fs.FileInfo, content []byte) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime()}
	if content != nil {
		s.hash = hashOf(content)
	}
	return s
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
