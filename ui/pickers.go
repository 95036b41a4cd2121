package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/guard"
	"espy/providers"
	"espy/store"
)

// panelReady brings a panel whose contents had to be fetched.
type panelReady struct{ dialog *dialog }

// switched brings another conversation.
type switched struct {
	conv Conversation
	left aside
	err  error
}

// confirm asks for one thing and does it on yes only.
func confirm(title string, words []string, yes string, do func()) *dialog {
	d := newPicker(title, []choice{{label: "no, leave it"}, {label: yes, value: true}}, func(c choice, _ string) tea.Cmd {
		if c.value == true {
			do()
		}
		return nil
	})
	d.filters = false
	d.body = func(width int) []string { return wrapAll(words, width) }
	return d
}

func wrapAll(words []string, width int) []string {
	var lines []string
	for _, w := range words {
		lines = append(lines, wrap(safe(w), width)...)
	}
	return lines
}

func (m *model) runModel(args string) tea.Cmd {
	if args == "" {
		return m.pickModel()
	}
	if m.o.Models == nil {
		return m.missing()
	}
	return m.work.do(func(context.Context) tea.Msg { return routeNamed{args, m.o.Models()} })
}

// routeNamed brings the known models for a name that was typed.
type routeNamed struct {
	name   string
	routes []providers.Route
}

func (m *model) onRouteNamed(r routeNamed) {
	for _, route := range r.routes {
		if route.Name() == r.name || route.Model.ID == r.name {
			m.takeRoute(route)
			return
		}
	}
	if m.o.Model == nil || !strings.Contains(r.name, "/") || strings.ContainsAny(r.name, " \t\n") {
		m.say(fmt.Sprintf("there is no model %q here; /model lists those there are", flat(r.name)), true)
		return
	}
	route, err := m.o.Model(r.name) // a person's own server may serve what no list knows
	if err != nil {
		m.say(err.Error(), true)
		return
	}
	m.takeRoute(route)
}

// pickModel lists the models, those that can be used now first, those that cannot see marked, and prices what is on
// the row on each. Servers are asked meanwhile, and what they say joins the list while it is open.
func (m *model) pickModel() tea.Cmd {
	if m.o.Models == nil {
		return m.missing()
	}
	d := newPicker("model", nil, func(c choice, _ string) tea.Cmd {
		return m.takeRoute(c.value.(providers.Route))
	})
	return m.listModels(d, nil)
}

// modelsListed brings the choices of a list of models, before the servers were asked or after.
type modelsListed struct {
	list    *dialog
	choices []choice
	asked   bool
}

// listModels makes the choices beside the screen, after asking where ask is set.
func (m *model) listModels(d *dialog, ask func(context.Context)) tea.Cmd {
	now, row, models := m.talk.route.Name(), m.row, m.o.Models
	return m.work.do(func(ctx context.Context) tea.Msg {
		if ask != nil {
			ask(ctx)
		}
		return modelsListed{d, modelChoices(models(), now, &row), ask != nil}
	})
}

func (m *model) onModelsListed(l modelsListed) tea.Cmd {
	switch {
	case !l.asked:
		l.list.choices = l.choices
		l.list.start()
		m.dialog = l.list
		if m.o.Ask == nil {
			return nil
		}
		l.list.extra = "asking servers what they serve…"
		return m.listModels(l.list, m.o.Ask)
	case m.dialog == l.list:
		l.list.extra = ""
		l.list.refill(l.choices)
	}
	return nil
}

func modelChoices(routes []providers.Route, now string, row *row) []choice {
	slices.SortStableFunc(routes, func(a, b providers.Route) int {
		switch {
		case a.Server.Usable() == b.Server.Usable():
			return 0
		case a.Server.Usable():
			return -1
		}
		return 1
	})
	choices := make([]choice, len(routes))
	for i, r := range routes {
		choices[i] = choice{label: r.Name(), about: aboutRoute(r, row), value: r, mark: r.Name() == now}
	}
	return choices
}

