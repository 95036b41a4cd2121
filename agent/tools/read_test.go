package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"espy/agent/message"
	"espy/agent/tools/toolstest"
	"espy/providers"
)

func TestReadShowsNumberedLinesAndSaysHowToGoOn(t *testing.T) {
	w := toolstest.New(t)
	var long strings.Builder
	for i := 1; i <= 5000; i++ {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	w.Write("long.txt", long.String())
	w.Write("short.txt", "one\r\ntwo\nthree")
	w.Write("empty.txt", "")
	w.Write("wide.txt", strings.Repeat("é", 3000)+"\nnext\n")
	w.Write("bytes.txt", "caf\xe9\n")
	w.Write("utf16.txt", "\xff\xfeh\x00i\x00\n\x00")
	w.Write("mark.txt", "\ufeffone\n")
	for _, c := range []struct{ args, has string }{
		{`{"path":"short.txt"}`, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{`{"path":"short.txt","offset":3}`, "     3\tthree\n"},
		{`{"path":"short.txt","limit":1}`, "     1\tone\n[lines 1 to 1 of 3; go on with offset 2]"},
		{`{"path":"long.txt"}`, "[lines 1 to 2000 of 5,000; go on with offset 2001]"},
		{`{"path":"long.txt","offset":2001,"limit":9999}`, "[lines 2001 to 4000 of 5,000; go on with offset 4001]"},
		{`{"path":"long.txt","offset":4990}`, "  5000\tline 5000\n"},
		{`{"path":"empty.txt"}`, "(empty.txt is empty)"},
		{`{"path":"wide.txt"}`, "é… [line cut: 6,000 bytes in all]\n     2\tnext"},
		{`{"path":"bytes.txt"}`, "     1\tcaf\uFFFD\n"},
		{`{"path":"utf16.txt"}`, "     1\thi\n"},
		{`{"path":"mark.txt"}`, "     1\tone\n"},
	} {
		out := w.Call("read", c.args)
		if out.Result.IsError || !strings.Contains(out.Result.Text, c.has) || !utf8.ValidString(out.Result.Text) {
			t.Errorf("%s shows %.200q, which should have %q", c.args, out.Result.Text, c.has)
		}
	}
	if out := w.Call("read", `{"path":"short.txt","offset":9}`); !out.Result.IsError || !strings.Contains(out.Result.Text, "has 3 lines; offset 9 is past its end") {
		t.Error(out.Result.Text)
	}
	if got := w.Call("read", `{"path":"short.txt"}`).Result.Meta[message.MetaSummary]; got != "read 3 lines of short.txt" {
		t.Error(got)
	}
}

func TestReadStopsAtFiftyKilobytes(t *testing.T) {
	w := toolstest.New(t)
	w.Write("a.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", 100))
	out := w.Call("read", `{"path":"a.txt"}`)
	if n := len(out.Result.Text); n > 51_000 || n < 48_000 {
		t.Errorf("%d bytes are shown", n)
	}
	if !strings.Contains(out.Result.Text, "[lines 1 to 49 of 100; go on with offset 50]") {
		t.Errorf("it ends with %q", out.Result.Text[len(out.Result.Text)-100:])
	}
}

func TestReadOfAHugeFileReadsOnlyWhatIsShown(t *testing.T) {
	w := toolstest.New(t)
	w.Write("huge.log", strings.Repeat("0123456789\n", 1000))
	if err := os.Truncate(w.Path("huge.log"), 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	out := w.Call("read", `{"path":"huge.log","limit":5}`)
	if !strings.Contains(out.Result.Text, "     5\t0123456789\n[lines 1 to 5 of a file of 1099511.6 MB; go on with offset 6]") {
		t.Errorf("it shows %.300q", out.Result.Text)
	}
}

func TestReadNamesWhatIsNotText(t *testing.T) {
	w := toolstest.New(t)
	w.Write("prog", "\x7fELF\x02\x01\x01\x00\x00\x00")
	w.Write("a.pdf", "%PDF-1.7\n1 0 obj\n")
	w.Write("a.zip", "PK\x03\x04\x14\x00\x00\x00")
	w.Write("data", "ab\x00\x01\x02")
	for name, says := range map[string]string{"prog": "a program (ELF)", "a.pdf": "a PDF document", "a.zip": "a zip archive", "data": "binary data"} {
		out := w.Call("read", map[string]any{"path": name})
		if out.Result.IsError || !strings.Contains(out.Result.Text, name+" is not text but "+says) {
			t.Errorf("%s: %s", name, out.Result.Text)
		}
	}
}

func TestReadListsAFolder(t *testing.T) {
	w := toolstest.New(t)
	w.Write("b.txt", "12345")
	w.Write("sub/a.txt", "x")
	w.Write("evil\nname", "")
	if err := os.Symlink("b.txt", w.Path("link")); err != nil {
		t.Fatal(err)
	}
	got := w.Call("read", `{"path":"."}`).Result.Text
	if want := " is a folder of 4 entries:\nsub/\nb.txt (5 bytes)\nevil\uFFFDname (0 bytes)\nlink (link)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the listing is %q, want %q", got, want)
	}
	for i := range 600 {
		w.Write(fmt.Sprintf("many/%03d", i), "")
	}
	if got := w.Call("read", `{"path":"many"}`).Result.Text; !strings.Contains(got, "[100 entries more; narrow it down with glob]") {
		t.Errorf("a long listing ends with %q", got[len(got)-80:])
	}
}

