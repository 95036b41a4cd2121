package agent

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/providers"
)

// taskPlan is a call of the task tool, checked against the settings.
type taskPlan struct {
	title    string
	prompt   string
	route    providers.Route
	named    bool // the settings or the session speak of the route; any other is the model's own idea
	effort   string
	tools    *tools.Registry
	pictures []string
	maxTurns int
	maxCost  float64
	connect  func(blobs providers.Blobs) func(providers.Route) (providers.Provider, error)
}

// planTask checks what a call asks for. Its errors are sentences for the model.
func (a *Agent) planTask(r tools.TaskRequest) (taskPlan, error) {
	opt := a.opt.Tasks()
	p := taskPlan{title: taskTitle(r), prompt: strings.ToValidUTF8(r.Prompt, "\uFFFD"), pictures: r.Pictures, connect: opt.Connect,
		maxTurns: lower(a.opt.MaxTurns, lower(r.MaxTurns, orDefault(opt.MaxTurns, defaultTaskTurns))), maxCost: lower(r.MaxCost, opt.MaxCost)}
	var err error
	if p.route, p.named, err = a.taskRoute(opt, r.Model); err != nil {
		return p, err
	}
	if p.route.Name() == a.chosen().Name() {
		p.effort = a.effortNow()
	}
	if p.tools, err = a.taskTools(r.Tools); err != nil {
		return p, err
	}
	if len(r.Pictures) > mostTaskPictures {
		return p, tools.Mistake(fmt.Sprintf("task: %d pictures are too many for one task, which takes %d", len(r.Pictures), mostTaskPictures))
	}
	if err := providers.CheckImages(p.route, make([]message.Image, len(r.Pictures))); err != nil {
		return p, tools.Mistake("task: " + err.Error())
	}
	if err := providers.CheckCapabilities(p.route, providers.Needs{Tools: len(p.tools.All()) > 0}); err != nil {
		return p, tools.Mistake("task: " + err.Error() + ", or give it no tools: \"tools\": []")
	}
	return p, nil
}

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// lower is the narrower of two bounds, of which 0 is none.
func lower[N int | float64](a, b N) N {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// taskTitle is a task's title for one line of the screen.
func taskTitle(r tools.TaskRequest) string {
	title := guard.Printable(strings.Join(strings.Fields(strings.ToValidUTF8(r.Description, "")), " "))
	if title == "" {
		title = "task"
	}
	return clipRunes(title, taskTitleRunes)
}

func clipRunes(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// taskRoute finds what a task runs on: what the call names, a short name of the settings first, else what the settings
// say, else what the session runs on.
func (a *Agent) taskRoute(opt TaskOptions, name string) (route providers.Route, named bool, err error) {
	wanted := name
	if wanted == "" {
		wanted = opt.Model
	}
	if full, ok := opt.Models[wanted]; ok {
		wanted = full
	}
	chosen := a.chosen()
	if wanted == "" || wanted == chosen.Name() {
		return a.Route(), true, nil
	}
	if route, err = opt.Find(wanted); err != nil {
		return route, false, tools.Mistake("task: " + err.Error() + shortNames(opt.Models))
	}
	if !route.Server.Usable() {
		return route, false, tools.Mistake(fmt.Sprintf("task: there is no key for %s; leave model out, or name another", route.Server.Name))
	}
	named = name == "" || wanted == opt.Model || slices.Contains(slices.Collect(maps.Values(opt.Models)), wanted)
	a.log.read(func(h *projection.History) { route = h.Sighted(route) })
	return route, named, nil
}

func shortNames(models map[string]string) string {
	if len(models) == 0 {
		return "; leave model out to use the one you run on"
	}
	return "; the settings have " + strings.Join(slices.Sorted(maps.Keys(models)), ", ")
}

// taskTools are the tools a task gets. Asked for by name, each has to be there.
func (a *Agent) taskTools(wanted []string) (*tools.Registry, error) {
	var names []string
	for _, t := range a.opt.Tools.All() {
		if !slices.Contains(tools.NotForTasks(), t.Spec.Name) {
			names = append(names, t.Spec.Name)
		}
	}
	if wanted == nil {
		return a.opt.Tools.Only(names...), nil
	}
	offered := a.opt.Tools.Only(names...)
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return name == tools.LoadTools }) // it comes with what is deferred
	for _, name := range wanted {
		if slices.Contains(tools.NotForTasks(), name) {
			return nil, tools.Mistake("task: no task has the tool " + name + "; it starts no tasks and speaks to nobody")
		}
		if _, ok := offered.Lookup(name); !ok {
			return nil, tools.Mistake("task: " + offered.Missing(name))
		}
	}
	return offered.Only(wanted...).Undeferred(), nil
}

// TaskEffect implements tools.Tasks. A task does nothing itself: what its calls would do is asked about when they come.
// Pictures are read as the session's tools read them, and a model that neither the person nor the settings chose is a
// host the conversation would newly talk to.
func (ts *tasks) TaskEffect(r tools.TaskRequest) (guard.Effect, error) {
	p, err := ts.agent.planTask(r)
	if err != nil {
		return guard.Effect{}, err
	}
	effect := guard.Effect{Kind: guard.KindNone, Summary: "task " + p.title, Preview: "on " + p.route.Name() + "\n\n" + p.prompt}
	for _, name := range r.Pictures {
		if !strings.HasPrefix(name, "blob:") {
			effect.Paths = append(effect.Paths, name)
			effect.Kind = guard.KindRead
		}
	}
	if !p.named {
		effect.Kind, effect.Host = guard.KindNet, routeHost(p.route)
		effect.Summary = "task " + p.title + " on " + p.route.Name()
	}
	return effect, nil
}

// routeHost is what a route talks to, for the guard and the person.
func routeHost(r providers.Route) string {
	if u, err := url.Parse(r.Server.BaseURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return r.Server.Name
}