// takeRoute goes on with a model; where its provider has no key, that is asked for first.
func (m *model) takeRoute(r providers.Route) tea.Cmd {
	if !r.Server.Usable() && m.o.KeepKey != nil {
		m.dialog = m.keyDialog(r.Server, r.Name())
		return nil
	}
	m.conv.Loop.Send(agent.SetRoute{Route: r})
	return nil
}

func aboutRoute(r providers.Route, row *row) string {
	sight := map[providers.Capability]string{providers.Supported: "sees", providers.Unsupported: "blind"}[r.Model.ImageInput]
	if sight == "" {
		sight = "may see"
	}
	parts := []string{sight}
	if !r.Server.Usable() {
		parts = append(parts, "needs "+r.Server.KeyEnv+" or a key typed here")
	}
	if r.Model.ContextWindow > 0 {
		parts = append(parts, thousands(r.Model.ContextWindow)+" window")
	}
	if p := r.Model.Price; p != nil {
		parts = append(parts, fmt.Sprintf("$%g in, $%g out a million", p.Input, p.Output))
	}
	if e := r.Model.Efforts; len(e) > 1 {
		parts = append(parts, "effort "+e[0]+" to "+e[len(e)-1])
	}
	total := 0
	for _, a := range row.pictures {
		total += row.tokens(r, a.Image.Width, a.Image.Height)
	}
	if total > 0 && r.Sees() {
		parts = append(parts, "pictures here "+grouped(total)+" tok")
	}
	return strings.Join(parts, " · ")
}

func (m *model) modelNames() []string {
	if m.o.Models == nil {
		return nil
	}
	return m.names
}

// efforts are what /effort takes: the model's own words, and none of them.
func (m *model) efforts() []string {
	known := m.talk.route.Model.Efforts
	if len(known) == 0 && m.talk.effort == "" {
		return nil
	}
	return append(slices.Clone(known), agent.DefaultEffort)
}

func (m *model) runEffort(args string) tea.Cmd {
	known := m.efforts()
	take := func(effort string) { m.conv.Loop.Send(agent.SetRoute{Route: m.talk.route, Effort: effort}) }
	switch {
	case len(known) == 0:
		m.say(m.modelName()+" has no reasoning effort to set", true)
	case args == "":
		now := m.talk.effort
		if now == "" {
			now = agent.DefaultEffort
		}
		m.dialog = newPicker("reasoning effort", namedChoices(known, now), func(c choice, _ string) tea.Cmd {
			take(c.label)
			return nil
		})
	case !slices.Contains(known, args):
		m.say(fmt.Sprintf("%s knows the efforts %s, not %q", m.modelName(), strings.Join(known, ", "), flat(args)), true)
	default:
		take(args)
	}
	return nil
}

func (m *model) modelName() string { return m.talk.modelName() }

func namedChoices(names []string, now string) []choice {
	out := make([]choice, len(names))
	for i, n := range names {
		out[i] = choice{label: n, mark: n == now}
	}
	return out
}

func (m *model) pickMode() {
	choices := namedChoices(modeNames(m), string(m.talk.mode))
	for i, about := range []string{"reads only", "reads run, everything else asks", "edits here and allowed commands run", "nothing asks"} {
		choices[i].about = about
	}
	m.dialog = newPicker("permission mode", choices, func(c choice, _ string) tea.Cmd {
		m.dialog = nil
		m.setMode(guard.Mode(c.label))
		return nil
	})
}

func (m *model) runNew(args string) tea.Cmd { return m.runClear(args) }

func (m *model) runResume(args string) tea.Cmd {
	if m.o.Open == nil {
		return m.missing()
	}
	if args == "" {
		return m.pickSession()
	}
	return m.switchTo(func(ctx context.Context) (Conversation, error) { return m.o.Open(ctx, args) })
}

