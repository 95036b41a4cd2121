package strict

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The service's own answers must be what the published schemas say answers are: else adapters would be tested
// against something that does not exist.
func TestAnswersMatchThePublishedSchemas(t *testing.T) {
	turns := []Turn{
		{Text: "hi"},
		{Thinking: "hm", Signature: "s", Text: "hi", Calls: []Call{{"call_a", "read", `{"a":1}`}, {"call_b", "read", ""}}, Cached: 3},
		{Text: "half", Finish: "max_output_tokens"},
	}
	for i, turn := range turns {
		checkEvents(t, turn.Responses(), responseEvent())
		if i < 2 {
			checkEvents(t, turn.Chat(), chatChunk())
		}
	}
}

func checkEvents(t *testing.T, stream string, schema *jsonschema.Schema) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		event, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if fault := faultOf(schema, event); fault != "" {
			t.Errorf("%s\nin %s", fault, data)
		}
	}
}

func TestBodiesThatServicesRefuseAreRefused(t *testing.T) {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	image := func(label, data string) string {
		return `{"type":"image_url","image_url":{"url":"data:` + label + `;base64,` + data + `"}}`
	}
	chat := func(messages string) string { return `{"model":"m","stream":true,"messages":[` + messages + `]}` }
	user := `{"role":"user","content":"hi"}`
	anthropic := func(messages string) string {
		return `{"model":"m","stream":true,"max_tokens":9,"messages":[` + messages + `]}`
	}
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{}}]}`
	source := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}}`
	item := func(items string) string {
		return `{"model":"m","stream":true,"store":false,"input":[` + items + `]}`
	}
	ask := `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`
	for name, c := range map[string]struct{ path, body, want string }{
		"good chat":             {"chat/completions", chat(user), ""},
		"good picture":          {"chat/completions", chat(`{"role":"user","content":[` + image("image/png", png) + `]}`), ""},
		"label":                 {"chat/completions", chat(`{"role":"user","content":[` + image("image/jpeg", png) + `]}`), "appears to be a image/png"},
		"unknown label":         {"chat/completions", chat(`{"role":"user","content":[` + image("image/jpg", png) + `]}`), "Input should be"},
		"cut picture":           {"chat/completions", chat(`{"role":"user","content":[` + image("image/png", png[:16]) + `]}`), "Could not process"},
		"bad base64":            {"chat/completions", chat(`{"role":"user","content":[` + image("image/png", png[:len(png)-3]) + `]}`), "Invalid base64"},
		"empty picture":         {"chat/completions", chat(`{"role":"user","content":[` + image("image/png", "") + `]}`), "Invalid base64"},
		"web address":           {"chat/completions", chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.example/a.png"}}]}`), "data URLs"},
		"picture in tool":       {"chat/completions", chat(user + "," + call + `,{"role":"tool","tool_call_id":"a","content":[` + image("image/png", png) + `]}`), "schema"},
		"unanswered call":       {"chat/completions", chat(user + "," + call + "," + user), "must be followed by tool messages"},
		"unasked result":        {"chat/completions", chat(user + `,{"role":"tool","tool_call_id":"a","content":"x"}`), "must be a response"},
		"empty text":            {"chat/completions", chat(`{"role":"user","content":""}`), "empty text"},
		"two users":             {"chat/completions", chat(user + "," + user), "alternate"},
		"extra field":           {"chat/completions", chat(`{"role":"user","content":"hi"},{"role":"assistant","content":"x","reasoning_content":"y"}`), "Extra inputs"},
		"no tools":              {"chat/completions", strings.Replace(chat(user), `"stream"`, `"tools":[],"stream"`, 1), "empty array"},
		"no JSON":               {"chat/completions", `{`, "parse"},
		"good messages":         {"messages", anthropic(`{"role":"user","content":[` + source + `]}`), ""},
		"blank text":            {"messages", anthropic(`{"role":"user","content":[{"type":"text","text":" "}]}`), "non-whitespace"},
		"picture in assistant":  {"messages", anthropic(`{"role":"user","content":[` + source + `]},{"role":"assistant","content":[` + source + `]},` + `{"role":"user","content":[` + source + `]}`), "not allowed in an assistant"},
		"picture in an error":   {"messages", anthropic(`{"role":"user","content":[` + source + `]},` + use + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[` + source + `]}]}`), "is_error"},
		"result after text":     {"messages", anthropic(`{"role":"user","content":[` + source + `]},` + use + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"}]}`), "come first"},
		"no result":             {"messages", anthropic(`{"role":"user","content":[` + source + `]},` + use + `,{"role":"user","content":[{"type":"text","text":"x"}]}`), "without `tool_result`"},
		"prefill":               {"messages", anthropic(`{"role":"user","content":[` + source + `]},{"role":"assistant","content":[{"type":"text","text":"x"}]}`), "prefill"},
		"good responses":        {"responses", item(ask), ""},
		"lone reasoning":        {"responses", item(ask + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`), "required following item"},
		"reasoning not kept":    {"responses", item(ask + `,{"type":"reasoning","id":"rs_1","summary":[]}`), "not persisted"},
		"output without a call": {"responses", item(ask + `,{"type":"function_call_output","call_id":"a","output":"x"}`), "No tool call found"},
		"call without output":   {"responses", item(ask + `,{"type":"function_call","call_id":"a","name":"read","arguments":"{}"}`), "No tool output found"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t, Rules{})
			req, err := http.NewRequest(http.MethodPost, s.URL+"/v1/"+c.path, bytes.NewReader([]byte(c.body)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("anthropic-version", "2023-06-01")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			said, _ := io.ReadAll(resp.Body)
			if ok := resp.StatusCode == http.StatusOK; ok != (c.want == "") || !ok && !strings.Contains(string(said), c.want) {
				t.Errorf("answered %d %s, want %q", resp.StatusCode, said, c.want)
			}
		})
	}
}

func TestTheServiceIsNeverPartOfTheProgram(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "espy").Output()
	if err != nil {
		t.Skipf("go list does not run here: %v", err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "espy/providers") {
		t.Fatalf("the program's packages are %v", packages)
	}
	for _, support := range []string{"espy/providers/strict", "espy/providers/adaptertest"} {
		if slices.Contains(packages, support) {
			t.Errorf("%s is part of the program", support)
		}
	}
}
