package ui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/ui/internal/script"
)

func stripped(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }

// yard is jobs that are as they are set.
type yard struct {
	mu   sync.Mutex
	list []tools.Job
	text string
}

func (y *yard) Jobs() []tools.Job {
	y.mu.Lock()
	defer y.mu.Unlock()
	return append([]tools.Job(nil), y.list...)
}

func (y *yard) JobTail(id, lines int) (tools.Job, string, bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, j := range y.list {
		if j.ID == id {
			return j, y.text, true
		}
	}
	return tools.Job{}, "", false
}

func (y *yard) set(text string, list ...tools.Job) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.text, y.list = text, list
}

var (
	server = tools.Job{ID: 1, Command: "npm run dev", Folder: "/home/ana/shop", Began: d0.Add(-34 * time.Second), Newest: "ready in 812 ms"}
	build  = tools.Job{ID: 2, Command: "make -j8 all\u202e", Folder: "/home/ana/shop", Began: d0.Add(-90 * time.Second), Ended: d0.Add(-88 * time.Second), How: "exit code 2", Newest: "make: *** [all] Error 2"}
)

const printed = "> shop@1.0.0 dev\n> vite\n\n  VITE v5.0  ready in 812 ms\n\x1b[2J  Local: http://localhost:5173/\u202e\n"

// withJobs has a server running and a build that failed.
func withJobs(t *testing.T, theme string, w, h int) *driver {
	y := &yard{}
	y.set(printed, build, server)
	d := drive(t, w, h, func(o *Options) { o.Theme, o.NoColor, o.Jobs = theme, theme == "none", y }, conversation())
	d.now = d0
	d.until("the answer is rendered", func() bool { return allRendered(d) })
	d.push(agent.JobChanged{Job: server})
	d.until("it counts", func() bool { return len(d.m.talk.jobs) == 1 })
	return d
}

func listCall(id, args string) (message.Message, message.Message) {
	return message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.ToolCall{ID: id, Name: "todo", Args: args}}},
		message.Message{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: id, Text: "The list is kept."}}}
}

const (
	firstList  = `{"items":[{"id":"a","text":"find why the label is cut off","state":"in_progress"},{"id":"b","text":"give the toolbar a minimum height","state":"pending"},{"id":"c","text":"run the tests","state":"pending"}]}`
	secondList = `{"items":[{"id":"a","text":"find why the label is cut off","state":"done"},{"id":"b","text":"give the toolbar a minimum height \u202e and mend the footer, which has the same fault in narrow windows","state":"in_progress"},{"id":"c","text":"run the tests","state":"pending"}]}`
	wholeDone  = `{"items":[{"id":"a","text":"find why the label is cut off","state":"done"}]}`
)

// withTodos is a session whose list was set twice, with a turn running.
func withTodos(t *testing.T, theme string, w, h int) *driver {
	a1, r1 := listCall("t1", firstList)
	a2, r2 := listCall("t2", secondList)
	d := themed(t, theme, w, h, script.Opened(message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "mend the toolbar"}}}, a1, r1, a2, r2))
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "go on"}}}})
	d.until("the turn runs", func() bool { return d.m.talk.busy })
	return d
}

const planText = "# Mend the toolbar\n\n1. `web/toolbar.css`: replace the **fixed height** by `min-height`.\n2. Check the footer, which has the same rule.\n3. Run `npm test -- --run toolbar`.\n\nNothing else changes."

func planCall() message.ToolCall {
	return message.ToolCall{ID: "p1", Name: "exit_plan", Args: fmt.Sprintf(`{"plan":%q}`, planText)}
}

func spent() []agent.Spent {
	cost := 0.4213
	return []agent.Spent{
		{Provider: "anthropic", Model: "claude-opus-5", Requests: 14, Tasks: 3, Input: 120034, Cached: 96000, Written: 20100, Output: 3456, Pictures: 14200, Cost: &cost},
		{Provider: "local", Model: "qwen3-vl:8b", Requests: 2, Input: 4100, Output: 210, Pictures: 20},
	}
}

