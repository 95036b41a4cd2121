package headless

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"espy/providers"
	"espy/providers/discover"
)

func bookOf(t *testing.T, opt providers.BookOptions) *providers.Book {
	t.Helper()
	book, faults := providers.NewBook(opt)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return book
}

func TestTheListOfModelsShowsEveryCellWithItsSource(t *testing.T) {
	book := bookOf(t, providers.BookOptions{
		Servers: []providers.Server{{Name: "box", Protocol: "chat", BaseURL: "http://127.0.0.1:9/v1"}},
		Models:  []providers.ModelCells{{Name: "box/seer", Cells: providers.Cells{"limits.max_images": 7, "efforts": []string{"low", "high"}}}},
	})
	book.Learn("box", []providers.ModelCells{{Name: "seer", Cells: providers.Cells{"context_window": 32768, "limits.max_images": 9}}})
	var out, errs bytes.Buffer
	if err := ListModels(book.Routes(), "box/", true, Output{Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`box/seer +unknown +33k +unknown +unknown +per-1024-px +none needed`,
		`limits\.max_images +7 +configuration`,
		`efforts +low high +configuration`,
		`context_window +32768 +asked the server`,
		`limits\.max_side +4096 +models\.toml \(protocol .*chat.*\)`,
		`quirks\.non_null_content +true +models\.toml`,
	} {
		if !regexp.MustCompile(`(?m)^ *` + line + `.*$`).MatchString(out.String()) {
			t.Errorf("no line like %q in\n%s", line, out.String())
		}
	}
}

func TestEveryCellThatIsSetIsShown(t *testing.T) {
	for _, r := range bookOf(t, providers.BookOptions{}).Routes() {
		if got, want := len(r.Model.Shown()), len(r.Model.Sources); got != want {
			t.Fatalf("%s: %d cells are shown and %d are set", r.Name(), got, want)
		}
	}
}

func TestWhatCameOfAskingIsTold(t *testing.T) {
	answers := []discover.Answer{
		{Server: "ollama", Kind: "Ollama", Models: []providers.ModelCells{{Name: "a", Cells: providers.Cells{"image_input": "supported"}}, {Name: "b", Cells: providers.Cells{"image_input": "unsupported"}}}},
		{Server: "vllm", Err: errors.New("127.0.0.1:8000 did not answer in time")},
	}
	var out, errs bytes.Buffer
	TellAnswers(answers, Output{Out: &out, Err: &errs})
	if got := errs.String(); got != "ollama: Ollama, 2 models\nvllm: 127.0.0.1:8000 did not answer in time\n" || out.Len() > 0 {
		t.Errorf("told %q, and %q among the models", got, out.String())
	}
	out.Reset()
	_ = Doctor(t.Context(), DoctorFacts{State: t.TempDir(), Asked: answers, Getenv: func(string) string { return "" }}, Output{Out: &out, Err: &errs})
	if got := out.String(); !strings.Contains(got, "ollama: Ollama, 2 models; 1 of them see pictures") || !strings.Contains(got, "note  servers        none answers at the usual address of vllm") {
		t.Errorf("doctor says\n%s", got)
	}
}
