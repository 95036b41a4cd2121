package ui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/guard"
	"espy/ui/screen"
)

// question is a permission that the loop asks for. It is answered by a key of its own only after it has
// stood on the screen for a while and the keyboard has rested: people type ahead, and what they typed for
// something else must never allow a command.
type question struct {
	ask     agent.PermissionAsked
	inquiry *inquiry // set where the model asks, and no permission
	opened  time.Time
	arming  bool // the time it must stand runs
	armed   bool // it has stood long enough; keys before that go to the composer
	reason  bool // the reason of a denial is being written
}

func (q *question) id() string {
	if q.inquiry != nil {
		return q.inquiry.ask.ID
	}
	return q.ask.ID
}

// answerChoice is what a choice of the question sends.
type answerChoice struct {
	choice guard.Choice
	reason bool
}

func newQuestion(ask agent.PermissionAsked, now time.Time, t *theme, keys keymap) *dialog {
	d := &dialog{title: questionTitle(ask), question: &question{ask: ask, opened: now}, filter: newBuffer(), further: keys.key(actPageDown)}
	d.body = func(width int) []string { return questionBody(ask, width, t) }
	add := func(a action, label, about string, value answerChoice) {
		d.choices = append(d.choices, choice{label: label, about: about, key: keys.key(a), value: value})
	}
	if ask.Effect.Kind == guard.KindPlan {
		add(actAllowOnce, "approve", "changes ask", answerChoice{choice: guard.ChoiceOnce})
		add(actAllowSession, "approve, mode auto", "edits here and allowed commands run", answerChoice{choice: guard.ChoiceSession})
		add(actDeny, "go on planning", "", answerChoice{choice: guard.ChoiceDeny})
		add(actDenyReason, "go on planning and say why", "", answerChoice{choice: guard.ChoiceDeny, reason: true})
		d.narrow()
		return d
	}
	if open := ask.Decision.Opening; open.Path != "" {
		add(actAllowOnce, "open it once", open.Path, answerChoice{choice: guard.ChoiceOnce})
		add(actAllowSession, "open it this session", open.Path, answerChoice{choice: guard.ChoiceSession})
		add(actAllowAlways, trustLabel(open), open.Folder, answerChoice{choice: guard.ChoiceAlways})
	} else {
		add(actAllowOnce, "allow once", "", answerChoice{choice: guard.ChoiceOnce})
	}
	if offer := ask.Decision.Offer; len(offer) > 0 {
		add(actAllowSession, "allow this session", offer[0], answerChoice{choice: guard.ChoiceSession})
		add(actAllowAlways, "allow always", offer[0], answerChoice{choice: guard.ChoiceAlways})
	}
	add(actDeny, "deny", "", answerChoice{choice: guard.ChoiceDeny})
	add(actDenyReason, "deny and say why", "", answerChoice{choice: guard.ChoiceDeny, reason: true})
	d.narrow()
	return d
}

func trustLabel(open guard.Opening) string {
	if open.Folder != open.Path {
		return "trust its folder"
	}
	return "trust it"
}

func questionTitle(ask agent.PermissionAsked) string {
	if ask.Decision.Opening.Path != "" {
		return flat(ask.Effect.Tool) + ": open a path outside the workspace?"
	}
	if ask.Effect.Outside {
		return flat(ask.Effect.Tool) + ": run this command outside the sandbox" + map[bool]string{true: ", in the background?", false: "?"}[ask.Effect.Background]
	}
	if ask.Effect.Background {
		return flat(ask.Effect.Tool) + ": run this command in the background?"
	}
	if ask.Effect.Kind == guard.KindPlan {
		return "the plan: carry it out?"
	}
	if ask.Effect.Kind == guard.KindExec && ask.Effect.Command == "" {
		return flat(ask.Effect.Tool) + ": have the server do this?"
	}
	verb := map[guard.Kind]string{guard.KindExec: "run this command?", guard.KindWrite: "change this file?",
		guard.KindNet: "talk to this host?", guard.KindRead: "read this?"}[ask.Effect.Kind]
	if verb == "" {
		verb = "allow this?"
	}
	return flat(ask.Effect.Tool) + ": " + verb
}

