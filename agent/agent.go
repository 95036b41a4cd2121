// Package agent is the loop: it takes commands from a face, drives a provider and the tools, writes the log,
// and tells the face what happens as events.
//
// Contract: a face never touches history, the loop never touches a screen. Commands and events are mailboxes:
// Send and the loop's own events never block. Only the loop appends to the log. Interrupt cancels directly and
// never queues; an interrupted turn leaves the log well-formed. Bytes of pictures never pass.
//
// The package knows the projection, the guard, the tools, providers and the store. It must not know a
// protocol's wire form, a terminal, or how a decision of the guard comes about.
package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"espy/agent/checkpoint"
	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/media"
	"espy/providers"
	"espy/store"
)

// Options are what main wires into an agent.
type Options struct {
	Session *store.Session
	Loaded  store.Loaded // what the session held, for a resumed one
	Folder  string       // the workspace, absolute
	Version string       // of espy, for the session record
	Route   providers.Route
	Effort  string
	Connect func(providers.Route) (providers.Provider, error)
	Guard   *guard.Guard
	Tools   *tools.Registry
	Env     tools.Env // Workspace, Roots and Gate; the agent fills in the rest
	System  func() []string
	Hooks   []extend.Hook         // programs that are asked about calls or told of moments
	Tasks   func() TaskOptions    // how tasks are run; nil where there are none
	Await   func(context.Context) // waits a moment for what is being connected; called before a message is taken. Nil waits for nothing

	// Refresh reads anew what the person's files say and puts what changed in force. It is called between turns, never
	// on the loop's goroutine, and returns sentences for the person; none where nothing changed. Nil reads nothing.
	Refresh func(ctx context.Context) []string

	MaxImages int // pictures an eviction keeps
	EvictStep int

	KeepRoute func(providers.Route) error // remembers a choice of model for the next start; nil keeps nothing
	SaveRule  func(rule string) error     // keeps an "always" answer; nil where it cannot be kept
	TrustPath func(path string) error     // opens a path outside for this workspace from now on; nil where that cannot be kept
	Headless  bool                        // nobody can be asked: what would be asked is refused with a reason
	MaxTurns  int                         // requests to the model in one turn; 0 means no bound
	MaxCost   float64                     // US dollars a headless run may cost; 0 means no bound
	Now       func() time.Time            // nil means time.Now
}

// Agent is one session being worked on.
type Agent struct {
	opt     Options
	log     *journal
	env     *tools.Env
	gate    *media.Gate
	files   *checkpoint.Keeper // nil where no folder is worked in
	task    *task              // whose loop this is; nil for the session's own
	events  *mailbox
	repeats repeats  // of the running turn
	due     bool     // files are to be read again when the running turn has ended; the loop\'s own
	opened  bool     // a message was taken in this run; guarded by the log
	strays  []string // names of [tools] that were told to fit nothing; of the running turn
	hooks   *extend.Hooks
	// changing holds a token while a call runs that changes files: of calls side by side each would be told the others' changes.
	changing chan struct{}

	commands  chan struct{} // holds a token when inbox is not empty
	mu        sync.Mutex    // guards what follows
	inbox     []Command
	queue     []Queued
	steer     []Prompt
	route     providers.Route
	effort    string
	asks      map[string]pending
	questions map[string]chan tools.Reply
	images    bounds                  // of an eviction
	cancel    context.CancelFunc      // of the running turn; nil while idle
	held      bool                    // the queue waits: the turn before it failed
	number    int                     // the highest picture number handed out
	numbered  map[string]int          // by ref, the numbers of pictures that were attached
	made      map[string][]string     // by original, the pictures that were made of it and not sent
	hidden    []message.PictureRecord // redacted and perhaps not sent
	aside     string                  // what the next message tells the model beside the person's words
	lost      []message.JobRecord     // jobs of an earlier run of which the model was not told
	rewound   bool                    // the conversation went back since the last message
}

