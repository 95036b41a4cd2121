package agent

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/providers"
)

// The tool list stands first in what a prompt cache holds, so it changes only at declared steps: where a session
// begins, where the system text or the model changes, and where what was sent is rewritten anyhow (something was
// elided, evicted, left out or summarised). What is loaded in between is in the list from the next step on; what
// comes, changes or goes in between is told in a note.

// offer is the tool list as a step would declare it: with what the conversation has used, and with read_media where
// there are pictures to look at.
func (a *Agent) offer(h *projection.History, pictures bool) tools.Offer {
	front := h.Loaded()
	if (pictures || len(h.Pictures()) > 0) && h.Sighted(a.chosen()).Sees() {
		front = append(front, tools.ReadMedia)
	}
	return a.opt.Tools.Offer(front...)
}

// step is the prelude that a declared step writes; none where the one before would say the same. The caller holds
// the log.
func (a *Agent) step(h *heads, pictures bool) []message.Record {
	history := a.log.history
	system, offer := a.opt.System(), a.offer(history, pictures)
	list := toolList(offer.Specs)
	if old, ok := history.Prelude(); ok && slices.Equal(old.System, system) && old.Tools == list && maps.Equal(history.Known(), offer.Known) {
		return nil
	}
	return []message.Record{message.PreludeRecord{Head: h.next(message.KindPrelude), System: system, Tools: list, Known: offer.Known}}
}

// resumes reports whether a session can go on with the list it has: the tools that are in it are what they were. What
// was loaded since stays outside, so that a cache that is still warm holds.
func (a *Agent) resumes(h *projection.History) bool {
	old, ok := h.Prelude()
	if !ok || !slices.Equal(old.System, a.opt.System()) {
		return false
	}
	if a.opened {
		return true
	}
	var declared []string
	for _, s := range toolSpecs(old.Tools) {
		declared = append(declared, s.Name)
	}
	return toolList(a.opt.Tools.Offer(declared...).Specs) == old.Tools
}

// announce writes a note for the model where the tools are not what it was told. It is called between two requests,
// when no call is open.
func (a *Agent) announce() error {
	told := ""
	err := a.log.append(func(h *heads) []message.Record {
		known := a.log.history.Known()
		now := a.opt.Tools.Known()
		if known == nil || maps.Equal(known, now) {
			return nil
		}
		var note string
		if note, told = a.news(known, now); note == "" {
			return nil // they changed again meanwhile
		}
		return []message.Record{
			message.MessageRecord{Head: h.next(message.KindMessage), Message: message.Message{Role: message.RoleNote,
				Blocks: []message.Block{message.Text{Text: note, Origin: message.OriginTools}}}},
			message.ToolsRecord{Head: h.next(message.KindTools), Known: now},
		}
	})
	if told != "" && err == nil {
		a.notice(NoticeInfo, told)
	}
	a.tellStrays()
	return err
}

// tellStrays names, once each, what the settings say of tools that a server turns out not to have.
func (a *Agent) tellStrays() {
	for _, pattern := range a.opt.Tools.Strays() {
		if slices.Contains(a.strays, pattern) {
			continue
		}
		a.strays = append(a.strays, pattern)
		sentence := fmt.Sprintf("[tools] in the settings names %q, which is no tool of its server", pattern)
		if near := a.opt.Tools.Nearest(pattern); near != "" {
			sentence += fmt.Sprintf("; did you mean %q?", near)
		}
		a.notice(NoticeError, sentence)
	}
}

// news is what became of the tools, for the model and in short for the person.
func (a *Agent) news(known, now map[string]string) (note, told string) {
	var came, changed []tools.Tool
	for _, t := range a.opt.Tools.All() {
		switch was, there := known[t.Spec.Name]; {
		case !there:
			came = append(came, t)
		case was != now[t.Spec.Name]:
			changed = append(changed, t)
		}
	}
	var gone []string
	for name := range known {
		if now[name] == "" {
			gone = append(gone, name)
		}
	}
	sort.Strings(gone)
	var lines, words []string
	if len(came) > 0 {
		lines = append(lines, "There are now these tools too:\n"+tools.News(came))
		words = append(words, "new: "+namesOf(came))
	}
	if len(changed) > 0 {
		lines = append(lines, "These tools are now so:\n"+tools.News(changed))
		words = append(words, "changed: "+namesOf(changed))
	}
	if len(gone) > 0 {
		lines = append(lines, "Gone, and not to be called any more: "+strings.Join(gone, ", "))
		words = append(words, "gone: "+strings.Join(gone, ", "))
	}
	if len(lines) == 0 {
		return "", ""
	}
	note = fmt.Sprintf("[espy: the tools changed. %s\nWhat is not in your list of tools runs through %s: {\"name\": …, \"args\": {…}}.]", strings.Join(lines, "\n"), tools.LoadTools)
	return note, "The model was told of tools. " + capital(strings.Join(words, "; ")) + "."
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// mostTold bounds the names of tools in a sentence for the person.
const mostTold = 8

func namesOf(list []tools.Tool) string {
	var names []string
	for _, t := range list[:min(len(list), mostTold)] {
		names = append(names, t.Spec.Name)
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// loaded records which deferred tools a call used or read about for the first time: they are declared from the next
// step on. The caller holds the log.
func (a *Agent) loaded(h *heads, names []string) []message.Record {
	if len(names) == 0 {
		return nil
	}
	before := a.log.history.Loaded()
	fresh := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(before, n) })
	if len(fresh) == 0 {
		return nil
	}
	return []message.Record{message.ToolsRecord{Head: h.next(message.KindTools), Loaded: fresh}}
}

// declares are the tools a request made now would carry.
func (a *Agent) declares(pictures bool) (specs []providers.ToolSpec) {
	a.log.read(func(h *projection.History) {
		if prelude, ok := h.Prelude(); ok {
			specs = toolSpecs(prelude.Tools)
			return
		}
		specs = a.offer(h, pictures).Specs
	})
	return specs
}
