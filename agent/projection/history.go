// Package projection decides what a provider sees of a session, and is the only code that knows where a
// conversation may be cut. It works in three pure steps: Decide proposes marks (what must leave or shrink),
// the loop writes them to the log; Select applies recorded marks and nothing else, so that selecting a
// selection changes nothing; Build adds introductions and cache points once and yields the request.
//
// Contract: no file, network, clock or configuration is read here; what a step needs to know of the world
// arrives as Facts. Every assistant message with calls is followed by exactly one tool message whose results
// match them. A picture that leaves the context always leaves a sentence behind. Between two declared steps
// the built prefix is byte-identical.
package projection

import (
	"slices"

	"espy/agent/message"
	"espy/providers"
)

// History is a session's log in memory, indexed for reading. It only grows.
type History struct {
	records  []message.Record
	index    map[string]int    // record id -> position in records
	before   map[string]string // on-path record id -> the on-path record written before it, for a lost parent
	head     string
	last     string // the on-path record written last, wherever the head is
	path     []message.Record
	pathOf   string // the head path was made for
	pictures map[string]message.PictureRecord
	blind    map[string]bool // by route name: what its provider's answers taught
	numbers  int
	shown    map[string]bool // Refs that a message or result has shown
	way      way             // how read_media is reached, as the prelude wayOf has it
	wayOf    string          // id of that prelude
	marked   int             // records that change how what is already there is read; see memo
	memo     *memo           // of the newest Project
}

// NewHistory indexes records in the order they were written.
func NewHistory(records []message.Record) *History {
	h := &History{
		index:    make(map[string]int, len(records)),
		before:   make(map[string]string),
		pictures: make(map[string]message.PictureRecord),
		shown:    make(map[string]bool),
		blind:    make(map[string]bool),
	}
	h.Append(records...)
	return h
}

// Append adds records as they were written to the log.
func (h *History) Append(records ...message.Record) {
	for _, r := range records {
		head := r.Header()
		h.index[head.ID] = len(h.records)
		h.records = append(h.records, r)
		switch r := r.(type) {
		case message.PictureRecord:
			h.addPicture(r)
		case message.MessageRecord:
			h.show(r.Message.Images())
		case message.ResultRecord:
			h.show(r.Images)
		case message.MarkRecord:
			h.marked++
			if r.Mark == message.MarkBlind {
				h.blind[r.Route] = !r.Off
			}
		case message.RewindRecord:
			h.marked++
			if _, known := h.index[r.To]; known || r.To == "" && r.From != "" {
				h.head = r.To
			}
		}
		if message.OnPath(r) {
			h.before[head.ID] = h.last
			h.last = head.ID
			h.extend(r)
		}
	}
}

// extend moves the head to r, keeping the cached path where r simply continues it.
func (h *History) extend(r message.Record) {
	if h.pathOf == h.head && r.Header().Parent == h.head {
		h.path = append(h.path, r)
		h.pathOf = r.Header().ID
	} else {
		h.marked++ // it goes on from somewhere else
	}
	h.head = r.Header().ID
}

func (h *History) show(images []message.Image) {
	for _, i := range images {
		h.shown[i.Ref] = true
	}
}

// addPicture notes what is known of a picture. What was known first stays, because the line that introduces it
// may have been sent; only a number comes late, when a person attaches what a tool had looked at.
func (h *History) addPicture(p message.PictureRecord) {
	h.numbers = max(h.numbers, p.Number)
	old, known := h.pictures[p.Ref]
	if known && (old.Number > 0 || p.Number == 0) {
		return
	}
	if known {
		number := p.Number
		p = old
		p.Number = number
	}
	if h.shown[p.Ref] {
		h.marked++ // its introduction changes where it was shown before
	}
	h.pictures[p.Ref] = p
}

// Head is the id of the record the conversation goes on from; "" in an empty log.
func (h *History) Head() string { return h.head }

