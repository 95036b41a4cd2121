package providers_test

import (
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/anthropic"
	"espy/providers/chat"
	"espy/providers/responses"
	"espy/providers/strict"
)

// quirkCase is a server on which a quirk's cell matters: one that refuses what is sent without it.
type quirkCase struct {
	server providers.Server
	model  string
	rules  strict.Rules
}

// on is a server of a protocol at a host.
func on(protocol, base string) providers.Server {
	return providers.Server{Name: "there", Protocol: protocol, BaseURL: base}
}

// quirkCases has a case for every quirk that a built-in rule sets.
func quirkCases() map[string]quirkCase {
	openai := on("chat", "https://api.openai.com/v1")
	mistral := on("chat", "https://api.mistral.ai/v1")
	gemini := on("chat", "https://generativelanguage.googleapis.com/v1beta/openai")
	elsewhere := on("chat", "https://llm.example.com/v1")
	echo := strict.Rules{RequireReasoningEcho: true}
	return map[string]quirkCase{
		`(host ^api\.openai\.com$, protocol chat): max_tokens_field`:                                                        {openai, "o5", strict.Rules{MaxTokensField: "max_completion_tokens"}},
		`(host ^api\.openai\.com$, protocol chat): developer_role`:                                                          {openai, "o5", strict.Rules{DeveloperRole: true}},
		`(host ^openrouter\.ai$): reasoning_style`:                                                                          {on("chat", "https://openrouter.ai/api/v1"), "x/y", strict.Rules{EffortStyle: "reasoning.effort"}},
		`(host (^|\.)mistral\.ai$): id_style`:                                                                               {mistral, "m", strict.Rules{NineCharIDs: true}},
		`(host (^|\.)mistral\.ai$): no_stream_usage`:                                                                        {mistral, "m", strict.Rules{NoStreamOptions: true}},
		`(host (^|\.)mistral\.ai$): assistant_after_tool`:                                                                   {mistral, "m", strict.Rules{NoUserAfterTool: true}},
		`(host (^|\.)mistral\.ai$): tool_result_name`:                                                                       {mistral, "m", strict.Rules{RequireToolName: true}},
		`(host (^|\.)deepseek\.com$, protocol chat): reasoning_echo`:                                                        {on("chat", "https://api.deepseek.com"), "v9", strict.Rules{RequireReasoningEcho: true, EffortStyle: "thinking"}},
		`(host (^|\.)deepseek\.com$, protocol chat): reasoning_style`:                                                       {on("chat", "https://api.deepseek.com"), "v9", strict.Rules{RequireReasoningEcho: true, EffortStyle: "thinking"}},
		`(model deepseek, protocol chat): reasoning_echo`:                                                                   {elsewhere, "deepseek-r9", echo},
		`(host (^|\.)(kimi\.com|moonshot\.(ai|cn))$, protocol chat): reasoning_echo`:                                        {on("chat", "https://api.moonshot.ai/v1"), "k9", echo},
		`(host (^|\.)xiaomimimo\.com$): reasoning_echo`:                                                                     {on("chat", "https://api.xiaomimimo.com/v1"), "m", echo},
		`(model mimo, protocol chat): reasoning_echo`:                                                                       {elsewhere, "mimo-v9", echo},
		`(host (^|\.)(z\.ai|bigmodel\.cn)$, protocol chat): reasoning_style`:                                                {on("chat", "https://api.z.ai/api/paas/v4"), "glm-9", strict.Rules{EffortStyle: "thinking"}},
		`(host (^|\.)aliyuncs\.com$, protocol chat): reasoning_style`:                                                       {on("chat", "https://dashscope.aliyuncs.com/compatible-mode/v1"), "qwen9", strict.Rules{EffortStyle: "enable_thinking"}},
		`(host ^generativelanguage\.googleapis\.com$): echo_extra`:                                                          {gemini, "gemini-9", strict.Rules{RequireExtra: true, AllowExtras: true}},
		`(host ^generativelanguage\.googleapis\.com$): schema_dialect`:                                                      {gemini, "gemini-9", strict.Rules{NoAdditional: true}},
		`(protocol chat): non_null_content`:                                                                                 {elsewhere, "m", strict.Rules{NonNullContent: true}},
		`(host ^api\.openai\.com$, protocol responses): tool_images_as_user`:                                                {on("responses", "https://api.openai.com/v1"), "gpt-9", strict.Rules{PicturesStayInResults: true}},
		`(protocol responses): tool_images_as_user`:                                                                         {on("responses", "https://llm.example.com/v1"), "m", strict.Rules{NoPicturesInResults: true}},
		`(model ^claude-(fable|mythos|(opus|sonnet|haiku)-5|opus-4-[678]|sonnet-4-6), protocol anthropic): reasoning_style`: {on("anthropic", "https://api.anthropic.com"), "claude-sonnet-5", strict.Rules{EffortStyle: "adaptive"}},
		`(host ^(127\.0\.0\.1|localhost|\[?::1\]?), protocol anthropic): no_cache_control`:                                  {on("anthropic", "http://127.0.0.1:1234"), "m", strict.Rules{NoCacheControl: true}},
		`(model ^gpt-5\.5): image_detail`:                                                                                   {on("responses", "https://api.openai.com/v1"), "gpt-5.5", strict.Rules{OriginalPatches: 3}},
		`(model ^gpt-(5\.6|6)): image_detail`:                                                                               {on("responses", "https://api.openai.com/v1"), "gpt-6-sol", strict.Rules{OriginalPatches: 3}},
	}
}

