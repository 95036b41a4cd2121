package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
)

// Points lists the messages that a rewind can go back to before, oldest first.
func (a *Agent) Points() (points []Point) {
	a.log.read(func(h *projection.History) {
		changes := changedAfter(h.Records())
		for _, r := range h.Path() {
			m, ok := r.(message.MessageRecord)
			if !ok || !isRequest(m.Message) {
				continue
			}
			points = append(points, Point{ID: m.ID, Text: requestText(m.Message), Time: m.Time, Pictures: len(m.Message.Images()), Files: len(changes[m.ID])})
		}
	})
	return points
}

// changedAfter is, for each message, which files changed after it.
func changedAfter(records []message.Record) map[string]map[string]bool {
	after := make(map[string]map[string]bool)
	paths := make(map[string]bool)
	for i := len(records) - 1; i >= 0; i-- {
		switch r := records[i].(type) {
		case message.FilesRecord:
			if !r.Begun {
				for _, c := range r.Changes {
					paths[c.Path] = true
				}
			}
		case message.MessageRecord:
			if isRequest(r.Message) {
				copied := make(map[string]bool, len(paths))
				for p := range paths {
					copied[p] = true
				}
				after[r.ID] = copied
			}
		}
	}
	return after
}

// isRequest tells what the person sent from the output of their own commands.
func isRequest(m message.Message) bool {
	return m.Role == message.RoleUser && (requestText(m) != "" || len(m.Images()) > 0)
}

// requestText is what stood in the composer.
func requestText(m message.Message) string {
	var parts []string
	for _, t := range requestBlocks(m) {
		parts = append(parts, t.Text)
	}
	return strings.Join(parts, "\n")
}

// requestBlocks are the texts that go back into the composer: typed ones and a "!" line. The files that @names
// stand for are looked up again when it is sent again.
func requestBlocks(m message.Message) []message.Text {
	var blocks []message.Text
	for _, b := range m.Blocks {
		t, ok := b.(message.Text)
		typed := t.Origin == message.OriginTyped || t.Origin == ""
		if ok && (typed || t.Origin == message.OriginShell && strings.HasPrefix(strings.TrimSpace(t.Text), "!")) {
			blocks = append(blocks, t)
		}
	}
	return blocks
}

// rewind goes back to before a message of the person. The log only gains records.
func (a *Agent) rewind(ctx context.Context, c Rewind) error {
	var target message.MessageRecord
	var found bool
	var to string
	var files []message.FilesRecord
	a.log.read(func(h *projection.History) {
		path := h.Path()
		for i, r := range path {
			if m, ok := r.(message.MessageRecord); ok && m.ID == c.To && m.Message.Role == message.RoleUser {
				target, found = m, true
				if i > 0 {
					to = path[i-1].Header().ID
				}
			}
		}
		files = filesSince(h.Records(), c.To)
	})
	if !found {
		a.notice(NoticeError, "That message is not part of the conversation as it stands, so there is nothing to go back to.")
		return nil
	}
	event := Rewound{To: c.To, Prompt: a.promptOf(target.Message)}
	return a.goTo(ctx, step{what: c.What, conflicts: c.Conflicts, to: to, files: files, asked: RewindAsked{Rewind: c}}, event)
}

// filesSince is what changed files after a record was written.
func filesSince(records []message.Record, id string) (files []message.FilesRecord) {
	at := slices.IndexFunc(records, func(r message.Record) bool { return r.Header().ID == id })
	for _, r := range records[at+1:] {
		if f, ok := r.(message.FilesRecord); ok {
			files = append(files, f)
		}
	}
	return files
}

// promptOf is a message as it stood in the composer. Its pictures keep their numbers.
func (a *Agent) promptOf(m message.Message) Prompt {
	p := Prompt{Text: requestBlocks(m)}
	for _, i := range m.Images() {
		record, ok := a.Picture(i.Ref)
		if !ok {
			record = message.PictureRecord{Ref: i.Ref, Name: "earlier picture", Original: i.Ref, Width: i.Width, Height: i.Height, MediaType: i.MediaType}
		}
		record.Head = message.Head{}
		p.Attachments = append(p.Attachments, Attachment{Image: i, Record: record})
	}
	return p
}

// redo takes the last rewind back, as long as nothing was said since.
func (a *Agent) redo(ctx context.Context, c Redo) error {
	var last message.RewindRecord
	var files []message.FilesRecord
	a.log.read(func(h *projection.History) {
		if undone := rewinds(h.Records()); len(undone) > 0 {
			last = undone[len(undone)-1]
			for _, f := range filesSince(h.Records(), last.ID) {
				if f.Rewind == last.ID {
					files = append(files, f)
				}
			}
		}
	})
	if last.ID == "" {
		a.notice(NoticeInfo, "There is nothing to go forward to.")
		return nil
	}
	what := RewindBoth
	if last.From == last.To {
		what = RewindFiles
	}
	return a.goTo(ctx, step{what: what, conflicts: c.Conflicts, to: last.From, redo: last.ID, files: files, asked: RewindAsked{Redo: true}}, Rewound{Redo: true})
}

