package providers

import (
	"errors"
	"net/http"
	"sync"
)

// Lessons holds what one server taught an adapter by refusing a field, for as long as the adapter lives. L is
// the adapter's own list of what can be learned; each entry is only ever switched on.
type Lessons[L comparable] struct {
	mu    sync.Mutex
	known L
}

// Now is what is known.
func (l *Lessons[L]) Now() L {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// Learn reports whether the refusal of a request that was built under used teaches something, so that the
// request is worth building and sending once more. teach returns what it is given, plus what the error says.
func (l *Lessons[L]) Learn(err error, used L, teach func(L, *Error) L) bool {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	if teach(used, e) == used {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = teach(l.known, e)
	return true
}

// Try posts a request until it is taken, or refused in a way that teaches nothing.
func (l *Lessons[L]) Try(teach func(L, *Error) L, post func(known L) (*Stream, error)) (*Stream, error) {
	for {
		known := l.Now()
		stream, err := post(known)
		if err == nil || !l.Learn(err, known, teach) {
			return stream, err
		}
	}
}
