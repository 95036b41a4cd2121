package projection

import (
	"espy/agent/message"
)

// Conversation is the path read as messages, with the marks that change how it is read.
type Conversation struct {
	Messages []message.Message
	Pictures map[string]message.PictureRecord
	at       []int // position of each message on the path before any selection; marks speak of these
	marks    marks
}

// unfinishedText answers a call whose result never came: espy ended, or the person interrupted.
const unfinishedText = "This call was interrupted and has no result. It may have run in part; check before you rely on it."

// Conversation reads the path. Results are assembled into one tool message behind the assistant message that
// asked for them, in the order of its calls; a call without a result gets a synthetic one.
func (h *History) Conversation() Conversation {
	a := assembler{}
	m := newMarks()
	m.way = h.readWay()
	for _, r := range h.records {
		if mark, ok := r.(message.MarkRecord); ok && !mark.Mark.OnPath() {
			m.addSession(mark)
		}
	}
	undone := make(map[string]bool)
	for _, r := range h.Path() {
		if mark, ok := r.(message.MarkRecord); ok && mark.Off {
			undone[mark.Of] = true
		}
	}
	for _, r := range h.Path() {
		switch r := r.(type) {
		case message.MessageRecord:
			a.message(r.Body())
		case message.ResultRecord:
			a.result(r)
		case message.MarkRecord:
			if !r.Off && !undone[r.ID] {
				m.addPath(r, len(a.messages))
			}
		}
	}
	a.closeCalls()
	at := make([]int, len(a.messages))
	for i := range at {
		at[i] = i
	}
	return Conversation{Messages: a.messages, Pictures: h.pictures, at: at, marks: m}
}

// assembler pairs calls and results while it walks a path.
type assembler struct {
	messages []message.Message
	open     *message.Message // the assistant message whose results are being collected
	results  map[string]message.ResultRecord
	wanted   int // distinct call ids of open
	lastID   string
}

func distinctCalls(m message.Message) int {
	ids := make(map[string]bool)
	for _, c := range m.Calls() {
		ids[c.ID] = true
	}
	return len(ids)
}

func (a *assembler) message(m message.Message) {
	if m.Role == message.RoleTool {
		return // results are records of their own; a foreign tool message has nothing to add
	}
	if m.Role == message.RoleNote && len(toldModel(m).Blocks) == 0 {
		a.messages = append(a.messages, m)
		return
	}
	a.closeCalls()
	a.messages = append(a.messages, m)
	if m.Role == message.RoleAssistant && len(m.Calls()) > 0 {
		a.open, a.results, a.wanted = &m, make(map[string]message.ResultRecord), distinctCalls(m)
	}
}

func (a *assembler) result(r message.ResultRecord) {
	if a.open == nil {
		return
	}
	if _, have := a.results[r.CallID]; !have {
		a.results[r.CallID] = r
		a.lastID = r.ID
	}
	if len(a.results) == a.wanted {
		a.closeCalls() // at once, so that a mark written next comes after the tool message it speaks of
	}
}

// closeCalls writes the tool message of the open assistant message.
func (a *assembler) closeCalls() {
	if a.open == nil {
		return
	}
	tool := message.Message{ID: a.lastID, Parent: a.open.ID, Role: message.RoleTool, Time: a.open.Time}
	for _, c := range a.open.Calls() {
		r, have := a.results[c.ID]
		if !have {
			tool.Blocks = append(tool.Blocks, message.ToolResult{CallID: c.ID, Text: unfinishedText, IsError: true})
			continue
		}
		tool.Blocks = append(tool.Blocks, r.ToolResult)
		tool.Time = r.Time
	}
	if tool.ID == "" {
		tool.ID = a.open.ID + "/results"
	}
	a.messages = append(a.messages, tool)
	a.open, a.results, a.lastID = nil, nil, ""
}

// Turns returns the positions of the messages that open a turn: what the person said.
func (c Conversation) Turns() []int {
	var at []int
	for i, m := range c.Messages {
		if m.Role == message.RoleUser {
			at = append(at, i)
		}
	}
	return at
}

// Refs lists the pictures of the conversation and their renditions, each once.
func (c Conversation) Refs() []string {
	var refs []string
	seen := make(map[string]bool)
	add := func(ref string) {
		if !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	for _, m := range c.Messages {
		for _, i := range m.Images() {
			add(i.Ref)
		}
	}
	for ref, of := range c.marks.renderedOf {
		if seen[of] {
			add(ref)
		}
	}
	return refs
}

// RenderedOf is the picture a rendition stands for; any other Ref stands for itself.
func (c Conversation) RenderedOf(ref string) string {
	if of, ok := c.marks.renderedOf[ref]; ok {
		return of
	}
	return ref
}
