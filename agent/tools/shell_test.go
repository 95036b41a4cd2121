//go:build unix

package tools_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

// soon waits for a condition and fails the test when it does not come.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("it never came that %s", what)
		case <-tick.C:
		}
	}
}

func TestShellTellsOutputAndExitCode(t *testing.T) {
	w := toolstest.New(t)
	w.Write("sub/here", "")
	for _, c := range []struct {
		args  map[string]any
		text  string
		fails bool
	}{
		{map[string]any{"command": "echo out; echo err >&2; echo again"}, "out\nerr\nagain\n[exit code 0]", false},
		{map[string]any{"command": "printf 'no end'; exit 3"}, "no end\n[exit code 3]", true},
		{map[string]any{"command": "true"}, "(no output)\n[exit code 0]", false},
		{map[string]any{"command": "cat; ls", "cwd": "sub"}, "here\n[exit code 0]", false},
		{map[string]any{"command": "kill -9 $$"}, "(no output)\n[ended by signal: killed]", true},
		{map[string]any{"command": "test -t 0 || test -t 1 || echo none"}, "none\n[exit code 0]", false},
	} {
		out := w.Call("shell", c.args)
		if out.Result.Text != c.text || out.Result.IsError != c.fails {
			t.Errorf("%v gives %q (error: %v), want %q", c.args, out.Result.Text, out.Result.IsError, c.text)
		}
	}
	out := w.Call("shell", `{"command":"exit 7"}`)
	if out.Result.Meta[message.MetaExit] != "7" || out.Result.Meta[message.MetaSummary] != "exit 7 (exit 7)" || out.Result.Meta[message.MetaMillis] == "" {
		t.Errorf("the facts are %v", out.Result.Meta)
	}
	for _, bad := range []string{`{"command":"  "}`, `{"command":"a\u0000b"}`, `{"command":"true","cwd":"nowhere"}`, `{"command":"true","cwd":"sub/here"}`, `{"command":"true","cwd":"/"}`, `{"command":"true","timeout_seconds":601}`} {
		if out := w.Call("shell", bad); !out.Result.IsError {
			t.Errorf("%s ran: %s", bad, out.Result.Text)
		}
	}
}

func TestShellEffectIsTheCommandItself(t *testing.T) {
	w := toolstest.New(t)
	effect, err := w.Effect("shell", map[string]any{"command": "go test ./...\necho done"})
	if err != nil || effect.Kind != guard.KindExec || effect.Command != "go test ./...\necho done" || effect.Preview != effect.Command || effect.Summary != "shell: go test ./... …" {
		t.Errorf("the effect is %+v, %v", effect, err)
	}
}

