package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/store"
)

// recorded is the log of a session with a picture, calls and file records, closed, as lines.
func recorded(t *testing.T) (h *house, path string, lines [][]byte) {
	t.Helper()
	h = twoTurns(t)
	h.agent.Send(Rewind{To: h.agent.Points()[1].ID})
	h.rewound()
	h.agent.Send(Redo{})
	h.rewound()
	h.stop()
	path = filepath.Join(h.session.Dir(), "transcript.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return h, path, bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// reread writes a log and reads it as a resume does.
func reread(t *testing.T, h *house, path string, text []byte) (store.Loaded, []message.Message) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := h.store.Read(t.Context(), h.session.ID())
	if err != nil {
		t.Fatal(err)
	}
	messages := projection.NewHistory(loaded.Records).Conversation().Messages
	wellFormed(t, messages)
	return loaded, messages
}

// wellFormed checks that every call is followed by exactly one result.
func wellFormed(t *testing.T, messages []message.Message) {
	t.Helper()
	for i, m := range messages {
		calls := m.Calls()
		if len(calls) == 0 {
			continue
		}
		if i+1 == len(messages) || messages[i+1].Role != message.RoleTool || len(messages[i+1].Blocks) != len(calls) {
			t.Fatalf("the calls of message %d have no results", i)
		}
		for j, b := range messages[i+1].Blocks {
			if r, ok := b.(message.ToolResult); !ok || r.CallID != calls[j].ID {
				t.Fatalf("call %s is answered by %+v", calls[j].ID, b)
			}
		}
	}
}

func TestALogCutAtAnyByteOfAnyLastRecordReadsToTheRecordBefore(t *testing.T) {
	h, path, lines := recorded(t)
	for n := range lines {
		before := bytes.Join(lines[:n], nil)
		loadedBefore, _ := reread(t, h, path, before)
		for cut := range len(bytes.TrimSuffix(lines[n], []byte("\n"))) {
			loaded, _ := reread(t, h, path, append(bytes.Clone(before), lines[n][:cut]...))
			if len(loaded.Records) != len(loadedBefore.Records) || cut > 0 != (loaded.Damaged == 1) {
				t.Fatalf("record %d cut at byte %d: %d records of %d, %d damaged", n, cut, len(loaded.Records), len(loadedBefore.Records), loaded.Damaged)
			}
		}
	}
}

func TestGarbageAtAnyLineIsSkippedAndCountedAndNothingElseIsLost(t *testing.T) {
	h, path, lines := recorded(t)
	_, whole := reread(t, h, path, bytes.Join(lines, nil))
	want := shown(whole)
	for _, garbage := range []string{"garbage\n", "{\"kind\":\"message\"}\n", "\x00\xff\xfe\n", "{\"v\":1,\"kind\":\"rewind\",\"id\":\"x\",\"to\":7}\n", "[]\n", "null\n", strings.Repeat("{", 100_000) + "\n"} {
		for n := range len(lines) + 1 {
			text := append(bytes.Join(lines[:n], nil), garbage...)
			if n == len(lines) {
				text = append(append(bytes.Join(lines, nil), '\n'), garbage...)
			}
			loaded, messages := reread(t, h, path, append(text, bytes.Join(lines[n:], nil)...))
			if loaded.Damaged != 1 || shown(messages) != want {
				t.Fatalf("%.20q at line %d: %d damaged, %s", garbage, n, loaded.Damaged, shown(messages))
			}
		}
	}
}

func TestAnyOneLineCanBeLostAndTheSessionGoesOn(t *testing.T) {
	_, path, lines := recorded(t)
	text := bytes.Join(lines, nil)
	for n := range lines {
		h := &house{t: t}
		dir := filepath.Dir(path)
		h.store = store.Open(filepath.Dir(filepath.Dir(dir)))
		broken := append(append(bytes.Join(lines[:n], nil), "lost\n"...), bytes.Join(lines[n+1:], nil)...)
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		session, loaded, err := h.store.Resume(t.Context(), filepath.Base(dir))
		if err != nil || loaded.Damaged != 1 {
			t.Fatalf("line %d: %v, %d damaged", n, err, loaded.Damaged)
		}
		h.dir, h.stage = t.TempDir(), &stage{plays: []play{say("still here")}}
		h.move(session, loaded, guard.ModeFull, sees("supported"))
		h.send("go on")
		if end := h.end(); end.Reason != EndDone {
			t.Fatalf("line %d: %+v", n, end)
		}
		wellFormed(t, h.agent.Messages())
		h.stop()
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
