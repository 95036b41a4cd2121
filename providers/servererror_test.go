package providers

import (
	"net/http"
	"strings"
	"testing"

	"espy/agent/message"
)

// exchangeWith is a request that carries so many pictures, in messages.0.content.
func exchangeWith(t *testing.T, pictures int) Exchange {
	t.Helper()
	blobs := folder(t.TempDir())
	img := blobs.put(t, "a.png", []byte("x"))
	b := NewBody(blobs)
	var content []part
	for range pictures {
		content = append(content, part{Data: b.Picture(img)})
	}
	if err := b.Encode(map[string]any{"messages": []part{{Parts: content}}}); err != nil {
		t.Fatal(err)
	}
	return Exchange{Body: b, Secret: []string{"sk-very-secret-key"}}
}

func TestServerErrorsFallIntoTheirClasses(t *testing.T) {
	anthropic := func(kind, text string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_1"}`
	}
	openai := func(code, text string) string {
		return `{"error":{"message":"` + text + `","type":"invalid_request_error","param":null,"code":"` + code + `"}}`
	}
	for _, c := range []struct {
		name     string
		status   int
		body     string
		pictures int
		want     Class
		picture  int
	}{
		{"key", 401, anthropic("authentication_error", "invalid x-api-key"), 0, ClassAuth, -1},
		{"region", 403, openai("unsupported_country", "Country not supported"), 0, ClassAuth, -1},
		{"model", 404, openai("model_not_found", "The model does not exist"), 0, ClassNotFound, -1},
		{"rate", 429, openai("rate_limit_exceeded", "Rate limit reached"), 0, ClassRateLimit, -1},
		{"quota", 429, openai("insufficient_quota", "You exceeded your current quota"), 0, ClassQuota, -1},
		{"google minute", 429, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]`, 0, ClassRateLimit, -1},
		{"no credit", 402, `{"error":{"message":"Insufficient credits","code":402}}`, 0, ClassQuota, -1},
		{"low credit", 400, anthropic("invalid_request_error", "Your credit balance is too low"), 0, ClassQuota, -1},
		{"body", 413, anthropic("request_too_large", "Request exceeds the maximum size"), 0, ClassTooLarge, -1},
		{"html 413", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", 0, ClassTooLarge, -1},
		{"overloaded", 529, anthropic("overloaded_error", "Overloaded"), 0, ClassOverloaded, -1},
		{"conflict", 409, `{"error":{"message":"conflict"}}`, 0, ClassOverloaded, -1},
		{"timeout", 408, "", 0, ClassOverloaded, -1},
		{"500", 500, "oops", 0, ClassOverloaded, -1},
		{"validation", 422, `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, 0, ClassBadRequest, -1},
		{"bare 400", 400, "", 0, ClassOverflow, -1},
		{"too long", 400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), 1, ClassOverflow, -1},
		{"window", 400, openai("context_length_exceeded", "Your input exceeds the context window of this model"), 0, ClassOverflow, -1},
		{"vllm window", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens","code":400}`, 0, ClassOverflow, -1},
		{"rate that speaks of tokens", 429, `{"error":"Too many tokens, please wait before trying again."}`, 0, ClassRateLimit, -1},
		{"llama.cpp blind", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, 1, ClassBlind, -1},
		{"deepseek blind", 400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`\"}}", 1, ClassBlind, -1},
		{"openrouter blind", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, 2, ClassBlind, -1},
		{"openai blind", 400, openai("", "Invalid content type. image_url is only supported by certain models."), 1, ClassBlind, -1},
		{"blind words without a picture", 400, openai("", "This model does not support images"), 0, ClassBadRequest, -1},
		{"named picture", 400, anthropic("invalid_request_error", "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"), 3, ClassPicture, 1},
		{"named in unknown words", 400, anthropic("invalid_request_error", "messages.0.content.2: a novel complaint"), 3, ClassPicture, 2},
		{"the only picture", 400, anthropic("invalid_request_error", "Could not process image"), 1, ClassPicture, 0},
		{"one of several", 400, openai("invalid_image_format", "You uploaded an unsupported image."), 2, ClassPicture, -1},
		{"structured", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"too large","details":{"error_code":"image_dimensions_too_large","paths":["messages.0.content.1"]}}}`, 2, ClassPicture, 1},
		{"param", 400, `{"error":{"message":"Invalid base64","type":"invalid_request_error","param":"messages[0].content[1].image_url","code":"invalid_base64_image"}}`, 2, ClassPicture, 1},
		{"together", 400, openai("", "Total image size is 50.56MB, which exceeds the allowed limit of 50MB."), 9, ClassTooLarge, -1},
		{"upstream", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"messages.0.content.0: bad\"}}"}}}`, 2, ClassPicture, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: c.status, Header: http.Header{}}
			e := StatusError(resp, []byte(c.body), exchangeWith(t, c.pictures))
			if e.Class != c.want || e.Picture != c.picture {
				t.Errorf("class %s, picture %d; want %s, %d (%s)", e.Class, e.Picture, c.want, c.picture, e)
			}
			if e.Message == "" || e.Status != c.status {
				t.Errorf("the error says nothing or forgot its status: %#v", e)
			}
		})
	}
}

func TestAServersWordsAreMadeSafeToShow(t *testing.T) {
	resp := &http.Response{StatusCode: 400, Header: http.Header{"X-Request-Id": {"req\x1b[2J_9"}}}
	body := "{\"error\":{\"message\":\"bad key sk-very-secret-key \\u001b[31mred\\u001b[0m\\r\\n\\u202eevil \xff" + strings.Repeat("long ", 500) + "\"}}"
	e := StatusError(resp, []byte(body), exchangeWith(t, 0))
	if strings.Contains(e.Message, "secret") || !strings.Contains(e.Message, "[key]") {
		t.Errorf("the key is in the error: %q", e.Message)
	}
	if strings.ContainsAny(e.Message+e.RequestID, "\x1b\r\n\u202e") || len(e.Message) > maxErrorText+len("…") {
		t.Errorf("control characters or an endless text passed: %d bytes %q", len(e.Message), e.Message)
	}
}

func TestEveryWordOfAConfiguredHeaderIsASecret(t *testing.T) {
	s := Server{Key: "sk-first-key\n", Headers: map[string]string{"Authorization": "Bearer sk-second-key"}}
	if said := cleanText("not sk-first-key and not sk-second-key", s.Secrets()); said != "not [key] and not [key]" {
		t.Errorf("it says %q", said)
	}
}

func TestAServersWaitIsReadFromTheBodyWhereOnlyItHasOne(t *testing.T) {
	body := `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"32s"}]}}]`
	e := StatusError(&http.Response{StatusCode: 429, Header: http.Header{}}, []byte(body), Exchange{})
	if e.RetryAfter.Seconds() != 32 {
		t.Errorf("the wait is %v, want 32s", e.RetryAfter)
	}
}

func FuzzServerError(f *testing.F) {
	f.Add(400, `{"error":{"message":"messages.1.content[2]"}}`)
	f.Add(422, `{"detail":[{"loc":["body",1],"msg":"x"}]}`)
	f.Add(500, `[{"error":null}]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		e := StatusError(&http.Response{StatusCode: status, Header: http.Header{}}, []byte(body), Exchange{Body: NewBody(nil)})
		if e.Class == "" || e.Message == "" || strings.ContainsRune(e.Message, '\x1b') {
			t.Fatalf("%d %q became %#v", status, body, e)
		}
	})
}

