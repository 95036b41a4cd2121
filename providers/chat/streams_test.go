package chat

import (
	"reflect"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

// chunk wraps a delta as the only choice of an event.
func chunk(delta string) string {
	return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
}

const finished = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

func asked(id, name, args string) message.ToolCall {
	return message.ToolCall{ID: id, Name: name, Args: args}
}

func TestOddStreamsAreUnderstood(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []message.Block
		stop   message.Stop
	}{
		"no DONE":            {chunk(`{"content":"hi"}`) + finished, []message.Block{say("hi")}, message.StopEnd},
		"no finish but DONE": {chunk(`{"content":"hi"}`) + "data: [DONE]\n\n", []message.Block{say("hi")}, message.StopEnd},
		"CRLF, comments, null error": {": OPENROUTER PROCESSING\r\n\r\ndata: {\"error\":null,\"usage\":null,\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			[]message.Block{say("hi")}, message.StopEnd},
		"no blank line at the end": {chunk(`{"content":"hi"}`) + strings.TrimRight(finished, "\n"), []message.Block{say("hi")}, message.StopEnd},
		"length":                   {chunk(`{"content":"hi"}`) + strings.Replace(finished, "stop", "length", 1), []message.Block{say("hi")}, message.StopLength},
		"filter":                   {chunk(`{"content":"hi"}`) + strings.Replace(finished, "stop", "content_filter", 1), []message.Block{say("hi")}, message.StopRefusal},
		"refusal":                  {chunk(`{"refusal":"I cannot."}`) + finished, []message.Block{say("I cannot.")}, message.StopRefusal},
		"plain JSON": {`{"choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			[]message.Block{say("hi"), asked("a", "read", "{}")}, message.StopTools},
		"reasoning":       {chunk(`{"reasoning":"hm"}`) + chunk(`{"content":"hi"}`) + finished, []message.Block{message.Thinking{Text: "hm"}, say("hi")}, message.StopEnd},
		"reasoning twice": {chunk(`{"reasoning":"hm","reasoning_content":"hm"}`) + finished, []message.Block{message.Thinking{Text: "hm"}}, message.StopEnd},
		"reasoning details": {chunk(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]}`) +
			chunk(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"text":"b","signature":"s"}]}`) + finished,
			[]message.Block{message.Thinking{Text: "ab", Opaque: `{"reasoning_details":[{"index":0,"signature":"s","text":"ab","type":"reasoning.text"}]}`}}, message.StopEnd},
		"parts": {chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]}`) + finished,
			[]message.Block{message.Thinking{Text: "hm"}, say("hi")}, message.StopEnd},
		"all calls are number 0": {chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}`) +
			chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{}"}}]}`) + finished,
			[]message.Block{asked("a", "read", "{}"), asked("b", "read", "{}")}, message.StopTools},
		"no index": {chunk(`{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"a\""}}]}`) + chunk(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`) +
			chunk(`{"tool_calls":[{"id":"b","function":{"name":"read","arguments":"{}"}}]}`) + finished,
			[]message.Block{asked("a", "read", `{"a":1}`), asked("b", "read", "{}")}, message.StopTools},
		"no ids": {chunk(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{}"}},{"index":0,"function":{"name":"list","arguments":"{}"}}]}`) + finished,
			[]message.Block{asked("call_1", "read", "{}"), asked("call_2", "list", "{}")}, message.StopTools},
		"id and name repeated": {chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\""}}]}`) +
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":":1}"}}]}`) + finished,
			[]message.Block{asked("a", "read", `{"a":1}`)}, message.StopTools},
		"equal ids": {chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"list","arguments":"{}"}}]}`) + finished,
			[]message.Block{asked("a", "read", "{}"), asked("call_2", "list", "{}")}, message.StopTools},
		"object arguments": {chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":{"a":1}}}]}`) + finished,
			[]message.Block{asked("a", "read", `{"a":1}`)}, message.StopTools},
		"index as text": {chunk(`{"tool_calls":[{"index":"0","id":"a","function":{"name":"read","arguments":"{"}},{"index":"0","function":{"arguments":"}"}}]}`) + finished,
			[]message.Block{asked("a", "read", `{}`)}, message.StopTools},
		"thought signature": {chunk(`{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"read","arguments":"{}"}}]}`) + finished,
			[]message.Block{message.ToolCall{ID: "a", Name: "read", Args: "{}", Opaque: `{"extra_content":{"google":{"thought_signature":"s"}}}`}}, message.StopTools},
		"odd field beside a call": {`data: {"id":7,"created":"x","choices":[{"index":"0","logprobs":"none","delta":{"role":3,"content":null,"tool_calls":[{"index":0,"id":"a","type":9,"function":{"name":"read","arguments":"{}"}}]}}]}` + "\n\n" + finished,
			[]message.Block{asked("a", "read", "{}")}, message.StopTools},
		"other choices": {`data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}` + "\n\n",
			[]message.Block{say("yes")}, message.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, strict.Rules{}, providers.Quirks{})
			b.Server.Say(strict.Answer{Body: c.stream})
			resp := b.Run(t, ask(user(say("hi"))))
			if !reflect.DeepEqual(resp.Blocks, c.want) || resp.Stop != c.stop {
				t.Errorf("got %+v, stop %s; want %+v, stop %s", resp.Blocks, resp.Stop, c.want, c.stop)
			}
		})
	}
}