// switchTo saves the draft of this session and takes another up.
func (m *model) switchTo(open func(context.Context) (Conversation, error)) tea.Cmd {
	if len(m.jobs) > 0 || m.moving {
		m.say("wait until everything is attached, or press "+m.keys.key(actInterrupt), false)
		return nil
	}
	m.say("opening…", false)
	state, in, left := m.draftState(), m.conv.Intake, aside{m.comp.buf, m.row.pictures}
	if m.conv.ReadOnly != nil { // it keeps no draft: what is typed goes along
		left = aside{buf: newBuffer()}
	} else {
		m.comp.buf, m.row.pictures = newBuffer(), nil // what is typed from now on goes along
	}
	m.moving, m.draft.loaded = true, false
	return m.work.do(func(ctx context.Context) tea.Msg {
		in.SaveDraft(state.encode())
		conv, err := open(ctx)
		return switched{conv, left, err}
	})
}

// aside is what was unsent in the session that is left.
type aside struct {
	buf      buffer
	pictures []agent.Attachment
}

func (m *model) onSwitched(s switched) tea.Cmd {
	m.moving = false
	if s.err != nil {
		m.left = leftSession{}
		m.say(s.err.Error(), true)
		if held := new(store.InUseError); errors.As(s.err, &held) {
			m.say("", false)
			m.dialog = m.heldDialog(held)
		}
		m.draft.loaded = true
		typed := m.comp.buf.lines
		m.comp.buf = s.left.buf
		m.comp.buf.textEnd()
		m.comp.buf.append(typed)
		m.row.pictures = append(s.left.pictures, m.row.pictures...)
		return nil
	}
	m.begin(s.conv)
	m.say(m.left.sentence(), false)
	m.left = leftSession{}
	return tea.Batch(m.next(), m.loadDraft())
}

func (m *model) pickSession() tea.Cmd {
	if m.o.Sessions == nil || m.o.Open == nil {
		return m.missing()
	}
	now, id := m.o.Clock(), m.talk.id
	return m.work.do(func(ctx context.Context) tea.Msg {
		list, err := m.o.Sessions(ctx)
		if err != nil {
			return sentence{err.Error(), true}
		}
		if len(list) == 0 {
			return sentence{"there is no earlier session here", false}
		}
		return panelReady{newPicker("session", sessionChoices(list, id, now), func(c choice, _ string) tea.Cmd {
			if c.value == id {
				return nil
			}
			return m.runResume(c.value.(string))
		})}
	})
}

func sessionChoices(list []store.Summary, id string, now time.Time) []choice {
	out := make([]choice, len(list))
	for i, s := range list {
		title := flat(s.Title)
		if title == "" {
			title = "untitled"
		}
		about := []string{ago(now.Sub(s.Updated)), amount(s.Messages, "message")}
		if s.Pictures > 0 {
			about = append(about, amount(s.Pictures, "picture"))
		}
		out[i] = choice{label: title, about: strings.Join(append(about, shortSession(s.ID)), " · "), value: s.ID, mark: s.ID == id}
	}
	return out
}

// ago is "5 minutes ago".
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return amount(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return amount(int(d.Hours()), "hour") + " ago"
	}
	return amount(int(d.Hours()/24), "day") + " ago"
}

// searchHistory finds what was sent before by its letters.
func (m *model) searchHistory() {
	if len(m.comp.past) == 0 {
		m.say("nothing was sent yet", false)
		return
	}
	choices := make([]choice, 0, len(m.comp.past))
	for i := len(m.comp.past) - 1; i >= 0; i-- {
		choices = append(choices, choice{label: head(flat(head(m.comp.past[i].Text, 4000)), 300), about: pastPictures(m.comp.past[i]), value: i})
	}
	m.dialog = newPicker("sent before", choices, func(c choice, _ string) tea.Cmd {
		m.comp.at(c.value.(int))
		return m.recallHere()
	})
}