// Records returns everything, in the order written. The slice is not to be changed.
func (h *History) Records() []message.Record { return h.records }

// Picture is what the log knows of a stored picture.
func (h *History) Picture(ref string) (message.PictureRecord, bool) {
	p, ok := h.pictures[ref]
	return p, ok
}

// Pictures returns all picture records by Ref, as a copy.
func (h *History) Pictures() map[string]message.PictureRecord {
	all := make(map[string]message.PictureRecord, len(h.pictures))
	for ref, p := range h.pictures {
		all[ref] = p
	}
	return all
}

// Sighted is the route with what the session learned about its sight: one whose provider said that it takes no
// pictures does not see.
func (h *History) Sighted(route providers.Route) providers.Route {
	if h.blind[route.Name()] {
		route.Model.ImageInput = providers.Unsupported
	}
	return route
}

// HighestNumber is the highest number a picture of the person has; numbers are never reused.
func (h *History) HighestNumber() int { return h.numbers }

// Path returns the on-path records from the root to the head. The slice is not to be changed. A record whose
// parent was lost with a damaged line continues the record written before it.
func (h *History) Path() []message.Record {
	if h.pathOf == h.head && (h.path != nil || h.head == "") {
		return h.path
	}
	var reversed []message.Record
	seen := make(map[string]bool)
	for id := h.head; id != "" && !seen[id]; {
		at, known := h.index[id]
		if !known {
			break
		}
		seen[id] = true
		r := h.records[at]
		reversed = append(reversed, r)
		parent := r.Header().Parent
		if _, known := h.index[parent]; !known && parent != "" {
			parent = h.before[id]
		}
		id = parent
	}
	h.path = make([]message.Record, 0, len(reversed)+16)
	for i := len(reversed) - 1; i >= 0; i-- {
		h.path = append(h.path, reversed[i])
	}
	h.pathOf = h.head
	return h.path
}

// Prelude is the newest prelude on the path.
func (h *History) Prelude() (message.PreludeRecord, bool) {
	path := h.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if p, ok := path[i].(message.PreludeRecord); ok {
			return p, true
		}
	}
	return message.PreludeRecord{}, false
}

// Known is every tool the model was told of, as the prelude and the notes after it have it; nil where no prelude
// says.
func (h *History) Known() map[string]string {
	path := h.Path()
	for i := len(path) - 1; i >= 0; i-- {
		switch r := path[i].(type) {
		case message.ToolsRecord:
			if r.Known != nil {
				return r.Known
			}
		case message.PreludeRecord:
			return r.Known
		}
	}
	return nil
}

// Loaded are the deferred tools that were used on the path, each once, in the order of their first use.
func (h *History) Loaded() (names []string) {
	for _, r := range h.Path() {
		t, ok := r.(message.ToolsRecord)
		if !ok {
			continue
		}
		for _, name := range t.Loaded {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Model is the newest model choice on the path.
func (h *History) Model() (message.ModelRecord, bool) {
	path := h.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if m, ok := path[i].(message.ModelRecord); ok {
			return m, true
		}
	}
	return message.ModelRecord{}, false
}

// Mode is the newest permission mode on the path; "" where none was recorded.
func (h *History) Mode() string {
	path := h.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if m, ok := path[i].(message.ModeRecord); ok {
			return m.Mode
		}
	}
	return ""
}

// Usage adds up what the session's requests have used. Cost is nil if any request's price is unknown.
func (h *History) Usage() (total message.Usage, cost *float64) {
	sum, known := 0.0, true
	for _, r := range h.records {
		u, ok := r.(message.UsageRecord)
		if !ok {
			continue
		}
		total.Input += u.Usage.Input
		total.Output += u.Usage.Output
		total.CacheRead += u.Usage.CacheRead
		total.CacheWrite += u.Usage.CacheWrite
		if u.Cost == nil {
			known = false
		} else {
			sum += *u.Cost
		}
	}
	if !known {
		return total, nil
	}
	return total, &sum
}
