package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

// session is what the loop has told: it turns events into entries of the transcript and the facts of the
// status line.
type session struct {
	id     string
	folder string
	route  providers.Route
	effort string // "" leaves it to the model
	mode   guard.Mode
	meter  agent.Meter
	queue  []agent.Queued
	steers []string // sent into the running turn and not yet taken there
	opened bool

	onlyRead bool // another espy writes it
	sandbox  bool // commands run in one

	busy    bool
	started time.Time
	turn    turn
	retry   time.Time // when a failed request is tried again
	retries int       // the entry that says so, -1 none

	list     *transcript
	pictures map[string]message.PictureRecord
	calls    map[string]int // call id -> entry
	thought  int            // the entry being thought, -1 none
	writing  int            // the entry being written, -1 none
	asks     []agent.PermissionAsked

	inquiries []agent.QuestionAsked // questions of the model's that wait
	jobs      []tools.Job           // commands in the background
	todos     []tools.Todo          // the task list as it stands
	listed    int                   // the entry that set it, -1 none
}

func newSession(list *transcript, folder string) session {
	return session{list: list, folder: folder, pictures: map[string]message.PictureRecord{}, calls: map[string]int{},
		thought: -1, writing: -1, retries: -1, listed: -1}
}

// open draws the conversation that is there.
func (s *session) open(e agent.Opened) {
	s.id, s.route, s.effort, s.mode, s.meter, s.queue, s.opened = e.Session, e.Route, e.Effort, e.Mode, e.Meter, e.Queue, true
	s.sandbox = e.Sandbox
	if e.Folder != "" {
		s.folder = e.Folder
	}
	for ref, r := range e.Pictures {
		s.pictures[ref] = r
	}
	s.learn(e.Queue)
	for _, m := range e.Messages {
		s.replay(m)
	}
	s.abandonCalls()
}

// abandonCalls marks calls as failed that nothing works at any more: their result could not be had, or not be written.
func (s *session) abandonCalls() {
	for _, i := range s.calls {
		if c := s.list.slots[i].entry.(*call); c.state <= callWaits {
			c.state = callFailed
			s.list.changed(i)
		}
	}
}

// learn keeps what is known of the pictures of queued messages: the message itself will only name them.
func (s *session) learn(queue []agent.Queued) {
	for _, q := range queue {
		for _, a := range q.Prompt.Attachments {
			s.pictures[a.Image.Ref] = a.Record
		}
	}
}

// replay adds an entry for each part of a stored message.
func (s *session) replay(m message.Message) {
	switch m.Role {
	case message.RoleUser:
		s.list.add(&said{blocks: m.Blocks, pictures: s.pictures})
	case message.RoleAssistant:
		s.finish(m)
		for _, c := range m.Calls() {
			s.calls[c.ID] = s.list.add(&call{call: tools.Meant(c)})
		}
	case message.RoleTool:
		for _, b := range m.Blocks {
			if r, ok := b.(message.ToolResult); ok {
				s.settle(r, nil, 0)
			}
		}
	case message.RoleNote:
		s.list.add(&told{kind: agent.NoticeInfo, sentence: m.PlainText()})
	}
}

// settle gives a call its result.
func (s *session) settle(r message.ToolResult, pictures []message.PictureRecord, took time.Duration) {
	i, ok := s.calls[r.CallID]
	if !ok {
		return
	}
	for _, image := range r.Images {
		if rec, ok := s.pictures[image.Ref]; ok && len(pictures) == 0 {
			pictures = append(pictures, rec)
		}
	}
	if ms := r.Meta[message.MetaMillis]; took == 0 && ms != "" {
		if d, err := time.ParseDuration(ms + "ms"); err == nil {
			took = d
		}
	}
	c := s.list.slots[i].entry.(*call)
	c.finish(r, pictures, took)
	s.listTodos(c, i)
	s.list.changed(i)
}

// finish puts a whole assistant message in the place of what was shown while it was written.
func (s *session) finish(m message.Message) {
	var thoughts, words []string
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case message.Thinking:
			thoughts = append(thoughts, b.Text)
		case message.Text:
			words = append(words, b.Text)
		}
	}
	if len(thoughts) > 0 || s.thought >= 0 {
		t := s.thinkingEntry()
		t.text, t.live = strings.Join(thoughts, "\n\n"), false
	}
	if len(words) > 0 || s.writing >= 0 || m.Stop == message.StopInterrupted {
		a := s.answerEntry()
		a.text, a.live, a.stopped = strings.Join(words, "\n\n"), false, m.Stop
		a.asked = 0
	}
	s.list.changed(s.thought)
	s.list.changed(s.writing)
	s.thought, s.writing = -1, -1
}

