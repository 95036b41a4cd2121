package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"espy/agent/message"
	"espy/agent/tools/toolstest"
)

func gitInit(t *testing.T, w *toolstest.Workspace) {
	t.Helper()
	cmd := exec.Command("git", "init", "-q", w.Dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("git is not here: %v %s", err, out)
	}
}

func TestGrepFindsLines(t *testing.T) {
	w := toolstest.New(t)
	w.Write("a.go", "package a\n\nfunc Alpha() {}\r\nfunc beta() {}\n")
	w.Write("sub/b.go", "func Gamma() {}\n// alpha\n")
	w.Write("sub/c.txt", "Alpha\n")
	w.Write("pic.png", "\x89PNG\r\n\x1a\n\x00\x00Alpha")
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"Alpha"}`, "a.go:3:func Alpha() {}\nsub/c.txt:1:Alpha\n[not searched: 1 binary file]\n"},
		{`{"pattern":"alpha","ignore_case":true,"glob":"*.go"}`, "a.go:3:func Alpha() {}\nsub/b.go:2:// alpha\n"},
		{`{"pattern":"^func","mode":"count"}`, "a.go: 2\nsub/b.go: 1\n[not searched: 1 binary file]\n"},
		{`{"pattern":"\\)\\s*\\{\\}$","mode":"files","path":"sub"}`, "sub/b.go\n"},
		{`{"pattern":"Alpha","path":"a.go","context":1}`, "a.go-2-\na.go:3:func Alpha() {}\na.go-4-func beta() {}\n"},
		{`{"pattern":"Alpha","glob":"sub/**"}`, "sub/c.txt:1:Alpha\n"},
		{`{"pattern":"nowhere","glob":"*.go"}`, "no line matches \"nowhere\" in . (2 files searched)\n"},
	} {
		if got := w.Call("grep", c.args).Result.Text; got != c.want {
			t.Errorf("%s gives %q, want %q", c.args, got, c.want)
		}
	}
	for _, bad := range []struct{ args, says string }{
		{`{"pattern":"(?=x)"}`, "no look-around"},
		{`{"pattern":"("}`, "missing closing )"},
		{`{"pattern":""}`, "empty"},
		{`{"pattern":"x","glob":"[a"}`, "not a glob pattern"},
		{`{"pattern":"x","mode":"lots"}`, `must be "lines" or "files" or "count"`},
		{`{"pattern":"x","path":"nowhere"}`, "nowhere"},
		{`{"pattern":"x","path":"blob:123456"}`, "names no stored text"},
	} {
		if out := w.Call("grep", bad.args); !out.Result.IsError || !strings.Contains(out.Result.Text, bad.says) {
			t.Errorf("%s: %q", bad.args, out.Result.Text)
		}
	}
}

func TestGrepContextGroupsDoNotRepeatLines(t *testing.T) {
	w := toolstest.New(t)
	w.Write("f", "1\nx2\n3\nx4\n5\n6\n7\n8\nx9\n")
	got := w.Call("grep", `{"pattern":"x","context":1}`).Result.Text
	if want := "f-1-1\nf:2:x2\nf-3-3\nf:4:x4\nf-5-5\n--\nf-8-8\nf:9:x9\n"; got != want {
		t.Errorf("it gives %q, want %q", got, want)
	}
}

func TestSearchesHonourGitignore(t *testing.T) {
	w := toolstest.New(t)
	w.Write(".gitignore", "build/\n*.log\n")
	w.Write("main.go", "needle\n")
	w.Write("trace.log", "needle\n")
	w.Write("build/out.go", "needle\n")
	w.Write("sub/new.go", "needle\n")
	gitInit(t, w)
	if got := w.Call("grep", `{"pattern":"needle"}`).Result.Text; got != "main.go:1:needle\nsub/new.go:1:needle\n" {
		t.Errorf("grep gives %q", got)
	}
	if got := w.Call("grep", `{"pattern":"needle","path":"sub"}`).Result.Text; got != "sub/new.go:1:needle\n" {
		t.Errorf("grep in a folder gives %q", got)
	}
	if got := w.Call("grep", `{"pattern":"needle","path":"build"}`).Result.Text; got != "build/out.go:1:needle\n" {
		t.Errorf("grep in an ignored folder that was named gives %q", got)
	}
	if got := w.Call("grep", `{"pattern":"needle","path":"trace.log"}`).Result.Text; got != "trace.log:1:needle\n" {
		t.Errorf("grep in an ignored file that was named gives %q", got)
	}
	got := w.Call("glob", `{"pattern":"*.go"}`).Result.Text
	if strings.Contains(got, "build") || !strings.Contains(got, "main.go\n") || !strings.Contains(got, "sub/new.go\n") {
		t.Errorf("glob gives %q", got)
	}
}

func TestSearchesCapTheirResultsAndSaySo(t *testing.T) {
	w := toolstest.New(t)
	w.Write("many.txt", strings.Repeat("needle in a line of some length\n", 2000))
	out := w.Call("grep", `{"pattern":"needle"}`)
	if n := strings.Count(out.Result.Text, "needle"); n != 300 || !strings.Contains(out.Result.Text, "[stopped after 300 matches in 1 file;") {
		t.Errorf("%d lines are shown, ending %q", n, out.Result.Text[len(out.Result.Text)-120:])
	}
	w.Write("long.txt", strings.Repeat("x", 100_000)+"needle"+strings.Repeat("y", 100_000)+"\n")
	got := w.Call("grep", `{"pattern":"needle","path":"long.txt"}`).Result.Text
	if !strings.Contains(got, "xneedley") || len(got) > 700 {
		t.Errorf("a long line shows %d bytes: %.80q", len(got), got)
	}
	for i := range 250 {
		w.Write(fmt.Sprintf("many/%03d.txt", i), "")
	}
	if got := w.Call("glob", `{"pattern":"many/*.txt"}`).Result.Text; !strings.Contains(got, "[the newest 200 of 250 files;") {
		t.Errorf("glob ends %q", got[len(got)-100:])
	}
}

func TestGrepCountsTheCredentialFilesItDidNotRead(t *testing.T) {
	w := toolstest.New(t)
	w.Write(".env", "TOKEN=needle\n")
	w.Write("a.txt", "needle\n")
	out := w.Call("grep", `{"pattern":"needle"}`)
	if out.Result.Text != "a.txt:1:needle\n[not searched: 1 credential file]\n" {
		t.Errorf("it gives %q", out.Result.Text)
	}
	if out := w.Call("grep", `{"pattern":"needle","path":".env"}`); strings.Contains(out.Result.Text, "TOKEN") {
		t.Errorf("a credential file that was named gives %q", out.Result.Text)
	}
}

func TestGrepSkipsHugeFilesAndStopsWithItsContext(t *testing.T) {
	w := toolstest.New(t)
	w.Write("huge.txt", "needle\n")
	if err := os.Truncate(w.Path("huge.txt"), 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if got := w.Call("grep", `{"pattern":"needle"}`).Result.Text; !strings.Contains(got, "[not searched: 1 file over 10 MB]") {
		t.Errorf("it gives %q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.CallContext(ctx, "grep", `{"pattern":"needle"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

func TestGlobOrdersByTime(t *testing.T) {
	w := toolstest.New(t)
	now := time.Now()
	for i, name := range []string{"old.go", "sub/mid.go", "new.go"} {
		w.Write(name, "")
		at := now.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(w.Path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	w.Write("other.txt", "")
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"*.go"}`, "new.go\nsub/mid.go\nold.go\n"},
		{`{"pattern":"**/*.go"}`, "new.go\nsub/mid.go\nold.go\n"},
		{`{"pattern":"./sub/*"}`, "sub/mid.go\n"},
		{`{"pattern":"*.{txt,md}"}`, "other.txt\n"},
		{`{"pattern":"*.go","path":"sub"}`, "sub/mid.go\n"},
		{`{"pattern":"` + w.Path("sub") + `/*.go"}`, "sub/mid.go\n"},
		{`{"pattern":"*.rs"}`, "no file matches *.rs in .\n"},
	} {
		out := w.Call("glob", c.args)
		if out.Result.Text != c.want {
			t.Errorf("%s gives %q, want %q", c.args, out.Result.Text, c.want)
		}
	}
	if got := w.Call("glob", `{"pattern":"*.go"}`).Result.Meta[message.MetaSummary]; got != "*.go: 3 files" {
		t.Error(got)
	}
	if out := w.Call("glob", `{"pattern":"*","path":"old.go"}`); !out.Result.IsError {
		t.Error(out.Result.Text)
	}
}

func TestReadOnlyToolsRunSideBySide(t *testing.T) {
	w := toolstest.New(t)
	w.Write("pic.png", string(pngOf(t, 200, 100)))
	for i := range 40 {
		w.Write(fmt.Sprintf("d/%d.txt", i), strings.Repeat("needle\n", i))
	}
	calls := []struct{ tool, args, has string }{
		{"grep", `{"pattern":"needle","mode":"count"}`, "d/39.txt: 39"},
		{"glob", `{"pattern":"*.txt"}`, "d/7.txt"},
		{"read", `{"path":"d/3.txt"}`, "     3\tneedle"},
		{"read_media", `{"path":"pic.png","slices":2}`, "200x100"},
	}
	var group sync.WaitGroup
	for range 4 {
		for _, c := range calls {
			group.Go(func() {
				out, err := w.CallContext(context.Background(), c.tool, c.args)
				if err != nil || out.Result.IsError || !strings.Contains(out.Result.Text, c.has) {
					t.Errorf("%s %s beside others: %.100q, %v", c.tool, c.args, out.Result.Text, err)
				}
			})
		}
	}
	group.Wait()
}
