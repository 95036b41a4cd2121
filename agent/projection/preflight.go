package projection

import (
	"cmp"
	"fmt"
	"slices"

	"espy/agent/message"
	"espy/media"
	"espy/providers"
)

const (
	// leastShare is the smallest base64 text, in bytes, that a picture is squeezed into so that all fit: below it
	// a screenshot can no longer be read, and refusing the turn says more.
	leastShare = 64 << 10
	// bodySlack is what a request holds beside texts and pictures, in bytes: field names, ids, introductions.
	bodySlack = 64 << 10
)

// bound is one limit of a route on all pictures together.
type bound struct {
	limit int64
	what  string // the limit in words, for the sentence left behind
	unit  func(n int64) string
	one   func(shown) int64
}

func (b bound) sum(pictures []shown) (n int64) {
	for _, p := range pictures {
		n += int64(p.times) * b.one(p)
	}
	return n
}

func (b bound) over(pictures []shown) bool { return b.limit > 0 && b.sum(pictures) > b.limit }

// bounds are the route's limits on all pictures together: their number, and their bytes in two ways.
func bounds(limits providers.Limits, facts Facts, text int64) (number, bytes, body bound) {
	base64 := func(p shown) int64 { return base64Len(facts.Bytes[p.Ref]) }
	number = bound{int64(limits.MaxImages), plural(int64(limits.MaxImages)), plural, func(shown) int64 { return 1 }}
	bytes = bound{base64Len(limits.MaxImagesBytes), megabytes(limits.MaxImagesBytes) + " of pictures", decoded, base64}
	body = bound{0, megabytes(limits.MaxBody) + " in one request", megabytes, base64}
	if limits.MaxBody > 0 {
		body.limit = max(limits.MaxBody-text-bodySlack, 1)
	}
	return number, bytes, body
}

