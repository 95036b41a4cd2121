package ui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/guard"
)

// slash is a command of the composer.
type slash struct {
	name  string
	hint  string
	about string
	run   func(m *model, args string) tea.Cmd
	args  func(m *model) []string // what its argument can be
}

// CommandNames are espy's own slash commands, without the slash. A declared command cannot take their place.
func CommandNames() []string {
	var names []string
	for _, s := range ownSlashes() {
		names = append(names, s.name)
	}
	return names
}

// slashes is the table of commands; the palette and the help are made from it.
func (m *model) slashes() []slash {
	table := ownSlashes()
	for _, c := range m.o.Commands {
		table = append(table, slash{c.Name, c.Hint, c.About, given(c), nil})
	}
	return append(table, m.serverPrompts()...)
}

func ownSlashes() []slash {
	return []slash{
		{"attach", "PATH…", "put pictures onto the row", (*model).runAttach, nil},
		{"paste", "", "look at the clipboard: a picture, else its text", (*model).runPaste, nil},
		{"model", "[NAME]", "go on with another model", (*model).runModel, (*model).modelNames},
		{"effort", "[LEVEL]", "how hard the model thinks", (*model).runEffort, (*model).efforts},
		{"mode", "[MODE]", "how much runs unasked: plan, ask, auto, full", (*model).runMode, modeNames},
		{"trust", "[add PATH|remove PATH|list|accept]", "what may be read beyond this folder; accept this folder's own settings", (*model).runTrust, trustWords},
		{"init", "[WISHES]", "look at this folder and write its AGENTS.md, or improve it", (*model).runInit, nil},
		{"clear", "", "begin a new session here; this one is kept", (*model).runClear, nil},
		{"new", "", "the same as /clear", (*model).runNew, nil},
		{"resume", "[ID]", "go on with an earlier session", (*model).runResume, nil},
		{"rewind", "", "go back to before an earlier message: the conversation, the files, or both", (*model).runRewind, nil},
		{"undo", "", "take the last turn back, with the files espy changed in it", (*model).runUndo, nil},
		{"redo", "", "take the last rewind or undo back", (*model).runRedo, nil},
		{"fork", "", "go on in a copy of this session", (*model).runFork, nil},
		{"rename", "TITLE", "name this session", (*model).runRename, nil},
		{"compact", "[INSTRUCTIONS]", "shrink what the next request carries", (*model).runCompact, nil},
		{"plan", "", "the newest plan", (*model).runPlan, nil},
		{"jobs", "", "commands in the background: what they print, ending them", (*model).runJobs, nil},
		{"cost", "", "tokens and cost of this session, by model", (*model).runCost, nil},
		{"context", "", "what the next request would carry", (*model).runContext, nil},
		{"images", "", "every picture of this session: show, attach again, pin, drop", (*model).runImages, nil},
		{"expand", "", "what was folded away, and unfolding it", (*model).runExpand, nil},
		{"permissions", "[allow|ask|deny|remove RULE]", "the permission rules and where each comes from; add and remove them", (*model).runPermissions, permissionWords},
		{"tools", "", "what the model can call, and where each comes from", (*model).runTools, nil},
		{"skills", "", "the ways to work that files declare", (*model).runSkills, nil},
		{"skill", "NAME [WORDS]", "have the model work by a skill", (*model).runSkill, skillNames},
		{"reload", "", "read the settings and what files declare again", (*model).runReload, nil},
		{"mcp", "[enable|disable|reconnect NAME]", "the MCP servers: how they stand, what they offer; switch them on and off", (*model).runServers, func(*model) []string { return serverWords }},
		{"copy", "", "copy the last answer", (*model).runCopy, nil},
		{"export", "[PATH]", "write the conversation to a file", (*model).runExport, nil},
		{"editor", "", "write in $VISUAL or $EDITOR", func(m *model, _ string) tea.Cmd { return m.editor() }, nil},
		{"mouse", "[on|off]", "wheel and clicks for espy, or selecting for the terminal", (*model).runMouse, func(*model) []string { return []string{"on", "off"} }},
		{"key", "[PROVIDER]", "type a provider's key, or see where keys are from", (*model).runKey, nil},
		{"help", "", "keys and commands", (*model).runHelp, nil},
		{"quit", "", "leave; the session is kept", func(m *model, _ string) tea.Cmd { return m.quit() }, nil},
	}
}