func TestCallIDsAreMappedTheSameEachTimeAndFitEveryServer(t *testing.T) {
	calls := []message.ToolCall{{ID: "toolu_01ABC"}, {ID: "toolu_01ABC"}, {ID: ""}, {ID: "call|with|bars"}, {ID: strings.Repeat("x", 70)}}
	for _, style := range []string{"", IDAlnum9} {
		first, second := NewCallIDs(style), NewCallIDs(style)
		a, b := first.Assistant(calls), second.Assistant(calls)
		seen := map[string]bool{}
		for i, id := range a {
			if id != b[i] {
				t.Errorf("call %d was mapped to %s and then to %s", i, id, b[i])
			}
			if seen[id] || !first.fits(id) {
				t.Errorf("style %q: id %q is used twice or does not fit", style, id)
			}
			seen[id] = true
		}
		for i, c := range calls {
			if got := first.Result(c.ID); got != a[i] {
				t.Errorf("the result of call %d answers %q, want %q", i, got, a[i])
			}
		}
	}
	if ids := NewCallIDs("").Assistant([]message.ToolCall{{ID: "call_1"}}); ids[0] != "call_1" {
		t.Errorf("an id that fits was changed to %q", ids[0])
	}
}

func TestSchemasKeepOnlyWhatServersTake(t *testing.T) {
	schema := `{"$schema":"x","type":"object","$defs":{"P":{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}},
		"properties":{"const":{"type":["string","null"],"default":"a","format":"uri"},"p":{"$ref":"#/$defs/P"},"l":{"type":"array"},
		"u":{"anyOf":[{"type":"null"},{"type":"number"}],"description":"d"},"self":{"$ref":"#"}},"required":["const"],"additionalProperties":false}`
	got, err := CleanSchema(schema, SchemaGemini)
	if err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{"$schema", "$ref", "$defs", "default", "format", "minimum", "additionalProperties", "anyOf", "null"} {
		if strings.Contains(string(got), `"`+banned+`"`) {
			t.Errorf("%s is still in the schema: %.300s", banned, got)
		}
	}
	for _, kept := range []string{`"const":{"type":"string"}`, `"n":{"type":"integer"}`, `"u":{"description":"d","type":"number"}`, `"required":["const"]`} {
		if !strings.Contains(string(got), kept) {
			t.Errorf("%s is missing from the schema: %.300s", kept, got)
		}
	}
	open := `{"type":"object","properties":{"args":{"type":"object","description":"Its arguments."}}}`
	if got, _ := CleanSchema(open, SchemaGemini); string(got) != `{"properties":{"args":{"description":"Its arguments. Written as the text of a JSON object.","type":"string"}},"type":"object"}` {
		t.Errorf("an object of any shape became %s", got)
	}
	if got, _ := CleanSchema(open, ""); !strings.Contains(string(got), `"args":{"description":"Its arguments.","type":"object"}`) {
		t.Errorf("elsewhere an object of any shape became %s", got)
	}
	plain, _ := CleanSchema(`{"type":"object","additionalProperties":false}`, "")
	if string(plain) != `{"additionalProperties":false,"properties":{},"type":"object"}` {
		t.Errorf("plain dialect gave %s", plain)
	}
	if _, err := CleanSchema(`[`, ""); err == nil {
		t.Error("a schema that is no JSON passed")
	}
}

func TestArgumentsAreAlwaysAnObject(t *testing.T) {
	for in, want := range map[string]string{
		"": `{}`, " \n": `{}`, `{"a": 1}`: `{"a": 1}`, `null`: `{"invalid_arguments":"null"}`, `[1]`: `{"invalid_arguments":"[1]"}`,
		`{"a":`: `{"invalid_arguments":"{\"a\":"}`,
	} {
		if got := string(Arguments(in)); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

func TestACallIsKeptUnderAnIDOfItsOwn(t *testing.T) {
	used := map[string]bool{}
	for i, c := range []struct{ id, want string }{
		{"call_a", "call_a"}, {"call_a", "call_2"}, {"", "call_3"}, {"a\x1b[2J", "call_4"}, {strings.Repeat("x", 300), "call_5"}, {"\xff", "call_6"}, {"toolu|odd", "toolu|odd"}, {"call_2", "call_8"},
	} {
		if got := UniqueID(c.id, i+1, used); got != c.want {
			t.Errorf("%q is kept as %q, want %q", c.id, got, c.want)
		}
	}
}
