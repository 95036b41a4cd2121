package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"espy/providers"
)

// Where tools come from. Of two tools with one name that of the earlier source stays: an extension cannot take the
// place of a built-in tool, nor a server that of a tool the person wrote.
const (
	SourceBuiltin = ""
	SourceFiles   = "files"
	serverPrefix  = "mcp:"
)

// SourceServer is the source of a server's tools.
func SourceServer(name string) string { return serverPrefix + name }

// Registry is the tools a session offers. It is safe for use from several goroutines: servers come late, and files
// are read again while the session runs.
type Registry struct {
	mu      sync.RWMutex
	sources map[string][]Tool // in the order each source gave
	order   []string          // names, as models see them
	tools   map[string]Tool
}

// Builtin returns espy's own tools in the order models see them.
func Builtin() []Tool {
	return []Tool{
		readTool(),
		readMediaTool(),
		globTool(),
		grepTool(),
		editTool(),
		writeTool(),
		shellTool(),
		exitPlanTool(),
	}
}

// New registers tools under their own sources, in the order given.
func New(list ...Tool) *Registry {
	r := &Registry{sources: make(map[string][]Tool)}
	for _, t := range list {
		r.sources[t.Source] = append(r.sources[t.Source], t)
	}
	r.arrange()
	return r
}

// Replace swaps every tool of one source for these; none takes the source away. The list is not kept.
func (r *Registry) Replace(source string, list []Tool) {
	own := slices.Clone(list)
	for i := range own {
		own[i].Source = source
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources[source] = own
	if len(own) == 0 {
		delete(r.sources, source)
	}
	r.arrange()
}

// arrange puts the sources together: built in, from files, then servers by name. Of one name the first stays.
func (r *Registry) arrange() {
	sources := make([]string, 0, len(r.sources))
	for s := range r.sources {
		sources = append(sources, s)
	}
	slices.SortFunc(sources, func(a, b string) int {
		return cmp.Or(cmp.Compare(precedence(a), precedence(b)), cmp.Compare(a, b))
	})
	r.order, r.tools = nil, make(map[string]Tool)
	for _, s := range sources {
		for _, t := range r.sources[s] {
			if _, taken := r.tools[t.Spec.Name]; taken {
				continue
			}
			r.order = append(r.order, t.Spec.Name)
			r.tools[t.Spec.Name] = t
		}
	}
}

func precedence(source string) int {
	switch source {
	case SourceBuiltin:
		return 0
	case SourceFiles:
		return 1
	}
	return 2
}

// Lookup finds a tool by its exact name, deferred or not.
func (r *Registry) Lookup(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.tools[name]
	return t, ok
}

// All are the tools as they stand, in the order models see them.
func (r *Registry) All() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]Tool, len(r.order))
	for i, name := range r.order {
		all[i] = r.tools[name]
	}
	return all
}

// Only is a registry of those of the tools, as they stand now, that have these names. What is replaced here later
// does not change it.
func (r *Registry) Only(names ...string) *Registry {
	return New(slices.DeleteFunc(r.All(), func(t Tool) bool { return !slices.Contains(names, t.Spec.Name) })...)
}

// Specs declares the tools to a model, always in the same order, so that a prompt cache holds.
func (r *Registry) Specs() []providers.ToolSpec {
	all := r.All()
	specs := make([]providers.ToolSpec, len(all))
	for i, t := range all {
		specs[i] = t.Spec
	}
	return specs
}

// Nearest returns the tool whose name is most like name, "" where none is alike.
func (r *Registry) Nearest(name string) string { return nearest(name, r.names()) }

func (r *Registry) names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.order)
}

// Missing is the sentence for a call of a tool that is not there.
func (r *Registry) Missing(name string) string {
	sentence := fmt.Sprintf("there is no tool called %s", quote(clip(name, 60)))
	if near := r.Nearest(name); near != "" {
		return sentence + "; did you mean " + near + "?"
	}
	return sentence + "; there are " + strings.Join(r.names(), ", ") + "."
}