// slashName is what a command is called; "/tmp/shot.png" is a path, not a command.
var slashName = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_:-]*)(?:\s+|$)`)

// slashLine reads a command line.
func slashLine(text string) (name, args string, ok bool) {
	found := slashName.FindStringSubmatch(text)
	if found == nil {
		return "", "", strings.TrimSpace(text) == "/"
	}
	return found[1], strings.TrimSpace(text[len(found[0]):]), true
}

// command runs a command line. One that does not exist stays in the composer.
func (m *model) command(name, args string) tea.Cmd {
	table := m.slashes()
	i := slices.IndexFunc(table, func(s slash) bool { return s.name == name })
	if i < 0 {
		m.say(unknownCommand(name, table), true)
		return nil
	}
	past := Past{Text: strings.TrimSpace("/" + name + " " + args)}
	if name == "key" { // what was typed behind it may be a key: nothing of it is kept
		past = Past{}
	}
	m.comp.sent(past)
	m.hints.closed = wanted{}
	m.say("", false)
	return table[i].run(m, args)
}

func unknownCommand(name string, table []slash) string {
	if name == "" {
		return "a command needs a name; " + "/help lists them"
	}
	best, distance := "", 3
	for _, s := range table {
		if d := editDistance(name, s.name); d < distance {
			best, distance = s.name, d
		}
		if strings.HasPrefix(s.name, name) && distance > 0 {
			best, distance = s.name, 0
		}
	}
	sentence := fmt.Sprintf("there is no command /%s", flat(name))
	if best != "" {
		return sentence + fmt.Sprintf("; did you mean /%s? A blank before the slash sends it as text", best)
	}
	return sentence + ". A blank before the slash sends it as text"
}

// editDistance counts the letters to put in, leave out, change or swap with their neighbour to make one word
// of another.
func editDistance(a, b string) int {
	var before, row []int
	next := make([]int, len(b)+1)
	for j := range next {
		next[j] = j
	}
	for i := range len(a) {
		before, row, next = row, next, make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
	}
	return next[len(b)]
}

// sentence is what a command has to say when it is done.
type sentence struct {
	text string
	bad  bool
}

// given makes a slash command of one that the program was given.
func given(c Command) func(*model, string) tea.Cmd {
	return func(m *model, args string) tea.Cmd {
		if c.Prompt != nil {
			text, err := c.Prompt(args)
			if err != nil {
				m.say(err.Error(), true)
				return nil
			}
			return m.post(parcel{text: text, typed: text, pictures: m.row.take()})
		}
		return m.report(func(ctx context.Context) (string, error) { return c.Run(ctx, args) })
	}
}

// report runs something in a command and says how it came out.
func (m *model) report(run func(ctx context.Context) (string, error)) tea.Cmd {
	return m.work.do(func(ctx context.Context) tea.Msg {
		text, err := run(ctx)
		if err != nil {
			return sentence{err.Error(), true}
		}
		return sentence{text, false}
	})
}

func (m *model) missing() tea.Cmd {
	m.say(errNotHere.Error(), true)
	return nil
}

func (m *model) runAttach(args string) tea.Cmd {
	if args == "" {
		m.comp.show("/attach ")
		m.say("name one or more pictures: /attach shot.png", false)
		return nil
	}
	return m.attachPaths(args)
}

func (m *model) runPaste(string) tea.Cmd { return m.pasteClipboard() }

func (m *model) runMode(args string) tea.Cmd {
	if args == "" {
		m.pickMode()
		return nil
	}
	if !slices.Contains(modeNames(m), args) {
		m.say(fmt.Sprintf("there is no mode %q; the modes are %s", flat(args), strings.Join(modeNames(m), ", ")), true)
		return nil
	}
	m.setMode(guard.Mode(args))
	return nil
}

// setMode asks before everything is allowed.
func (m *model) setMode(mode guard.Mode) {
	if mode != guard.ModeFull {
		m.conv.Loop.Send(agent.SetMode{Mode: mode})
		return
	}
	m.dialog = confirm("mode full: nothing will be asked", []string{"Commands run, files change and hosts are talked to without a question.",
		"Deny rules still hold. The mode lasts until you change it or the session ends."}, "turn full mode on", func() {
		m.conv.Loop.Send(agent.SetMode{Mode: guard.ModeFull})
	})
}

func modeNames(*model) []string {
	return []string{string(guard.ModePlan), string(guard.ModeAsk), string(guard.ModeAuto), string(guard.ModeFull)}
}

// cycleMode goes through the modes that ask; full is chosen on purpose only.
func (m *model) cycleMode() {
	if m.onlyRead() {
		return
	}
	next := map[guard.Mode]guard.Mode{guard.ModePlan: guard.ModeAsk, guard.ModeAsk: guard.ModeAuto, guard.ModeAuto: guard.ModePlan, guard.ModeFull: guard.ModePlan}
	mode, ok := next[m.talk.mode]
	if !ok {
		mode = guard.ModeAsk
	}
	m.talk.mode = mode // shown at once; the loop confirms it
	m.conv.Loop.Send(agent.SetMode{Mode: mode})
}

func trustWords(*model) []string { return []string{"add", "remove", "list", "accept"} }

func (m *model) runTrust(args string) tea.Cmd {
	verb, path, _ := strings.Cut(args, " ")
	path = strings.TrimSpace(path)
	trust := m.o.Trust
	change := map[string]func(string) (string, error){"add": trust.Add, "remove": trust.Remove}
	switch {
	case (verb == "add" || verb == "remove") && path == "":
		m.say(fmt.Sprintf("/trust %s needs a path", verb), true)
		return nil
	case verb == "add" || verb == "remove":
		if change[verb] == nil {
			return m.missing()
		}
		return m.report(func(context.Context) (string, error) { return change[verb](path) })
	case verb == "accept":
		if trust.Accept == nil {
			return m.missing()
		}
		m.reviewFolder()
		return nil
	case verb == "" || verb == "list":
		return m.listTrust()
	}
	m.say(fmt.Sprintf("/trust takes add PATH, remove PATH, list or accept, not %q", flat(verb)), true)
	return nil
}

func (m *model) listTrust() tea.Cmd {
	list := m.o.Trust.List
	if list == nil {
		return m.missing()
	}
	return m.report(func(context.Context) (string, error) {
		paths, err := list()
		if err != nil || len(paths) == 0 {
			return "nothing beyond this folder may be read; /trust add PATH allows a folder", err
		}
		return "may be read beyond this folder: " + strings.Join(paths, ", "), nil
	})
}

func (m *model) runCompact(args string) tea.Cmd {
	m.conv.Loop.Send(agent.Compact{Instructions: args})
	return nil
}

func (m *model) runCopy(string) tea.Cmd {
	for i := len(m.list.slots) - 1; i >= 0; i-- {
		if a, ok := m.list.slots[i].entry.(*answer); ok && strings.TrimSpace(a.text) != "" {
			return m.copyText(a.text)
		}
	}
	m.say("there is no answer to copy yet", false)
	return nil
}

func (m *model) copyText(text string) tea.Cmd {
	if m.o.Copy == nil {
		return m.missing()
	}
	out := m.out
	return m.report(func(ctx context.Context) (string, error) {
		where, err := m.o.Copy(ctx, text, func(sequence string) {
			if out != nil {
				out.Graphics([]byte(sequence))
			}
		})
		return "copied to " + where, err
	})
}

func (m *model) runExport(args string) tea.Cmd {
	if m.o.Export == nil {
		return m.missing()
	}
	return m.report(func(ctx context.Context) (string, error) {
		path, err := m.o.Export(ctx, args)
		return "written to " + path, err
	})
}

func (m *model) runMouse(args string) tea.Cmd {
	on := !m.mouse
	if args != "" {
		on = args == "on"
	}
	m.mouse = on
	if on {
		m.say("the wheel scrolls and a click unfolds; hold shift to select with the mouse", false)
	} else {
		m.say("the mouse is the terminal's again", false)
	}
	return m.tellMouse()
}

func (m *model) runHelp(string) tea.Cmd {
	m.dialog = m.helpPanel()
	return nil
}
