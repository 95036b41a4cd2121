package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

// Names that others than the registry have to know.
const (
	LoadTools = "load_tools" // runs what is not declared
	ReadMedia = "read_media" // brings pictures back, and shows them closer
)

// Offer is what a model is told of the tools at one moment.
type Offer struct {
	Specs []providers.ToolSpec // declared; load_tools among them names the rest
	Known map[string]string    // every tool by name, declared or not, with a digest of what it says of itself
}

// Declares reports whether a tool is in the list that is declared.
func (o Offer) Declares(name string) bool {
	return slices.ContainsFunc(o.Specs, func(s providers.ToolSpec) bool { return s.Name == name })
}

// Offer declares the tools that are not deferred and those in front, always in the same order; the others are a
// line each in the description of load_tools.
func (r *Registry) Offer(front ...string) Offer {
	r.mu.RLock()
	defer r.mu.RUnlock()
	offer := Offer{Known: make(map[string]string, len(r.order))}
	var rest []Tool
	for _, name := range r.order {
		t := r.tools[name]
		offer.Known[name] = r.digests[name]
		if t.Deferred && !slices.Contains(front, name) {
			rest = append(rest, t)
		} else {
			offer.Specs = append(offer.Specs, t.Spec)
		}
	}
	if len(rest) > 0 || !r.fixed {
		offer.Specs = append(offer.Specs, loadSpec(rest))
	}
	return offer
}

// Known is Offer().Known.
func (r *Registry) Known() map[string]string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	known := make(map[string]string, len(r.digests))
	for name, digest := range r.digests {
		known[name] = digest
	}
	return known
}

func digestOf(s providers.ToolSpec) string {
	sum := sha256.Sum256([]byte(s.Name + "\x00" + s.Description + "\x00" + s.Schema))
	return hex.EncodeToString(sum[:8])
}

// loadSpec declares load_tools. Arguments are an object of any shape, which the tool that is meant checks.
func loadSpec(deferred []Tool) providers.ToolSpec {
	text, err := descriptions.ReadFile(LoadTools + ".md")
	if err != nil {
		panic("tools: " + LoadTools + " has no description: " + err.Error())
	}
	about := strings.TrimSpace(string(text))
	if len(deferred) > 0 {
		about += "\n\nThere are (`?` marks what may be left out):\n" + Lines(deferred)
	}
	return providers.ToolSpec{Name: LoadTools, Description: about, Schema: `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The tool's name, or words to look for."},` +
		`"args":{"type":"object","description":"The tool's arguments. With them it runs at once."}},"required":["name"]}`}
}

