package tools_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
	"espy/agent/tools/toolstest"
)

type edit struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
	All bool   `json:"replace_all,omitempty"`
}

func edits(path string, list ...edit) map[string]any {
	return map[string]any{"path": path, "edits": list}
}

func TestEditReplacesExactly(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		edits               []edit
	}{
		{"one", "a\nb\nc\n", "a\nB\nc\n", []edit{{Old: "b", New: "B"}}},
		{"all", "x x x", "y y y", []edit{{Old: "x", New: "y", All: true}}},
		{"in order", "one", "three", []edit{{Old: "one", New: "two"}, {Old: "two", New: "three"}}},
		{"deletes", "a\nb\nc\n", "a\nc\n", []edit{{Old: "b\n", New: ""}}},
		{"CRLF is kept", "a\r\nb\r\nc\r\n", "a\r\nB\r\nB2\r\nc\r\n", []edit{{Old: "b\n", New: "B\nB2\n"}}},
		{"CRLF given is the same", "a\r\nb\r\n", "A\r\nB\r\n", []edit{{Old: "a\r\nb", New: "A\r\nB"}}},
		{"mixed endings stay apart", "a\r\nb\nc\r\nd\n", "a\r\nB\nc\r\nd\n", []edit{{Old: "b", New: "B"}}},
		{"mixed endings over a break", "a\nb\nc\r\nd\r\n", "a\nX\nY\nc\r\nd\r\n", []edit{{Old: "b\n", New: "X\nY\n"}}},
		{"a mark is kept", "\ufeffone\n", "\ufefftwo\n", []edit{{Old: "one", New: "two"}}},
		{"mark and CRLF", "\ufeffone\r\ntwo\r\n", "\ufeffONE\r\nTWO\r\n", []edit{{Old: "one\ntwo", New: "ONE\nTWO"}}},
		{"bytes that are no UTF-8 stay", "caf\xe9 one", "caf\xe9 two", []edit{{Old: "one", New: "two"}}},
		{"an LF file takes CRLF as given", "one", "a\r\nb", []edit{{Old: "one", New: "a\r\nb"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := toolstest.New(t)
			w.Write("f", c.before)
			w.Call("read", `{"path":"f"}`)
			out := w.Call("edit", edits("f", c.edits...))
			if out.Result.IsError || w.Read("f") != c.after {
				t.Errorf("%q became %q, want %q: %s", c.before, w.Read("f"), c.after, out.Result.Text)
			}
			if !strings.HasPrefix(out.Result.Meta[message.MetaDiff], "--- a/f\n+++ b/f\n@@") {
				t.Errorf("the diff is %q", out.Result.Meta[message.MetaDiff])
			}
		})
	}
}

func TestAFailedEditSaysWhyAndLeavesTheFileAlone(t *testing.T) {
	const content = "func one() {\n\treturn 1\n}\n\nfunc two() {\n\treturn 2\n}\naaa\n"
	for _, c := range []struct {
		name  string
		edits []edit
		says  string
	}{
		{"not there", []edit{{Old: "func onee() {", New: "x"}}, "The nearest lines are:\n     1\tfunc one() {"},
		{"white space", []edit{{Old: "func one() {\n    return 1\n}", New: "x"}}, "from line 1 it differs only in white space. The file has:\n     1\tfunc one() {\n     2\t\treturn 1"},
		{"nothing like it", []edit{{Old: "zzzzqqqq", New: "x"}}, "no line is like it"},
		{"twice", []edit{{Old: "return", New: "x"}}, "occurs 2 times (lines 2, 6)"},
		{"twice, over itself", []edit{{Old: "aa", New: "x"}}, "occurs 2 times"},
		{"empty", []edit{{Old: "", New: "x"}}, "old_text is empty"},
		{"same", []edit{{Old: "one", New: "one"}}, "are the same"},
		{"none", nil, "edits is empty"},
		{"second fails", []edit{{Old: "one", New: "uno"}, {Old: "nowhere at all", New: "x"}}, "edit 2 of 2"},
		{"taken away", []edit{{Old: "func one", New: "func uno"}, {Old: "func one", New: "x"}}, "until an earlier edit of this call changed it"},
		{"cancel out", []edit{{Old: "one", New: "uno"}, {Old: "uno", New: "one"}}, "cancel each other out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := toolstest.New(t)
			w.Write("f.go", content)
			old := time.Now().Add(-time.Hour).Truncate(time.Second)
			if err := os.Chtimes(w.Path("f.go"), old, old); err != nil {
				t.Fatal(err)
			}
			w.Call("read", `{"path":"f.go"}`)
			if c.edits == nil {
				c.edits = []edit{}
			}
			out := w.Call("edit", edits("f.go", c.edits...))
			if !out.Result.IsError || !strings.Contains(out.Result.Text, c.says) {
				t.Errorf("the answer is %q, which should say %q", out.Result.Text, c.says)
			}
			info, err := os.Stat(w.Path("f.go"))
			if err != nil || w.Read("f.go") != content || !info.ModTime().Equal(old) {
				t.Errorf("the file was touched: %v %q", err, w.Read("f.go"))
			}
		})
	}
}

