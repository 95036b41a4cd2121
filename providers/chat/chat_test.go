package chat

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

func ask(messages ...providers.Message) providers.Request {
	return providers.Request{
		System:   []string{"You are espy."},
		Tools:    []providers.ToolSpec{{Name: "read", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`}},
		Messages: messages,
	}
}

// wire is a request as it was sent, decoded.
type wire struct {
	Messages []struct {
		Role       string          `json:"role"`
		Name       string          `json:"name"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		Reasoning  string          `json:"reasoning_content"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
			Extra    json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
	} `json:"messages"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	StreamOptions       json.RawMessage `json:"stream_options"`
}

func (b bench) sent(t testing.TB) wire {
	t.Helper()
	var w wire
	b.Server.Last().Decode(t, &w)
	return w
}

func (w wire) roles() string {
	var roles []string
	for _, m := range w.Messages {
		roles = append(roles, m.Role)
	}
	return strings.Join(roles, " ")
}

func TestAnAnswerArrivesWholeAndInPieces(t *testing.T) {
	b := setUp(t, strict.Rules{Key: "sk-key"}, providers.Quirks{})
	b.Server.SayTurn(strict.Turn{Thinking: "Let me think about it.", Text: "Here is what I see: 日本語.", Cached: 40,
		Calls: []strict.Call{{ID: "call_a", Name: "read", Args: `{"path":"a.png"}`}, {ID: "call_b", Name: "read", Args: ``}}})
	var text, thinking strings.Builder
	args := map[int]string{}
	resp, err := b.Stream(t.Context(), ask(user(say("hello"))), func(d providers.Delta) {
		text.WriteString(d.Text)
		thinking.WriteString(d.Thinking)
		if d.Call != nil {
			args[d.Call.Index] += d.Call.Name + d.Call.Args
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Response{
		Blocks: []message.Block{
			message.Thinking{Text: "Let me think about it."}, say("Here is what I see: 日本語."),
			message.ToolCall{ID: "call_a", Name: "read", Args: `{"path":"a.png"}`}, message.ToolCall{ID: "call_b", Name: "read"},
		},
		Stop: message.StopTools, Model: "strict-1", Usage: &message.Usage{Input: 100, Output: 20, CacheRead: 40},
	}
	if !reflect.DeepEqual(resp, want) {
		t.Errorf("got %+v\nwant %+v", resp, want)
	}
	if text.String() != "Here is what I see: 日本語." || thinking.String() != "Let me think about it." || args[0] != `read{"path":"a.png"}` || args[1] != "read" {
		t.Errorf("pieces were %q, %q, %v", text.String(), thinking.String(), args)
	}
}

func TestPicturesOfParallelResultsFollowTheLastToolMessageInOneUserMessage(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	first, second, third := b.Blobs.Picture("png", 30, 20), b.Blobs.Picture("jpeg", 40, 30), b.Blobs.Picture("png", 50, 40)
	b.Run(t, ask(
		user(say("[Image 1]"), first, say("what is wrong?")),
		assistant(say("Let me look."), message.ToolCall{ID: "c1", Name: "read", Args: `{"path":"b"}`}, message.ToolCall{ID: "c2", Name: "read", Args: `{"path":"c"}`}),
		results(
			providers.Result{CallID: "c1", Name: "read", Text: "b, 40x30", Pictures: []providers.Picture{{Intro: "[Image from c1]", Image: second}}},
			providers.Result{CallID: "c2", Name: "read", Text: "c, 50x40", Pictures: []providers.Picture{{Intro: "[Image from c2]", Image: third}}},
		),
		user(say("and now?")),
	))
	w := b.sent(t)
	if w.roles() != "system user assistant tool tool user" {
		t.Fatalf("roles are %s", w.roles())
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(w.Messages[5].Content, &parts); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, p := range parts {
		seen = append(seen, p.Type+p.Text)
	}
	if want := []string{"text[Image from c1]", "image_url", "text[Image from c2]", "image_url", "textand now?"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("the user message holds %q, want %q", seen, want)
	}
	if got := string(w.Messages[3].Content); got != `"b, 40x30"` {
		t.Errorf("the first tool message says %s", got)
	}
}

func TestWhereThereIsOnlyTextContentIsAString(t *testing.T) {
	b := setUp(t, strict.Rules{StringContentOnly: true}, providers.Quirks{})
	b.Run(t, ask(user(say("one"), say("two")), user(say("three"))))
	w := b.sent(t)
	if w.roles() != "system user" || string(w.Messages[1].Content) != `"one\n\ntwo\n\nthree"` {
		t.Errorf("sent %s: %s", w.roles(), w.Messages[1].Content)
	}
}

func TestQuirksAreFollowed(t *testing.T) {
	talk := func(b bench) providers.Request {
		return ask(
			user(say("look"), b.Blobs.Picture("png", 64, 64)),
			assistant(message.ToolCall{ID: "toolu_01XYZ|foreign", Name: "read", Args: ""}),
			results(providers.Result{CallID: "toolu_01XYZ|foreign", Name: "read", Text: "done", Pictures: []providers.Picture{{Image: b.Blobs.Picture("jpeg", 64, 64)}}}),
			assistant(message.Thinking{Text: "hm"}, say("fine")), user(say("go on")),
		)
	}
	for name, c := range map[string]struct {
		rules  strict.Rules
		quirks providers.Quirks
	}{
		"plain":              {strict.Rules{}, providers.Quirks{}},
		"nine characters":    {strict.Rules{NineCharIDs: true}, providers.Quirks{IDStyle: "alnum9"}},
		"reasoning echo":     {strict.Rules{RequireReasoningEcho: true}, providers.Quirks{ReasoningEcho: true}},
		"no user after tool": {strict.Rules{NoUserAfterTool: true}, providers.Quirks{AssistantAfterTool: true}},
		"content not null":   {strict.Rules{NonNullContent: true}, providers.Quirks{NonNullContent: true}},
		"tool name":          {strict.Rules{RequireToolName: true}, providers.Quirks{ToolResultName: true}},
		"thought signature":  {strict.Rules{RequireExtra: true, AllowExtras: true}, providers.Quirks{EchoExtra: true, SchemaDialect: "gemini"}},
		"no stream options":  {strict.Rules{NoStreamOptions: true}, providers.Quirks{NoStreamUsage: true}},
		"developer":          {strict.Rules{}, providers.Quirks{DeveloperRole: true}},
		"detail":             {strict.Rules{}, providers.Quirks{ImageDetail: "high"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, c.rules, c.quirks)
			b.Run(t, talk(b))
			if n := len(b.Server.Requests()); n != 1 {
				t.Errorf("it took %d requests", n)
			}
		})
	}
}

func TestADeviationIsLearnedFromARefusalAndRemembered(t *testing.T) {
	for name, rules := range map[string]strict.Rules{
		"stream_options":        {NoStreamOptions: true},
		"max_completion_tokens": {MaxTokensField: "max_completion_tokens"},
		"null content":          {NonNullContent: true},
		"tools with an effort":  {NoToolsWithEffort: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, rules, providers.Quirks{})
			req := ask(user(say("hi")), assistant(message.ToolCall{ID: "a", Name: "read"}), results(providers.Result{CallID: "a", Text: "x"}))
			req.MaxTokens = 1000
			b.Run(t, req)
			b.Run(t, req)
			if n := len(b.Server.Requests()); n != 3 {
				t.Errorf("two turns took %d requests, want 3: one refusal, then it is known", n)
			}
		})
	}
}

func TestWithoutToolsNoneAreSentAndWithoutAKeyNoHeader(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	b.Run(t, providers.Request{Messages: []providers.Message{user(say("hi"))}})
	if h := b.Server.Last().Header; h.Get("Authorization") != "" || strings.Contains(string(b.Server.Last().Raw), "tools") {
		t.Errorf("sent Authorization %q and %s", h.Get("Authorization"), b.Server.Last().Raw)
	}
}

func TestForeignAndRepeatedIDsAndBrokenArgumentsAreReplayedInAFormServersTake(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	broken := message.ToolCall{ID: "call_1", Name: "read", Args: `{"path":`}
	b.Run(t, ask(user(say("hi")),
		assistant(broken, broken), results(providers.Result{CallID: "call_1", Text: "x"}, providers.Result{CallID: "call_1", Text: "y"}),
		assistant(broken), results(providers.Result{CallID: "call_1", Text: "z"})))
	w := b.sent(t)
	first, second := w.Messages[2].ToolCalls[0].ID, w.Messages[2].ToolCalls[1].ID
	if first == second || w.Messages[3].ToolCallID != first || w.Messages[4].ToolCallID != second {
		t.Errorf("ids are %s, %s answered by %s, %s", first, second, w.Messages[3].ToolCallID, w.Messages[4].ToolCallID)
	}
}

func TestRefusalsReachTheLoopByClass(t *testing.T) {
	for name, c := range map[string]struct {
		rules   strict.Rules
		answer  strict.Answer
		want    providers.Class
		picture int
	}{
		"wrong key":        {rules: strict.Rules{Key: "other"}, want: providers.ClassAuth, picture: -1},
		"wrong model":      {rules: strict.Rules{Model: "other"}, want: providers.ClassNotFound, picture: -1},
		"second picture":   {rules: strict.Rules{RefusePicture: 2}, want: providers.ClassPicture, picture: 1},
		"side":             {rules: strict.Rules{MaxSide: 70}, want: providers.ClassPicture, picture: 1},
		"many":             {rules: strict.Rules{ManyImages: 1, ManySide: 70}, want: providers.ClassPicture, picture: 1},
		"small":            {rules: strict.Rules{MinSide: 70}, want: providers.ClassPicture, picture: 0},
		"too many":         {rules: strict.Rules{MaxImages: 1}, want: providers.ClassTooLarge, picture: -1},
		"blind":            {rules: strict.LlamaCpp(), want: providers.ClassBlind, picture: -1},
		"body":             {rules: strict.Rules{MaxBody: 300}, want: providers.ClassTooLarge, picture: -1},
		"rate":             {answer: strict.Answer{Status: 429, Body: `{"error":{"message":"slow down"}}`}, want: providers.ClassRateLimit, picture: -1},
		"500":              {answer: strict.Answer{Status: 500, Body: "oops"}, want: providers.ClassOverloaded, picture: -1},
		"529":              {answer: strict.Answer{Status: 529, Body: `{"error":{"message":"Overloaded"}}`}, want: providers.ClassOverloaded, picture: -1},
		"page":             {answer: strict.Answer{Body: "<html><title>Sign in</title></html>"}, want: providers.ClassUnintelligible, picture: -1},
		"other JSON":       {answer: strict.Answer{Body: `{"status":"ok"}`}, want: providers.ClassUnintelligible, picture: -1},
		"error as JSON":    {answer: strict.Answer{Body: `{"error":{"message":"Overloaded","code":529}}`}, want: providers.ClassOverloaded, picture: -1},
		"error in stream":  {answer: strict.Answer{Body: "data: {\"error\":{\"message\":\"Overloaded\",\"code\":502}}\n\n"}, want: providers.ClassOverloaded, picture: -1},
		"error by name":    {answer: strict.Answer{Body: "event: error\ndata: {\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}\n\n"}, want: providers.ClassOverloaded, picture: -1},
		"error as finish":  {answer: strict.Answer{Body: "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n"}, want: providers.ClassOverloaded, picture: -1},
		"nothing":          {answer: strict.Answer{Body: " "}, want: providers.ClassTruncated, picture: -1},
		"done and nothing": {answer: strict.Answer{Body: "data: [DONE]\n\n"}, want: providers.ClassTruncated, picture: -1},
		"nonsense":         {answer: strict.Answer{Body: "data: hello\n\n"}, want: providers.ClassUnintelligible, picture: -1},
	} {
		t.Run(name, func(t *testing.T) {
			b := setUp(t, c.rules, providers.Quirks{})
			b.Adapter.Route.Server.Key = "sk-mine"
			if name == "wrong key" {
				b.Adapter.Route.Server.Key = "sk-mine-and-long"
			}
			b.Server.Say(c.answer)
			_, err := b.Stream(t.Context(), ask(user(say("look"), b.Blobs.Picture("png", 64, 64), b.Blobs.Picture("png", 80, 64))), nil)
			var e *providers.Error
			if !errors.As(err, &e) || e.Class != c.want || e.Picture != c.picture {
				t.Errorf("got %#v, want class %s and picture %d", err, c.want, c.picture)
			} else if strings.Contains(e.Error(), "sk-mine-and-long") {
				t.Errorf("the key is in the error: %v", e)
			}
		})
	}
}

func TestAMissingPictureIsFoundBeforeTheServerIsAsked(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	img := b.Blobs.Picture("png", 8, 8)
	b.Blobs.Remove(img)
	_, err := b.Stream(t.Context(), ask(user(say("look"), img)), nil)
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.ClassMissingBlob || e.Ref != img.Ref || len(b.Server.Requests()) != 0 {
		t.Errorf("got %v after %d requests", err, len(b.Server.Requests()))
	}
}

func TestAStreamCutAtAnyByteIsTruncatedOrComplete(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	turn := strict.Turn{Thinking: "Hm.", Text: "Look: é", Calls: []strict.Call{{ID: "a", Name: "read", Args: `{"path":"x"}`}}}
	whole := turn.Chat()
	complete := b.CutAtEveryByte(t, turn, whole, ask(user(say("hi"))))
	if complete == 0 || complete > len(whole)/3 {
		t.Errorf("%d of %d cuts were taken as whole", complete, len(whole))
	}
}

func TestRetryGoesThroughTheWholeAdapter(t *testing.T) {
	b := setUp(t, strict.Rules{}, providers.Quirks{})
	turn := strict.Turn{Text: "The answer."}
	b.Server.Say(
		strict.Answer{Status: 429, Header: map[string][]string{"Retry-After-Ms": {"5"}}, Body: `{"error":{"message":"slow down"}}`},
		strict.Answer{Turn: &turn, Cut: 400}, strict.Answer{Turn: &turn},
	)
	var shown strings.Builder
	resp, err := providers.WithRetry(b, providers.Policy{First: 1}).Stream(t.Context(), ask(user(say("hi"))), func(d providers.Delta) {
		if d.Restart {
			shown.Reset()
		}
		shown.WriteString(d.Text)
	})
	if err != nil || shown.String() != "The answer." || len(resp.Blocks) != 1 || len(b.Server.Requests()) != 3 {
		t.Errorf("got %+v, %v, shown %q after %d requests", resp, err, shown.String(), len(b.Server.Requests()))
	}
}

func TestTheWaitAServerAsksForReachesTheErrorInEveryForm(t *testing.T) {
	for form, most := range map[string]time.Duration{
		"2": 2 * time.Second, "0.25": 250 * time.Millisecond, "3600": time.Hour, "1m30s": 90 * time.Second,
		time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat): 30 * time.Second,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat):       0,
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			b := setUp(t, strict.Rules{}, providers.Quirks{})
			b.Server.Say(strict.Answer{Status: status, Header: http.Header{"Retry-After": {form}}, Body: "{}"})
			_, err := b.Stream(t.Context(), ask(user(say("hi"))), nil)
			var e *providers.Error
			if !errors.As(err, &e) || e.RetryAfter > most || e.RetryAfter < most/2 {
				t.Errorf("%d with %q gave %#v, want a wait of about %v", status, form, err, most)
			}
		}
	}
}