func plural(n int64) string {
	if n == 1 {
		return "1 picture"
	}
	return fmt.Sprintf("%d pictures", n)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// decoded words an amount of base64 text as the bytes it stands for.
func decoded(n int64) string { return megabytes(n / 4 * 3) }

// preflight judges the pictures against what the route takes: their number first, then each alone, then the
// bytes of all. Older pictures leave before anything else does; what the open request needs is squeezed before it
// leaves; only where the person's own pictures cannot be made to fit is the turn refused.
func (d *Decision) preflight(pictures []shown, route providers.Route, facts Facts, text int64) {
	number, bytes, body := bounds(route.Model.Limits, facts, text)
	pictures = d.keepWithin(pictures, route, number)
	fit := fitOf(pictures, route.Model.Limits)
	pictures = d.want(pictures, fit, facts)
	if len(d.Wants) > 0 {
		return // sizes change; the bytes are judged when they have
	}
	for _, b := range []bound{bytes, body} {
		refs, rest := takeOldest(pictures, shown.mayLeave, b.over)
		d.mark(message.MarkRecord{Mark: message.MarkLeaveOut, Refs: refs, Reason: b.what})
		if b.over(rest) && !facts.Final && d.squeeze(rest, b, fit) {
			return
		}
		pictures = d.keepWithin(rest, route, b)
	}
}

// keepWithin proposes that pictures leave until the bound holds: older ones, then those of the newest tool
// message. Where the person's own are left and still too much, the turn is refused.
func (d *Decision) keepWithin(pictures []shown, route providers.Route, b bound) []shown {
	refs, rest := takeOldest(pictures, shown.mayLeave, b.over)
	more, rest := takeOldest(rest, shown.notOwn, b.over)
	d.mark(message.MarkRecord{Mark: message.MarkLeaveOut, Refs: append(refs, more...), Reason: b.what})
	if b.over(rest) && d.Refused == nil {
		d.Refused = fmt.Errorf("your own pictures in this request come to %s, and %s takes %s beside the words; remove or unpin some, or attach them smaller, and send again",
			b.unit(b.sum(rest)), route.Name(), b.unit(b.limit))
	}
	return rest
}

// squeeze asks for smaller renditions of the largest pictures so that all fit, and reports whether that can help.
func (d *Decision) squeeze(pictures []shown, b bound, fit media.Fit) bool {
	share := fairShare(pictures, b)
	if share < leastShare {
		return false
	}
	fit.MaxBase64 = share
	for _, p := range pictures {
		if b.one(p) > share {
			p.Ref = d.renderedOf(p.Ref)
			d.Wants = append(d.Wants, Want{Image: p.Image, Fit: fit})
		}
	}
	return len(d.Wants) > 0
}

// fairShare is the size that the largest pictures must come down to so that all fit, small ones as they are.
func fairShare(pictures []shown, b bound) int64 {
	bySize := slices.SortedFunc(slices.Values(pictures), func(x, y shown) int { return cmp.Compare(b.one(x), b.one(y)) })
	left, places := b.limit, int64(0)
	for _, p := range bySize {
		places += int64(p.times)
	}
	for _, p := range bySize {
		if share := left / places; b.one(p) > share {
			return share
		}
		left, places = left-int64(p.times)*b.one(p), places-int64(p.times)
	}
	return b.limit
}

// fitOf is what each picture must keep to on its own. Many pictures have a tighter side.
func fitOf(pictures []shown, limits providers.Limits) media.Fit {
	fit := media.Fit{MaxSide: limits.MaxSide, MinSide: limits.MinSide, MaxBase64: limits.MaxImageBase64}
	places := 0
	for _, p := range pictures {
		places += p.times
	}
	if limits.ManyImages > 0 && places > limits.ManyImages && limits.ManySide > 0 && (fit.MaxSide == 0 || limits.ManySide < fit.MaxSide) {
		fit.MaxSide = limits.ManySide
	}
	return fit
}

// want asks for renditions of pictures that break a bound of the route on their own. In the last round there is
// no time for that: what still breaks one is left out.
func (d *Decision) want(pictures []shown, fit media.Fit, facts Facts) (kept []shown) {
	for _, p := range pictures {
		reason := breaks(p, fit, facts)
		if reason != "" && facts.Final {
			d.mark(message.MarkRecord{Mark: message.MarkLeaveOut, Refs: []string{p.Ref}, Reason: reason})
			continue
		}
		kept = append(kept, p)
		if reason != "" {
			p.Ref = d.renderedOf(p.Ref)
			d.Wants = append(d.Wants, Want{Image: p.Image, Fit: fit})
		}
	}
	return kept
}

// breaks says which bound a picture breaks on its own; "" where none.
func breaks(p shown, fit media.Fit, facts Facts) string {
	long, short, least := max(p.Width, p.Height), min(p.Width, p.Height), max(fit.MinSide, 1)
	switch {
	case p.MediaType != "image/png" && p.MediaType != "image/jpeg": // only a foreign log has such
		return "PNG and JPEG, the formats that are sent"
	case fit.MaxSide > 0 && long > fit.MaxSide:
		return fmt.Sprintf("%d pixels on one side", fit.MaxSide)
	case short < least:
		return fmt.Sprintf("the bound of at least %d pixels a side", least)
	case fit.MaxBase64 > 0 && base64Len(facts.Bytes[p.Ref]) > fit.MaxBase64:
		return megabytes(fit.MaxBase64) + " for one picture"
	}
	return ""
}

func base64Len(n int64) int64 { return (n + 2) / 3 * 4 }

// textBytes is what the words of a selection take in a request's JSON.
func (c Conversation) textBytes() (n int64) {
	for _, m := range c.Messages {
		for _, b := range m.Blocks {
			n += blockBytes(b, nil)
		}
	}
	return n
}

// blockBytes is what a block takes in a request's JSON. Pictures of a result stand apart from it.
func blockBytes(b message.Block, bytes map[string]int64) int64 {
	switch b := b.(type) {
	case message.Text:
		return jsonLen(b.Text) + jsonLen(b.Opaque)
	case message.Thinking:
		return jsonLen(b.Text) + jsonLen(b.Opaque)
	case message.ToolCall:
		return jsonLen(b.Name) + jsonLen(b.Args) + jsonLen(b.Opaque)
	case message.ToolResult:
		return jsonLen(b.Text)
	case message.Image:
		return base64Len(bytes[b.Ref])
	}
	return 0
}

// fixedBytes is what the system text and the tools take in a request's JSON.
func (h *History) fixedBytes() (n int64) {
	prelude, _ := h.Prelude()
	for _, s := range prelude.System {
		n += jsonLen(s)
	}
	return n + int64(len(prelude.Tools))
}

// jsonLen is an upper estimate of a text as a JSON string: escapes make it longer.
func jsonLen(s string) int64 {
	n := int64(len(s)) + 2
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

// BodyBytes is about what a request takes in bytes: its words as JSON, and its pictures as base64 text.
func BodyBytes(req providers.Request, bytes map[string]int64) (n int64) {
	for _, s := range req.System {
		n += jsonLen(s)
	}
	for _, t := range req.Tools {
		n += jsonLen(t.Description) + int64(len(t.Schema))
	}
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			n += blockBytes(b, bytes)
		}
		for _, r := range m.Results {
			n += jsonLen(r.Text)
			for _, p := range r.Pictures {
				n += blockBytes(p.Image, bytes)
			}
		}
	}
	return n
}
