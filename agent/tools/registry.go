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

	// ServerTools begins the names of the tools of servers, as in mcp__SERVER__TOOL.
	ServerTools = "mcp__"
)

// SourceServer is the source of a server's tools.
func SourceServer(name string) string { return serverPrefix + name }

// Registry is the tools a session offers. It is safe for use from several goroutines: servers come late, and files
// are read again while the session runs.
type Registry struct {
	mu      sync.RWMutex
	sources map[string][]Tool // in the order each source gave
	order   []string          // names, as models see them
	tools   map[string]Tool   // Deferred is decided
	digests map[string]string // by name, of what a tool says of itself
	always  []string          // declared from the start, whatever else holds
	defers  []string
	fixed   bool // nothing can come later
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
		jobsTool(),
		todoTool(),
		askTool(),
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

// Prefer says which tools the person wants declared from the start and which deferred, by name or with a * at the
// end. The former wins.
func (r *Registry) Prefer(always, deferred []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.always, r.defers = slices.Clone(always), slices.Clone(deferred)
	r.arrange()
}

// Fits reports whether a name, or a pattern with a * at its end, stands for the tool.
func Fits(pattern, tool string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(tool, prefix)
	}
	return pattern == tool
}

// Strays are the names given to Prefer that no tool fits although the server they name is there.
func (r *Registry) Strays() (strays []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for source := range r.sources {
		server, ok := strings.CutPrefix(source, serverPrefix)
		if !ok {
			continue
		}
		for _, pattern := range slices.Concat(r.always, r.defers) {
			fits := func(name string) bool { return Fits(pattern, name) }
			if strings.HasPrefix(pattern, ServerTools+server+"__") && !slices.ContainsFunc(r.order, fits) {
				strays = append(strays, pattern)
			}
		}
	}
	slices.Sort(strays)
	return strays
}

// deferred decides whether a tool waits to be loaded.
func (r *Registry) deferred(t Tool, large bool) bool {
	fits := func(pattern string) bool { return Fits(pattern, t.Spec.Name) }
	switch {
	case slices.ContainsFunc(r.always, fits):
		return false
	case slices.ContainsFunc(r.defers, fits):
		return true
	}
	return t.Deferred || large
}

// large reports whether a server brings so much that all of it is deferred.
func large(source string, list []Tool) bool {
	size := 0
	for _, t := range list {
		size += len(t.Spec.Name) + len(t.Spec.Description) + len(t.Spec.Schema)
	}
	return strings.HasPrefix(source, serverPrefix) && (len(list) > maxServerTools || size > maxServerBytes)
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
	r.order, r.tools, r.digests = nil, make(map[string]Tool), make(map[string]string)
	for _, s := range sources {
		large := large(s, r.sources[s])
		for _, t := range r.sources[s] {
			if _, taken := r.tools[t.Spec.Name]; taken || t.Spec.Name == LoadTools {
				continue
			}
			t.Deferred = r.deferred(t, large)
			r.digests[t.Spec.Name] = digestOf(t.Spec)
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
	only := New(slices.DeleteFunc(r.All(), func(t Tool) bool { return !slices.Contains(names, t.Spec.Name) })...)
	r.mu.RLock()
	defer r.mu.RUnlock()
	only.fixed, only.always, only.defers = true, r.always, r.defers // Deferred is decided already
	return only
}

// Undeferred declares every tool from the start. It is for what Only returned, before anybody else has it.
func (r *Registry) Undeferred() *Registry {
	for name, t := range r.tools {
		t.Deferred = false
		r.tools[name] = t
	}
	return r
}

// Specs is what Offer declares.
func (r *Registry) Specs() []providers.ToolSpec { return r.Offer().Specs }

// NearestOf is the one of some names that is most like a name, "" where none is alike.
func NearestOf(name string, names []string) string { return nearest(name, names) }

// Nearest is NearestOf the tools.
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
	names := r.names()
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return sentence + "; there are " + strings.Join(names, ", ") + "."
}
