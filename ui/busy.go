package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/spinner"

	"espy/agent"
	"espy/agent/message"
	"espy/agent/projection"
)

// turn is what is known of the turn that runs: since when, at what, and what it has read and written.
type turn struct {
	doing    string   // of the model: "thinking"
	activity string   // of espy itself, which stands before what the model or a call does
	running  []string // the calls that run or wait, by id
	stopping bool

	asking  bool // a request is under way
	guessed bool // some of what follows was estimated because the provider reported nothing
	in, out int  // tokens of the requests that were answered
	written int  // of the answer being written, estimated
}

// follow keeps up with the turn. What it is at is worded here, once, for the line over the composer.
func (s *session) follow(e agent.Event) {
	t := &s.turn
	switch e := e.(type) {
	case agent.TurnStarted:
		*t = turn{doing: s.waitingFor(), asking: true}
	case agent.TextDelta:
		t.doing, t.activity, t.written = "writing", "", t.written+projection.EstimateText(e.Text)
	case agent.ThinkingDelta:
		t.doing, t.activity, t.written = "thinking", "", t.written+projection.EstimateText(e.Text)
	case agent.CallDelta:
		if e.Name != "" {
			t.doing = "writing a call of " + flat(e.Name)
		}
		t.activity, t.written = "", t.written+e.Tokens
	case agent.AnswerRestarted:
		t.doing, t.written = s.waitingFor(), 0
	case agent.AnswerDone:
		t.answered(e.Message.Usage, s.meter.Context)
	case agent.CallStarted:
		t.activity, t.running = "", append(t.running, e.Call.ID)
		t.asking = false
	case agent.CallFinished:
		t.running = slices.DeleteFunc(t.running, func(id string) bool { return id == e.Call.ID })
		if t.activity = ""; len(t.running) == 0 {
			t.doing, t.asking = s.waitingFor(), e.Call.ID != agent.TypedCall
		}
	case agent.UsageChanged:
		if e.Task != "" {
			t.in, t.out = t.in+e.Usage.Input, t.out+e.Usage.Output
		}
	case agent.Activity:
		t.activity = flat(e.Text)
	case agent.TurnEnded:
		*t = turn{}
	}
}

func (s *session) waitingFor() string { return "waiting for " + s.modelName() }

// answered counts an answer: what was reported of it, else what was estimated.
func (t *turn) answered(u *message.Usage, context int) {
	if u != nil {
		t.in, t.out = t.in+u.Input, t.out+u.Output
	} else if t.asking {
		t.in, t.out, t.guessed = t.in+context, t.out+t.written, true
	}
	t.asking, t.written = false, 0
}

// doing is what the turn is at, in a few words.
func (s *session) doing(now time.Time) string {
	t := &s.turn
	wait := s.retry.Sub(now)
	switch {
	case t.stopping:
		return "stopping"
	case wait > 0:
		return "tries again in " + wholeSeconds(wait.Round(time.Second))
	case t.activity != "":
		return t.activity
	case len(t.running) == 0:
		return t.doing
	}
	what := "running a tool"
	if c, _ := s.call(t.running[0]); c != nil {
		what = c.doing()
	}
	if more := len(t.running) - 1; more > 0 {
		what += " and " + amount(more, "more call")
	}
	return what
}

// doing is what a running call is at: "running go test ./...".
func (c *call) doing() string {
	verb := map[string]string{"shell": "running", "read": "reading", "read_media": "looking at", "write": "writing", "edit": "editing",
		"grep": "searching for", "glob": "looking for", "fetch": "fetching"}[c.call.Name]
	if c.task != nil && c.task.state.Doing != "" {
		return flat(c.summary) + ": " + flat(c.task.state.Doing)
	}
	if verb == "" || c.call.Args == "" {
		return flat(c.summary)
	}
	return verb + " " + flat(oneLine(gist(c.call.Args)))
}

// tokens is what the turn has read and written so far; a tilde says that part of it is an estimate.
func (s *session) tokens() []string {
	t := &s.turn
	in, out, about := t.in, t.out+t.written, ""
	if t.asking {
		in += s.meter.Context
	}
	if t.guessed || t.asking {
		about = "~"
	}
	var parts []string
	if in > 0 {
		parts = append(parts, about+thousands(in)+" in")
	}
	if out > 0 {
		parts = append(parts, about+thousands(out)+" out")
	}
	return parts
}

// pulse is what the line over the composer says while a turn runs. It is taken anew a few times a second, however
// fast events come, and what stands in it keeps its width, so that the line can be read in peace.
type pulse struct {
	doing  string
	facts  []string // time, tokens in, tokens out
	widths [3]int
	talk   time.Time // the turn it is of
}

// sample takes the pulse.
func (m *model) sample() {
	p, s, now := &m.pulse, &m.talk, m.o.Clock()
	if !s.busy {
		*p = pulse{}
		return
	}
	if p.talk != s.started {
		*p = pulse{talk: s.started}
	}
	p.doing = s.doing(now)
	p.facts = append(p.facts[:0], wholeSeconds(max(now.Sub(s.started), 0)))
	p.facts = append(p.facts, s.tokens()...)
	for i, fact := range p.facts {
		p.widths[i] = max(p.widths[i], cellsOf(fact))
		p.facts[i] = strings.Repeat(" ", p.widths[i]-cellsOf(fact)) + fact
	}
}

// leastDoing is how many columns what the turn is at is given before facts are left out.
const leastDoing = 14

// busyParts are the two ends of the line over the composer, at most width columns together: what the turn is at, and
// how long and how much.
func (m *model) busyParts(width int) (doing, facts string) {
	doing = m.spinner() + " " + m.pulse.doing
	stops := m.keys.key(actInterrupt) + " interrupts"
	if m.offersBackground() {
		all := strings.Join(append(slices.Clone(m.pulse.facts), m.keys.key(actBackground)+" background", stops), " · ")
		if cellsOf(doing)+cellsOf(all) <= width {
			return doing, all
		}
	}
	least := min(cellsOf(doing), leastDoing)
	for _, parts := range [][]string{append(slices.Clone(m.pulse.facts), stops), {m.pulse.fact(0), stops}, {m.pulse.fact(0)}} {
		if facts = strings.Join(nonEmpty(parts), " · "); least+cellsOf(facts) <= width {
			break
		}
		facts = ""
	}
	return cut(doing, width-cellsOf(facts)), facts
}

func (p *pulse) fact(i int) string {
	if i < len(p.facts) {
		return p.facts[i]
	}
	return ""
}

func (m *model) spinner() string {
	frames := spinner.MiniDot.Frames
	return frames[m.spin%len(frames)]
}
