package agent

import (
	"fmt"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

// meter says what the session has used and what the next request takes.
func (a *Agent) meter() Meter {
	route := a.Route()
	m := Meter{Window: route.Model.ContextWindow, Size: a.size(a.build(route), route)}
	m.Context = m.Size.Total()
	a.log.read(func(h *projection.History) {
		usage, cost := h.Usage()
		m.Input, m.Output, m.Cached, m.Written, m.Cost = usage.Input, usage.Output, usage.CacheRead, usage.CacheWrite, cost
	})
	return m
}

// picturesInContext counts the pictures of the conversation, seen or withheld.
func (a *Agent) picturesInContext() (n int) {
	a.log.read(func(h *projection.History) {
		for _, m := range h.Conversation().Messages {
			n += len(m.Images())
		}
	})
	return n
}

// perMillion is how many tokens a price is for.
const perMillion = 1e6

// costOf prices one request in US dollars; nil where the price is unknown. Tokens read from and written to a
// prompt cache have prices of their own; where the row has none they cost what other input costs.
func costOf(route providers.Route, u message.Usage) *float64 {
	p := route.Model.Price
	if p == nil {
		return nil
	}
	rate := func(own float64) float64 {
		if own > 0 {
			return own
		}
		return p.Input
	}
	plain := max(u.Input-u.CacheRead-u.CacheWrite, 0)
	cost := (float64(plain)*p.Input + float64(u.CacheRead)*rate(p.CacheRead) + float64(u.CacheWrite)*rate(p.CacheWrite) + float64(u.Output)*p.Output) / perMillion
	return &cost
}

// plural writes "1 picture" or "3 pictures".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
