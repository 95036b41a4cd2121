package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

func isAsked(e Event) bool { _, ok := e.(PermissionAsked); return ok }

// through makes the call of load_tools that runs a tool.
func through(id, name, args string) message.ToolCall {
	return callOf(id, tools.LoadTools, fmt.Sprintf(`{"name":%q,"args":%s}`, name, args))
}

// prefix is a request as a prompt cache sees it: tools, system text, then messages; without cache points.
func prefix(req providers.Request) string {
	list, _ := json.Marshal(req.Tools)
	return string(list) + "\n" + strings.Join(req.System, "\n") + "\n" + sent(req)
}

func declares(req providers.Request, name string) bool {
	return slices.ContainsFunc(req.Tools, func(s providers.ToolSpec) bool { return s.Name == name })
}

// extra is a tool that answers with its name, and may be made to ask.
func extra(name string, kind guard.Kind) tools.Tool {
	return tools.Tool{
		Spec: providers.ToolSpec{Name: name, Description: "Says " + name + ".", Schema: `{"type":"object","properties":{"x":{"type":"integer"}}}`},
		Effect: func(*tools.Env, string) (guard.Effect, error) {
			return guard.Effect{Tool: name, Kind: kind, Command: name, Summary: "run " + name}, nil
		},
		Run: func(_ context.Context, _ *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: "here is " + name + " " + call.Args}}, nil
		},
	}
}

func TestSightThroughLoadToolsCostsNoExtraRoundTrip(t *testing.T) {
	h := newHouse(t, guard.ModeAsk,
		want(through("c1", "read_media", `{"path":"shot.png"}`), callOf("c2", "read_media", `{"path":"shot.png","detail":"low"}`)), say("seen"))
	h.picture("shot.png", 40, 30)
	h.send("look at shot.png")
	h.end()
	if declares(h.stage.request(0), "read_media") {
		t.Error("read_media should be deferred while no picture is there")
	}
	results := h.stage.request(1).Messages[2].Results
	if len(results) != 2 || len(results[0].Pictures) != 1 || len(results[1].Pictures) != 1 {
		t.Fatalf("both roads should bring the picture: %+v", results)
	}
	if p := results[0].Pictures[0]; p.Image.MediaType != "image/png" || p.Image.Width != 40 || p.Image.Height != 30 || !strings.Contains(p.Intro, `call load_tools with name "read_media"`) {
		t.Errorf("the picture reached the model as %+v", p)
	}
	var started, finished []string
	for _, e := range h.seen {
		switch e := e.(type) {
		case CallStarted:
			started = append(started, e.Call.Name+" "+e.Call.Args+" "+e.Summary)
		case CallFinished:
			finished = append(finished, e.Call.Name)
		}
	}
	if got := strings.Join(append(started, finished...), "; "); got != `read_media {"path":"shot.png"} look at shot.png; read_media {"path":"shot.png","detail":"low"} look at shot.png; read_media; read_media` {
		t.Errorf("the face was told of %s", got)
	}
}