// everydayViews are the screens of everyday tools, drawn in every theme.
func everydayViews() map[string]func(t *testing.T, theme string, w, h int) *driver {
	return map[string]func(t *testing.T, theme string, w, h int) *driver{
		"jobs": func(t *testing.T, theme string, w, h int) *driver {
			d := withJobs(t, theme, w, h)
			d.d("/jobs")
			d.until("the list is there", func() bool { return d.m.dialog != nil })
			return d
		},
		"job": func(t *testing.T, theme string, w, h int) *driver {
			d := withJobs(t, theme, w, h)
			d.d("/jobs")
			d.until("the list is there", func() bool { return d.m.dialog != nil })
			d.key("enter")
			d.until("its output is there", func() bool { return d.m.dialog != nil && d.m.dialog.job == 1 })
			return d
		},
		"tasklist": withTodos,
		"tasklist-all": func(t *testing.T, theme string, w, h int) *driver {
			d := withTodos(t, theme, w, h)
			d.key("alt+t")
			return d
		},
		"inquiry": func(t *testing.T, theme string, w, h int) *driver {
			d := themed(t, theme, w, h, script.Opened())
			d.push(agent.TurnStarted{}, inquires("q1", false))
			armed(d)
			return d
		},
		"inquiry-several": func(t *testing.T, theme string, w, h int) *driver {
			d := themed(t, theme, w, h, script.Opened())
			d.push(agent.TurnStarted{}, inquires("q1", true))
			armed(d)
			d.key("2")
			return d
		},
		"plan": func(t *testing.T, theme string, w, h int) *driver {
			d := themed(t, theme, w, h, script.Opened())
			d.push(agent.TurnStarted{}, agent.CallStarted{Call: planCall(), Summary: "the plan"}, agent.PermissionAsked{ID: "q1", Call: planCall(),
				Effect:   guard.Effect{Tool: "exit_plan", Kind: guard.KindPlan, Summary: "the plan", Preview: planText},
				Decision: guard.Decision{Verdict: guard.Ask, Reason: "approving the plan ends plan mode"}})
			armed(d)
			return d
		},
		"plan-shown": func(t *testing.T, theme string, w, h int) *driver {
			d := themed(t, theme, w, h, script.Opened(
				message.Message{Role: message.RoleAssistant, Blocks: []message.Block{planCall()}},
				message.Message{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: "p1", Text: "The user approved the plan."}}}))
			d.d("/plan")
			d.until("the plan is there", func() bool { return d.m.dialog != nil })
			return d
		},
		"cost": func(t *testing.T, theme string, w, h int) *driver {
			d := drive(t, w, h, func(o *Options) { o.Theme, o.NoColor, o.Spending = theme, theme == "none", spent }, script.Opened())
			d.d("/cost")
			d.until("the figures are there", func() bool { return d.m.dialog != nil })
			return d
		},
	}
}

// d runs a command line.
func (d *driver) d(line string) {
	d.types(line)
	d.key("esc", "enter")
}

func TestEveryEverydayViewInEveryThemeAndSizeIsAsItWasLookedAt(t *testing.T) {
	themesAndSizes(t, everydayViews())
}

func TestAListOfJobsFollowsThemAndEndsOne(t *testing.T) {
	d := withJobs(t, "dark", 100, 30)
	d.shows("1 job")
	d.d("/jobs")
	d.shows("ready in 812 ms")
	d.shows("✗ 2.0 s  exit code 2 · make -j8 all")
	yard := d.m.conv.Jobs.(*yard)
	moved := server
	moved.Newest = "hot update"
	yard.set("one\ntwo\nthree\n", build, moved)
	d.shows("hot update") // by itself
	d.key("enter")
	d.shows("three")
	yard.set("one\ntwo\nthree\nfour\n", build, moved)
	d.shows("four")
	d.key("down", "enter")
	ended := false
	for _, c := range d.loop.Commands() {
		k, ok := c.(agent.KillJob)
		ended = ended || ok && k.ID == 1
	}
	if !ended || d.m.dialog != nil {
		t.Errorf("the job was not ended; commands %v", d.loop.Commands())
	}
	moved.Ended, moved.How = d0, "ended by the user"
	d.push(agent.JobChanged{Job: moved})
	d.until("it counts no more", func() bool { return len(d.m.talk.jobs) == 0 })
	if strings.Contains(d.screen(), "1 job") {
		t.Error("the status line still counts it")
	}
}

func TestALongOutputShowsItsEndUntilItIsScrolled(t *testing.T) {
	d := withJobs(t, "dark", 80, 24)
	yard := d.m.conv.Jobs.(*yard)
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	yard.set(long.String(), server)
	d.d("/jobs")
	d.until("the list is there", func() bool { return d.m.dialog != nil })
	d.key("enter")
	d.shows("line 299")
	d.key("pgup", "pgup")
	before := d.m.dialog.top
	yard.set(long.String()+"line 300\n", server)
	d.until("it was looked at again", func() bool { return strings.Contains(stripped(d.m.dialog.wrapped), "line 300") })
	if strings.Contains(d.screen(), "line 300") || d.m.dialog.top != before {
		t.Error("what is read was scrolled away")
	}
	d.key("pgdown", "pgdown", "pgdown")
	d.shows("line 300")
	yard.set(long.String()+"line 300\nline 301\n", server)
	d.shows("line 301") // at the end it follows again
}

