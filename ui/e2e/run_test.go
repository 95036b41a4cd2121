//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"espy/media/clipboard/desktop"
)

// expect runs the program without a screen; it must end with the code, and the patterns must be found in
// what it printed, "!" before a pattern meaning that it must not.
func (w *world) expect(code int, stdout, stderr string, args ...string) result {
	w.t.Helper()
	return w.expectFrom("", code, stdout, stderr, args...)
}

func (w *world) expectFrom(stdin string, code int, stdout, stderr string, args ...string) result {
	w.t.Helper()
	r := w.runWith(stdin, args...)
	if r.code != code {
		w.t.Errorf("espy %s ended with exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr)
	}
	w.found("standard output", args, r.stdout, stdout)
	w.found("standard error", args, r.stderr, stderr)
	return r
}

func (w *world) found(where string, args []string, text, pattern string) {
	w.t.Helper()
	bare, absent := strings.CutPrefix(pattern, "!")
	if bare != "" && regexp.MustCompile("(?ms)"+bare).MatchString(text) == absent {
		w.t.Errorf("espy %s: %s is, against %q:\n%s", strings.Join(args, " "), where, pattern, text)
	}
}

func TestARunPrintsTheAnswerAloneOnStandardOutput(t *testing.T) {
	w := newWorld(t)
	w.write("my shot.png", shot(t, 321, 123, 1))
	w.expect(0, `\AI received:\n- text: 11 characters\n`, "!.", "run", "hello there")
	w.expectFrom("from the input\n", 0, `^- text: 14 characters$`, "!.", "run", "-")
	w.expectFrom("from the input\n", 0, `^- text: 14 characters$`, "!.", "run")
	w.expect(0, `^- image: image/png, 321x123, blobs/[0-9a-f]{64}\.png$`, "!.", "run", "what is this", "--attach", "my shot.png")
	w.expect(0, `^- image: image/png, 321x123, blobs/[0-9a-f]{64}\.png$`, "!.", "run", `what is in @"my shot.png"`)
}

func TestARunWithJSONPrintsOneObject(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 321, 123, 1))
	w.write("notes.txt", []byte("some words\n"))
	r := w.expect(0, "", "!.", "run", "--json", "check blobs\ncall read {\"path\":\"notes.txt\"}", "--attach", "shot.png")
	var got struct {
		Session  string
		Answer   string
		Pictures []struct {
			Ref           string
			MediaType     string `json:"media_type"`
			Width, Height int
		}
		Calls []struct {
			ID, Name, Summary string
			OK                bool
		}
		Usage   *struct{ Input, Output, Cached int }
		Cost    *float64
		Refused []any
	}
	decoder := json.NewDecoder(strings.NewReader(r.stdout))
	if err := decoder.Decode(&got); err != nil || decoder.More() {
		t.Fatalf("it is not one JSON object: %v\n%s", err, r.stdout)
	}
	switch {
	case len(got.Pictures) != 1 || !blobName.MatchString(got.Pictures[0].Ref) || got.Pictures[0].MediaType != "image/png" || got.Pictures[0].Width != 321:
		t.Errorf("pictures are %+v", got.Pictures)
	case len(got.Calls) != 1 || got.Calls[0].Name != "read" || !got.Calls[0].OK || got.Calls[0].Summary == "":
		t.Errorf("calls are %+v", got.Calls)
	case got.Usage == nil || got.Refused == nil || len(got.Refused) > 0 || got.Session == "" || !strings.Contains(got.Answer, "result of read"):
		t.Errorf("the object is %+v", got)
	}
}