func TestTheInnerCallIsWhatIsJudgedAskedAboutAndHooked(t *testing.T) {
	h := hookedHouse(t, "[[hook]]\nevent = \"pre_tool\"\ntools = [\"secret\"]\nargv = [\"./run\"]\n", `echo '{"decision":"deny","reason":"never"}'`,
		want(through("c1", "danger", `{"x":1}`)), want(through("c2", "secret", `{}`)), want(through("c3", "barred", `{}`)), say("done"))
	h.agent.opt.Tools.Replace(tools.SourceServer("s"), []tools.Tool{extra("danger", guard.KindExec), extra("secret", guard.KindNone), extra("barred", guard.KindExec)})
	h.agent.opt.Tools.Prefer(nil, []string{"danger", "secret", "barred"})
	rule, err := guard.ParseRule("barred(*)", "barred")
	if err != nil {
		t.Fatal(err)
	}
	h.guard.Add(guard.SourcedRule{Rule: rule, Verdict: guard.Deny, Source: guard.SourceSession})
	h.send("go")
	asked := h.until("the question", isAsked).(PermissionAsked)
	if asked.Call.Name != "danger" || asked.Call.Args != `{"x":1}` || asked.Effect.Tool != "danger" {
		t.Errorf("asked about %+v", asked.Call)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
	h.end()
	last := sent(h.stage.request(3))
	for _, part := range []string{`here is danger {"x":1}`, "Refused: the hook of watch refuses this call: never", "Text:Refused: "} {
		if !strings.Contains(last, part) {
			t.Errorf("the model does not read %q:\n%s", part, last)
		}
	}
	if strings.Contains(last, "here is barred") || strings.Contains(last, "here is secret") {
		t.Error("a refused call ran")
	}
}

func TestTheSameCallOnBothRoadsIsARepeat(t *testing.T) {
	var plays []play
	for i := range 5 {
		c := callOf(fmt.Sprint("d", i), "read_media", `{"path":"none.png"}`)
		if i%2 == 0 {
			c = through(c.ID, c.Name, c.Args)
		}
		plays = append(plays, want(c))
	}
	h := newHouse(t, guard.ModeAsk, plays...)
	h.send("look")
	if end := h.end(); end.Reason != EndFailed || end.Err == nil || !strings.Contains(end.Err.Error(), "same call 5 times") {
		t.Errorf("the turn ended as %s: %v", end.Reason, end.Err)
	}
}

func TestABlindRouteAnswersBeforeTheFileIsOpenedOnEitherRoad(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, want(through("c1", "read_media", `{"path":"/no/such/place.png"}`), callOf("c2", "read_media", `{"path":"/no/such/place.png"}`)), say("ok"))
	h.agent.Send(SetRoute{Route: sees(providers.Unsupported)})
	h.send("look")
	h.end()
	for _, r := range h.stage.request(1).Messages[2].Results {
		if !r.IsError || !strings.HasPrefix(r.Text, "read_media: the active model route does not support image input.") {
			t.Errorf("%s came to %q", r.CallID, r.Text)
		}
	}
	for _, e := range h.seen {
		if isAsked(e) {
			t.Error("a path outside was asked about for a model that cannot see")
		}
	}
}

func TestThePrefixIsByteIdenticalAcrossLoadsAndLateTools(t *testing.T) {
	h := newHouse(t, guard.ModeAsk,
		want(callOf("c1", tools.LoadTools, `{"name":"screenshot"}`)), want(through("c2", "read_media", `{"path":"shot.png"}`)), say("one"),
		want(callOf("c3", "late", `{}`)), say("two"), say("three"), say("four"))
	h.picture("shot.png", 40, 30)
	h.send("look")
	h.end()
	h.agent.opt.Tools.Replace(tools.SourceServer("web"), []tools.Tool{extra("late", guard.KindNone), extra("later", guard.KindNone)})
	h.send("and now?")
	h.end()
	changed := extra("late", guard.KindNone)
	changed.Spec.Description = "Says it otherwise."
	h.agent.opt.Tools.Replace(tools.SourceServer("web"), []tools.Tool{changed})
	h.send("once more")
	h.end()
	h.send("and again")
	h.end()
	for i := 1; i < len(h.stage.requests); i++ {
		if !strings.HasPrefix(prefix(h.stage.request(i)), prefix(h.stage.request(i-1))) {
			t.Errorf("request %d does not begin with what was sent before:\n%s\n---\n%s", i, prefix(h.stage.request(i-1)), prefix(h.stage.request(i)))
		}
	}
	if loaded := sent(h.stage.request(1)); !strings.Contains(loaded, "Arguments, as JSON Schema:") {
		t.Errorf("load_tools should answer with the schema:\n%s", loaded)
	}
	if req := sent(h.stage.request(3)); strings.Count(req, "There are now these tools too:\n- late {x?: integer}: Says late.\n- later {x?: integer}: Says later.") != 1 {
		t.Errorf("the late tools should be announced once, before the words that follow:\n%s", req)
	}
	if req := sent(h.stage.request(4)); !strings.Contains(req, "here is late") {
		t.Errorf("a late tool should run by its name:\n%s", req)
	}
	if req := sent(h.stage.request(5)); strings.Count(req, "[espy: the tools changed.") != 2 || !strings.Contains(req, "These tools are now so:\n- late {x?: integer}: Says it otherwise.\nGone, and not to be called any more: later") {
		t.Errorf("what changed and what went should be told:\n%s", req)
	}
}

