package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"

	"espy/agent/guard"
	"espy/agent/message"
)

const (
	// remindAt is which identical call with an identical result is pointed out to the model. Twice happens in good
	// work: to look again is a way of making sure.
	remindAt = 3
	// stopAt is which of them ends the turn: the model was told and goes on all the same.
	stopAt = 5
)

// repeats counts, over one turn, calls that are made again and come to the same. A change to a file makes what
// others say new, so it begins the count of all that only look or run again; an edit made and undone in turns is a loop too.
type repeats struct {
	mu    sync.Mutex
	seen  map[[sha256.Size]byte]repeat
	stuck string // what went round and round; "" while nothing does
}

// repeat is what is known of one call: what it last came to and how often in a row.
type repeat struct {
	result [sha256.Size]byte
	count  int
	writes bool // it changes files itself
}

// begin forgets the turn before.
func (r *repeats) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.stuck = make(map[[sha256.Size]byte]repeat), ""
}

// count takes in a finished call and returns what its result has to tell the model, or "".
func (r *repeats) count(j *job, result message.ToolResult) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	call, came := digestOf(j.call.Name, canonical(j.call.Args)), digestOf(cameTo(result)...)
	now := repeat{result: came, count: 1, writes: j.effect.Kind == guard.KindWrite}
	if before, ok := r.seen[call]; ok && before.result == came {
		now.count += before.count
	}
	if r.seen == nil {
		r.seen = make(map[[sha256.Size]byte]repeat)
	}
	if now.writes && !result.IsError || j.outcome.Changed {
		maps.DeleteFunc(r.seen, func(_ [sha256.Size]byte, old repeat) bool { return !old.writes })
	}
	r.seen[call] = now
	if now.count >= stopAt && r.stuck == "" {
		r.stuck = j.summary()
	}
	if now.count < remindAt {
		return ""
	}
	return fmt.Sprintf("\n[This is the same call with the same result for the %s time. Making it again will not change that: use what you have, try another way, or ask the user. The turn ends at the %s.]", ordinal(now.count), ordinal(stopAt))
}

// stop is why the turn has to end, or nil.
func (r *repeats) stop() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck == "" {
		return nil
	}
	return fmt.Errorf("the model made the same call %d times with the same result (%s), so the turn was stopped; tell it what to do differently", stopAt, guard.Printable(r.stuck))
}

// cameTo is everything a model sees of a result: its text and what it refers to.
func cameTo(r message.ToolResult) []string {
	parts := []string{r.Text, fmt.Sprint(r.IsError), r.Meta[message.MetaBlob]}
	for _, image := range r.Images {
		parts = append(parts, image.Ref)
	}
	return parts
}

// canonical writes arguments so that order and blanks make no difference; what is no JSON stays as it is.
func canonical(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	text, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(text)
}

func digestOf(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		_, _ = io.WriteString(h, p) // a hash takes everything
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

func ordinal(n int) string {
	switch n {
	case 3:
		return "third"
	case 4:
		return "fourth"
	case 5:
		return "fifth"
	}
	return fmt.Sprintf("%dth", n)
}