func TestCtrlBSendsARunningCommandToTheBackgroundAndElseMovesTheCursor(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	sent := func() (n int) {
		for _, c := range d.loop.Commands() {
			if _, ok := c.(agent.Background); ok {
				n++
			}
		}
		return n
	}
	d.types("ab")
	d.key("ctrl+b", "x")
	if d.m.comp.buf.text() != "axb" || sent() != 0 {
		t.Errorf("the text is %q, %d sent", d.m.comp.buf.text(), sent())
	}
	d.push(agent.TurnStarted{}, agent.CallStarted{Call: message.ToolCall{ID: "s", Name: "shell"}, Summary: "shell: sleep"})
	d.until("it runs", func() bool { return len(d.m.talk.turn.running) == 1 })
	d.key("ctrl+b")
	if sent() != 1 || d.m.comp.buf.text() != "axb" {
		t.Errorf("%d sent, the text is %q", sent(), d.m.comp.buf.text())
	}
	d.push(agent.CallFinished{Call: message.ToolCall{ID: "s", Name: "shell"}, Result: message.ToolResult{CallID: "s"}})
	d.until("it has ended", func() bool { return len(d.m.talk.turn.running) == 0 })
	d.key("ctrl+b")
	if sent() != 1 {
		t.Errorf("%d sent", sent())
	}
}

func TestTheNewestTaskListShowsWholeAndOlderOnesFoldAlsoAfterAResume(t *testing.T) {
	d := withTodos(t, "dark", 100, 40)
	text := d.screen()
	if strings.Count(text, "✓ find why") != 1 || strings.Contains(text, "▸ find why") || strings.Count(text, "tasks") != 2 {
		t.Errorf("the newest list should show whole, the older one as a line:\n%s", text)
	}
	d.shows("1 of 3 done · alt+t shows all")
	d.key("alt+t")
	d.shows("1 of 3 done · alt+t folds")
	d.push(agent.CallStarted{Call: message.ToolCall{ID: "t3", Name: "todo", Args: wholeDone}, Summary: "the task list"},
		agent.CallFinished{Call: message.ToolCall{ID: "t3", Name: "todo", Args: wholeDone}, Result: message.ToolResult{Text: "kept"}})
	d.until("it is taken over", func() bool { return len(d.m.talk.todos) == 1 })
	if text := d.screen(); strings.Contains(text, "alt+t") || strings.Contains(text, "○ run the tests") || !strings.Contains(text, "1 of 1 done") {
		t.Errorf("a list without anything left to do takes no line:\n%s", text)
	}
	d.key("alt+t")
	d.key("alt+t")
	d.shows("no task list with anything left to do")
}

func TestARewoundConversationHasTheListItHadThen(t *testing.T) {
	d := withTodos(t, "dark", 100, 40)
	a1, r1 := listCall("t1", firstList)
	d.push(agent.TurnEnded{Reason: agent.EndDone}, agent.Rewound{Conversation: true, Messages: []message.Message{a1, r1}})
	d.until("the list is the earlier one", func() bool {
		return len(d.m.talk.todos) == 3 && d.m.talk.todos[0].State == tools.TodoAtWork
	})
	d.push(agent.Rewound{Conversation: true})
	d.until("there is none", func() bool { return len(d.m.talk.todos) == 0 })
}

func TestLeavingSaysWhichJobsEndWithIt(t *testing.T) {
	d := withJobs(t, "dark", 80, 24)
	d.key("ctrl+c")
	d.shows("again to quit; 1 job ends with it")
}

func TestACommandForTheBackgroundAsksAsOne(t *testing.T) {
	ask := asks("q1")
	ask.Effect.Background = true
	if got := questionTitle(ask); got != "shell: run this command in the background?" {
		t.Errorf("the question is %q", got)
	}
	ask.Effect.Outside = true
	if got := questionTitle(ask); got != "shell: run this command outside the sandbox, in the background?" {
		t.Errorf("the question is %q", got)
	}
}

