package store

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// generator makes ULIDs that increase within the process. When the clock stands still or moves backward the
// last time is used again and the random part counts up, so that an id never sorts before an earlier one.
type generator struct {
	mu      sync.Mutex
	last    uint64 // ms
	entropy *ulid.MonotonicEntropy
}

var ids = sync.OnceValue(func() *generator {
	return &generator{entropy: ulid.Monotonic(rand.Reader, 0)}
})

// NewID makes a record or session id: a ULID, increasing within the process.
func NewID() string { return ids().next(time.Now()) }

func (g *generator) next(now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(now))
	id, err := ulid.New(g.last, g.entropy)
	if err != nil { // the random part overflowed within one millisecond: go on in the next
		g.last++
		id = ulid.MustNew(g.last, g.entropy)
	}
	return id.String()
}

// validID reports whether id is a ULID in its one spelling. Ids become folder names, so nothing else passes.
func validID(id string) bool {
	parsed, err := ulid.ParseStrict(id)
	return err == nil && parsed.String() == id
}

// born is when a valid id was made.
func born(id string) time.Time { return ulid.Time(ulid.MustParse(id).Time()) }