func TestWhatNobodyCanBeAskedIsRefusedUnlessARuleOrAModeAllowsIt(t *testing.T) {
	w := newWorld(t)
	const touch, write = `call shell {"command":"touch made"}`, `call write {"path":"a.txt","content":"hi\n"}`
	w.expect(3, `error of shell`, "", "run", touch)
	w.expect(3, `"refused":\[\{"name":"shell","reason":".+"\}\]`, "", "run", "--json", touch)
	w.expect(3, `error of write`, "", "run", "--mode", "plan", write)
	for _, name := range []string{"made", "a.txt"} {
		if _, there := written(w, name); there {
			t.Errorf("%s was made by a refused call", name)
		}
	}
	w.expect(0, `result of shell`, "!.", "run", "--allow", "shell(touch *)", touch)
	w.expect(0, `result of write`, "!.", "run", "--mode", "auto", write)
	if text, _ := written(w, "a.txt"); text != "hi\n" {
		t.Errorf("the file holds %q", text)
	}
	if _, there := written(w, "made"); !there {
		t.Error("the allowed command did not run")
	}
	w.expect(1, "", `stopped after 1 request`, "run", "--max-turns", "1", "--mode", "auto", write)
}

func TestBadUsageIsOneLineAndExitCode2AndKeepsNothing(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		stderr string
		args   []string
	}{
		{`"odd".*plan, ask, auto`, []string{"run", "--mode", "odd", "hello"}},
		{`no-such-flag`, []string{"run", "--no-such-flag"}},
		{`no-such-folder does not exist`, []string{"run", "-C", "no-such-folder", "hello"}},
		{`missing.png does not exist`, []string{"run", "--attach", "missing.png", "hello"}},
		{`there is nothing to send`, []string{"run", ""}},
		{`nowhere`, []string{"run", "--model", "nowhere/nothing", "hello"}},
		{`--allow`, []string{"run", "--allow", "nonsense(", "hello"}},
		{`01ARZ3NDEKTSV4RRFFQ69G5FAV`, []string{"run", "--resume", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "hello"}},
		{`espy look FILE`, []string{"look"}},
	} {
		r := w.expect(2, "!.", `\Aespy: .*`+c.stderr, c.args...)
		if lines := strings.Count(r.stderr, "\n"); lines != 1 {
			t.Errorf("espy %s printed %d lines: %s", strings.Join(c.args, " "), lines, r.stderr)
		}
	}
	if left := w.sessions(); len(left) > 0 {
		t.Errorf("sessions were left: %v", left)
	}
	w.expect(0, `\Aespy \d+\.\d+\.\d+\n\z`, "!.", "--version")
}

func TestAnInterruptedRunEndsWith130AndItsSessionCanBeGoneOnWith(t *testing.T) {
	w := newWorld(t)
	w.script(slowScript)
	cmd := w.command("run", "--events", "first")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "I am working") {
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	for lines.Scan() {
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ended with %d, want 130", code)
	}
	if !strings.Contains(w.transcript(), "I am working") {
		t.Error("what was answered so far is not in the log")
	}
	wellFormed(t, w)
	w.expect(0, "quick answer", "", "run", "--resume", sessionID(w), "go on")
	wellFormed(t, w)
}

func sessionID(w *world) string {
	w.t.Helper()
	dir := w.session()
	return dir[strings.LastIndex(dir, "/")+1:]
}

func TestASessionInUseIsRefusedByNameOfItsHolder(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	r := w.expect(2, "!.", regexp.QuoteMeta(sessionID(w)), "run", "--resume", sessionID(w), "hello")
	if pid := regexp.MustCompile(`\d+`).FindAllString(strings.ReplaceAll(r.stderr, sessionID(w), ""), -1); !contained(pid, term.Pid()) {
		t.Errorf("process %d holds the session, and the refusal is: %s", term.Pid(), r.stderr)
	}
	quit(t, term)
	w.expect(0, "request: 3 messages", "!.", "run", "--resume", sessionID(w), "hello")
}

func contained(numbers []string, pid int) bool {
	for _, n := range numbers {
		if n == strconv.Itoa(pid) {
			return true
		}
	}
	return false
}

func TestASessionsTurnsAreListedShownAndRemoved(t *testing.T) {
	w := newWorld(t)
	w.expect(0, "!.", "there are no sessions yet", "sessions", "list")
	w.expect(0, "", "!.", "run", "hello there")
	id := sessionID(w)
	w.expect(0, id+`.* hello there$`, "!.", "sessions", "list")
	w.expect(0, `hello there.*text: 11 characters`, "!.", "sessions", "show", id)
	w.expect(0, "removed "+id, "!.", "sessions", "rm", id)
	w.expect(0, "!.", "there are no sessions yet", "sessions", "list")
	for _, command := range []string{"show", "rm"} {
		if r := w.run("sessions", command, id); r.code == 0 || !strings.Contains(r.stderr, id) {
			t.Errorf("sessions %s of a session that is gone ended with %d and said %q", command, r.code, r.stderr)
		}
	}
}

