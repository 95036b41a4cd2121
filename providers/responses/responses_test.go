package responses

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

func ask(messages ...providers.Message) providers.Request {
	return providers.Request{
		System:   []string{"You are espy."},
		Tools:    []providers.ToolSpec{{Name: "read", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`}},
		Messages: messages, CacheKey: "01SESSION",
	}
}

// input is the items of the newest request.
func (b bench) input(t testing.TB) []json.RawMessage {
	t.Helper()
	var w struct{ Input []json.RawMessage }
	b.Server.Last().Decode(t, &w)
	return w.Input
}

func TestAnAnswerArrivesWholeAndInPieces(t *testing.T) {
	b := setUp(t, strict.Rules{Key: "sk-key"}, providers.Quirks{})
	b.Server.SayTurn(strict.Turn{Thinking: "Let me think.", Signature: "gAAA", Text: "I see: 日本語.", Cached: 40,
		Calls: []strict.Call{{ID: "call_1", Name: "read", Args: `{"path":"a.png"}`}, {ID: "call_2", Name: "read"}}})
	var text, thinking strings.Builder
	args := map[int]string{}
	resp, err := b.Stream(t.Context(), ask(user(say("hello"))), func(d providers.Delta) {
		text.WriteString(d.Text)
		thinking.WriteString(d.Thinking)
		if d.Call != nil {
			args[d.Call.Index] += d.Call.Name + d.Call.Args
		}
	})
	reasoning := `{"reasoning_item":{"encrypted_content":"gAAA","id":"rs_1","summary":[{"text":"Let me think.","type":"summary_text"}],"type":"reasoning"}}`
	want := providers.Response{
		Blocks: []message.Block{
			message.Thinking{Text: "Let me think.", Opaque: reasoning},
			message.Text{Text: "I see: 日本語.", Opaque: `{"responses_message":{"id":"msg_1","phase":"commentary"}}`},
			message.ToolCall{ID: "call_1", Name: "read", Args: `{"path":"a.png"}`, Opaque: `{"function_call_item":"fc_1"}`},
			message.ToolCall{ID: "call_2", Name: "read", Opaque: `{"function_call_item":"fc_2"}`},
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

func TestAConversationIsReplayedItemByItem(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	b.Server.SayTurn(strict.Turn{Thinking: "hm", Signature: "gAAA+/<=", Text: "Looking.", Calls: []strict.Call{{ID: "call_1", Name: "read", Args: `{"path":"a"}`}}})
	first := b.Run(t, ask(user(say("[Image 1]"), b.Blobs.Picture("png", 30, 20), say("look"))))
	pic := providers.Picture{Intro: "[picture from call_1]", Image: b.Blobs.Picture("jpeg", 9, 9)}
	b.Run(t, ask(user(say("look")), assistant(first.Blocks...), results(providers.Result{CallID: "call_1", Text: "a, 9x9", Pictures: []providers.Picture{pic}}), user(say("and?"))))
	items := b.input(t) // reasoning exactly as it came, escapes included
	want := []string{
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}`,
		`{"encrypted_content":"gAAA+/\u003c=","id":"rs_1","summary":[{"text":"hm","type":"summary_text"}],"type":"reasoning"}`,
		`{"type":"message","role":"assistant","id":"msg_1","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Looking.","annotations":[],"logprobs":[]}]}`,
		`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read","arguments":"{\"path\":\"a\"}"}`,
		`{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"a, 9x9"},{"type":"input_text","text":"[picture from call_1]"},{"type":"input_image"`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"and?"}]}`,
	}
	if len(items) != len(want) {
		t.Fatalf("sent %d items, want %d: %s", len(items), len(want), items)
	}
	for i := range want {
		if !strings.HasPrefix(string(items[i]), want[i]) {
			t.Errorf("item %d is %.300s\nwant %s", i, items[i], want[i])
		}
	}
}

func TestForeignOpaqueDataAndLoneReasoningAreNotSent(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	ours := message.Thinking{Text: "hm", Opaque: `{"reasoning_item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}`}
	b.Run(t, ask(user(say("hi")),
		assistant(message.Thinking{Text: "a", Opaque: `{"signature":"s"}`}, message.Text{Text: "one", Opaque: `{"responses_message":{"id":"bad_1"}}`},
			message.ToolCall{ID: "toolu|1", Name: "read", Args: "{", Opaque: `{"function_call_item":"toolu_1"}`}, ours),
		results(providers.Result{CallID: "toolu|1", Text: "x"})))
	items := b.input(t)
	if len(items) != 4 || string(items[1]) != `{"type":"message","role":"assistant","content":"one"}` || strings.Contains(string(items[2]), "toolu") {
		t.Errorf("sent %s", items)
	}
}

func TestDeviationsAreFollowedOrLearned(t *testing.T) {
	for name, c := range map[string]struct {
		rules    strict.Rules
		quirks   providers.Quirks
		requests int
	}{
		"the vendor itself":        {strict.Rules{}, providers.Quirks{}, 2},
		"text output":              {strict.Rules{NoPicturesInResults: true}, providers.Quirks{ToolImagesAsUser: true}, 2},
		"text output, learned":     {strict.Rules{NoPicturesInResults: true}, providers.Quirks{}, 3},
		"nothing encrypted":        {strict.Rules{NoEncrypted: true}, providers.Quirks{}, 3},
		"both":                     {strict.Rules{NoEncrypted: true, NoPicturesInResults: true}, providers.Quirks{}, 4},
		"nine characters in an id": {strict.Rules{NineCharIDs: true}, providers.Quirks{IDStyle: providers.IDAlnum9}, 2},
		"detail":                   {strict.Rules{}, providers.Quirks{ImageDetail: "high"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, c.rules, c.quirks)
			pic := providers.Picture{Intro: "[picture]", Image: b.Blobs.Picture("png", 9, 9)}
			req := ask(user(say("hi")), assistant(message.ToolCall{ID: "c1", Name: "read"}, message.ToolCall{ID: "c2", Name: "read"}),
				results(providers.Result{CallID: "c1", Text: "x", Pictures: []providers.Picture{pic}}, providers.Result{CallID: "c2", Text: "y"}))
			b.Run(t, req)
			b.Run(t, req)
			if n := len(b.Server.Requests()); n != c.requests {
				t.Errorf("two turns took %d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestWhatIsAskedForIsSent(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	req := ask(user(say("hi")))
	req.Effort, req.MaxTokens = "high", 5
	b.Run(t, req)
	body := string(b.Server.Last().Raw)
	for _, want := range []string{`"store":false`, `"strict":false`, `"include":["reasoning.encrypted_content"]`, `"instructions":"You are espy."`,
		`"reasoning":{"effort":"high","summary":"auto"}`, `"max_output_tokens":16`, `"prompt_cache_key":"01SESSION"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestRefusalsReachTheLoopByClass(t *testing.T) {
	failed := func(code, text string) string {
		return `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"` + code + `","message":"` + text + `"}}}` + "\n\n"
	}
	for name, c := range map[string]struct {
		rules   strict.Rules
		answer  strict.Answer
		want    providers.Class
		picture int
	}{
		"wrong key":        {rules: strict.Rules{Key: "other"}, want: providers.ClassAuth, picture: -1},
		"second picture":   {rules: strict.Rules{RefusePicture: 2}, want: providers.ClassPicture, picture: 1},
		"bytes together":   {rules: strict.Rules{MaxImagesBytes: 10}, want: providers.ClassTooLarge, picture: -1},
		"failed":           {answer: strict.Answer{Body: failed("server_error", "An error occurred")}, want: providers.ClassOverloaded, picture: -1},
		"failed rate":      {answer: strict.Answer{Body: failed("rate_limit_exceeded", "slow down")}, want: providers.ClassRateLimit, picture: -1},
		"failed picture":   {answer: strict.Answer{Body: failed("invalid_image_format", "bad image")}, want: providers.ClassPicture, picture: -1},
		"failed window":    {answer: strict.Answer{Body: failed("context_length_exceeded", "Your input exceeds the context window")}, want: providers.ClassOverflow, picture: -1},
		"bare error":       {answer: strict.Answer{Body: "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow\",\"param\":null}\n\n"}, want: providers.ClassRateLimit, picture: -1},
		"page":             {answer: strict.Answer{Body: "<html>"}, want: providers.ClassUnintelligible, picture: -1},
		"other JSON":       {answer: strict.Answer{Body: `{"choices":[]}`}, want: providers.ClassUnintelligible, picture: -1},
		"done and nothing": {answer: strict.Answer{Body: "data: [DONE]\n\n"}, want: providers.ClassTruncated, picture: -1},
		"nothing":          {answer: strict.Answer{Body: " "}, want: providers.ClassTruncated, picture: -1},
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

func TestOddStreamsAreUnderstood(t *testing.T) {
	whole := strict.Turn{Text: "hi", Calls: []strict.Call{{ID: "a", Name: "read", Args: `{"x":1}`}}}
	var dataOnly, doneOnly, endOnly []string
	for _, event := range strings.SplitAfter(whole.Responses(), "\n\n") {
		_, data, _ := strings.Cut(event, "\n")
		dataOnly = append(dataOnly, data)
		if strings.Contains(event, "output_item.done") || strings.Contains(event, "response.completed") {
			doneOnly = append(doneOnly, event)
		}
		if strings.Contains(event, "response.completed") {
			endOnly = append(endOnly, event)
		}
	}
	want := []message.Block{
		message.Text{Text: "hi", Opaque: `{"responses_message":{"id":"msg_1","phase":"commentary"}}`},
		message.ToolCall{ID: "a", Name: "read", Args: `{"x":1}`, Opaque: `{"function_call_item":"fc_1"}`},
	}
	var end struct{ Response json.RawMessage }
	if err := json.Unmarshal([]byte(strings.TrimSpace(strings.SplitN(endOnly[0], "data: ", 2)[1])), &end); err != nil {
		t.Fatal(err)
	}
	for name, stream := range map[string]string{
		"data only":       strings.Join(dataOnly, ""),
		"CRLF":            strings.ReplaceAll(whole.Responses(), "\n", "\r\n"),
		"items only":      strings.Join(doneOnly, ""),
		"the end only":    strings.Join(endOnly, ""),
		"no last blank":   strings.TrimRight(whole.Responses(), "\n"),
		"plain JSON":      string(end.Response),
		"no output index": strings.NewReplacer(`"output_index":0,`, "", `"output_index":1,`, "").Replace(whole.Responses()),
		"unknown events":  "data: {\"type\":\"response.novel\",\"output_index\":\"x\"}\n\n" + whole.Responses(),
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, strict.Rules{}, providers.Quirks{})
			b.Server.Say(strict.Answer{Body: stream})
			var shown strings.Builder
			resp, err := b.Stream(t.Context(), ask(user(say("hi"))), func(d providers.Delta) { shown.WriteString(d.Text) })
			if err != nil || !reflect.DeepEqual(resp.Blocks, want) || resp.Stop != message.StopTools || shown.String() != "hi" {
				t.Errorf("got %+v, stop %s, shown %q, %v", resp.Blocks, resp.Stop, shown.String(), err)
			}
		})
	}
}

func TestAnIncompleteAnswerSaysWhy(t *testing.T) {
	for reason, want := range map[string]message.Stop{"max_output_tokens": message.StopLength, "content_filter": message.StopRefusal, "steered": message.StopEnd} {
		b := setUp(t, strict.Rules{}, providers.Quirks{})
		b.Server.SayTurn(strict.Turn{Text: "hi", Finish: reason})
		if resp := b.Run(t, ask(user(say("hi")))); resp.Stop != want {
			t.Errorf("%s gave %s, want %s", reason, resp.Stop, want)
		}
	}
}

func TestAStreamCutAtAnyByteIsTruncatedOrComplete(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	turn := strict.Turn{Thinking: "Hm.", Signature: "s", Text: "é", Calls: []strict.Call{{ID: "a", Name: "read", Args: `{"path":"x"}`}}}
	whole := turn.Responses()
	complete := b.CutAtEveryByte(t, turn, whole, ask(user(say("hi"))))
	if complete == 0 || complete > 5 {
		t.Errorf("%d of %d cuts were taken as whole", complete, len(whole))
	}
}

func TestAnItemThatWasBegunAndNeverFinishedIsNotTakenAsWhole(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	b.Server.Say(strict.Answer{Body: `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","name":"read","call_id":"a","arguments":""}}` + "\n\n" +
		`data: {"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"path\":"}` + "\n\n" +
		`data: {"type":"response.completed","response":{"output":[]}}` + "\n\n"})
	if resp, err := b.Stream(t.Context(), ask(user(say("hi"))), nil); providers.ClassOf(err) != providers.ClassTruncated {
		t.Errorf("got %+v, %v", resp, err)
	}
}
