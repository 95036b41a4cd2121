package tools

import (
	"fmt"
	"strings"

	"espy/providers"
)

// Registry is the tools a session offers. It is built once and then only read.
type Registry struct {
	order []string
	tools map[string]Tool
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

// New registers tools in the order given. Of two with one name the first stays: an extension cannot take the
// place of a built-in tool.
func New(list ...Tool) *Registry {
	r := &Registry{tools: map[string]Tool{}}
	for _, t := range list {
		if _, taken := r.tools[t.Spec.Name]; taken {
			continue
		}
		r.order = append(r.order, t.Spec.Name)
		r.tools[t.Spec.Name] = t
	}
	return r
}

// Lookup finds a tool by its exact name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.tools[name]
	return t, ok
}

// Specs declares the tools to a model, always in the same order, so that a prompt cache holds.
func (r *Registry) Specs() []providers.ToolSpec {
	specs := make([]providers.ToolSpec, len(r.order))
	for i, name := range r.order {
		specs[i] = r.tools[name].Spec
	}
	return specs
}

// Nearest returns the tool whose name is most like name, "" where none is alike.
func (r *Registry) Nearest(name string) string { return nearest(name, r.order) }

// Missing is the sentence for a call of a tool that is not there.
func (r *Registry) Missing(name string) string {
	sentence := fmt.Sprintf("there is no tool called %s", quote(clip(name, 60)))
	if near := r.Nearest(name); near != "" {
		return sentence + "; did you mean " + near + "?"
	}
	return sentence + "; there are " + strings.Join(r.order, ", ") + "."
}