func TestALookSaysWhatAModelWouldSeeAndKeepsNothing(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 3000, 1000, 1))
	w.write("notes.txt", []byte("only words\n"))
	r := w.expect(0, `"source":\{"format":"png","width":3000,"height":1000,"bytes":\d+,"frames":1,"orientation":1\}`, "!.", "look", "shot.png", "--json")
	w.found("standard output", []string{"look"}, r.stdout, `"sent":\{"media_type":"image/\w+","width":2048,"height":683,"bytes":\d+,"base64_bytes":\d+\}`)
	w.found("standard output", []string{"look"}, r.stdout, `"cost":\{.*"tile-512":\d+`)
	w.found("standard output", []string{"look"}, r.stdout, `"scale":0\.68`)
	w.expect(0, `"crop":\{"x":10,"y":20,"width":300,"height":200\}.*"sent":\{"media_type":"image/\w+","width":300,"height":200`, "!.", "look", "shot.png", "--json", "--crop", "10,20,300,200")
	w.expect(0, "", "!.", "look", "shot.png", "--detail", "low", "--out", "sent.png")
	w.expect(0, `"source":\{"format":"png","width":1024,"height":341`, "!.", "look", "sent.png", "--json")
	w.expect(1, "!.", `\Aespy: notes.txt is not a picture`, "look", "notes.txt")
	w.expect(1, "!.", `missing.png does not exist`, "look", "missing.png")
	if left := everything(t, w.root+"/state"); len(left) > 0 {
		t.Errorf("a look left %v", left)
	}
}

func TestEveryFaultOfTheSettingsIsNamedWithItsPlaceAndTheNearestSpelling(t *testing.T) {
	w := newWorld(t)
	w.expect(0, `config/espy/config\.toml\n\z`, "!.", "config", "path")
	w.expect(0, `no faults`, "!.", "config", "check")
	w.configure("model = \"fake/echo\"\nhistory.max-images = 3\n\n[ui]\ntheme = \"purple\"\n")
	r := w.expect(1, `config\.toml:2:\d+: [^\n]*"history\.max-images"[^\n]*did you mean "history\.max_images"`, "2 faults", "config", "check")
	w.found("standard output", []string{"config check"}, r.stdout, `config\.toml:5:\d+: [^\n]*purple`)
	w.expect(0, `text: 5 characters`, `max-images`, "run", "hello")
	w.configure("mode = \"plam\"\n")
	w.expect(2, "!.", `config\.toml:1:\d+: [^\n]*"plam"[^\n]*"plan"`, "run", "hello")
}

func TestTheSettingsInForceAreShownWithoutTheKey(t *testing.T) {
	w := newWorld(t).serve("http://127.0.0.1:9")
	w.expect(0, `providers\.local +chat http://127\.0\.0\.1:9/v1`, "!.", "config", "show")
	w.expect(0, `local/strict-1 +supported +100k`, "!.", "models")
	w.expect(0, `fake/echo`, "!.", "models", "fake")
	w.expect(1, "", `no known model matches "nothing-like-it"`, "models", "nothing-like-it")
	w.expect(0, `local/strict-1`, "", "doctor", "--offline")
	w.expect(1, `BAD   server +local: could not reach 127\.0\.0\.1:9`, "one of these keeps espy from working well", "doctor")
	for _, args := range [][]string{{"config", "show"}, {"models", "--sources"}, {"doctor"}} {
		if r := w.run(args...); strings.Contains(r.stdout+r.stderr, key) {
			t.Errorf("espy %s prints the key", strings.Join(args, " "))
		}
	}
}

func TestARunLeavesNoDraftAndNoLockBehind(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 300, 200, 1))
	w.ask("hello", "--attach", "shot.png")
	desktop.Until(t, "the session's folder to be settled", func() bool {
		_, err := os.Stat(w.session() + "/draft")
		return os.IsNotExist(err)
	})
}