func (s *session) thinkingEntry() *thinking {
	if s.thought < 0 {
		s.thought = s.list.add(&thinking{live: true})
	}
	return s.list.slots[s.thought].entry.(*thinking)
}

func (s *session) answerEntry() *answer {
	if s.writing < 0 {
		s.writing = s.list.add(&answer{live: true})
	}
	return s.list.slots[s.writing].entry.(*answer)
}

// restart voids what was shown of an answer.
func (s *session) restart() {
	if s.thought >= 0 {
		s.thinkingEntry().text = ""
	}
	if s.writing >= 0 {
		a := s.answerEntry()
		a.text, a.lines, a.spaced, a.width = "", nil, nil, 0
	}
	s.list.changed(s.thought)
	s.list.changed(s.writing)
}

// take applies an event. What needs the composer, a dialog or a command is the model's business.
func (s *session) take(e agent.Event, now time.Time) {
	defer s.follow(e)
	switch e := e.(type) {
	case agent.Opened:
		s.open(e)
	case agent.TurnStarted:
		s.settled(false)
		s.thought, s.writing = -1, -1
		s.busy, s.started = true, now
		s.list.add(&said{blocks: e.User.Blocks, pictures: s.pictures})
		s.taken(e.User.TypedText())
	case agent.TextDelta:
		a := s.answerEntry()
		a.text = a.written.add(a.text, e.Text)
		if a.lines == nil { // else the lines change when the new ones are rendered
			s.list.changed(s.writing)
		}
	case agent.ThinkingDelta:
		r := s.thinkingEntry()
		r.text = r.written.add(r.text, e.Text)
		s.list.changed(s.thought)
	case agent.AnswerRestarted:
		s.restart()
	case agent.AnswerDone:
		s.settled(false)
		s.finish(e.Message)
	case agent.TurnEnded:
		s.ended(e)
	case agent.Notice:
		if e.Kind == agent.NoticeRetried {
			s.tried(e, now)
			break
		}
		s.list.add(&told{kind: e.Kind, sentence: e.Sentence})
	default:
		s.takeCall(e, now)
	}
}

func (s *session) takeCall(e agent.Event, now time.Time) {
	switch e := e.(type) {
	case agent.CallStarted:
		s.thought, s.writing = -1, -1
		s.calls[e.Call.ID] = s.list.add(&call{call: e.Call, summary: e.Summary, began: now})
	case agent.CallProgress:
		if c, i := s.call(e.CallID); c != nil {
			c.progress = e.Text
			s.list.changed(i)
		}
	case agent.CallFinished:
		for _, r := range e.Pictures {
			s.pictures[r.Ref] = r
		}
		e.Result.CallID = e.Call.ID
		s.settle(e.Result, e.Pictures, e.Took)
	case agent.PermissionAsked:
		s.asks = append(s.asks, e)
		if e.Task != "" {
			s.taskWaits(e.Task)
			break
		}
		if c, i := s.call(e.Call.ID); c != nil {
			c.state = callWaits
			s.list.changed(i)
		}
	case agent.PermissionSettled:
		s.judged(e, now)
	case agent.TaskStarted:
		s.takeTask(e.CallID, e.State, nil)
	case agent.TaskChanged:
		s.takeTask(e.CallID, e.State, e.Step)
	case agent.QuestionAsked:
		s.inquiries = append(s.inquiries, e)
		s.stand(e.Call.ID, callWaits, now)
	case agent.QuestionSettled:
		s.inquiries = slices.DeleteFunc(s.inquiries, func(q agent.QuestionAsked) bool { return q.ID == e.ID })
		s.stand(e.Call.ID, callRuns, now)
	case agent.JobChanged:
		s.job(e.Job)
	default:
		s.takeFact(e, now)
	}
}

func (s *session) takeFact(e agent.Event, now time.Time) {
	switch e := e.(type) {
	case agent.UsageChanged:
		s.meter = e.Meter
	case agent.MeterChanged:
		s.meter = e.Meter
	case agent.Activity:
		if !s.busy && e.Text != "" {
			s.busy, s.started = true, now
		}
	case agent.QueueChanged:
		s.queue = e.Queue
		s.learn(e.Queue)
	case agent.RouteChanged:
		s.route, s.effort, s.meter = e.Route, e.Effort, e.Meter
	case agent.ModeChanged:
		s.mode, s.sandbox = e.Mode, e.Sandbox
	}
}

// stand says that a call waits for the person, or runs again.
func (s *session) stand(id string, state callState, now time.Time) {
	if c, i := s.call(id); c != nil {
		if c.state = state; state == callRuns {
			c.began = now
		}
		s.list.changed(i)
	}
}

