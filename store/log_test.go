package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"espy/agent/message"
)

// logOf makes a closed session and returns its id and log.
func logOf(t testing.TB, s *Store, prompts ...string) (id, path string, log []byte) {
	t.Helper()
	session := begin(t, s, "/work", prompts...)
	closing(t, session)
	path = filepath.Join(session.Dir(), logName)
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return session.ID(), path, log
}

func overwrite(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestALogCutAnywhereInItsLastRecordKeepsTheOthersAndGoesOn(t *testing.T) {
	s := Open(t.TempDir())
	id, path, log := logOf(t, s, "one", "two", "drei: ä, 你好, 👨‍👩‍👧")
	lastStart := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1
	for cut := lastStart; cut < len(log); cut++ {
		overwrite(t, path, log[:cut])
		session, loaded := resume(t, s, id)
		want, damaged := []string{"one", "two"}, 1
		switch cut {
		case lastStart:
			damaged = 0
		case len(log) - 1: // the record is whole and lacks only its newline
			want, damaged = append(want, "drei: ä, 你好, 👨‍👩‍👧"), 0
		}
		if !slices.Equal(texts(loaded), want) || loaded.Damaged != damaged {
			t.Fatalf("cut at %d: %q, %d damaged; want %q, %d", cut, texts(loaded), loaded.Damaged, want, damaged)
		}
		if err := session.Append(prompt("next")); err != nil {
			t.Fatal(err)
		}
		closing(t, session)
		after, err := s.Read(context.Background(), id)
		if err != nil || !slices.Equal(texts(after), append(want, "next")) || after.Damaged != damaged {
			t.Fatalf("cut at %d, then going on: %q, %d damaged, %v", cut, texts(after), after.Damaged, err)
		}
	}
}

func TestGarbageAtAnyLineIsSkippedAndCounted(t *testing.T) {
	garbage := map[string]string{
		"words":         "not json",
		"cut record":    `{"v":1,"kind":"message","id":"01`,
		"array":         `[1,2]`,
		"null":          `null`,
		"number":        `7`,
		"no kind":       `{"v":1,"id":"x"}`,
		"no id":         `{"v":1,"kind":"title"}`,
		"wrong type":    `{"v":1,"kind":"title","id":"x","title":7}`,
		"unknown block": `{"v":1,"kind":"message","id":"x","message":{"role":"user","blocks":[{"type":"odour"}]}}`,
		"bad UTF-8":     "{\"v\":1,\"kind\":\"title\",\"id\":\"x\",\"title\":\"\xff\"}",
		"zeros":         strings.Repeat("\x00", 300),
		"binary":        "\x89PNG\r\x1a\xff\xfe",
	}
	s := Open(t.TempDir())
	id, path, log := logOf(t, s, "one", "two", "three")
	lines := bytes.SplitAfter(log, []byte("\n"))
	for name, bad := range garbage {
		for at := range lines {
			mixed := bytes.Join(slices.Insert(slices.Clone(lines), at, []byte(bad+"\n")), nil)
			overwrite(t, path, mixed)
			loaded, err := s.Read(context.Background(), id)
			if err != nil || len(loaded.Records) != 4 || loaded.Damaged != 1 {
				t.Errorf("%s before line %d: %d records, %d damaged, %v", name, at, len(loaded.Records), loaded.Damaged, err)
			}
		}
	}
}

func TestALineBeyondTheLimitIsDamagedAndNotHeld(t *testing.T) {
	long := strings.Repeat("x", maxRecordBytes+10)
	reader := newLineReader(strings.NewReader("short\n"+long+"\nlast"), 100)
	var sizes []int64
	for {
		l, err := reader.next()
		if err != nil {
			break
		}
		if len(l.text) > 100 || cap(reader.held) > 4096 {
			t.Fatalf("%d bytes are held", cap(reader.held))
		}
		sizes = append(sizes, l.size)
	}
	if !slices.Equal(sizes, []int64{5, int64(len(long)), 4}) {
		t.Errorf("the lines have %v bytes", sizes)
	}
	log := `{"v":1,"kind":"title","id":"a","title":"` + long + `"}` + "\n" + `{"v":1,"kind":"title","id":"b","title":"ok"}` + "\n"
	loaded, err := load(context.Background(), strings.NewReader(log))
	if err != nil || loaded.Damaged != 1 || len(loaded.Records) != 1 {
		t.Errorf("%d records, %d damaged, %v", len(loaded.Records), loaded.Damaged, err)
	}
}

func TestARecordBeyondTheLimitIsRefusedAndTheLogStaysAsItWas(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one")
	defer closing(t, session)
	before, _ := os.ReadFile(filepath.Join(session.Dir(), logName))
	if err := session.Append(prompt("two"), prompt(strings.Repeat("x", maxRecordBytes))); err == nil {
		t.Error("it was taken")
	}
	if err := session.Append(message.UnknownRecord{Raw: "{\n}"}); err == nil {
		t.Error("a record of two lines was taken")
	}
	if after, _ := os.ReadFile(filepath.Join(session.Dir(), logName)); !bytes.Equal(before, after) {
		t.Error("the log changed")
	}
}

func TestALargeRecordSurvives(t *testing.T) {
	s := Open(t.TempDir())
	large := strings.Repeat("ä line of text\n", 1<<19)
	session := begin(t, s, "/work", large)
	closing(t, session)
	loaded, err := s.Read(context.Background(), session.ID())
	if err != nil || loaded.Damaged != 0 || len(texts(loaded)) != 1 || texts(loaded)[0] != large {
		t.Errorf("%d damaged, %v", loaded.Damaged, err)
	}
}

func TestALogThatWasRemovedIsNotWrittenToSilently(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer session.Close()
	if err := os.Remove(filepath.Join(session.Dir(), logName)); err != nil {
		t.Skip("an open file cannot be removed here")
	}
	if err := session.Append(prompt("two")); err == nil || !strings.Contains(err.Error(), session.Dir()) {
		t.Errorf("the answer is %v", err)
	}
}

func TestASessionWhoseLogWasRemovedIsNotTakenForAnUnusedOne(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	ref := put(t, session, "png", "picture")
	if err := os.Remove(filepath.Join(session.Dir(), logName)); err != nil {
		t.Skip("an open file cannot be removed here")
	}
	closing(t, session)
	if !exists(filepath.Join(session.Dir(), ref)) {
		t.Error("closing removed the pictures")
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	s := Open(t.TempDir())
	id, _, _ := logOf(t, s, "one")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Read(ctx, id); err == nil {
		t.Error("it read on")
	}
}

func FuzzTranscriptReader(f *testing.F) {
	f.Add([]byte(`{"v":1,"kind":"title","id":"a","title":"x"}`+"\n"), uint8(3))
	f.Add([]byte("\n\n{\r\n\xff\xff"), uint8(0))
	f.Add([]byte(`{"v":1,"kind":"message","id":"a","message":{"role":"user","blocks":[{"type":"text","text":"\u00e4"}]}}`), uint8(90))
	f.Fuzz(func(t *testing.T, data []byte, limit uint8) {
		loaded, err := load(context.Background(), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var filled int
		for _, l := range bytes.Split(data, []byte("\n")) {
			if len(l) > 0 {
				filled++
			}
		}
		if got := len(loaded.Records) + loaded.Damaged; got != filled {
			t.Fatalf("%d lines with something on them, %d records and damaged lines", filled, got)
		}
		good := `{"v":1,"kind":"title","id":"z","title":"after"}`
		after, _ := load(context.Background(), strings.NewReader(string(data)+"\n"+good+"\n"))
		if len(after.Records) != len(loaded.Records)+1 {
			t.Fatal("a good record after it was lost")
		}
		if mended, ok := mend(data[:min(len(data), int(limit))]); ok && len(mended) > len(data)+maxNesting+1 {
			t.Fatal("mending made more than it was given")
		}
	})
}
