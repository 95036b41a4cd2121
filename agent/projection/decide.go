package projection

import (
	"slices"

	"espy/agent/message"
	"espy/media"
	"espy/providers"
)

// Facts are what Decide needs to know of the world, gathered by the loop.
type Facts struct {
	Bytes     map[string]int64 // size of each blob; a Ref without an entry was not looked up
	Missing   map[string]bool  // blobs that are gone or altered
	MaxImages int              // pictures an eviction keeps
	EvictStep int              // how many more may pile up before the next eviction
	Elide     bool             // shrink now: tool text and pictures before the last ElideKeep turns become stubs
	ElideKeep int
	Final     bool // no more renditions will be made: what does not fit now leaves, or the turn is refused
}

// Decision is what must change before the request can be built: marks to record, pictures to render smaller,
// and, where even that does not help, why the turn cannot be sent.
type Decision struct {
	Marks   []message.MarkRecord // without heads
	Wants   []Want
	Refused error

	renderedOf func(ref string) string // marks speak of a picture itself, never of its rendition
}

// Want asks for a smaller picture for one route.
type Want struct {
	Image message.Image
	Fit   media.Fit
}

// Decide proposes what must leave or shrink. It sees the conversation as already selected, so that a mark in
// force is not proposed again. The loop renders what is wanted and asks again with the new sizes, the last time
// with Final set.
func Decide(h *History, route providers.Route, facts Facts) Decision {
	all := h.Conversation()
	d := Decision{renderedOf: all.RenderedOf}
	d.missing(all, facts)
	c := Select(all, route)
	d.elide(c, route, facts)
	pictures := present(c, &d)
	pictures = d.evict(pictures, route, facts)
	d.preflight(pictures, route, facts, h.fixedBytes()+c.textBytes())
	return d
}

// missing marks pictures whose bytes are gone, and takes the mark back from those that are there again.
func (d *Decision) missing(c Conversation, facts Facts) {
	var gone, back []string
	seen := make(map[string]bool)
	for _, m := range c.Messages {
		for _, i := range m.Images() {
			if seen[i.Ref] {
				continue
			}
			seen[i.Ref] = true
			_, have := facts.Bytes[i.Ref]
			switch {
			case facts.Missing[i.Ref] && !c.marks.missing[i.Ref]:
				gone = append(gone, i.Ref)
			case have && c.marks.missing[i.Ref]:
				back = append(back, i.Ref)
			}
		}
	}
	d.mark(message.MarkRecord{Mark: message.MarkMissing, Refs: gone})
	d.mark(message.MarkRecord{Mark: message.MarkMissing, Refs: back, Off: true})
}

func (d *Decision) mark(m message.MarkRecord) {
	for i, ref := range m.Refs {
		m.Refs[i] = d.renderedOf(ref)
	}
	if len(m.Refs)+len(m.Calls)+len(m.Messages) > 0 {
		d.Marks = append(d.Marks, m)
	}
}

func lastToolMessage(c Conversation) int {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == message.RoleTool {
			return i
		}
	}
	return 0
}

// shown is a picture that is still in the request, at its newest place.
type shown struct {
	message.Image
	times  int  // how often the request carries it
	own    bool // the person attached it to the open request, or pinned it
	exempt bool // it is the person's own, or the newest tool message brought it
}

// present lists the pictures still in the request, oldest first, each Ref once, less those d just proposed to
// take out.
func present(c Conversation, d *Decision) []shown {
	out := make(map[string]bool)
	for _, m := range d.Marks {
		if !m.Off {
			for _, ref := range m.Refs {
				out[ref] = true
			}
		}
	}
	turns := c.Turns()
	open, newest := -1, lastToolMessage(c)
	if len(turns) > 0 {
		open = turns[len(turns)-1]
	}
	var list []shown
	at := make(map[string]int)
	for i, m := range c.Messages {
		for _, picture := range m.Images() {
			if out[d.renderedOf(picture.Ref)] {
				continue
			}
			s := shown{Image: picture, times: 1, own: i == open || c.marks.pinned[d.renderedOf(picture.Ref)]}
			s.exempt = s.own || i == newest && newest > open
			if was, again := at[picture.Ref]; again {
				s.own, s.exempt, s.times = s.own || list[was].own, s.exempt || list[was].exempt, list[was].times+1
				list[was].Ref = "" // stands at its newest place
			}
			at[picture.Ref] = len(list)
			list = append(list, s)
		}
	}
	kept := list[:0]
	for _, p := range list {
		if p.Ref != "" {
			kept = append(kept, p)
		}
	}
	return kept
}

// evict proposes that all but the newest pictures leave once they have piled up.
func (d *Decision) evict(pictures []shown, route providers.Route, facts Facts) []shown {
	if facts.MaxImages <= 0 {
		return pictures
	}
	keep, most := facts.MaxImages, facts.MaxImages+facts.EvictStep
	if limit := route.Model.Limits.MaxImages; limit > 0 {
		keep, most = min(keep, limit), min(most, limit)
	}
	if len(pictures) <= most {
		return pictures
	}
	refs, rest := takeOldest(pictures, shown.mayLeave, func(left []shown) bool { return len(left) > keep })
	d.mark(message.MarkRecord{Mark: message.MarkEvict, Refs: refs, Keep: keep})
	return rest
}

// mayLeave is true of pictures that no exemption holds in the request.
func (s shown) mayLeave() bool { return !s.exempt }

// notOwn is true of pictures that leave before a turn is refused.
func (s shown) notOwn() bool { return !s.own }

// takeOldest removes pictures that may leave, oldest first, while tooMany holds.
func takeOldest(pictures []shown, may func(shown) bool, tooMany func([]shown) bool) (refs []string, rest []shown) {
	rest = append(rest, pictures...)
	for tooMany(rest) {
		at := slices.IndexFunc(rest, may)
		if at < 0 {
			break
		}
		refs = append(refs, rest[at].Ref)
		rest = append(rest[:at:at], rest[at+1:]...)
	}
	return refs, rest
}
