package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

func TestTheTaskListIsReplacedAndKeptForLater(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("todo", `{"items":[{"id":"a","text":"read\nthe code","state":"done"},{"id":"b","text":"write it","state":"in_progress"},{"text":"test it","state":"pending"}]}`)
	if out.Result.IsError || out.Result.Text != "The list is kept: 1 of 3 done." || out.Result.Meta[message.MetaSummary] != "1 of 3 done, now: write it" {
		t.Errorf("the answer is %+v", out.Result)
	}
	if kept := out.Result.Meta[message.MetaKept]; !strings.HasSuffix(kept, "\n[x] a: read the code\n[>] b: write it\n[ ] test it") {
		t.Errorf("kept is %q", kept)
	}
	if out := w.Call("todo", `{"items":[]}`); out.Result.IsError || out.Result.Text != "The list is empty now." {
		t.Errorf("emptying it: %+v", out.Result)
	}
	items, err := tools.Todos(`{"items":[{"text":"x","state":"pending"}]}`)
	if err != nil || len(items) != 1 || items[0] != (tools.Todo{Text: "x", State: tools.TodoPending}) {
		t.Errorf("read back %v, %v", items, err)
	}
}

func TestATaskListThatMakesNoSenseIsRefusedWithTheReason(t *testing.T) {
	w := toolstest.New(t)
	for args, want := range map[string]string{
		`{"items":[{"text":" ","state":"done"}]}`:                                                         "item 1 has no text",
		`{"items":[{"text":"a","state":"in_progress"},{"text":"b","state":"in_progress"}]}`:               "2 items are in_progress",
		`{"items":[{"id":"x","text":"a","state":"done"},{"id":"x","text":"b","state":"done"}]}`:           "items 1 and 2 have the same id",
		`{"items":[{"text":"a","state":"completed"}]}`:                                                    `"pending" or "in_progress" or "done"`,
		`{"items":[{"text":"` + strings.Repeat("a", 301) + `","state":"done"}]}`:                          "301 bytes",
		`{"items":[` + strings.TrimSuffix(strings.Repeat(`{"text":"a","state":"done"},`, 51), ",") + `]}`: "51 items",
		`{"items":"all"}`: "items",
	} {
		if out := w.Call("todo", args); !out.Result.IsError || !strings.Contains(out.Result.Text, want) {
			t.Errorf("%.60s is answered with %q, want %q", args, out.Result.Text, want)
		}
		if _, err := tools.Todos(args); err == nil {
			t.Errorf("%.60s reads as a list", args)
		}
	}
}

const which = `{"question":"Which database?","choices":[{"label":"Postgres","about":"it is there"},{"label":"SQLite"}]}`

func TestAQuestionComesBackAsWhatThePersonSaid(t *testing.T) {
	several := strings.Replace(which, `"question"`, `"several":true,"question"`, 1)
	for _, c := range []struct {
		args  string
		reply tools.Reply
		want  string
	}{
		{which, tools.Reply{Chosen: []int{1}}, "The user chose: SQLite"},
		{several, tools.Reply{Chosen: []int{0, 1}}, "The user chose: Postgres; SQLite"},
		{several, tools.Reply{Chosen: []int{0}, Words: "and DuckDB"}, "The user chose: Postgres\nand added: and DuckDB"},
		{several, tools.Reply{}, "The user chose none of these."},
		{which, tools.Reply{Words: " neither \xff"}, "The user answered in their own words: neither \uFFFD"},
		{which, tools.Reply{Dismissed: true}, "The user dismissed the question without an answer."},
		{which, tools.Reply{Chosen: []int{7, -1}}, "The user dismissed"},
	} {
		w := toolstest.New(t)
		w.Env.Ask = func(_ context.Context, call message.ToolCall, q tools.Question) (tools.Reply, error) {
			if q.Text != "Which database?" || len(q.Choices) != 2 || call.Name != "ask" {
				t.Errorf("asked %+v by %+v", q, call)
			}
			return c.reply, nil
		}
		if out := w.Call("ask", c.args); out.Result.IsError || !strings.HasPrefix(out.Result.Text, c.want) {
			t.Errorf("%+v is told as %q, want %q", c.reply, out.Result.Text, c.want)
		}
	}
}

func TestWhereNobodyIsThereTheModelIsTold(t *testing.T) {
	w := toolstest.New(t)
	if out := w.Call("ask", which); !out.Result.IsError || !strings.Contains(out.Result.Text, "nobody is there who could be asked") {
		t.Errorf("the answer is %q", out.Result.Text)
	}
	w.Env.Ask = func(ctx context.Context, _ message.ToolCall, _ tools.Question) (tools.Reply, error) {
		return tools.Reply{}, context.Canceled
	}
	if _, err := w.CallContext(context.Background(), "ask", which); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted question ends with %v", err)
	}
}

func TestAQuestionThatCannotBeAnsweredIsRefusedWithTheReason(t *testing.T) {
	w := toolstest.New(t)
	choice := `{"label":"a"}`
	for args, want := range map[string]string{
		`{"question":" ","choices":[{"label":"a"},{"label":"b"}]}`:                                    "the question is empty",
		`{"question":"x","choices":[{"label":"a"}]}`:                                                  "there are 1 choices, and from 2 to 6",
		`{"question":"x","choices":[` + strings.TrimSuffix(strings.Repeat(choice+",", 7), ",") + `]}`: "there are 7 choices",
		`{"question":"x","choices":[{"label":"a"},{"label":" A "}]}`:                                  "two choices are labelled",
		`{"question":"x","choices":[{"label":"a"},{"label":""}]}`:                                     "choice 2 has no label",
		`{"question":"` + strings.Repeat("x", 2001) + `","choices":[{"label":"a"},{"label":"b"}]}`:    "2001 bytes",
		fmt.Sprintf(`{"question":"x","choices":[{"label":"a"},{"label":"b","about":"%0301d"}]}`, 1):   "choice 2 is longer",
	} {
		if out := w.Call("ask", args); !out.Result.IsError || !strings.Contains(out.Result.Text, want) {
			t.Errorf("%.60s is answered with %q, want %q", args, out.Result.Text, want)
		}
	}
}

func TestTheEverydayToolsTouchNothingAndABackgroundCommandIsJudgedAsInTheForeground(t *testing.T) {
	w := toolstest.New(t)
	for tool, args := range map[string]string{"todo": `{"items":[]}`, "ask": which, "jobs": `{"action":"list"}`} {
		if effect, err := w.Effect(tool, args); err != nil || effect.Kind != guard.KindNone {
			t.Errorf("%s: %+v, %v", tool, effect, err)
		}
	}
	front, err1 := w.Effect("shell", `{"command":"rm -rf x","cwd":"."}`)
	back, err2 := w.Effect("shell", `{"command":"rm -rf x","cwd":".","background":true}`)
	if err1 != nil || err2 != nil || !back.Background || front.Background {
		t.Fatalf("%+v %+v", front, back)
	}
	if back.Summary != "shell in the background in .: rm -rf x" {
		t.Errorf("the summary is %q", back.Summary)
	}
	back.Background, back.Summary = false, front.Summary
	if fmt.Sprint(front) != fmt.Sprint(back) {
		t.Errorf("what is judged differs: %+v and %+v", front, back)
	}
}