func TestInitSendsItsOwnLineWithThePromptBehindIt(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.d("/init mind the generated files")
	got := d.submits()
	if len(got) != 1 || len(got[0].Prompt.Text) != 2 {
		t.Fatalf("sent %+v", got)
	}
	typed, behind := got[0].Prompt.Text[0], got[0].Prompt.Text[1]
	if typed.Text != "/init mind the generated files" || typed.Origin != message.OriginTyped || behind.Origin != message.OriginEspy ||
		!strings.Contains(behind.Text, "AGENTS.md") || !strings.HasSuffix(behind.Text, "The user adds: mind the generated files") {
		t.Errorf("sent %q and %q", typed.Text, behind.Text)
	}
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{typed, behind}}})
	d.until("it shows", func() bool { return d.m.talk.busy })
	if text := d.screen(); !strings.Contains(text, "▌ /init mind the generated files") || strings.Contains(text, "newcomer") {
		t.Errorf("the transcript should show the line alone:\n%s", text)
	}
}

func TestClearBeginsANewSessionAndNamesTheOneBefore(t *testing.T) {
	for _, line := range []string{"/clear", "/new"} {
		opened := conversation()
		next := script.NewLoop(script.Opened())
		d := drive(t, 100, 30, func(o *Options) {
			o.New = func(context.Context) (Conversation, error) {
				return Conversation{Loop: next, Intake: &script.Intake{}}, nil
			}
		}, opened)
		d.push(agent.JobChanged{Job: server})
		d.until("the job counts", func() bool { return len(d.m.talk.jobs) == 1 })
		d.d(line)
		d.shows("the session before is kept: /resume " + opened.Session + "; 1 job ended with it")
		if d.m.conv.Loop != Loop(next) {
			t.Error("it is the same session")
		}
	}
	d := drive(t, 100, 30, func(o *Options) {
		o.New = func(context.Context) (Conversation, error) {
			return Conversation{Loop: script.NewLoop(script.Opened()), Intake: &script.Intake{}}, nil
		}
	}, script.Opened())
	talk := d.m.talks
	d.d("/clear")
	d.until("the new one is there", func() bool { return d.m.talks > talk && d.m.talk.opened })
	if strings.Contains(d.screen(), "is kept") {
		t.Error("a session in which nothing was said is named")
	}
}

func TestUndoTakesTheLastTurnBackWithItsFiles(t *testing.T) {
	var points []agent.Point
	d := drive(t, 80, 24, func(o *Options) { o.Points = func() []agent.Point { return points } }, script.Opened())
	d.d("/undo")
	d.shows("there is nothing to take back")
	points = []agent.Point{{ID: "m1", Text: "first"}, {ID: "m2", Text: "second", Files: 2}}
	d.push(agent.TurnStarted{})
	d.until("the turn runs", func() bool { return d.m.talk.busy })
	d.d("/undo")
	d.shows("can be taken back when it has ended")
	d.push(agent.TurnEnded{Reason: agent.EndDone})
	d.until("the turn has ended", func() bool { return !d.m.talk.busy })
	d.d("/undo")
	d.until("it goes back", func() bool {
		for _, c := range d.loop.Commands() {
			if r, ok := c.(agent.Rewind); ok {
				return r == agent.Rewind{To: "m2", What: agent.RewindBoth}
			}
		}
		return false
	})
}

func TestAnUnfoldedPlanReadsAsOne(t *testing.T) {
	d := drive(t, 80, 40, nil, script.Opened(
		message.Message{Role: message.RoleAssistant, Blocks: []message.Block{planCall()}},
		message.Message{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: "p1", Text: "Refused: no", IsError: true, Meta: map[string]string{message.MetaRefused: "no"}}}}))
	d.d("/plan")
	d.shows("the plan, not approved")
	d.key("esc", "ctrl+o")
	d.shows("Mend the toolbar")
	if text := d.screen(); strings.Contains(text, `\n`) || strings.Contains(text, "**") {
		t.Errorf("the plan shows as its JSON:\n%s", text)
	}
	none := drive(t, 80, 24, nil, script.Opened())
	none.d("/plan")
	none.shows("there is no plan in this session yet")
}

func TestTheFirstScreenSuggestsOnlyWhatIsThere(t *testing.T) {
	for file, want := range map[string]string{"": `call glob {"pattern":"**"}`, "main.go": `call read {"path":"main.go"}`, "a\u202eb": `call glob`} {
		d := drive(t, 80, 24, func(o *Options) { o.First.Try = file }, script.Opened())
		d.shows(want)
		if strings.Contains(d.screen(), "README") {
			t.Errorf("with %q it suggests a README", file)
		}
	}
}
