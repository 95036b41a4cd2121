package ui

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"golang.org/x/sync/semaphore"

	"espy/agent/guard"
	"espy/ui/input"
	"espy/ui/paint"
)

// model is the top of the program. It routes messages to the regions and lays them out; what a region does
// is the region's own business. Update and View are called on one goroutine and never wait.
type model struct {
	walking  bool     // the last key went through what was sent before
	recalled []string // refs of pictures on the row that a recalled message brought
	o        Options
	keys     keymap
	t        *theme
	work     *works

	escapedAt time.Time // the last press of the interrupting key with nothing to interrupt

	conv  Conversation
	talks int // conversations so far; what a command of an earlier one brings is dropped

	width, height int

	list   *transcript
	talk   session
	comp   composer
	row    row
	hints  completion
	dialog *dialog
	find   finder
	notice notice
	live   live

	jobs    []*job
	moving  bool        // another session is being opened
	away    atomic.Bool // another program has the terminal
	parcels []*parcel   // messages on their way out while their @files are read
	pending *outbox     // what Enter was pressed for while something was still being attached

	lastKey    time.Time
	lastTyping bool // the last key went to the composer
	quitArmed  time.Time
	stopArmed  time.Time // when ctrl+c last stopped what runs

	mouse    bool     // the mouse is ours
	names    []string // of the models, for completion
	spin     int
	allTodos bool        // the whole task list stands above the composer
	left     leftSession // the session before, until it was told of
	pulse    pulse
	ticking  bool
	draft    draftKeeper

	parts parts
	lines []string // the frame, for View
	caret paint.Caret
	stale bool
	fault string // the report of a fault that ends the program

	gallery *gallery
	passes  bool                // tmux passes pictures on
	decodes *semaphore.Weighted // previews that may be decoded at once

	viewer *viewer // a picture that fills the screen

	keysIn   *input.Reader // the terminal, as it is read, written and painted; nil in tests
	out      *input.Writer
	painter  *paint.Painter
	title    string    // of the window, as last written
	asked    time.Time // when the terminal was asked what it can do
	quitting bool      // as soon as it has answered
	caps     input.Caps
	clip     clipEvents
	profile  termenv.Profile
}

// notice is a sentence above the composer about what was just done there.
type notice struct {
	text string
	bad  bool
}

func newModel(o Options, t *theme, work *works) *model {
	m := &model{o: o, keys: newKeymap(o.Keys), t: t, work: work, gallery: newGallery(ownNumber()),
		decodes: semaphore.NewWeighted(decodesAtOnce)}
	m.comp = newComposer(m.keys)
	m.comp.vim.on = o.Vim
	m.row.cost, m.mouse = o.Cost, o.Mouse
	m.begin(o.Conversation)
	return m
}

// begin takes a conversation up: an empty transcript that its Opened event fills.
func (m *model) begin(c Conversation) {
	m.conv = c
	if c.First != nil {
		m.o.First = *c.First
	}
	m.talks++
	list := newTranscript(look{t: m.t, keys: m.keys.key, gallery: m.gallery, tall: m.height >= tallHeight}, m.renderAnswer)
	m.list = &list
	m.talk = newSession(m.list, m.o.Folder)
	m.talk.onlyRead = c.ReadOnly != nil
	m.dialog, m.viewer, m.notice, m.live, m.find = nil, nil, notice{}, live{}, finder{}
}

func (m *model) Init() tea.Cmd {
	return tea.Batch(m.next(), m.loadDraft(), m.loadHistory(), m.loadNames(), m.askTerminal(), m.choosePreviews(), m.askTmux(), m.startUp())
}

// Update takes a message in. A fault in here must not leave the terminal in pieces: it is kept, and the
// program ends in order.
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	defer func() {
		if fault := recover(); fault != nil {
			m.fault = crashReport(fault)
			next, cmd = m, tea.Quit
		}
	}()
	if m.fault != "" { // it was met while drawing
		return m, tea.Quit
	}
	m.stale = true
	cmd = m.route(msg)
	return m, tea.Batch(cmd, m.settle())
}