func TestUsageIsFoundWhereverServersPutIt(t *testing.T) {
	for usage, want := range map[string]message.Usage{
		`"usage":{"prompt_tokens":9,"completion_tokens":2}`:                                                  {Input: 9, Output: 2},
		`choice: "usage":{"prompt_tokens":9,"completion_tokens":2}`:                                          {Input: 9, Output: 2},
		`"usage":{"prompt_tokens":"9","completion_tokens":2.0}`:                                              {Input: 9, Output: 2},
		`"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}`:                                       {Input: 9, Output: 2},
		`"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":5}`:                      {Input: 9, Output: 2, CacheRead: 5},
		`"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":5}}`:      {Input: 9, Output: 2, CacheRead: 5},
		`"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cache_write_tokens":5}}`: {Input: 9, Output: 2, CacheWrite: 5},
	} {
		b := setUp(t, strict.Rules{}, providers.Quirks{})
		last := `data: {"choices":[],` + usage + "}\n\n"
		if inner, ok := strings.CutPrefix(usage, "choice: "); ok {
			last = `data: {"choices":[{"index":0,"delta":{},` + inner + "}]}\n\n"
		}
		b.Server.Say(strict.Answer{Body: chunk(`{"content":"hi"}`) + finished + last})
		if resp := b.Run(t, ask(user(say("hi")))); resp.Usage == nil || *resp.Usage != want {
			t.Errorf("%s was read as %+v, want %+v", usage, resp.Usage, want)
		}
	}
}

func TestAnAnswerThatGoesOnAfterItsEndIsNotWaitedFor(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	b.Adapter.Client = providers.NewClient(providers.Timeouts{Tail: 1})
	hold := make(chan struct{})
	defer close(hold)
	b.Server.Say(strict.Answer{Body: chunk(`{"content":"hi"}`) + finished + ": ping\n\n", Stay: hold})
	if resp := b.Run(t, ask(user(say("hi")))); len(resp.Blocks) != 1 {
		t.Errorf("got %+v", resp)
	}
}

func TestEffortIsAskedForTheWayTheServerSpellsIt(t *testing.T) {
	for style, want := range map[string]string{
		"": `"reasoning_effort":"high"`, "reasoning_effort": `"reasoning_effort":"high"`, "reasoning.effort": `"reasoning":{"effort":"high"}`,
		"thinking": `"thinking":{"type":"enabled"}`, "enable_thinking": `"enable_thinking":true`,
	} {
		b := setUp(t, strict.Rules{AllowExtras: true}, providers.Quirks{ReasoningStyle: style})
		req := ask(user(say("hi")))
		req.Effort = "high"
		b.Run(t, req)
		if body := string(b.Server.Last().Raw); !strings.Contains(body, want) {
			t.Errorf("style %q sent %s, want %s in it", style, body, want)
		}
	}
}