// New prepares an agent for a fresh or resumed session. Nothing is written and nothing is contacted.
func New(opt Options) (*Agent, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	history := projection.NewHistory(opt.Loaded.Records)
	a := &Agent{
		opt: opt, gate: opt.Env.Gate, events: newMailbox(),
		log:      &journal{session: opt.Session, history: history, now: opt.Now},
		commands: make(chan struct{}, 1), route: opt.Route, effort: opt.Effort,
		asks: make(map[string]pending), questions: make(map[string]chan tools.Reply), number: history.HighestNumber(), numbered: make(map[string]int),
		images: bounds{opt.MaxImages, opt.EvictStep},
		made:   make(map[string][]string), changing: make(chan struct{}, 1),
	}
	env := opt.Env
	env.Blobs, env.Route, env.Picture, env.Progress = opt.Session, a.Route, a.Picture, a.progress
	env.Redacted = a.redacted
	env.Tasks = nil
	if opt.Tasks != nil {
		env.Tasks = newTasks(a)
	}
	if !opt.Headless {
		env.Ask = a.askQuestion
	}
	lost, last := openJobs(opt.Loaded.Records)
	a.lost = lost
	env.Jobs.Begin(last, opt.Session, a.jobChanged)
	a.env = &env
	a.hooks = extend.NewHooks(opt.Hooks, opt.Env.Left, opt.Session.ID(), opt.Folder, func(sentence string) { a.notice(NoticeError, sentence) })
	if env.Roots != nil {
		a.files = checkpoint.New(opt.Session.Dir(), env.Roots, opt.Session)
		a.files.Progress = a.keptFiles
	}
	return a, nil
}

// Send gives the loop a command. It never blocks.
func (a *Agent) Send(c Command) {
	a.mu.Lock()
	a.inbox = append(a.inbox, c)
	a.mu.Unlock()
	select {
	case a.commands <- struct{}{}:
	default:
	}
}

// Next waits for events and returns all there are; ErrClosed after the last.
func (a *Agent) Next(ctx context.Context) ([]Event, error) { return a.events.next(ctx) }

// Interrupt stops the running turn at once. It does nothing while idle.
func (a *Agent) Interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
}

// Route is the route the next request takes, with what this session learned about its sight.
func (a *Agent) Route() (route providers.Route) {
	chosen := a.chosen()
	a.log.read(func(h *projection.History) { route = h.Sighted(chosen) })
	return route
}

// chosen is the route as it was chosen.
func (a *Agent) chosen() providers.Route {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.route
}

// Picture is what the log knows of a stored picture.
func (a *Agent) Picture(ref string) (p message.PictureRecord, ok bool) {
	a.log.read(func(h *projection.History) { p, ok = h.Picture(ref) })
	return p, ok
}

// pictures is everything the log knows of stored pictures, by Ref.
func (a *Agent) pictures() (all map[string]message.PictureRecord) {
	a.log.read(func(h *projection.History) { all = h.Pictures() })
	return all
}

// Messages is the conversation as it stands, for copying and exporting.
func (a *Agent) Messages() (messages []message.Message) {
	a.log.read(func(h *projection.History) { messages = h.Conversation().Messages })
	return messages
}

// Run is the loop. It returns when ctx ends, after the running turn has been interrupted and written down.
func (a *Agent) Run(ctx context.Context) error {
	defer a.events.close()
	defer a.hooks.Close()
	a.open()
	a.hooks.Observe(extend.SessionStart, nil, nil)
	var turn chan TurnEnded // of the running turn; nil while idle
	for {
		select {
		case <-ctx.Done():
			if turn != nil {
				a.events.put(<-turn) // its context is a child of ctx
			}
			return nil
		case end := <-turn:
			// The turn is over before it is said to be, so that what a face sends on hearing it opens a new one.
			turn = nil
			a.events.put(end)
			a.held = end.Reason == EndFailed || end.Reason == EndLimit
			switch {
			case a.held:
			case a.due:
				turn = a.startReload(ctx, true) // what is queued follows its end
			default:
				turn = a.startQueued(ctx)
			}
			a.due = false // a turn that failed read them at its own end
		case <-a.commands:
			for _, c := range a.takeInbox() {
				turn = a.do(ctx, c, turn)
			}
		}
	}
}

// whenIdle begins work on the conversation as a whole, which waits for no turn.
func (a *Agent) whenIdle(ctx context.Context, turn chan TurnEnded, done string, work func(context.Context) error) chan TurnEnded {
	if turn != nil {
		a.notice(NoticeInfo, "The conversation can be "+done+" when the running turn has ended.")
		return turn
	}
	return a.begin(ctx, func(ctx context.Context) (EndReason, error) { return ended(work(ctx)) })
}

func (a *Agent) takeInbox() []Command {
	a.mu.Lock()
	defer a.mu.Unlock()
	commands := a.inbox
	a.inbox = nil
	return commands
}