// gone reports whether no process with this id runs any more; a dead child nobody waited for counts as gone.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestATimeoutKillsGrandchildrenAndKeepsWhatWasPrinted(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("shell", map[string]any{"command": "echo started; (sleep 300 & echo $! > pid; wait) ; echo never", "timeout_seconds": 3})
	if !out.Result.IsError || !strings.Contains(out.Result.Text, "started\n[timed out after 3 s") || strings.Contains(out.Result.Text, "never") {
		t.Errorf("the answer is %q", out.Result.Text)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(w.Read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	soon(t, "the grandchild ended", func() bool { return gone(pid) })
}

func TestAnInterruptKeepsWhatWasPrinted(t *testing.T) {
	w := toolstest.New(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan tools.Outcome, 1)
	go func() {
		out, err := w.CallContext(ctx, "shell", map[string]any{"command": "echo first; echo $$ > pid; while true; do echo more; sleep 0.01; done"})
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	soon(t, "output arrived", func() bool { return len(w.Progress()) > 1 })
	cancel()
	out := <-done
	if !out.Result.IsError || !strings.HasPrefix(out.Result.Text, "first\nmore\n") || !strings.Contains(out.Result.Text, "[interrupted by the person after ") {
		t.Errorf("the answer is %.200q", out.Result.Text)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(w.Read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	soon(t, "the shell ended", func() bool { return gone(pid) })
}

func TestABackgroundChildThatHoldsTheOutputDoesNotHang(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("shell", map[string]any{"command": "sleep 300 & echo $! > pid; echo served"})
	pid, err := strconv.Atoi(strings.TrimSpace(w.Read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	if out.Result.IsError || !strings.HasPrefix(out.Result.Text, "served\n[exit code 0; a background process goes on") {
		t.Errorf("the answer is %q", out.Result.Text)
	}
	if gone(pid) {
		t.Error("the background process was killed with the command")
	}
}

func TestLongOutputIsShownAsHeadAndTailAndStoredWhole(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("shell", map[string]any{"command": "seq 1 20000"})
	text, ref := out.Result.Text, out.Result.Meta[message.MetaBlob]
	if !strings.HasPrefix(text, "1\n2\n") || !strings.HasSuffix(text, "20000\n[exit code 0]") || len(text) > 31_000 {
		t.Errorf("%d bytes are shown, from %.20q to %q", len(text), text, text[len(text)-40:])
	}
	if !strings.Contains(text, "the whole text is "+message.BlobName(ref)+": read it") {
		t.Error("the blob is not named")
	}
	var want strings.Builder
	for i := 1; i <= 20000; i++ {
		fmt.Fprintln(&want, i)
	}
	if string(w.Blobs.Bytes(ref)) != want.String() {
		t.Error("the blob is not the whole output")
	}
	page := w.Call("read", map[string]any{"path": message.BlobName(ref), "offset": 10_000, "limit": 1})
	if !strings.HasPrefix(page.Result.Text, " 10000\t10000\n") {
		t.Errorf("the blob reads %q", page.Result.Text)
	}
	hits := w.Call("grep", map[string]any{"path": message.BlobName(ref), "pattern": "^1234.$"})
	if strings.Count(hits.Result.Text, "\n") != 10 || !strings.HasPrefix(hits.Result.Text, message.BlobName(ref)+":12340:12340\n") {
		t.Errorf("grep of the blob gives %q", hits.Result.Text)
	}
}

func TestAHundredMegabytesOfOutputTakeNoMemory(t *testing.T) {
	w := toolstest.New(t)
	sink := &counting{Blobs: w.Blobs}
	w.Env.Blobs = sink
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	out := w.Call("shell", map[string]any{"command": "yes 0123456789012345678901234567890123456789 | head -c 100000000"})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if out.Result.IsError || len(out.Result.Text) > 31_000 {
		t.Errorf("%d bytes are shown: %.100q", len(out.Result.Text), out.Result.Text)
	}
	if sink.peak > before.HeapAlloc+32<<20 {
		t.Errorf("the heap rose from %d to %d bytes", before.HeapAlloc, sink.peak)
	}
	if !strings.HasSuffix(sink.tail, "MB more were printed and not stored]\n") || sink.size < 60<<20 || sink.size > 65<<20 {
		t.Errorf("%d bytes were stored, ending %q", sink.size, sink.tail)
	}
}

// counting is a blob store that keeps nothing and watches the heap while it reads.
type counting struct {
	*toolstest.Blobs
	size int64
	peak uint64
	tail string
}

func (c *counting) PutBlob(ctx context.Context, ext string, r io.Reader) (string, error) {
	buf := make([]byte, 32<<10)
	for i := 0; ; i++ {
		n, err := r.Read(buf)
		c.size += int64(n)
		if n > 0 {
			c.tail = string(buf[:n])
		}
		if i%5000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			c.peak = max(c.peak, m.HeapAlloc)
		}
		if err != nil {
			return "blobs/0123456789abcdef.txt", nil
		}
	}
}

func TestAFullDiskIsAMachineErrorAndNotAnAnswer(t *testing.T) {
	w := toolstest.New(t)
	full := fmt.Errorf("write blob: %w", syscall.ENOSPC)
	w.Blobs.Fail(full)
	if _, err := w.CallContext(context.Background(), "shell", map[string]any{"command": "seq 1 200000; echo done > ran"}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the error is %v", err)
	}
	if w.Read("ran") != "done\n" {
		t.Error("the command was cut off half way")
	}
	if out := w.Call("shell", `{"command":"echo short"}`); out.Result.IsError {
		t.Errorf("output that needs no storing fails: %s", out.Result.Text)
	}
	if _, _, err := tools.Spill(context.Background(), w.Env, strings.Repeat("x", 100_000)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Spill says %v", err)
	}
}

func TestBase64InOutputIsFolded(t *testing.T) {
	w := toolstest.New(t)
	w.Write("pic.png", string(pngOf(t, 300, 300)))
	out := w.Call("shell", `{"command":"base64 pic.png; echo after"}`)
	ref := out.Result.Meta[message.MetaBlob]
	if strings.Contains(out.Result.Text, "iVBORw0KGgo") || !strings.Contains(out.Result.Text, " characters folded; whole text in "+message.BlobName(ref)+"]\nafter\n") {
		t.Errorf("the answer is %.300q", out.Result.Text)
	}
	if !strings.HasPrefix(string(w.Blobs.Bytes(ref)), "iVBORw0KGgo") {
		t.Error("the whole text is not stored")
	}
}

func TestProgressLinesAreThrottled(t *testing.T) {
	w := toolstest.New(t)
	w.Call("shell", `{"command":"seq 1 100000"}`)
	if n := len(w.Progress()); n == 0 || n > 1000 {
		t.Errorf("%d progress lines for 100,000 lines of output", n)
	}
}

func TestAFIFOAndADeviceDoNotHang(t *testing.T) {
	w := toolstest.New(t)
	if err := syscall.Mkfifo(w.Path("pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pipe.png", "/dev/zero"} {
		for _, call := range []struct {
			tool string
			args map[string]any
		}{
			{"read", map[string]any{"path": path}},
			{"read_media", map[string]any{"path": path}},
			{"write", map[string]any{"path": path, "content": "x"}},
			{"edit", edits(path, edit{Old: "a", New: "b"})},
		} {
			if out := w.Call(call.tool, call.args); !out.Result.IsError {
				t.Errorf("%s of %s: %s", call.tool, path, out.Result.Text)
			}
		}
	}
	w.Call("grep", `{"pattern":"x"}`)
	w.Call("glob", `{"pattern":"*.png"}`)
}
