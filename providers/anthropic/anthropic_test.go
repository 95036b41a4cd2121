package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

func ask(messages ...providers.Message) providers.Request {
	return providers.Request{
		System:   []string{"You are espy.", "The folder is /src."},
		Tools:    []providers.ToolSpec{{Name: "read", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`}},
		Messages: messages,
	}
}

func (b bench) sent(t testing.TB) wireRequest {
	t.Helper()
	var w wireRequest
	b.Server.Last().Decode(t, &w)
	return w
}

// shape is a message's blocks in short: "text image tool_result[text image]".
func shape(blocks []wireBlock) string {
	var parts []string
	for _, b := range blocks {
		part := b.Type
		if b.Type == "tool_result" {
			part += "[" + shape(b.Content) + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func TestAnAnswerArrivesWholeAndInPieces(t *testing.T) {
	b := setUp(t, strict.Rules{Key: "sk-key"}, providers.Quirks{})
	b.Server.SayTurn(strict.Turn{Thinking: "Let me think.", Signature: "EqQB", Text: "I see: 日本語.", Cached: 40,
		Calls: []strict.Call{{ID: "toolu_1", Name: "read", Args: `{"path":"a.png"}`}, {ID: "toolu_2", Name: "read"}}})
	var text, thinking strings.Builder
	args := map[int]string{}
	resp, err := b.Stream(t.Context(), ask(user(say("hello"))), func(d providers.Delta) {
		text.WriteString(d.Text)
		thinking.WriteString(d.Thinking)
		if d.Call != nil {
			args[d.Call.Index] += d.Call.Name + d.Call.Args
		}
	})
	want := providers.Response{
		Blocks: []message.Block{
			message.Thinking{Text: "Let me think.", Opaque: `{"signature":"EqQB"}`}, say("I see: 日本語."),
			message.ToolCall{ID: "toolu_1", Name: "read", Args: `{"path":"a.png"}`}, message.ToolCall{ID: "toolu_2", Name: "read", Args: "{}"},
		},
		Stop: message.StopTools, Model: "strict-1", Usage: &message.Usage{Input: 100, Output: 20, CacheRead: 40},
	}
	if err != nil || !reflect.DeepEqual(resp, want) {
		t.Errorf("got %+v, %v\nwant %+v", resp, err, want)
	}
	if text.String() != "I see: 日本語." || thinking.String() != "Let me think." || args[0] != `read{"path":"a.png"}` || args[1] != "read" {
		t.Errorf("pieces were %q, %q, %v", text.String(), thinking.String(), args)
	}
}

func TestAllResultsStandFirstInOneUserMessageWithTheirPictures(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	pic := func(w int) []providers.Picture {
		return []providers.Picture{{Intro: fmt.Sprintf("[picture %d]", w), Image: b.Blobs.Picture("png", w, 9)}}
	}
	call := func(id string) message.ToolCall { return message.ToolCall{ID: id, Name: "read", Args: "{}"} }
	b.Run(t, ask(
		user(say("[Image 1]"), b.Blobs.Picture("jpeg", 30, 20), say("look")), assistant(call("a"), call("b"), call("c")),
		results(providers.Result{CallID: "a", Text: "one", Pictures: pic(11)}, providers.Result{CallID: "b", Text: "failed", IsError: true, Pictures: pic(12)},
			providers.Result{CallID: "c", Text: "three", Pictures: pic(13)}),
		user(say("and now?")),
	))
	w := b.sent(t)
	if len(w.Messages) != 3 || shape(w.Messages[2].Content) != "tool_result[text text image] tool_result[text] tool_result[text text image] text image text" {
		t.Errorf("sent %d messages, the last %s", len(w.Messages), shape(w.Messages[2].Content))
	}
	if shape(w.Messages[0].Content) != "text image text" {
		t.Errorf("the first message is %s", shape(w.Messages[0].Content))
	}
}

func TestReasoningIsReplayedByteForByteAndForeignReasoningIsNot(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	signature := "Eq+/\u003c==é"
	b.Server.SayTurn(strict.Turn{Thinking: "", Signature: signature, Calls: []strict.Call{{ID: "toolu_1", Name: "read", Args: "{}"}}})
	first := b.Run(t, ask(user(say("hi"))))
	redacted := message.Thinking{Opaque: `{"redacted_thinking":"data=="}`}
	foreign := message.Thinking{Text: "from chat", Opaque: `{"reasoning_details":[]}`}
	b.Run(t, ask(user(say("hi")), assistant(append([]message.Block{redacted, foreign, message.Thinking{Text: "none"}}, first.Blocks...)...), results(providers.Result{CallID: "toolu_1", Text: "x"})))
	got := b.sent(t).Messages[1].Content
	if shape(got) != "redacted_thinking thinking tool_use" || *got[1].Signature != signature || *got[1].Thinking != "" || got[0].Data != "data==" {
		t.Errorf("replayed %s: %+v", shape(got), got)
	}
}

func TestAtMostFourCachePointsAndTheNewestWin(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	cached := func(m providers.Message) providers.Message { m.Cache = true; return m }
	thinking := message.Thinking{Text: "hm", Opaque: `{"signature":"s"}`}
	req := ask(cached(user(say("1"))), cached(assistant(say("2"), thinking)), cached(user(say("3"))), assistant(say("4")), cached(user(say("5"))))
	b.Run(t, req)
	w := b.sent(t)
	var marked []string
	for i, m := range w.Messages {
		for j, block := range m.Content {
			if block.CacheControl != nil {
				marked = append(marked, fmt.Sprintf("%d.%d", i, j))
			}
		}
	}
	if w.Tools[0].CacheControl == nil || w.System[0].CacheControl != nil || w.System[1].CacheControl == nil || !reflect.DeepEqual(marked, []string{"2.0", "4.0"}) {
		t.Errorf("cache points: tools %v, system %v, messages %v", w.Tools[0].CacheControl, w.System[1].CacheControl, marked)
	}
	b = setUp(t, strict.Rules{NoCacheControl: true}, providers.Quirks{NoCacheControl: true})
	b.Run(t, req)
}

func TestACachePointStaysWithItsBlockWhenMessagesMerge(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	first := user(say("a"))
	first.Cache = true
	b.Run(t, ask(first, user(say("b")), user(say("c"), say("d"), say("e"))))
	content := b.sent(t).Messages[0].Content
	if len(content) != 5 || content[0].CacheControl == nil {
		t.Errorf("the point is lost: %+v", content)
	}
}

func TestDeviationsAreFollowedOrLearned(t *testing.T) {
	for name, c := range map[string]struct {
		rules    strict.Rules
		quirks   providers.Quirks
		requests int
	}{
		"bearer":                       {strict.Rules{Key: "sk-key"}, providers.Quirks{BearerAuth: true}, 2},
		"pictures apart":               {strict.Rules{NoPicturesInResults: true}, providers.Quirks{ToolImagesAsUser: true}, 2},
		"pictures apart, learned":      {strict.Rules{NoPicturesInResults: true}, providers.Quirks{}, 3},
		"no cache control, learned":    {strict.Rules{NoCacheControl: true}, providers.Quirks{}, 3},
		"nine characters in every id":  {strict.Rules{NineCharIDs: true}, providers.Quirks{IDStyle: providers.IDAlnum9}, 2},
		"foreign ids are made to fit":  {strict.Rules{}, providers.Quirks{}, 2},
		"two things refused, in turn":  {strict.Rules{NoCacheControl: true, NoPicturesInResults: true}, providers.Quirks{}, 4},
		"the vendor itself, no quirks": {strict.Rules{Key: "sk-key"}, providers.Quirks{}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, c.rules, c.quirks)
			pic := providers.Picture{Intro: "[picture]", Image: b.Blobs.Picture("png", 9, 9)}
			req := ask(user(say("hi")), assistant(message.ToolCall{ID: "call|with|bars", Name: "read", Args: "[]"}), results(providers.Result{CallID: "call|with|bars", Text: " \n", Pictures: []providers.Picture{pic}}))
			b.Run(t, req)
			b.Run(t, req)
			if n := len(b.Server.Requests()); n != c.requests {
				t.Errorf("two turns took %d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestEffortIsAskedForTheWayTheModelTakesIt(t *testing.T) {
	for _, c := range []struct {
		effort, style string
		most          int
		want          string
	}{
		{"", "adaptive", 9000, `null null`},
		{"high", "adaptive", 9000, `{"type":"adaptive","display":"summarized"} {"effort":"high"}`},
		{"none", "adaptive", 9000, `{"type":"disabled"} null`},
		{"low", "budget", 9000, `{"type":"enabled","budget_tokens":4096} null`},
		{"high", "budget", 9000, `{"type":"enabled","budget_tokens":7976} null`},
		{"high", "budget", 1500, `null null`},
	} {
		b := setUp(t, strict.Rules{}, providers.Quirks{ReasoningStyle: c.style})
		req := ask(user(say("hi")))
		req.Effort, req.MaxTokens = c.effort, c.most
		b.Run(t, req)
		w := b.sent(t)
		thinking, _ := json.Marshal(w.Thinking)
		output, _ := json.Marshal(w.OutputConfig)
		if got := string(thinking) + " " + string(output); got != c.want {
			t.Errorf("%q in style %q with %d tokens sent %s, want %s", c.effort, c.style, c.most, got, c.want)
		}
	}
}

func TestRefusalsReachTheLoopByClass(t *testing.T) {
	for name, c := range map[string]struct {
		rules   strict.Rules
		answer  strict.Answer
		want    providers.Class
		picture int
	}{
		"wrong key":       {rules: strict.Rules{Key: "other"}, want: providers.ClassAuth, picture: -1},
		"wrong model":     {rules: strict.Rules{Model: "other"}, want: providers.ClassNotFound, picture: -1},
		"second picture":  {rules: strict.Rules{RefusePicture: 2}, want: providers.ClassPicture, picture: 1},
		"many":            {rules: strict.Rules{ManyImages: 1, ManySide: 70}, want: providers.ClassPicture, picture: 1},
		"bytes":           {rules: strict.Rules{MaxImageBase64: 20}, want: providers.ClassPicture, picture: 0},
		"body":            {rules: strict.Rules{MaxBody: 300}, want: providers.ClassTooLarge, picture: -1},
		"529":             {answer: strict.Answer{Status: 529, Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, want: providers.ClassOverloaded, picture: -1},
		"error in stream": {answer: strict.Answer{Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"}, want: providers.ClassOverloaded, picture: -1},
		"window":          {answer: strict.Answer{Turn: &strict.Turn{Text: "half", Finish: "model_context_window_exceeded"}}, want: providers.ClassOverflow, picture: -1},
		"page":            {answer: strict.Answer{Body: "<html>"}, want: providers.ClassUnintelligible, picture: -1},
		"other JSON":      {answer: strict.Answer{Body: `{"choices":[]}`}, want: providers.ClassUnintelligible, picture: -1},
		"chat stream":     {answer: strict.Answer{Body: "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"}, want: providers.ClassTruncated, picture: -1},
		"nothing":         {answer: strict.Answer{Body: " "}, want: providers.ClassTruncated, picture: -1},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, c.rules, providers.Quirks{})
			b.Adapter.Route.Server.Key = "sk-mine"
			b.Server.Say(c.answer)
			_, err := b.Stream(t.Context(), ask(user(say("look"), b.Blobs.Picture("png", 64, 64), b.Blobs.Picture("png", 80, 64))), nil)
			var e *providers.Error
			if !errors.As(err, &e) || e.Class != c.want || e.Picture != c.picture {
				t.Errorf("got %#v, want class %s and picture %d", err, c.want, c.picture)
			}
		})
	}
}

func TestOnlyAnthropicItselfMeansASpentBudgetByA429WithoutAWait(t *testing.T) {
	for base, want := range map[string]providers.Class{"https://api.anthropic.com": providers.ClassQuota, "https://other.example": providers.ClassRateLimit} {
		a := New(providers.Route{Server: providers.Server{BaseURL: base}}, nil, nil)
		if got := providers.ClassOf(a.spendCap(&providers.Error{Class: providers.ClassRateLimit, Status: http.StatusTooManyRequests})); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
		if got := providers.ClassOf(a.spendCap(&providers.Error{Class: providers.ClassRateLimit, RetryAfter: 1})); got != providers.ClassRateLimit {
			t.Errorf("%s with a wait: %s", base, got)
		}
	}
}

func TestOddStreamsAreUnderstood(t *testing.T) {
	whole := strict.Turn{Text: "hi", Calls: []strict.Call{{ID: "a", Name: "read", Args: `{"x":1}`}}}
	want := []message.Block{say("hi"), message.ToolCall{ID: "a", Name: "read", Args: `{"x":1}`}}
	var dataOnly []string
	for _, line := range strings.SplitAfter(whole.Messages(), "\n") {
		if !strings.HasPrefix(line, "event:") {
			dataOnly = append(dataOnly, line)
		}
	}
	for name, stream := range map[string]string{
		"data only":       strings.Join(dataOnly, ""),
		"names only":      regexp.MustCompile(`"type":"(message|content_block)_[a-z]+"`).ReplaceAllString(whole.Messages(), `"x":0`),
		"CRLF":            strings.ReplaceAll(whole.Messages(), "\n", "\r\n"),
		"unknown events":  "event: novel\ndata: {\"type\":\"novel\",\"index\":\"x\"}\n\n" + whole.Messages(),
		"no message_stop": strings.Split(whole.Messages(), "event: message_stop")[0],
		"no last blank":   strings.TrimRight(whole.Messages(), "\n"),
		"plain JSON":      `{"type":"message","model":"m","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"a","name":"read","input":{"x":1}}],"stop_reason":"tool_use","usage":null}`,
		"input at start": "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"hi\"}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"read\",\"input\":{\"x\":1}}}\n\n" +
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":null}\n\ndata: {\"type\":\"message_stop\"}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, strict.Rules{}, providers.Quirks{})
			b.Server.Say(strict.Answer{Body: stream})
			if resp := b.Run(t, ask(user(say("hi")))); !reflect.DeepEqual(resp.Blocks, want) || resp.Stop != message.StopTools {
				t.Errorf("got %+v, stop %s", resp.Blocks, resp.Stop)
			}
		})
	}
}

func TestStopReasonsMeanWhatTheySay(t *testing.T) {
	for reason, want := range map[string]message.Stop{"end_turn": message.StopEnd, "max_tokens": message.StopLength, "stop_sequence": message.StopEnd,
		"refusal": message.StopRefusal, "pause_turn": message.StopPause, "novel": message.StopEnd} {
		b := setUp(t, strict.Rules{}, providers.Quirks{})
		b.Server.SayTurn(strict.Turn{Text: "hi", Finish: reason})
		if resp := b.Run(t, ask(user(say("hi")))); resp.Stop != want {
			t.Errorf("%s gave %s, want %s", reason, resp.Stop, want)
		}
	}
}

func TestAStreamCutAtAnyByteIsTruncatedOrComplete(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	turn := strict.Turn{Thinking: "Hm.", Signature: "s", Text: "Look: é", Calls: []strict.Call{{ID: "a", Name: "read", Args: `{"path":"x"}`}}}
	whole := turn.Messages()
	complete := b.CutAtEveryByte(t, turn, whole, ask(user(say("hi"))))
	if complete == 0 || complete > len(whole)/10 {
		t.Errorf("%d of %d cuts were taken as whole", complete, len(whole))
	}
}