func TestAFileMustBeReadBeforeItIsChanged(t *testing.T) {
	w := toolstest.New(t)
	w.Write("f", "one\n")
	change := edits("f", edit{Old: "one", New: "two"})
	for _, call := range []struct {
		tool string
		args any
	}{{"edit", change}, {"write", `{"path":"f","content":"new"}`}} {
		if out := w.Call(call.tool, call.args); !out.Result.IsError || !strings.Contains(out.Result.Text, "you have not read it") {
			t.Errorf("%s of an unread file: %s", call.tool, out.Result.Text)
		}
	}
	w.Call("read", `{"path":"f"}`)
	w.Write("f", "one, and the person's own line\n")
	for _, call := range []struct {
		tool string
		args any
	}{{"edit", change}, {"write", `{"path":"f","content":"new"}`}} {
		if out := w.Call(call.tool, call.args); !out.Result.IsError || !strings.Contains(out.Result.Text, "has changed since you read it") {
			t.Errorf("%s of a changed file: %s", call.tool, out.Result.Text)
		}
	}
	if got := w.Read("f"); got != "one, and the person's own line\n" {
		t.Fatalf("the person's work became %q", got)
	}
	w.Call("read", `{"path":"f"}`)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(w.Path("f"), later, later); err != nil {
		t.Fatal(err)
	}
	for _, next := range []edit{{Old: "one", New: "two"}, {Old: "two", New: "three"}} {
		if out := w.Call("edit", edits("f", next)); out.Result.IsError {
			t.Errorf("a file that was only touched, or changed by an edit, is refused: %s", out.Result.Text)
		}
	}
}

func TestAFileTooLargeToReadWholeIsJudgedByItsTime(t *testing.T) {
	w := toolstest.New(t)
	w.Env.MaxSource = 100
	w.Write("f", strings.Repeat("line\n", 100))
	w.Call("read", `{"path":"f"}`)
	if out := w.Call("edit", edits("f", edit{Old: "line", New: "x", All: true})); !out.Result.IsError || !strings.Contains(out.Result.Text, "changed with a shell command") {
		t.Error(out.Result.Text)
	}
}

func TestWriteMakesFoldersAndSaysWhatChanged(t *testing.T) {
	w := toolstest.New(t)
	effect, err := w.Effect("write", `{"path":"docs/new/plan.md","content":"one\ntwo\n"}`)
	if err != nil || effect.Summary != "write docs/new/plan.md" || !effect.Diff || !strings.Contains(effect.Preview, "+one\n+two\n") {
		t.Errorf("the effect is %+v, %v", effect, err)
	}
	if _, err := os.Stat(w.Path("docs")); err == nil {
		t.Fatal("asking for the effect wrote something")
	}
	out := w.Call("write", `{"path":"docs/new/plan.md","content":"one\ntwo\n"}`)
	if out.Result.IsError || w.Read("docs/new/plan.md") != "one\ntwo\n" || !strings.Contains(out.Result.Text, "+2 -0 lines") {
		t.Error(out.Result.Text)
	}
	out = w.Call("write", `{"path":"docs/new/plan.md","content":"one\n2\n"}`)
	if out.Result.IsError || !strings.Contains(out.Result.Text, "+1 -1 lines") || !strings.Contains(out.Result.Meta[message.MetaDiff], "-two\n+2\n") {
		t.Errorf("a file just written cannot be written again: %s", out.Result.Text)
	}
	if out = w.Call("write", `{"path":"docs/new/plan.md","content":"one\n2\n"}`); out.Result.IsError || !strings.Contains(out.Result.Text, "already has exactly this content") {
		t.Error(out.Result.Text)
	}
	if out = w.Call("write", `{"path":"docs","content":"x"}`); !out.Result.IsError || !strings.Contains(out.Result.Text, "folder") {
		t.Error(out.Result.Text)
	}
}

func TestChangesOutsideTheWorkspaceAreTheGuardsToRefuse(t *testing.T) {
	w := toolstest.New(t)
	outside := t.TempDir() + "/out.txt"
	if err := os.WriteFile(outside, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct {
		tool string
		args map[string]any
	}{{"write", map[string]any{"path": outside, "content": "x"}}, {"edit", edits(outside, edit{Old: "one", New: "two"})}} {
		effect, err := w.Effect(call.tool, call.args)
		if err != nil || len(effect.Paths) != 1 || effect.Paths[0] != outside {
			t.Errorf("%s: the guard is asked about %v, %v", call.tool, effect.Paths, err)
		}
		if out := w.Call(call.tool, call.args); !out.Result.IsError {
			t.Errorf("%s wrote outside: %s", call.tool, out.Result.Text)
		}
	}
	if data, _ := os.ReadFile(outside); string(data) != "one\n" {
		t.Errorf("the file outside became %q", data)
	}
}

func TestARewriteKeepsTheEndingsAFileHad(t *testing.T) {
	for _, c := range []struct{ before, content, after string }{
		{"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
		{"\ufeffa\n", "x\n", "\ufeffx\n"},
		{"\ufeffa\r\n", "x\n", "\ufeffx\r\n"},
		{"a\r\nb\n", "x\ny\n", "x\ny\n"},
		{"a\n", "x\r\n", "x\r\n"},
		{"a\r\n", "x\r\ny\n", "x\r\ny\n"},
		{"", "x\n", "x\n"},
	} {
		w := toolstest.New(t)
		w.Write("f", c.before)
		w.Call("read", `{"path":"f"}`)
		out := w.Call("write", map[string]any{"path": "f", "content": c.content})
		if out.Result.IsError || w.Read("f") != c.after {
			t.Errorf("%q over %q became %q, want %q: %s", c.content, c.before, w.Read("f"), c.after, out.Result.Text)
		}
	}
}

func TestAFileThePromptBroughtCountsAsRead(t *testing.T) {
	w := toolstest.New(t)
	w.Write("f", "one\n")
	info, err := os.Stat(w.Path("f"))
	if err != nil {
		t.Fatal(err)
	}
	w.Env.Ledger.Saw(w.Path("f"), info, []byte("one\n"))
	if out := w.Call("edit", edits("f", edit{Old: "one", New: "two"})); out.Result.IsError {
		t.Error(out.Result.Text)
	}
}
