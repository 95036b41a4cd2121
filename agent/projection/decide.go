package projection

import (
	"fmt"

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
// force is not proposed again.
func Decide(h *History, route providers.Route, facts Facts) Decision {
	all := h.Conversation()
	d := Decision{renderedOf: all.RenderedOf}
	d.missing(all, facts)
	c := Select(all, route)
	d.elide(c, route, facts)
	pictures := present(c, &d)
	pictures = d.evict(pictures, route, facts)
	pictures = d.leaveOut(pictures, route, facts)
	if all.marks.sees(route) {
		d.want(pictures, route, facts)
	}
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
	exempt bool // the person attached it to the open request, or the newest tool message brought it, or it is pinned
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
			exempt := i == open || i == newest && newest > open || c.marks.pinned[d.renderedOf(picture.Ref)]
			if was, again := at[picture.Ref]; again {
				exempt = exempt || list[was].exempt
				list[was].Ref = "" // counts at its newest place
			}
			at[picture.Ref] = len(list)
			list = append(list, shown{picture, exempt})
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
	refs, rest := takeOldest(pictures, func(left []shown) bool { return len(left) > keep })
	d.mark(message.MarkRecord{Mark: message.MarkEvict, Refs: refs, Keep: keep})
	return rest
}

// takeOldest removes pictures that are not exempt, oldest first, while tooMany holds.
func takeOldest(pictures []shown, tooMany func([]shown) bool) (refs []string, rest []shown) {
	rest = append(rest, pictures...)
	for tooMany(rest) {
		at := -1
		for i, p := range rest {
			if !p.exempt {
				at = i
				break
			}
		}
		if at < 0 {
			break
		}
		refs = append(refs, rest[at].Ref)
		rest = append(rest[:at:at], rest[at+1:]...)
	}
	return refs, rest
}

// leaveOut proposes that the oldest pictures leave a request that would pass the route's limits, and refuses
// the turn where only the person's own pictures are left and still do not fit.
func (d *Decision) leaveOut(pictures []shown, route providers.Route, facts Facts) []shown {
	limits := route.Model.Limits
	for _, rule := range []struct {
		name  string
		limit int64
		size  func([]shown) int64
	}{
		{"pictures", int64(limits.MaxImages), func(l []shown) int64 { return int64(len(l)) }},
		{"bytes of pictures", limits.MaxImagesBytes, func(l []shown) int64 { return totalBytes(l, facts) }},
		{"bytes of request", limits.MaxBody * 9 / 10, func(l []shown) int64 { return totalBytes(l, facts) * 4 / 3 }},
	} {
		if rule.limit <= 0 || rule.size(pictures) <= rule.limit {
			continue
		}
		refs, rest := takeOldest(pictures, func(l []shown) bool { return rule.size(l) > rule.limit })
		d.mark(message.MarkRecord{Mark: message.MarkLeaveOut, Refs: refs, Reason: fmt.Sprintf("%d %s", rule.limit, rule.name)})
		pictures = rest
		if found := rule.size(rest); found > rule.limit {
			d.Refused = fmt.Errorf("this request has %d %s and %s takes %d; remove pictures from the row or lower their detail, and send again", found, rule.name, route.Name(), rule.limit)
		}
	}
	return pictures
}

func totalBytes(pictures []shown, facts Facts) int64 {
	var sum int64
	for _, p := range pictures {
		sum += facts.Bytes[p.Ref]
	}
	return sum
}

// want asks for renditions of pictures that break a bound of the route on their own.
func (d *Decision) want(pictures []shown, route providers.Route, facts Facts) {
	limits := route.Model.Limits
	side := limits.MaxSide
	if limits.ManyImages > 0 && len(pictures) > limits.ManyImages && limits.ManySide > 0 && (side == 0 || limits.ManySide < side) {
		side = limits.ManySide
	}
	for _, p := range pictures {
		long, short := max(p.Width, p.Height), min(p.Width, p.Height)
		tooHeavy := limits.MaxImageBase64 > 0 && base64Len(facts.Bytes[p.Ref]) > limits.MaxImageBase64
		if side > 0 && long > side || limits.MinSide > 0 && short < limits.MinSide || tooHeavy || p.Width == 0 || p.Height == 0 {
			p.Ref = d.renderedOf(p.Ref)
			d.Wants = append(d.Wants, Want{Image: p.Image, Fit: media.Fit{MaxSide: side, MinSide: limits.MinSide, MaxBase64: limits.MaxImageBase64}})
		}
	}
}

func base64Len(n int64) int64 { return (n + 2) / 3 * 4 }
