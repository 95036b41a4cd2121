package providers

import (
	"reflect"
	"strings"
	"testing"

	"espy/media"
)

func getenv(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func book(t *testing.T, opt BookOptions) *Book {
	t.Helper()
	b, faults := NewBook(opt)
	for _, f := range faults {
		t.Error(f)
	}
	return b
}

func find(t *testing.T, b *Book, name string) Route {
	t.Helper()
	r, err := b.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryBuiltInRuleSetsColumnsThatExist(t *testing.T) {
	for _, r := range builtin().rules {
		if err := new(Model).apply(r.cells, r.source); err != nil {
			t.Error(err)
		}
		if r.cells["image_cost"] != nil && !contains(media.Costs().Names(), r.cells["image_cost"].(string)) {
			t.Errorf("%s names the cost rule %v, which does not exist", r.source, r.cells["image_cost"])
		}
	}
	for server, models := range builtin().known {
		for _, m := range models {
			if err := new(Model).apply(m.cells, m.id); err != nil {
				t.Errorf("%s: %v", server, err)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestPicturesArePricedByTheModelsOwnRule(t *testing.T) {
	b := book(t, BookOptions{})
	for name, want := range map[string]string{
		"anthropic/claude-opus-5":                "anthropic-28-high",
		"anthropic/claude-opus-4-7":              "anthropic-28-high",
		"anthropic/claude-sonnet-4-6":            "anthropic-28",
		"openrouter/anthropic/claude-opus-4.7":   "anthropic-28-high",
		"openrouter/anthropic/claude-sonnet-4.6": "anthropic-28",
		"openai/gpt-4o":                          "tile-512",
		"openai/gpt-4o-mini":                     "tile-512-2833-5667",
		"openai/gpt-4.1-mini":                    "patch-32-1536-162",
		"openai/gpt-5":                           "tile-512-70-140",
		"openai/gpt-5-2025-08-07":                "tile-512-70-140",
		"openai/gpt-5-mini":                      "patch-32-1536-120",
		"openai/gpt-5.4":                         "patch-32",
		"openai/gpt-5.5":                         "patch-32-original",
		"openai/gpt-6-sol":                       "patch-32-unbounded",
		"openai/gpt-6-astra":                     "patch-32-astra",
		"openai/o3":                              "tile-512-75-150",
		"gemini/gemini-2.5-pro":                  "gemini-tiles",
		"gemini/gemini-3-pro-preview":            "gemini-3",
		"kimi/kimi-k2.5":                         "kimi",
		"ollama/qwen2.5vl:7b":                    "qwen-28",
		"ollama/qwen3-vl:8b":                     "qwen-32",
		"ollama/llama3.2":                        "per-1024-px",
		"openrouter/some/new-model":              "patch-32",
	} {
		if got := find(t, b, name).Model.ImageCost; got != want {
			t.Errorf("%s is priced by %s, want %s", name, got, want)
		}
	}
}

func TestSightIsKnownOrUnknownAndOnlyUnsupportedBlocks(t *testing.T) {
	b := book(t, BookOptions{})
	for name, want := range map[string]Capability{
		"anthropic/claude-opus-5":     Supported,
		"deepseek/deepseek-v4-pro":    Unsupported,
		"deepseek/deepseek-flash":     Supported,
		"kimi/moonshot-v1-8k":         Unsupported,
		"ollama/llava:13b":            Supported,
		"ollama/some-model":           Unknown,
		"fake/echo":                   Supported,
		"openrouter/openai/gpt-oss-x": Unsupported,
	} {
		if got := find(t, b, name).Model.ImageInput; got != want {
			t.Errorf("%s: image input is %s, want %s", name, got, want)
		}
	}
}

func TestAPersonsCellsStandBeforeEverything(t *testing.T) {
	b := book(t, BookOptions{
		Servers: []Server{{Name: "local", Protocol: "chat", BaseURL: "http://127.0.0.1:4010/v1/"}},
		Models: []ModelCells{
			{"local/some-model", Cells{"image_input": "supported", "context_window": int64(32768), "image_cost": "tile-512", "limits.max_images": int64(20)}},
			{"anthropic/claude-opus-5", Cells{"image_input": "unsupported"}},
		},
	})
	r := find(t, b, "local/some-model")
	if r.Server.BaseURL != "http://127.0.0.1:4010/v1" || r.Model.ContextWindow != 32768 || r.Model.ImageCost != "tile-512" || r.Model.ImageInput != Supported || r.Model.Limits.MaxImages != 20 {
		t.Errorf("the configured row was not taken: %+v", r)
	}
	if r.Model.Sources["image_cost"] != "configuration" || !strings.HasPrefix(r.Model.Sources["limits.min_side"], "models.toml") {
		t.Errorf("cells do not tell where they are from: %v", r.Model.Sources)
	}
	if find(t, b, "anthropic/claude-opus-5").Sees() {
		t.Error("a person's image_input was overruled by a table")
	}
	if _, faults := NewBook(BookOptions{Models: []ModelCells{{"a/b", Cells{"image_inptu": "supported"}}}}); len(faults) != 1 {
		t.Errorf("a column that does not exist must be one fault, got %v", faults)
	}
}

func TestTheChoiceOfAModelIsConfiguredThenLastThenAKeyThenOffline(t *testing.T) {
	cases := []struct {
		name             string
		env              func(string) string
		configured, last string
		want, why        string
	}{
		{"nothing", getenv(), "", "", "fake/echo", "no model is configured"},
		{"a key", getenv("OPENROUTER_API_KEY", "k"), "", "", "openrouter/anthropic/claude-sonnet-5", "OPENROUTER_API_KEY is set"},
		{"two keys", getenv("OPENROUTER_API_KEY", "k", "ANTHROPIC_API_KEY", "k"), "", "", "anthropic/claude-sonnet-5", "ANTHROPIC_API_KEY is set"},
		{"last choice", getenv("OPENROUTER_API_KEY", "k"), "", "ollama/llava", "ollama/llava", "your last choice"},
		{"last choice without its key", getenv(), "", "openai/gpt-5", "fake/echo", "no model"},
		{"configured", getenv("OPENROUTER_API_KEY", "k"), "openai/gpt-5", "ollama/llava", "openai/gpt-5", "configured"},
	}
	for _, c := range cases {
		r, why, err := book(t, BookOptions{Getenv: c.env}).Choose(c.configured, c.last)
		if err != nil || r.Name() != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: chose %s (%s, %v), want %s (%s)", c.name, r.Name(), why, err, c.want, c.why)
		}
	}
}

func TestAKeyIsNotSentToAnotherHost(t *testing.T) {
	b := book(t, BookOptions{Getenv: getenv("OPENAI_API_KEY", "secret"), Servers: []Server{{Name: "openai", BaseURL: "http://127.0.0.1:9/v1"}}})
	if key := find(t, b, "openai/gpt-5").Server.Key; key != "" {
		t.Errorf("the key of api.openai.com would go to another host")
	}
}

func TestAnUnknownProviderIsNamedWithTheKnownOnes(t *testing.T) {
	_, err := book(t, BookOptions{}).Find("opanai/gpt-5")
	if err == nil || !strings.Contains(err.Error(), "openai") || !strings.Contains(err.Error(), "[providers.opanai]") {
		t.Errorf("got %v", err)
	}
}

// Every column must be one that some field of Model holds, and every field must have a column.
func TestColumnsAndFieldsAgree(t *testing.T) {
	fields := 0
	for _, of := range []any{Limits{}, Price{}, Quirks{}} {
		fields += reflect.TypeOf(of).NumField()
	}
	fields += 8 // name, image_input, tools, thinking, context_window, max_output, image_cost, efforts
	if got := len(Columns()); got != fields {
		t.Errorf("%d columns for %d fields", got, fields)
	}
}