func TestALoadedToolEntersTheListAtTheNextDeclaredStep(t *testing.T) {
	for name, step := range map[string]func(h *house){
		"another model":       func(h *house) { h.agent.Send(SetRoute{Route: sees(providers.Unknown)}) },
		"something is elided": func(h *house) { h.agent.Send(Compact{}); h.end() },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, guard.ModeAsk, want(callOf("c0", "read", `{"path":"a.txt"}`)), say("a"), want(through("c1", "late", `{}`)), say("one"), say("two"), say("three"))
			if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte(strings.Repeat("many words\n", 2000)), 0o600); err != nil {
				t.Fatal(err)
			}
			h.agent.opt.Tools.Prefer(nil, []string{"late"})
			h.agent.opt.Tools.Replace(tools.SourceServer("web"), []tools.Tool{extra("late", guard.KindNone)})
			h.send("first")
			h.end()
			h.send("go")
			h.end()
			h.stage.mu.Lock()
			h.stage.plays = append([]play{say("short summary"), say("short summary")}[:2:2], h.stage.plays...)
			if name == "another model" {
				h.stage.plays = h.stage.plays[2:]
			}
			h.stage.mu.Unlock()
			step(h)
			h.send("go on")
			h.end()
			last := h.stage.request(len(h.stage.requests) - 1)
			if !declares(last, "late") || strings.Contains(prefix(last), "- late {") {
				t.Errorf("the loaded tool should be declared now:\n%s", prefix(last))
			}
		})
	}
}

func TestTheFirstMessageWithAPictureHasReadMediaInFront(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("seen"), say("again"))
	h.send("what is it?", h.attach(h.picture("shot.png", 40, 30)))
	h.end()
	first := h.stage.request(0)
	if !declares(first, "read_media") || !strings.Contains(sent(first), "To look closer, call read_media with that blob name") {
		t.Errorf("with a picture in the first message read_media is declared and named:\n%s", prefix(first))
	}
}

func TestAResumedSessionKeepsItsListWhileItsToolsAreTheSame(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, want(through("c1", "read_media", `{"path":"shot.png"}`)), say("one"), say("two"), say("three"))
	h.picture("shot.png", 40, 30)
	h.send("look")
	h.end()
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.send("more")
	h.end()
	if before, after := prefix(h.stage.request(1)), prefix(h.stage.request(2)); !strings.HasPrefix(after, before) {
		t.Errorf("after a resume the prefix is another:\n%s\n---\n%s", before, after)
	}
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.agent.opt.Tools.Replace(tools.SourceFiles, []tools.Tool{extra("fresh", guard.KindNone)})
	h.send("more")
	h.end()
	if last := h.stage.request(3); !declares(last, "fresh") || !declares(last, "read_media") || strings.Contains(sent(last), "the tools changed") {
		t.Errorf("with other tools a resume is a step, with what was loaded:\n%s", prefix(last))
	}
}

func TestALogOfBeforeThereWereDeferredToolsGoesOn(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("one"), say("two"))
	h.send("first")
	h.end()
	err := h.agent.log.append(func(hd *heads) []message.Record { // as such a log has it
		return []message.Record{message.PreludeRecord{Head: hd.next(message.KindPrelude), System: []string{"be good"}, Tools: `[{"name":"read_media","description":"d","schema":"{}"}]`}}
	})
	if err != nil {
		t.Fatal(err)
	}
	h.again(guard.ModeAsk, sees(providers.Supported))
	h.send("second")
	h.end()
	if last := h.stage.request(1); !declares(last, tools.LoadTools) || strings.Contains(sent(last), "the tools changed") {
		t.Errorf("the resumed session should declare the tools of today:\n%s", prefix(last))
	}
}
