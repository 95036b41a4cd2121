package agent

import (
	"espy/agent/message"
	"espy/agent/projection"
)

// Spent is what one model has taken in this session.
type Spent struct {
	Provider string
	Model    string
	Requests int
	Tasks    int      // of the requests, those that tasks made
	Input    int      // tokens read
	Cached   int      // of those, served from a prompt cache
	Written  int      // of those, written to a prompt cache
	Output   int      // tokens written
	Pictures int      // of the input, about how much was pictures: estimated, for a service does not say
	Cost     *float64 // US dollars; nil where a price is unknown
}

// Spending is what the session has taken, by model in the order they were first used.
func (a *Agent) Spending() (spent []Spent) {
	a.log.read(func(h *projection.History) { spent = spending(h.Records()) })
	return spent
}

func spending(records []message.Record) (spent []Spent) {
	at := make(map[string]int)
	for _, r := range records {
		u, ok := r.(message.UsageRecord)
		if !ok {
			continue
		}
		key := u.Provider + "\x00" + u.Model
		i, known := at[key]
		if !known {
			i = len(spent)
			at[key] = i
			spent = append(spent, Spent{Provider: u.Provider, Model: u.Model, Cost: new(float64)})
		}
		s := &spent[i]
		s.Requests++
		if u.Task != "" {
			s.Tasks++
		}
		s.Input += u.Usage.Input
		s.Cached += u.Usage.CacheRead
		s.Written += u.Usage.CacheWrite
		s.Output += u.Usage.Output
		s.Pictures += min(u.Pictures, u.Usage.Input)
		if u.Cost == nil || s.Cost == nil {
			s.Cost = nil
		} else {
			*s.Cost += *u.Cost
		}
	}
	return spent
}