// waitsFor reports whether a question still waits for its answer.
func (s *session) waitsFor(id string) bool {
	return slices.ContainsFunc(s.asks, func(a agent.PermissionAsked) bool { return a.ID == id }) ||
		slices.ContainsFunc(s.inquiries, func(q agent.QuestionAsked) bool { return q.ID == id })
}

func (s *session) call(id string) (*call, int) {
	i, ok := s.calls[id]
	if !ok {
		return nil, -1
	}
	return s.list.slots[i].entry.(*call), i
}

func (s *session) judged(e agent.PermissionSettled, now time.Time) {
	s.asks = slices.DeleteFunc(s.asks, func(a agent.PermissionAsked) bool { return e.ID != "" && a.ID == e.ID })
	if e.Task != "" {
		s.taskWaits(e.Task)
		return
	}
	c, i := s.call(e.Call.ID)
	if c == nil {
		return
	}
	word := "allowed"
	if !e.Allowed {
		word = "denied"
		c.state = callRefused
	} else if c.state == callWaits {
		c.state, c.began = callRuns, now
	}
	if e.Reason != "" {
		word += ": " + e.Reason
	}
	if e.ID != "" || !e.Allowed { // what the mode allowed by itself needs no line
		c.judged = word
	}
	s.list.changed(i)
}

func (s *session) ended(e agent.TurnEnded) {
	s.settled(true)
	s.busy, s.asks, s.steers, s.inquiries = false, nil, nil, nil
	s.finishLive()
	s.abandonCalls()
	switch {
	case e.Reason == agent.EndRejected: // the Rejected event before it has put the message back and said why
	case e.Err != nil:
		s.list.add(&told{kind: agent.NoticeError, sentence: e.Err.Error()})
	case e.Reason == agent.EndInterrupted && !s.saysInterrupted():
		s.list.add(&told{kind: agent.NoticeInfo, sentence: "interrupted; what was done so far is kept"})
	}
}

// saysInterrupted reports whether the answer that was interrupted already says so.
func (s *session) saysInterrupted() bool {
	if len(s.list.slots) == 0 {
		return false
	}
	a, ok := s.list.slots[len(s.list.slots)-1].entry.(*answer)
	return ok && a.stopped == message.StopInterrupted && strings.TrimSpace(a.text) != ""
}

// finishLive leaves nothing marked as being written when a turn ended without the whole message.
func (s *session) finishLive() {
	if s.thought >= 0 {
		s.thinkingEntry().live = false
	}
	if s.writing >= 0 {
		s.answerEntry().live = false
	}
	s.list.changed(s.thought)
	s.list.changed(s.writing)
	s.thought, s.writing = -1, -1
}

func (s *session) modelName() string {
	if s.route.Model.Name != "" {
		return flat(s.route.Model.Name)
	}
	return flat(s.route.Name())
}

// taken forgets a steering message that has reached its turn.
func (s *session) taken(text string) {
	if i := slices.Index(s.steers, text); i >= 0 {
		s.steers = slices.Delete(s.steers, i, i+1)
	}
}

// queueView is what waits to be sent, above the composer.
func (s *session) queueView(width, most int, t *theme, keys keymap) []string {
	if most < 1 {
		return nil
	}
	var lines []string
	for _, text := range s.steers {
		lines = append(lines, t.accent.Render(cut("  ↳ "+flat(text)+"  goes into this turn", width)))
	}
	lines = lines[:min(len(lines), most)]
	most = max(most-len(lines), 1)
	for i, q := range s.queue {
		if i == most-1 && len(s.queue) > most {
			lines = append(lines, t.dim.Render(cut(fmt.Sprintf("  … %d more queued", len(s.queue)-i), width)))
			break
		}
		text := flat(promptText(q.Prompt))
		if n := len(q.Prompt.Attachments); n > 0 {
			text += "  ▣ " + amount(n, "picture")
		}
		hint := ""
		if i == 0 {
			hint = keys.key(actUnqueue) + " edits"
		}
		head := cut("  ⋯ "+strings.TrimSpace(text), width-cellsOf(hint)-4)
		pad := strings.Repeat(" ", max(width-cellsOf(head)-cellsOf(hint)-2, 1))
		lines = append(lines, t.dim.Render(head)+pad+t.faint.Render(hint))
	}
	return lines
}

// promptText is what the person wrote of a prompt.
func promptText(p agent.Prompt) string {
	var parts []string
	for _, t := range p.Text {
		if t.Origin == message.OriginTyped || t.Origin == "" || t.Origin == message.OriginShell && isShellLine(t.Text) {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}