// everything is a request in which each quirk shows: foreign call ids, reasoning, a call without words, a
// picture in a result, an effort, and a schema with a keyword that some refuse.
func everything(blobs *strict.Blobs) providers.Request {
	picture := blobs.Picture("png", 90, 90)
	return providers.Request{
		System: []string{"You are espy."}, MaxTokens: 9000, Effort: "medium",
		Tools: []providers.ToolSpec{{Name: "read_media", Description: "looks", Schema: `{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`}},
		Messages: []providers.Message{
			{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "[image 1]"}, picture, message.Text{Text: "look"}}, Cache: true},
			{Role: message.RoleAssistant, Blocks: []message.Block{message.Thinking{Text: "hm"}, message.ToolCall{ID: "call_of_another_service", Name: "read_media", Args: "{}"}}},
			{Role: message.RoleTool, Results: []providers.Result{{CallID: "call_of_another_service", Name: "read_media", Text: "here", Pictures: []providers.Picture{{Intro: "[image from call]", Image: picture}}}}, Cache: true},
		},
	}
}

// firstTry sends the request along a route to a strict service and says what it refused before it took it.
func firstTry(t *testing.T, route providers.Route, rules strict.Rules) []string {
	t.Helper()
	server := strict.New(t, rules)
	client := providers.NewClient(providers.Timeouts{})
	defer client.CloseIdle()
	blobs := strict.NewBlobs(t)
	route.Server.BaseURL = server.URL
	var p providers.Provider
	switch route.Server.Protocol {
	case "anthropic":
		p = anthropic.New(route, blobs, client)
	case "responses":
		p = responses.New(route, blobs, client)
	default:
		p = chat.New(route, blobs, client)
	}
	_, err := p.Stream(t.Context(), everything(blobs), func(providers.Delta) {})
	refused := server.Refusals()
	if err != nil && len(refused) == 0 {
		t.Fatal(err)
	}
	return refused
}

func TestEveryQuirkOfTheTableIsNeededByAServer(t *testing.T) {
	cases := quirkCases()
	for _, cell := range providers.QuirkCells() {
		t.Run(cell, func(t *testing.T) {
			c, ok := cases[strings.TrimPrefix(cell, "models.toml ")]
			if !ok {
				t.Fatal("no server is known that needs this cell: add a case, or take it out of the table")
			}
			delete(cases, strings.TrimPrefix(cell, "models.toml "))
			book, faults := providers.NewBook(providers.BookOptions{Servers: []providers.Server{c.server}})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			route, err := book.Find("there/" + c.model)
			if err != nil {
				t.Fatal(err)
			}
			if refused := firstTry(t, route, c.rules); len(refused) > 0 {
				t.Errorf("refused although the table knows the server: %q", refused)
			}
			source, quirk, _ := strings.Cut(cell, "): ")
			without, err := book.Without(source + "): quirks." + quirk).Find("there/" + c.model)
			if err != nil {
				t.Fatal(err)
			}
			if refused := firstTry(t, without, c.rules); len(refused) == 0 {
				t.Error("taken just as well without the cell: the table does not need it, or the test server is too mild")
			}
		})
	}
	for cell := range cases {
		t.Errorf("there is a case for %s, which the table does not set", cell)
	}
}