func TestNamesRetypedWithOtherSpacesAreFound(t *testing.T) {
	w := toolstest.New(t)
	w.Write("Screenshot 2026-01-02 at 3.04.05\u202fPM.txt", "shot\n")
	w.Write("re\u0301sume\u0301.txt", "accents\n")
	w.Write("my folder/a\u00a0b.txt", "nested\n")
	w.Write("x y.txt", "two\n")
	w.Write("x\u00a0y.txt", "alike\n")
	for name, has := range map[string]string{
		"Screenshot 2026-01-02 at 3.04.05 PM.txt": "shot",
		"Screenshot 2026-01-02 at 3.04.05PM.txt":  "shot",
		"r\u00e9sum\u00e9.txt":                    "accents",
		"my folder/a b.txt":                       "nested",
		"myfolder/ab.txt":                         "nested",
	} {
		out := w.Call("read", map[string]any{"path": name})
		if out.Result.IsError || !strings.Contains(out.Result.Text, "\t"+has+"\n[the true name is ") {
			t.Errorf("%q: %s", name, out.Result.Text)
		}
	}
	if out := w.Call("read", map[string]any{"path": "x\u2009y.txt"}); !out.Result.IsError {
		t.Errorf("of two names that are alike one was taken: %s", out.Result.Text)
	}
	effect, err := w.Effect("read", map[string]any{"path": "my folder/a b.txt"})
	if err != nil || effect.Paths[0] != "my folder/a\u00a0b.txt" {
		t.Errorf("the guard is asked about %q, %v", effect.Paths, err)
	}
}

func TestAMissingFileIsAnsweredWithTheNearestName(t *testing.T) {
	w := toolstest.New(t)
	w.Write("cmd/main.go", "package main\n")
	out := w.Call("read", `{"path":"cmd/mian.go"}`)
	if !out.Result.IsError || !strings.Contains(out.Result.Text, "Did you mean cmd/main.go?") {
		t.Error(out.Result.Text)
	}
}

func TestReadRefusesWhatLeadsOutOrIsNoFile(t *testing.T) {
	w := toolstest.New(t)
	outside := t.TempDir() + "/out.txt"
	if err := os.WriteFile(outside, []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, w.Path("link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"read", "read_media", "grep"} {
		for _, path := range []string{outside, "link.txt", "../x", "/proc/self/environ", "/dev/zero", "", "a\x00b"} {
			args := map[string]any{"path": path}
			if tool == "grep" {
				if path == "" {
					continue
				}
				args["pattern"] = "outside"
			}
			if out := w.Call(tool, args); strings.Contains(out.Result.Text, "\toutside") || (!out.Result.IsError && tool != "grep") {
				t.Errorf("%s of %q: %s", tool, path, out.Result.Text)
			}
		}
	}
}

func TestReadOnABlindRouteDescribesAPicture(t *testing.T) {
	w := toolstest.New(t)
	w.Route.Model.ImageInput = providers.Unsupported
	w.Write("shot.txt", string(pngOf(t, 30, 20)))
	out := w.Call("read", `{"path":"shot.txt"}`)
	if out.Result.IsError || len(out.Result.Images) != 0 || !strings.Contains(out.Result.Text, "shot.txt is a PNG picture, 30x20 pixels") {
		t.Errorf("%+v", out.Result)
	}
}

func TestReadStopsWhenItsContextEnds(t *testing.T) {
	w := toolstest.New(t)
	w.Write("a.txt", strings.Repeat("x\n", 200_000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.CallContext(ctx, "read", `{"path":"a.txt"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
