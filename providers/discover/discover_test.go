package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"espy/providers"
)

// host answers paths with texts and keeps what was asked.
type fakeHost struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	keys  map[string]bool
}

func serve(t *testing.T, answers map[string]string) *fakeHost {
	t.Helper()
	h := &fakeHost{keys: map[string]bool{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.Method+" "+r.URL.Path)
		h.keys[r.Header.Get("Authorization")+r.Header.Get("x-api-key")] = true
		h.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		path := r.URL.Path
		if len(body) > 0 {
			var named struct{ Model string }
			json.Unmarshal(body, &named)
			path += " " + named.Model
		}
		text, ok := answers[path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, text)
	}))
	t.Cleanup(h.Close)
	return h
}

func askOne(t *testing.T, s providers.Server) Answer {
	t.Helper()
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	answers := Ask(t.Context(), client, []providers.Server{s})
	if len(answers) != 1 {
		t.Fatalf("%d answers, want 1", len(answers))
	}
	return answers[0]
}

// rows makes the cells of an answer comparable.
func rows(a Answer) map[string]providers.Cells {
	all := map[string]providers.Cells{}
	for _, m := range a.Models {
		all[m.Name] = m.Cells
	}
	return all
}

func TestServersSayWhatTheyServe(t *testing.T) {
	for name, c := range map[string]struct {
		server  providers.Server // its BaseURL is a path behind the server's address
		answers map[string]string
		kind    string
		want    map[string]providers.Cells
	}{
		"Ollama": {providers.Server{Name: "ollama", Protocol: "chat", BaseURL: "/v1"}, map[string]string{
			"/v1/models":         `{"object":"list","data":[{"id":"llava:7b","owned_by":"library"},{"id":"qwen3:8b","owned_by":"library"},{"id":"old","owned_by":"library"}]}`,
			"/api/ps":            `{"models":[{"name":"llava:7b","context_length":8192}]}`,
			"/api/show llava:7b": `{"capabilities":["completion","vision"],"parameters":"num_ctx   32768\nstop x"}`,
			"/api/show qwen3:8b": `{"capabilities":["completion","tools","thinking"],"parameters":"temperature 1\nnum_ctx 16384"}`,
			"/api/show old":      `{"model_info":{"llama.context_length":131072}}`,
		}, "Ollama", map[string]providers.Cells{
			"llava:7b": {"image_input": "supported", "tools": "unsupported", "thinking": "unsupported", "context_window": 8192},
			"qwen3:8b": {"image_input": "unsupported", "tools": "supported", "thinking": "supported", "context_window": 16384},
			"old":      {},
		}},
		"llama.cpp": {providers.Server{Name: "mine", Own: true, Protocol: "chat", BaseURL: "/v1"}, map[string]string{
			"/v1/models": `{"data":[{"id":"gemma.gguf","owned_by":"llamacpp"}]}`,
			"/props":     `{"modalities":{"vision":true,"audio":false},"default_generation_settings":{"n_ctx":40960}}`,
		}, "llama.cpp", map[string]providers.Cells{"gemma.gguf": {"image_input": "supported", "context_window": 40960}}},
		"LM Studio": {providers.Server{Name: "lmstudio", Protocol: "chat", BaseURL: "/v1"}, map[string]string{
			"/v1/models": `{"data":[{"id":"google/gemma-3","owned_by":"organization_owner"},{"id":"text"}]}`,
			"/api/v1/models": `{"models":[{"type":"llm","key":"google/gemma-3","display_name":"Gemma 3","max_context_length":131072,"loaded_instances":[{"id":"google/gemma-3","config":{"context_length":4096}}],
				"capabilities":{"vision":true,"trained_for_tool_use":true}},{"key":"text","max_context_length":8192,"loaded_instances":[],"capabilities":{"vision":false,"trained_for_tool_use":false}}]}`,
		}, "LM Studio", map[string]providers.Cells{
			"google/gemma-3": {"name": "Gemma 3", "image_input": "supported", "tools": "supported", "context_window": 4096},
			"text":           {"image_input": "unsupported", "context_window": 8192},
		}},
		"LM Studio of an older year": {providers.Server{Name: "lmstudio", Protocol: "chat", BaseURL: "/v1"}, map[string]string{
			"/v1/models":     `{"data":[{"id":"a"},{"id":"b"}]}`,
			"/api/v0/models": `{"data":[{"id":"a","type":"vlm","max_context_length":32768,"loaded_context_length":4096},{"id":"b","type":"llm","max_context_length":8192}]}`,
		}, "LM Studio", map[string]providers.Cells{
			"a": {"image_input": "supported", "context_window": 4096}, "b": {"image_input": "unsupported", "context_window": 8192},
		}},
		"vLLM": {providers.Server{Name: "box", Own: true, Protocol: "chat", BaseURL: "/v1"}, map[string]string{
			"/v1/models": `{"data":[{"id":"Qwen/Qwen3-VL","owned_by":"vllm","max_model_len":32768}]}`,
		}, "vLLM", map[string]providers.Cells{"Qwen/Qwen3-VL": {"context_window": 32768}}},
		"OpenRouter": {providers.Server{Name: "openrouter", Protocol: "chat", BaseURL: "/api/v1"}, map[string]string{
			"/api/v1/models": `{"data":[{"id":"x/seer","name":"X: Seer","context_length":200000,"architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools","reasoning"],
				"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"},"top_provider":{"max_completion_tokens":64000}},
				{"id":"x/auto","context_length":"2000000","architecture":{"input_modalities":["text"]},"pricing":{"prompt":"-1","completion":"-1"}}]}`,
		}, "OpenRouter", map[string]providers.Cells{
			"x/seer": {"name": "X: Seer", "context_window": 200000, "max_output": 64000, "image_input": "supported", "tools": "supported", "thinking": "supported",
				"price.input": 3.0, "price.output": 15.0, "price.cache_read": 0.3},
			"x/auto": {"context_window": 2000000, "image_input": "unsupported"},
		}},
		"a plain list": {providers.Server{Name: "else", Own: true, Protocol: "responses", BaseURL: "/v1"}, map[string]string{
			"/v1/models": `{"data":[{"id":"m","object":"model"},{"id":7},null,{"id":"bad\u0007name"},{"id":""}]}`,
		}, "a models list", map[string]providers.Cells{"m": {}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := serve(t, c.answers)
			s := c.server
			s.BaseURL = h.URL + s.BaseURL
			got := askOne(t, s)
			if got.Err != nil || got.Kind != c.kind || !reflect.DeepEqual(rows(got), c.want) {
				t.Errorf("got %s %v, %v\nwant %s %v", got.Kind, rows(got), got.Err, c.kind, c.want)
			}
			book, faults := providers.NewBook(providers.BookOptions{Servers: []providers.Server{s}})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			book.Learn(s.Name, got.Models)
			for id, cells := range c.want {
				route, err := book.Find(s.Name + "/" + id)
				if err != nil {
					t.Fatal(err)
				}
				for column := range cells {
					if source := route.Model.Sources[column]; source != "asked the server" {
						t.Errorf("%s of %s comes from %q, want the server's answer", column, id, source)
					}
				}
			}
		})
	}
}