// route gives a message to whom it is for.
func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return nil
	case tea.MouseMsg:
		return m.onMouse(msg)
	case input.ReplyMsg:
		return m.onReply(msg)
	case resumed:
		return m.onResumed(msg)
	case quitNow:
		return tea.Quit
	case previewReady:
		m.onPreviewReady(msg)
		return nil
	case tmuxPictures:
		return m.onTmuxPictures(msg)
	case previewSent:
		return m.onPreviewSent(msg)
	case input.ClosedMsg:
		return m.quit()
	case arrived:
		return m.onArrived(msg)
	case rendered:
		return m.onRendered(msg)
	case jobDone:
		return m.onJobDone(msg)
	case found:
		m.onFound(msg)
		return nil
	case crashed:
		m.fault = msg.report
		return tea.Quit
	}
	return m.routeMore(msg)
}

func (m *model) routeMore(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case askAgain:
		if msg.talk == m.talks {
			return m.next()
		}
	case tick:
		m.ticking = false
		m.spin++
		m.talk.count(m.o.Clock())
		m.showJobs()
		m.sample()
	case namesLoaded:
		m.names = msg.names
	case armQuestion:
		m.onArm(msg)
	case startServers:
		m.onStartServers(msg)
	case draftDue:
		return m.saveDraft()
	case draftLoaded:
		m.onDraft(msg)
	case historyLoaded:
		m.onHistory(msg)
	case switched:
		return m.onSwitched(msg)
	case sentence:
		m.say(msg.text, msg.bad)
	case editorReady:
		return m.onEditorReady(msg)
	case textWritten:
		m.onTextWritten(msg)
	case edited:
		return m.onEdited(msg)
	case jobsListed:
		return m.onJobs(msg)
	case jobTailed:
		return m.onJobTail(msg)
	case jobsDue:
		return m.onJobsDue(msg)
	case undoTo:
		m.onUndo(msg)
	case panelReady:
		m.dialog = msg.dialog
	case modelsListed:
		return m.onModelsListed(msg)
	case keyTyped:
		m.onKeyTyped(msg)
	case routeNamed:
		m.onRouteNamed(msg)
	default:
		return m.onInput(msg)
	}
	return nil
}

// settle runs after every message: what follows from the new state.
func (m *model) settle() tea.Cmd {
	m.openQuestion()
	cmds := []tea.Cmd{m.complete(), m.keepDraft(), m.arm(), m.retitle()}
	if m.width > 0 && m.height > 0 {
		cmds = append(cmds, m.layout())
	}
	if m.moves() && !m.ticking {
		m.ticking = true
		m.sample()
		cmds = append(cmds, m.work.after(spinnerPause, tick{}))
	}
	return tea.Batch(cmds...)
}

// moves reports whether a sign of work is on the screen. While a question stands, the person is waited for.
func (m *model) moves() bool {
	return len(m.jobs) > 0 || m.talk.busy && (m.dialog == nil || m.dialog.question == nil)
}

// tick moves the sign of work.
type tick struct{}

// say puts a sentence above the composer; "" takes it away.
func (m *model) say(text string, bad bool) { m.notice = notice{text, bad} }

// View returns the frame as text. In front of a terminal the painter is given its lines instead.
func (m *model) View() string {
	if m.stale {
		m.lines, m.caret = m.frameNow()
	}
	return strings.Join(m.lines, "\n")
}

// frameNow draws the frame, and where the cursor stands in it; it is drawn once for each change.
func (m *model) frameNow() (lines []string, caret paint.Caret) {
	defer func() {
		if fault := recover(); fault != nil {
			m.fault = crashReport(fault)
			lines, caret = []string{"espy met a fault in itself; press any key"}, paint.Caret{}
		}
	}()
	m.stale = false
	lines = m.draw()
	return lines, takeCaret(lines, m.caretShape())
}

// resize takes the size of the window.
func (m *model) resize(width, height int) {
	m.width, m.height = width, height
	m.list.tall(m.height >= tallHeight)
}

// parts is the screen from bottom to top, as lines.
type parts struct {
	status   string
	todos    []string
	composer []string
	row      []string
	rule     string
	notice   []string
	queue    []string
	panel    []string // a dialog or completions
}

func (p parts) height() int {
	return 2 + len(p.composer) + len(p.row) + len(p.notice) + len(p.queue) + len(p.panel) + len(p.todos)
}