// do carries out one command and returns the running turn, if there is one now.
func (a *Agent) do(ctx context.Context, c Command, turn chan TurnEnded) chan TurnEnded {
	switch c := c.(type) {
	case Submit:
		c.Prompt.Attachments = eachOnce(c.Prompt.Attachments)
		return a.submit(ctx, c, turn)
	case Unqueue:
		a.unqueue(c.ID)
	case Answer:
		a.settle(c)
	case Reply:
		a.reply(c)
	case Background:
		a.detach()
	case KillJob:
		a.env.Jobs.Stop(c.ID, "the user")
	case SetRoute:
		a.setRoute(c)
	case SetMode:
		a.setMode(c.Mode)
	case Compact:
		return a.whenIdle(ctx, turn, "compacted", func(ctx context.Context) error { return a.compact(ctx, c.Instructions) })
	case Rewind:
		return a.whenIdle(ctx, turn, "rewound", func(ctx context.Context) error { return a.rewind(ctx, c) })
	case Redo:
		return a.whenIdle(ctx, turn, "rewound", func(ctx context.Context) error { return a.redo(ctx, c) })
	case Rename:
		a.rename(c)
	case PinPicture:
		a.pin(c)
	case DropPicture:
		a.drop(c)
	case Unfold:
		a.unfold(c.ID)
	case Note:
		a.writeNote(c.Text)
	case Reload:
		if turn != nil {
			a.due = true
			return turn
		}
		return a.startReload(ctx, c.Quiet)
	}
	return turn
}

// open says where the session stands.
func (a *Agent) open() {
	opened := Opened{Session: a.opt.Session.ID(), Folder: a.opt.Folder, Resumed: len(a.opt.Loaded.Records) > 0,
		Route: a.Route(), Effort: a.effortNow(), Mode: a.opt.Guard.Mode(), Sandbox: a.opt.Guard.Sandboxed()}
	a.log.read(func(h *projection.History) {
		opened.Messages, opened.Pictures = h.Conversation().Messages, h.Pictures()
	})
	opened.Meter = a.meter()
	a.events.put(opened)
	a.checkNeeds(opened.Route)
	if n := a.opt.Loaded.Damaged; n > 0 {
		a.notice(NoticeDamaged, plural(n, "line of this session's log could not be read and was skipped", "lines of this session's log could not be read and were skipped")+".")
	}
}

func (a *Agent) submit(ctx context.Context, s Submit, turn chan TurnEnded) chan TurnEnded {
	if turn == nil && !a.queued() {
		return a.start(ctx, s.Prompt, true)
	}
	a.mu.Lock()
	if s.Steer && turn != nil {
		a.steer = append(a.steer, s.Prompt)
		a.mu.Unlock()
		a.notice(NoticeInfo, "Your message joins the running turn after the calls under way.")
		return turn
	}
	a.queue = append(a.queue, Queued{ID: store.NewID(), Prompt: s.Prompt})
	a.mu.Unlock()
	a.tellQueue()
	if turn == nil {
		return a.startQueued(ctx) // a held queue goes on with the person's next message
	}
	return turn
}

// eachOnce leaves out what is there already: a picture on the row that the text names too is one picture.
func eachOnce(all []Attachment) []Attachment {
	var kept []Attachment
	for _, at := range all {
		if !slices.ContainsFunc(kept, func(k Attachment) bool { return k.Image.Ref == at.Image.Ref }) {
			kept = append(kept, at)
		}
	}
	return kept
}

func (a *Agent) queued() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queue) > 0
}

// start begins a turn in a goroutine that Run waits for. A fresh prompt was typed after everything before it was
// shown; one that waited in the queue was not.
func (a *Agent) start(ctx context.Context, p Prompt, fresh bool) chan TurnEnded {
	return a.begin(ctx, func(ctx context.Context) (EndReason, error) { return a.guardedTurn(ctx, p, fresh) })
}

// begin runs work that can be interrupted, in a goroutine that Run waits for.
func (a *Agent) begin(ctx context.Context, work func(context.Context) (EndReason, error)) chan TurnEnded {
	workCtx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	a.cancel = cancel
	a.mu.Unlock()
	done := make(chan TurnEnded, 1)
	go func() {
		reason, err := work(workCtx)
		a.mu.Lock()
		a.cancel = nil
		leftover := a.steer // came too late for the turn: sent as the next one
		a.steer = nil
		for i := len(leftover) - 1; i >= 0; i-- {
			a.queue = append([]Queued{{ID: store.NewID(), Prompt: leftover[i]}}, a.queue...)
		}
		a.mu.Unlock()
		cancel()
		done <- TurnEnded{Reason: reason, Err: err}
	}()
	return done
}

// startQueued begins the next queued prompt, if there is one.
func (a *Agent) startQueued(ctx context.Context) chan TurnEnded {
	a.mu.Lock()
	if len(a.queue) == 0 || ctx.Err() != nil {
		a.mu.Unlock()
		return nil
	}
	next := a.queue[0].Prompt
	a.queue = append([]Queued(nil), a.queue[1:]...)
	a.mu.Unlock()
	a.tellQueue()
	return a.start(ctx, next, false)
}