// rewinds lists those that can be taken back, the last one last: what is said after a rewind leaves what it took
// back to the log.
func rewinds(records []message.Record) (open []message.RewindRecord) {
	for _, r := range records {
		switch r := r.(type) {
		case message.RewindRecord:
			if r.Redo == "" {
				open = append(open, r)
				continue
			}
			if i := slices.IndexFunc(open, func(o message.RewindRecord) bool { return o.ID == r.Redo }); i >= 0 {
				open = open[:i]
			}
		case message.MessageRecord:
			if r.Message.Role != message.RoleNote {
				open = nil
			}
		}
	}
	return open
}

// step is a way through the log, back or forward.
type step struct {
	what      RewindWhat
	conflicts ConflictChoice
	to        string // the head to come to
	redo      string // the rewind taken back
	files     []message.FilesRecord
	asked     RewindAsked // what to say where the person has to decide
}

// goTo restores files, moves the head, writes both down and tells it. Where the person has to decide about files
// first, nothing happens but the question.
func (a *Agent) goTo(ctx context.Context, s step, told Rewound) error {
	var back restored
	var err error
	if s.what != RewindConversation {
		back, err = a.restoring(ctx, s.files, s.conflicts)
		if len(back.asked) > 0 {
			s.asked.Files = back.asked
			a.events.put(s.asked)
			return nil
		}
	}
	if err != nil && len(back.changes) == 0 {
		return err
	}
	if err != nil {
		s.what = RewindFiles // what was restored is written down; the conversation stays
	}
	if writing := a.writeStep(s, back.changes); writing != nil {
		return writing
	}
	if err != nil {
		return err
	}
	a.keepChoices()
	told.Files, told.Faults, told.Conversation = back.files, back.faults, s.what != RewindFiles
	if !told.Conversation {
		told.Prompt = Prompt{}
		a.tellModelOf(back.files)
	} else {
		a.mu.Lock()
		a.rewound = true
		a.mu.Unlock()
	}
	a.log.read(func(h *projection.History) {
		told.Messages, told.Pictures = h.Conversation().Messages, h.Pictures()
		told.CanRedo = len(rewinds(h.Records())) > 0
	})
	told.Meter = a.meter()
	a.events.put(told)
	return nil
}

func (a *Agent) writeStep(s step, changes []message.FileChange) error {
	return a.log.append(func(h *heads) []message.Record {
		r := message.RewindRecord{Head: h.beside(message.KindRewind), To: s.to, From: h.at, Redo: s.redo}
		if s.what == RewindFiles {
			r.To = h.at
		}
		records := []message.Record{r}
		if len(changes) > 0 {
			records = append(records, message.FilesRecord{Head: h.beside(message.KindFiles), Rewind: r.ID, Changes: changes})
		}
		return records
	})
}

// keepChoices writes down the model and the mode in force where the path gone to says others: going back changes
// what was said, not how the person works.
func (a *Agent) keepChoices() {
	route, mode := a.Route(), a.opt.Guard.Mode()
	a.record(func(h *heads) []message.Record {
		var records []message.Record
		history := a.log.history // append holds the lock
		if m, ok := history.Model(); ok && (m.Provider != route.Server.Name || m.Model != route.Model.ID || m.Effort != a.effortNow()) {
			records = append(records, message.ModelRecord{Head: h.next(message.KindModel), Provider: route.Server.Name, Model: route.Model.ID, Effort: a.effortNow()})
		}
		if was := history.Mode(); was != "" && guard.Mode(was) != mode {
			records = append(records, message.ModeRecord{Head: h.next(message.KindMode), Mode: string(mode)})
		}
		return records
	})
}

// tellModelOf has the next message say which files went back while the conversation did not.
func (a *Agent) tellModelOf(files []RestoredFile) {
	if len(files) == 0 {
		return
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Path
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.aside = fmt.Sprintf("[The user took files back to an earlier state: %s. Read them again before you rely on them.]", strings.Join(names, ", "))
}

// takeAside is what the next message says beside the person's words, and the jobs it says are gone.
func (a *Agent) takeAside() (blocks []message.Block, lost []message.JobRecord) {
	news, running := a.jobNews(), a.runningNews()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.rewound {
		running = ""
	}
	for _, text := range []string{a.aside, lostNews(a.lost), running, strings.TrimSpace(news)} {
		if text != "" {
			blocks = append(blocks, message.Text{Text: text, Origin: message.OriginEspy})
		}
	}
	lost = a.lost
	a.aside, a.lost, a.rewound = "", nil, false
	return blocks, lost
}

// rename names the session for lists. An empty title goes back to the first request.
func (a *Agent) rename(c Rename) {
	title := strings.Join(strings.Fields(strings.ToValidUTF8(c.Title, "")), " ")
	if !a.begun() {
		a.notice(NoticeInfo, "The session gets its title once something was sent; rename it then.")
		return
	}
	if title == "" {
		a.notice(NoticeInfo, "A title needs words: /rename TITLE")
		return
	}
	a.record(func(h *heads) []message.Record {
		return []message.Record{message.TitleRecord{Head: h.beside(message.KindTitle), Title: title}}
	})
	a.events.put(Renamed{Title: title})
}