// assemble draws everything below the transcript. A short screen gives up what is needed least.
func (m *model) assemble() parts {
	small := m.height < smallHeight
	p := parts{status: m.talk.statusView(m.width, m.t), rule: m.ruleView(m.width)}
	if d := m.dialog; d != nil && (d.question == nil || d.question.reason) {
		d.usual = d.foot(m.keys)
	}
	if m.dialog != nil && small {
		p.panel = m.dialog.view(m.width, m.height-2, m.t)
		return p
	}
	focused := !m.row.focused && m.list.picked < 0 && (m.dialog == nil || m.dialog.question != nil)
	room := min(m.width, measure)
	p.composer = m.comp.view(room, m.comp.wants(room, m.height/composerShare), m.t, focused, m.placeholder())
	p.row = m.row.view(room, pick(small, 1, rowLines), m.t, m.talk.route, m.cards())
	p.notice = m.noticeView(pick(small, 2, noticeLines))
	if m.dialog != nil {
		p.panel = m.dialog.view(m.width, max(m.height-p.height()-pick(m.height < 20, 0, 3), 3), m.t)
		return p
	}
	p.todos = m.todoView(m.width, max((m.height-p.height())/2, 1))
	p.queue = m.talk.queueView(m.width, pick(small, 1, queueLines), m.t, m.keys)
	p.panel = m.hints.view(m.width, min(popupRows, max(m.height-p.height()-1, 1)), m.t)
	if len(p.panel) > 0 && !small {
		p.panel = append([]string{""}, p.panel...)
	}
	return p
}

func pick(small bool, a, b int) int {
	if small {
		return a
	}
	return b
}

// layout gives the transcript the lines that are left and lets it draw.
func (m *model) layout() tea.Cmd {
	tidy := m.tidyPreviews()
	if m.viewer != nil {
		m.layoutViewer()
		return tea.Batch(tidy, m.previews())
	}
	m.parts = m.assemble()
	m.list.resize(min(m.width-2, measure), max(m.height-m.parts.height(), 0))
	return tea.Batch(tidy, m.list.layout(), m.previews())
}

func (m *model) draw() []string {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	if m.viewer != nil {
		return m.fit(slices.Clone(m.viewer.lines))
	}
	p := m.parts
	lines := m.list.view()
	lines = append(lines, p.panel...)
	lines = append(lines, p.todos...)
	lines = append(lines, p.queue...)
	lines = append(lines, p.notice...)
	lines = append(lines, p.rule)
	lines = append(lines, p.row...)
	lines = append(lines, p.composer...)
	lines = append(lines, p.status)
	if len(lines) > m.height { // a screen of a few lines shows the composer first
		lines = lines[len(lines)-m.height:]
	}
	return m.fit(lines)
}

// fit cuts lines to the screen. Regions keep to their width; a screen of a few columns cannot be kept to.
func (m *model) fit(lines []string) []string {
	for i, line := range lines {
		if len(line) > m.width && cellsOf(line) > m.width {
			lines[i] = cut(line, m.width)
		}
	}
	return lines
}

func (m *model) noticeView(most int) []string {
	if m.notice.text == "" {
		return nil
	}
	style, mark := m.t.dim, "· "
	if m.notice.bad {
		style, mark = m.t.bad, "✗ "
	}
	lines := wrap(safe(m.notice.text), min(m.width, measure)-4)
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], cut(lines[most-1]+"…", m.width-4))
	}
	return indent(hang(style.Render(mark), styled(lines, style.Render)))
}

func (m *model) placeholder() string {
	switch {
	case m.conv.ReadOnly != nil:
		return "only read here; /fork goes on in a copy, " + m.keys.key(actTranscript) + " moves in it"
	case m.talk.busy:
		return "write the next message; enter queues it, " + m.keys.key(actSteer) + " sends it into this turn"
	case len(m.row.pictures) > 0:
		return "say what to do with " + thePictures(len(m.row.pictures)) + ", or press enter to send"
	case m.talk.mode == guard.ModePlan:
		return "ask for a plan"
	}
	return "ask for something; / for commands, @ for files, ! for a shell line"
}

func thePictures(n int) string {
	if n == 1 {
		return "the picture"
	}
	return "the pictures"
}