// midSentence is a sentence as the rest of another: names keep their capitals.
func midSentence(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	switch first {
	case "It", "The", "No", "A", "An", "This":
		return strings.ToLower(first) + " " + rest
	}
	return s
}

// questionBody is exactly what will be done: nothing hidden, nothing shortened, broken at the column only.
func questionBody(ask agent.PermissionAsked, width int, t *theme) []string {
	e := ask.Effect
	var lines []string
	fact := func(name, text string) {
		if text != "" {
			lines = append(lines, styled(screen.Chop(name+screen.Visible(text), width), t.dim.Render)...)
		}
	}
	fact("for the task ", ask.Title)
	if e.Kind != guard.KindExec {
		if !e.Diff && e.Kind != guard.KindPlan { // a diff names its file, and the plan is all there is
			fact("", e.Summary)
		}
		fact("host ", e.Host)
		for _, p := range e.Paths {
			if !strings.Contains(e.Summary, p) && !strings.Contains(e.Preview, p) {
				fact("path ", p)
			}
		}
	}
	lines = append(lines, exactly(ask, width, t)...)
	fact("asked because ", midSentence(ask.Decision.Reason))
	if open := ask.Decision.Opening; open.Path != "" {
		fact("path ", open.Path)
		if open.Folder != open.Path {
			fact("its folder ", open.Folder)
		}
	}
	if offer := ask.Decision.Offer; len(offer) > 0 && width < narrowWidth {
		fact("rule ", offer[0])
	}
	return lines
}

// exactly is the command, the diff, or the arguments themselves.
func exactly(ask agent.PermissionAsked, width int, t *theme) []string {
	e := ask.Effect
	switch {
	case e.Diff:
		return drawDiff(e.Preview, width, t)
	case e.Kind == guard.KindPlan:
		return planLines(e.Preview, width, t)
	case e.Kind == guard.KindExec && e.Command != "":
		return styled(screen.Chop(screen.Visible(e.Command), width), t.strong.Render)
	case e.Preview != "":
		return screen.Chop(screen.Visible(e.Preview), width)
	}
	return screen.Chop(screen.Visible(ask.Call.Args), width)
}

// actionChoice is the choice a key of the question takes, by its action.
func (d *dialog) actionChoice(a action) (answerChoice, bool) {
	want := map[action]answerChoice{
		actAllowOnce: {choice: guard.ChoiceOnce}, actAllowSession: {choice: guard.ChoiceSession},
		actAllowAlways: {choice: guard.ChoiceAlways}, actDeny: {choice: guard.ChoiceDeny},
		actDenyReason: {choice: guard.ChoiceDeny, reason: true}}
	w, ok := want[a]
	if !ok {
		return answerChoice{}, false
	}
	for _, c := range d.choices {
		if c.value == w {
			return w, true
		}
	}
	return answerChoice{}, false
}

// answers reports whether a key would settle the question, and how.
func (d *dialog) answers(name string, keys keymap) (answerChoice, bool) {
	if w, ok := d.actionChoice(keys.find(inQuestion, name)); ok {
		return w, true
	}
	if keys.find(inDialog, name) == actChoose && d.selected < len(d.shown) {
		w, ok := d.choices[d.shown[d.selected]].value.(answerChoice)
		return w, ok
	}
	return answerChoice{}, false
}

// explain turns the question into the line in which the reason of a denial is written.
func (d *dialog) explain(settle func(reason string) tea.Cmd) {
	d.question.reason = true
	d.asks, d.choices, d.shown = "why not", nil, nil
	d.takes, d.leaves = "denies with this reason", "goes back"
	d.choose = func(_ choice, line string) tea.Cmd { return settle(line) }
}
