//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented reads from the page about events which fields a line of each type may have.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	types := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		var fields []string
		for _, f := range code.FindAllStringSubmatch(cells[2], -1) {
			fields = append(fields, f[1])
		}
		types[strings.Trim(cells[1], " `")] = append(fields, "v", "type", "session")
	}
	if len(types) < 8 {
		t.Fatalf("the page lists %d types", len(types))
	}
	return types
}

func TestEventsAreLinesOfJSONAsTheirPageSaysAndCarryNoPictures(t *testing.T) {
	types := documented(t)
	w := newWorld(t)
	w.write("shot.png", shot(t, 800, 600, 1))
	r := w.run("run", "--events", "--attach", "shot.png",
		`call read_media {"path":"shot.png","crop":{"x":0,"y":0,"width":200,"height":100}}`+"\n"+`call shell {"command":"touch made"}`)
	if r.code != 3 {
		t.Fatalf("it ended with %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	var order []string
	for line := range strings.Lines(r.stdout) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("a line is no JSON: %v: %s", err, line)
		}
		kind, _ := event["type"].(string)
		fields, known := types[kind]
		if !known || event["v"] != 1.0 || event["session"] == "" {
			t.Errorf("the page does not know this line: %s", line)
		}
		for field := range event {
			if !slices.Contains(fields, field) {
				t.Errorf("the page does not list the field %q of %q", field, kind)
			}
		}
		if blob, ok := event["blob"].(string); ok {
			if _, err := os.Stat(filepath.Join(w.session(), blob)); err != nil {
				t.Errorf("an event names a picture that is not there: %v", err)
			}
		}
		order = append(order, kind)
	}
	if order[0] != "turn_started" || order[len(order)-1] != "turn_ended" {
		t.Errorf("the lines are not between a beginning and an end: %v", order)
	}
	for _, kind := range []string{"text", "call_started", "call_finished", "permission"} {
		if !slices.Contains(order, kind) {
			t.Errorf("no line of type %q in %v", kind, order)
		}
	}
	noPictures(t, "the events", r.stdout)
}

func TestThinkingAndUsageAreEventsToo(t *testing.T) {
	w := newWorld(t)
	w.script(`
[[answer]]
steps = [ { thinking = "let me see" }, { text = "well" }, { usage = { input = 1000, output = 20, cache_read = 800 } } ]
`)
	r := w.expect(0, `"delta":"let me see".*"type":"thinking"`, "!.", "run", "--events", "hello")
	w.found("standard output", []string{"--events"}, r.stdout, `"cached":800,"cost":(null|[\d.]+),"input":1000,"output":20[^\n]*"type":"usage"`)
}

// base64Run is a stretch of base64 longer than any hash, id or name.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{200,}`)

// noPictures proves that a text holds no picture in base64.
func noPictures(t *testing.T, what, text string) {
	t.Helper()
	if found := base64Run.FindString(text); found != "" {
		t.Errorf("%s hold what looks like base64: %.80s…", what, found)
	}
}

func TestASessionOfTwentyScreenshotsHasASmallLogWithoutThem(t *testing.T) {
	w := newWorld(t)
	args := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			name := w.write("shot"+string(rune('a'+i))+".png", shot(t, 640+i, 400, uint64(i)))
			out = append(out, "--attach", name)
		}
		return out
	}
	w.ask(append([]string{"ten of them"}, args(0, 10)...)...)
	w.ask(append([]string{"and ten more", "--resume", sessionID(w)}, args(10, 20)...)...)
	log := w.transcript()
	noPictures(t, "the log's lines", log)
	refs := map[string]bool{}
	for _, ref := range blobName.FindAllString(log, -1) {
		refs[ref] = true
	}
	if len(refs) < 20 {
		t.Errorf("the log names %d pictures, want at least 20", len(refs))
	}
	if len(log) > 100_000 {
		t.Errorf("the log has %d bytes, want at most 100,000", len(log))
	}
	for ref := range refs {
		if _, err := os.Stat(filepath.Join(w.session(), ref)); err != nil {
			t.Errorf("a picture of the log is not there: %v", err)
		}
	}
}