func TestAnthropicSaysWhatItsModelsTake(t *testing.T) {
	h := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"claude-x","display_name":"Claude X","max_input_tokens":1000000,"max_tokens":128000,"capabilities":{"image_input":{"supported":true},"thinking":{"supported":false}}},
		{"id":"claude-y","capabilities":{"image_input":false}}],"has_more":false}`})
	client := providers.NewClient(providers.Timeouts{})
	defer client.CloseIdle()
	q := &inquiry{ctx: t.Context(), client: client, server: providers.Server{Name: "anthropic", Protocol: "anthropic", BaseURL: h.URL, Key: "sk-ant-key"}}
	models, err := q.anthropic()
	want := map[string]providers.Cells{
		"claude-x": {"name": "Claude X", "context_window": 1000000, "max_output": 128000, "image_input": "supported", "thinking": "unsupported"},
		"claude-y": {"image_input": "unsupported"},
	}
	if got := rows(Answer{Models: models}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v\nwant %v", got, err, want)
	}
	if !h.keys["sk-ant-key"] {
		t.Errorf("the key did not go where this protocol wants it: %v", h.keys)
	}
}

func TestOnlyServersWorthItAreAsked(t *testing.T) {
	for _, c := range []struct {
		server providers.Server
		want   bool
	}{
		{providers.Server{Name: "ollama", Protocol: "chat", BaseURL: "http://127.0.0.1:11434/v1"}, true},
		{providers.Server{Name: "six", Protocol: "chat", BaseURL: "http://[::1]:9/v1"}, true},
		{providers.Server{Name: "openai", Protocol: "responses", BaseURL: "https://api.openai.com/v1", KeyEnv: "K", Key: "k"}, false},
		{providers.Server{Name: "openrouter", Protocol: "chat", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "K", Key: "k"}, true},
		{providers.Server{Name: "openrouter", Protocol: "chat", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "K"}, false},
		{providers.Server{Name: "anthropic", Protocol: "anthropic", BaseURL: "https://api.anthropic.com", KeyEnv: "K"}, false},
		{providers.Server{Name: "mine", Own: true, Protocol: "chat", BaseURL: "https://llm.example.com/v1"}, true},
		{providers.Server{Name: "fake", Protocol: "fake"}, false},
	} {
		if got := Worth(c.server); got != c.want {
			t.Errorf("%s (key %v) is asked: %v, want %v", c.server.Name, c.server.Key != "", got, c.want)
		}
	}
}

func TestAServerThatIsNotThereOrAnswersOddlyIsAnErrorOfItsOwn(t *testing.T) {
	h := serve(t, map[string]string{"/html/models": "<html>hello</html>", "/huge/models": strings.Repeat(" ", mostBytes+1), "/odd/models": `{"data":"none"}`})
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, base := range map[string]string{"web page": h.URL + "/html", "endless": h.URL + "/huge", "odd": h.URL + "/odd", "missing": h.URL + "/none", "not there": gone.URL} {
		got := askOne(t, providers.Server{Name: "mine", Own: true, Protocol: "chat", BaseURL: base, Key: "sk-secret-key"})
		if got.Err == nil || len(got.Models) > 0 || strings.Contains(fmt.Sprint(got.Err), "sk-secret") {
			t.Errorf("%s: got %d models and %v, want an error without the key", name, len(got.Models), got.Err)
		}
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer silent.Close()
	defer close(release)
	client := providers.NewClient(providers.Timeouts{})
	defer client.CloseIdle()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	answers := Ask(ctx, client, []providers.Server{{Name: "mine", Own: true, Protocol: "chat", BaseURL: silent.URL}})
	if len(answers) != 1 || answers[0].Err == nil {
		t.Errorf("got %+v, want an error", answers)
	}
}

func TestAKeyGoesToNoOtherHost(t *testing.T) {
	other := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`})
	away := httptest.NewServer(http.RedirectHandler(strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/v1/models", http.StatusFound))
	defer away.Close()
	got := askOne(t, providers.Server{Name: "mine", Own: true, Protocol: "chat", BaseURL: away.URL + "/v1", Key: "sk-secret-key"})
	if got.Err == nil || len(other.asked) > 0 {
		t.Errorf("a redirect was followed to another host: %v, %v", got.Err, other.asked)
	}
}