func (a *Agent) unqueue(id string) {
	a.mu.Lock()
	kept := make([]Queued, 0, len(a.queue))
	for _, q := range a.queue {
		if q.ID != id {
			kept = append(kept, q)
		}
	}
	a.queue = kept
	a.mu.Unlock()
	a.tellQueue()
}

func (a *Agent) tellQueue() {
	a.mu.Lock()
	queue := append([]Queued(nil), a.queue...)
	a.mu.Unlock()
	a.events.put(QueueChanged{Queue: queue})
}

// settle hands an answer to the call that waits for it; a late answer is ignored.
func (a *Agent) settle(answer Answer) {
	a.mu.Lock()
	waiting, ok := a.asks[answer.ID]
	delete(a.asks, answer.ID)
	a.mu.Unlock()
	if ok {
		waiting.answer <- answer // buffered
	}
}

func (a *Agent) setRoute(c SetRoute) {
	a.mu.Lock()
	switch {
	case c.Effort == DefaultEffort, c.Effort == "" && !slices.Contains(c.Route.Model.Efforts, a.effort):
		c.Effort = ""
	case c.Effort == "":
		c.Effort = a.effort
	}
	a.route, a.effort = c.Route, c.Effort
	a.mu.Unlock()
	a.record(func(h *heads) []message.Record {
		changed := message.ModelRecord{Head: h.next(message.KindModel), Provider: c.Route.Server.Name, Model: c.Route.Model.ID, Effort: c.Effort}
		return append([]message.Record{changed}, a.step(h, false)...) // no cache of the other model is of use
	})
	if a.opt.KeepRoute != nil {
		if err := a.opt.KeepRoute(c.Route); err != nil {
			a.notice(NoticeError, "The choice of model holds for this session and could not be remembered: "+err.Error())
		}
	}
	route := a.Route()
	a.events.put(RouteChanged{Route: route, Effort: c.Effort, Meter: a.meter()})
	if !route.Sees() && a.picturesInContext() > 0 {
		a.notice(NoticeWithheld, plural(a.picturesInContext(), "picture of this conversation is", "pictures of this conversation are")+" withheld from "+route.Name()+", which cannot see images; switching back brings them back.")
	}
	a.checkNeeds(route)
}

// checkNeeds says at once what the chosen route cannot give this conversation. Nothing is refused: what does not
// fit is elided or summarised before the next request, tools are left away, an effort is not sent.
func (a *Agent) checkNeeds(route providers.Route) {
	needs := providers.Needs{Tools: len(a.opt.Tools.All()) > 0, Thinking: a.effortNow() != "", Window: a.meter().Context}
	if err := providers.CheckCapabilities(route, needs); err != nil {
		a.notice(NoticeInfo, err.Error()+".")
	}
}

func (a *Agent) setMode(mode guard.Mode) {
	a.opt.Guard.SetMode(mode)
	a.record(func(h *heads) []message.Record {
		return []message.Record{message.ModeRecord{Head: h.next(message.KindMode), Mode: string(mode)}}
	})
	a.events.put(ModeChanged{Mode: mode, Sandbox: a.opt.Guard.Sandboxed()})
}

// record appends to a session that has begun; in one that has not, the choice travels with its first turn.
// A failure is told and the session goes on.
func (a *Agent) record(make func(h *heads) []message.Record) {
	if !a.begun() {
		return
	}
	if err := a.log.append(make); err != nil {
		a.notice(NoticeError, err.Error())
	}
}

func (a *Agent) begun() (begun bool) {
	a.log.read(func(h *projection.History) { begun = len(h.Records()) > 0 })
	return begun
}

func (a *Agent) writeNote(text string) {
	a.record(func(h *heads) []message.Record {
		return []message.Record{message.MessageRecord{Head: h.next(message.KindMessage), Message: message.Message{
			Role: message.RoleNote, Blocks: []message.Block{message.Text{Text: text, Origin: message.OriginEspy}}}}}
	})
	a.notice(NoticeInfo, text)
}

// ServersChanged tells the face that an MCP server stands otherwise, with a sentence where it failed. It never blocks.
func (a *Agent) ServersChanged(failed string) {
	a.events.put(ServersChanged{})
	if failed != "" {
		a.notice(NoticeError, failed)
	}
}

func (a *Agent) notice(kind NoticeKind, sentence string) {
	a.events.put(Notice{Kind: kind, Sentence: sentence})
}

func (a *Agent) progress(callID, lines string) {
	a.events.put(CallProgress{CallID: callID, Text: lines})
}

// errInterrupted ends a turn the person stopped.
var errInterrupted = errors.New("interrupted")