// Lines are tools in a line each: name, argument shape, and the first sentence of the description.
func Lines(list []Tool) string {
	var b strings.Builder
	for i, t := range list {
		line := fmt.Sprintf("- %s %s: %s\n", t.Spec.Name, clip(shapeOf(t.Spec.Schema), maxShapeBytes), firstSentence(t.Spec.Description))
		if i == maxListed || b.Len()+len(line) > maxListedBytes {
			fmt.Fprintf(&b, "- and %d more: look for one with words\n", len(list)-i)
			break
		}
		b.WriteString(line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// News are tools that came or changed: a line each for those that are deferred, and their whole description, within
// bounds, for those that will be declared.
func News(list []Tool) string {
	var parts []string
	for _, t := range list {
		part := Lines([]Tool{t})
		if !t.Deferred {
			part = fmt.Sprintf("- %s %s: %s", t.Spec.Name, clip(shapeOf(t.Spec.Schema), maxShapeBytes), clip(strings.TrimSpace(t.Spec.Description), maxNewsBytes))
		}
		parts = append(parts, part)
	}
	if more := len(parts) - maxListed; more > 0 {
		parts = append(parts[:maxListed], fmt.Sprintf("- and %d more: look for one with words", more))
	}
	return clip(strings.Join(parts, "\n"), maxListedBytes)
}

// firstSentence is the beginning of a description on one line.
func firstSentence(about string) string {
	line := strings.Join(strings.Fields(about), " ")
	if first, _, more := strings.Cut(line, ". "); more {
		line = first
	}
	return strings.TrimSuffix(clip(line, maxAboutBytes), ".")
}

// Reached is what a call comes to.
type Reached struct {
	Tool  Tool
	Call  message.ToolCall // as Tool takes it
	Loads []string         // deferred tools that the model knows whole, or nearly so, from now on
}

// Reach finds the tool a call is for. A call of load_tools with arguments is the call of the tool it names, in
// everything that follows; without them it is a reading of descriptions. An error is a sentence for the model.
func (r *Registry) Reach(call message.ToolCall) (Reached, error) {
	if call.Name != LoadTools {
		t, ok := r.Lookup(call.Name)
		if !ok {
			return Reached{}, mistakef("%s", r.Missing(call.Name))
		}
		return reached(t, call), nil
	}
	want, err := readLoad(call.Args)
	if err != nil {
		return Reached{}, err
	}
	if t, ok := r.Lookup(want.name); ok && want.args != "" {
		return reached(t, want.inner(call, want.name)), nil
	}
	found := r.find(want.name)
	switch {
	case len(found) == 0:
		return Reached{}, mistakef("%s: %s", LoadTools, r.Missing(want.name))
	case len(found) == 1 && want.args != "" && found[0].ReadOnly:
		// Words that lead to one tool that only looks: to run it is what was meant, and asking back would cost a
		// round trip. What changes something has to be called by its name.
		return reached(found[0], want.inner(call, found[0].Spec.Name)), nil
	}
	return loading(call, found, want.args != ""), nil
}

func reached(t Tool, call message.ToolCall) Reached {
	out := Reached{Tool: t, Call: call}
	if t.Deferred {
		out.Loads = []string{t.Spec.Name}
	}
	return out
}

// Meant is a call as it is to be shown: one that runs another tool through load_tools reads as that tool's.
func Meant(call message.ToolCall) message.ToolCall {
	if call.Name != LoadTools {
		return call
	}
	want, err := readLoad(call.Args)
	if err != nil || want.args == "" {
		return call
	}
	return want.inner(call, want.name)
}

// wanted are the arguments of load_tools. Args is the inner tool's argument text, exactly as written; "" where
// there is none.
type wanted struct{ name, args string }

func (w wanted) inner(call message.ToolCall, name string) message.ToolCall {
	return message.ToolCall{ID: call.ID, Name: name, Args: w.args, Opaque: call.Opaque}
}

// readLoad reads the arguments of load_tools. Two kindnesses: arguments written as a JSON text count, and so do
// those that stand beside the name instead of in args.
func readLoad(text string) (w wanted, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return w, mistakef(`%s: the arguments are not a JSON object (%v). Expected: {"name": string, "args"?: object}`, LoadTools, err)
	}
	if json.Unmarshal(fields["name"], &w.name) != nil || strings.TrimSpace(w.name) == "" {
		return w, mistakef(`%s: "name" is missing. Expected: {"name": string, "args"?: object}`, LoadTools)
	}
	w.name = strings.TrimSpace(w.name)
	args, given := fields["args"]
	delete(fields, "name")
	delete(fields, "args")
	if !given && len(fields) > 0 {
		if args, err = json.Marshal(fields); err != nil {
			return w, mistakef("%s: %v", LoadTools, err)
		}
	}
	w.args = strings.TrimSpace(string(args))
	if w.args == "null" {
		w.args = ""
	}
	var asText string
	if json.Unmarshal(args, &asText) == nil {
		w.args = strings.TrimSpace(asText)
	}
	return w, nil
}

// loading is the call that answers with descriptions and schemas.
func loading(call message.ToolCall, found []Tool, argsGiven bool) Reached {
	out := Reached{Call: call}
	var names []string
	var b strings.Builder
	if argsGiven {
		b.WriteString("Nothing was run, because the name is no tool's. Found instead:\n\n")
	}
	for _, t := range found {
		names = append(names, t.Spec.Name)
		if t.Deferred {
			out.Loads = append(out.Loads, t.Spec.Name)
		}
		fmt.Fprintf(&b, "# %s\n%s\n\nArguments, as JSON Schema:\n%s\n\n", t.Spec.Name, t.Spec.Description, t.Spec.Schema)
	}
	fmt.Fprintf(&b, `Run it with %s {"name": %s, "args": {…}}, or call it by its own name.`, LoadTools, quote(names[0]))
	what := strings.Join(names, ", ")
	out.Tool = Tool{
		Spec:     loadSpec(nil),
		ReadOnly: true,
		Effect: func(*Env, string) (guard.Effect, error) {
			return guard.Effect{Tool: LoadTools, Kind: guard.KindNone, Summary: "load " + what}, nil
		},
		Run: func(context.Context, *Env, message.ToolCall) (Outcome, error) {
			out := answer(b.String(), message.MetaSummary, "loaded "+what)
			out.Result.CallID = call.ID
			return out, nil
		},
	}
	return out
}
