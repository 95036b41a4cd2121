package projection

import (
	"espy/agent/message"
	"espy/media"
	"espy/providers"
)

// marks are the recorded marks of a session, indexed. Marks of the path reach only what was said before them,
// so that a picture looked at again after its eviction is seen again.
type marks struct {
	way       way                 // how a picture that left is looked at again
	elided    map[string]pathMark // by Ref
	evicted   map[string]pathMark
	leftOut   map[string]pathMark
	stubs     map[string]bool // CallKey or message id whose text is elided
	summaries []message.MarkRecord

	retired    map[string]message.MarkRecord // by Ref
	missing    map[string]bool
	dropped    map[string]bool
	pinned     map[string]bool
	blind      map[string]bool          // by route name
	renditions map[string]message.Image // by renditionKey
	renderedOf map[string]string        // Ref of a rendition -> Ref of the picture it stands for
}

// pathMark is a mark and how far back it reaches: messages whose position is below upto.
type pathMark struct {
	mark message.MarkRecord
	upto int
}

func newMarks() marks {
	return marks{
		elided: make(map[string]pathMark), evicted: make(map[string]pathMark), leftOut: make(map[string]pathMark),
		stubs: make(map[string]bool), retired: make(map[string]message.MarkRecord), missing: make(map[string]bool),
		dropped: make(map[string]bool), pinned: make(map[string]bool), blind: make(map[string]bool),
		renditions: make(map[string]message.Image), renderedOf: make(map[string]string),
	}
}

func (m *marks) addPath(r message.MarkRecord, upto int) {
	switch r.Mark {
	case message.MarkSummarise:
		m.summaries = append(m.summaries, r)
		return
	case message.MarkElide:
		for _, key := range append(r.Calls, r.Messages...) {
			m.stubs[key] = true
		}
		setAll(m.elided, r, upto)
	case message.MarkEvict:
		setAll(m.evicted, r, upto)
	case message.MarkLeaveOut:
		setAll(m.leftOut, r, upto)
	}
}

func setAll(into map[string]pathMark, r message.MarkRecord, upto int) {
	for _, ref := range r.Refs {
		into[ref] = pathMark{r, upto}
	}
}

func (m *marks) addSession(r message.MarkRecord) {
	switch r.Mark {
	case message.MarkRetire:
		for _, ref := range r.Refs {
			m.retired[ref] = r
		}
	case message.MarkMissing:
		setFlags(m.missing, r)
	case message.MarkDrop:
		setFlags(m.dropped, r)
	case message.MarkPin:
		setFlags(m.pinned, r)
	case message.MarkBlind:
		m.blind[r.Route] = !r.Off
	case message.MarkRendition:
		if r.Image != nil {
			for _, ref := range r.Refs {
				m.renditions[renditionKey(r.Route, ref)] = *r.Image
				m.renderedOf[r.Image.Ref] = ref
			}
		}
	}
}

func setFlags(into map[string]bool, r message.MarkRecord) {
	for _, ref := range r.Refs {
		into[ref] = !r.Off
	}
}

func renditionKey(route, ref string) string { return route + "\x00" + ref }

// sees reports whether pictures may go along the route, as far as its row and the session know.
func (m *marks) sees(route providers.Route) bool {
	return route.Sees() && !m.blind[route.Name()]
}

// absence is the sentence for a picture that a recorded mark or the route keeps out of the request; "" where
// it stays in. The order is the order of effects: capability first, room last.
func (m *marks) absence(i message.Image, at int, inTool bool, route providers.Route) string {
	reaches := func(p pathMark, ok bool) bool { return ok && at < p.upto }
	if !m.sees(route) {
		return blindSentence(i)
	}
	if inTool && route.Model.Quirks.NoToolImages {
		return protocolSentence(i, route.Server.Protocol)
	}
	if r, ok := m.retired[i.Ref]; ok {
		return retiredSentence(i, r.Reason)
	}
	if m.dropped[i.Ref] {
		return droppedSentence(i)
	}
	if m.missing[i.Ref] {
		return missingSentence(i)
	}
	if m.pinned[i.Ref] {
		return ""
	}
	if p, ok := m.evicted[i.Ref]; reaches(p, ok) {
		return evictedSentence(i, p.mark.Keep, m.way.on(route))
	}
	if p, ok := m.elided[i.Ref]; reaches(p, ok) {
		return elidedSentence(i, m.way.on(route))
	}
	if p, ok := m.leftOut[i.Ref]; reaches(p, ok) {
		return leftOutSentence(i, p.mark.Reason, m.way.on(route))
	}
	return ""
}

// summarised is the sentence for a picture whose message was summarised. What a summary cannot undo is said
// instead: a picture that was refused, removed or lost, or that the route cannot see.
func (m *marks) summarised(i message.Image, at int, route providers.Route) string {
	switch sentence := m.absence(i, at, false, route); leftAs(sentence) {
	case "retired", "dropped", "missing", "withheld":
		return sentence
	}
	return summarisedSentence(i, m.way.on(route))
}

// Price is what a picture costs on a route in tokens, and the size the model will see it at.
func Price(i message.Image, route providers.Route) (tokens, w, h int) {
	costs, rule, detail := media.Costs(), route.Model.ImageCost, route.Model.Quirks.ImageDetail
	w, h = costs.Fit(rule, i.Width, i.Height, detail)
	return costs.Cost(rule, i.Width, i.Height, detail), w, h
}
