package clipboard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// plant makes small files in a folder and returns a function from names to absolute paths.
func plant(t testing.TB, dir string, names ...string) func(string) string {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

// pathCase is a paste, with D standing for the folder, and the files it must mean.
type pathCase struct {
	name  string
	files []string // that exist
	paste string
	want  []string // nil: it stays text
}

const narrow, noBreak = "\u202f", "\u00a0"

func pathCases() []pathCase {
	shot := "Screenshot 2026-05-12 at 4.42.48" + narrow + "PM.png"
	return []pathCase{
		{"a raw path", []string{"x.png"}, "D/x.png", []string{"x.png"}},
		{"a raw path with a trailing space, as Alacritty drops it", []string{"my shot.png"}, "D/my shot.png ", []string{"my shot.png"}},
		{"backslashed spaces, as Terminal.app drops them", []string{"my shot.png"}, `D/my\ shot.png `, []string{"my shot.png"}},
		{"several backslashed paths on a line", []string{"a b.png", "c.png", "d e.png"}, `D/a\ b.png D/c.png D/d\ e.png`, []string{"a b.png", "c.png", "d e.png"}},
		{"single quotes, as VTE drops them", []string{"my shot.png"}, "'D/my shot.png'", []string{"my shot.png"}},
		{"a quote inside single quotes", []string{"it's.png"}, `'D/it'\''s.png'`, []string{"it's.png"}},
		{"double quotes", []string{"my shot.png"}, `"D/my shot.png"`, []string{"my shot.png"}},
		{"raw lines, as kitty drops them", []string{"a b.png", "c d.png"}, "D/a b.png\nD/c d.png", []string{"a b.png", "c d.png"}},
		{"lines with CRLF", []string{"a.png", "b.png"}, "D/a.png\r\nD/b.png\r\n", []string{"a.png", "b.png"}},
		{"lines with a lone CR", []string{"a.png", "b.png"}, "D/a.png\rD/b.png", []string{"a.png", "b.png"}},
		{"lines of raw and escaped names mixed", []string{"a b.png", "c d.png"}, "D/a b.png\nD/c\\ d.png", []string{"a b.png", "c d.png"}},
		{"a file URL with percent codes", []string{"a b.png"}, "file://D/a%20b.png", []string{"a b.png"}},
		{"a file URL of localhost", []string{"a.png"}, "file://localhostD/a.png", []string{"a.png"}},
		{"a quoted file URL", []string{"a b.png"}, "'file://D/a%20b.png'", []string{"a b.png"}},
		{"a file URL with one slash", []string{"a.png"}, "file:D/a.png", []string{"a.png"}},
		{"a file URL of another host", []string{"a.png"}, "file://otherhostD/a.png", nil},
		{"two file URLs with CRLF", []string{"a b.png", "c.png"}, "file://D/a%20b.png\r\nfile://D/c.png\r\n", []string{"a b.png", "c.png"}},
		{"encoded dots stay inside what exists", []string{"a.png", "sub/b.png"}, "file://D/sub/%2e%2e/a.png", []string{"sub/../a.png"}},
		{"a literal %20 in a name", []string{"a%20b.png"}, "D/a%20b.png", []string{"a%20b.png"}},
		{"a literal %20 in a file URL", []string{"a%20b.png"}, "file://D/a%2520b.png", []string{"a%20b.png"}},
		{"a broken percent code", []string{"100%.png"}, "file://D/100%.png", []string{"100%.png"}},
		{"an encoded NUL", []string{"a.png"}, "file://D/a.png%00", nil},
		{"U+202F pasted as a space", []string{shot}, "D/" + strings.ReplaceAll(shot, narrow, " "), []string{shot}},
		{"U+202F kept raw, the spaces escaped", []string{shot}, "D/" + strings.ReplaceAll(shot, " ", `\ `), []string{shot}},
		{"U+202F pasted exactly", []string{shot}, "D/" + shot, []string{shot}},
		{"U+202F at the end of a name", []string{"a" + narrow}, "D/a" + narrow, []string{"a" + narrow}},
		{"an existing name is never rewritten", []string{"a b.png", "a" + narrow + "b.png"}, "D/a b.png", []string{"a b.png"}},
		{"U+00A0 pasted as a space", []string{"Snímek" + noBreak + "1.png"}, "D/Snímek 1.png", []string{"Snímek" + noBreak + "1.png"}},
		{"U+2009 and U+3000 pasted as spaces", []string{"a\u2009b\u3000c.png"}, "D/a b c.png", []string{"a\u2009b\u3000c.png"}},
		{"two names that differ only in their spaces", []string{"a" + noBreak + "b.png", "a" + narrow + "b.png"}, "D/a b.png", nil},
		{"a decomposed name pasted composed", []string{norm.NFD.String("café 한글.png")}, "D/" + norm.NFC.String("café 한글.png"), []string{norm.NFD.String("café 한글.png")}},
		{"a composed name pasted decomposed", []string{norm.NFC.String("café 한글.png")}, "D/" + norm.NFD.String("café 한글.png"), []string{norm.NFC.String("café 한글.png")}},
		{"a curly apostrophe pasted straight", []string{"Ann’s shot.png"}, `D/Ann's shot.png`, []string{"Ann’s shot.png"}},
		{"odd spaces in a folder's name", []string{"my" + noBreak + "dir/a.png"}, "D/my dir/a.png", []string{"my" + noBreak + "dir/a.png"}},
		{"a backslash that belongs to the name", []string{`a\(b.png`}, `D/a\(b.png`, []string{`a\(b.png`}},
		{"a backslashed parenthesis", []string{"a(b).png"}, `D/a\(b\).png`, []string{"a(b).png"}},
		{"a quote that never ends, in a name", []string{`it's.png`}, `D/it's.png`, []string{`it's.png`}},
		{"lines where one name holds a quote", []string{"it's.png", "b.png"}, "D/it's.png\nD/b.png", []string{"it's.png", "b.png"}},
		{"prose after a path", []string{"shot 1.png"}, "D/shot 1.png what is this", nil},
		{"prose before a path", []string{"shot.png"}, "look at D/shot.png", nil},
		{"one of three is missing", []string{"a.png", "b.png"}, "D/a.png D/b.png D/none.png", nil},
		{"one of two is a folder", []string{"a.png", "sub/x"}, "D/a.png D/sub", nil},
		{"a relative name", []string{"a.png"}, "a.png", nil},
		{"a variable is not expanded", []string{"a.png"}, "$HOME/a.png", nil},
		{"a pattern is not expanded", []string{"a.png"}, "D/*.png", nil},
		{"a NUL in the text", []string{"a.png"}, "D/a.png\x00", nil},
		{"nothing but blanks", nil, " \n\t ", nil},
		{"nothing", nil, "", nil},
		{"an empty quoted word", []string{"a.png"}, `D/a.png ""`, nil},
		{"blank lines between names", []string{"a.png", "b.png"}, "\nD/a.png\n\n\nD/b.png\n", []string{"a.png", "b.png"}},
		{"the same file twice", []string{"a.png"}, "D/a.png D/a.png", []string{"a.png", "a.png"}},
	}
}

func TestPastedTextIsReadAsTheFilesItNames(t *testing.T) {
	root := t.TempDir()
	for i, c := range pathCases() {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(root, strconv.Itoa(i))
			at := plant(t, dir, c.files...)
			var want []string
			for _, name := range c.want {
				want = append(want, at("")+"/"+name)
			}
			var got []string
			for _, f := range ParsePaths(strings.ReplaceAll(c.paste, "D/", dir+"/"), Disk{}) {
				got = append(got, f.Path)
			}
			if !slices.Equal(got, want) {
				t.Errorf("pasting %q means %q, want %q", c.paste, got, want)
			}
		})
	}
}

func TestTheMixOfEscapesOfAMacScreenshotDropIsRead(t *testing.T) {
	dir := t.TempDir()
	name := "TemporaryItems/NSIRD_screencaptureui_AbCdEf/Screenshot 2026-05-12 at 4.42.48" + narrow + "PM.png"
	at := plant(t, dir, name)
	paste := dir + `/TemporaryItems/NSIRD_screencaptureui_AbCdEf/Screenshot\ 2026-05-12\ at\ 4.42.48` + narrow + "PM.png "
	got := ParsePaths(paste, Disk{})
	if len(got) != 1 || got[0].Path != at(name) {
		t.Fatalf("the drop means %v, want %s", got, at(name))
	}
	if got[0].Renamed() {
		t.Error("an exact name is reported as renamed")
	}
}

func TestAFoldedNameIsReportedWithItsTrueName(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a"+narrow+"b.png")
	got := ParsePaths(dir+"/a b.png", Disk{})
	if len(got) != 1 || !got[0].Renamed() || got[0].Asked != dir+"/a b.png" {
		t.Fatalf("got %+v, want one renamed file", got)
	}
}

func TestLongTextIsNeverLookedAtAsPaths(t *testing.T) {
	dir := t.TempDir()
	at := plant(t, dir, "a.png")
	if got := ParsePaths(at("a.png")+strings.Repeat("\n", maxPathText), Disk{}); got != nil {
		t.Errorf("text over %d bytes was read as %v", maxPathText, got)
	}
}

func TestAFolderOfTooManyEntriesIsNotSearched(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a"+narrow+"b.png")
	many := crowded{Disk{}, maxSiblings + 1}
	if got := ParsePaths(dir+"/a b.png", many); got != nil {
		t.Errorf("a folder of %d entries was searched: %v", maxSiblings+1, got)
	}
}

// crowded is a disk whose folders are filled up to n entries.
type crowded struct {
	Disk
	n int
}

func (c crowded) Names(folder string, limit int) ([]string, error) {
	names, err := c.Disk.Names(folder, limit)
	for len(names) < min(c.n, limit) {
		names = append(names, "filler")
	}
	return names, err
}

func TestHomeAndOwnHostAreUnderstood(t *testing.T) {
	dir := t.TempDir()
	at := plant(t, dir, "a b.png")
	f := &Finder{Home: dir, Host: "desk"}
	for _, paste := range []string{"~/a b.png", `~/a\ b.png`, "file://desk" + dir + "/a%20b.png", "file://DESK" + dir + "/a%20b.png"} {
		got := f.Paths(paste)
		if len(got) != 1 || got[0].Path != at("a b.png") {
			t.Errorf("%q means %v, want %s", paste, got, at("a b.png"))
		}
	}
	if got := f.Paths("~other/a b.png"); got != nil {
		t.Errorf("another user's home was read: %v", got)
	}
}

func TestWindowsNamesAreMappedUnderWSL(t *testing.T) {
	mnt := t.TempDir()
	at := plant(t, mnt, "c/Users/u/a b.png", "c/t/x.png", "home/u/y z.png")
	f := &Finder{GOOS: "linux", Drives: mnt, Distro: "Ubuntu"}
	for paste, want := range map[string]string{
		`C:\Users\u\a b.png`:                                      "c/Users/u/a b.png",
		`"C:\Users\u\a b.png"`:                                    "c/Users/u/a b.png",
		`c:/Users/u/a b.png`:                                      "c/Users/u/a b.png",
		`file:///C:/Users/u/a%20b.png`:                            "c/Users/u/a b.png",
		`\\wsl.localhost\Ubuntu` + mnt + `\home\u\y z.png`:        "home/u/y z.png",
		`\\wsl$\ubuntu` + mnt + `\home\u\y z.png`:                 "home/u/y z.png",
		`file://wsl.localhost/Ubuntu` + mnt + `/home/u/y%20z.png`: "home/u/y z.png",
	} {
		got := f.Paths(paste)
		if len(got) != 1 || filepath.Clean(got[0].Path) != at(want) {
			t.Errorf("%q means %v, want %s", paste, got, at(want))
		}
	}
	if got := f.Paths(`"C:\Users\u\a b.png" C:\t\x.png`); len(got) != 2 {
		t.Errorf("two Windows names on a line mean %v, want both", got)
	}
	for _, paste := range []string{`\\wsl.localhost\Debian` + mnt + `\home\u\y z.png`, `\\server\share\x.png`} {
		if got := f.Paths(paste); got != nil {
			t.Errorf("%q of another machine was read: %v", paste, got)
		}
	}
}

func TestWindowsNamesKeepTheirBackslashesAndSharesAreLeftAlone(t *testing.T) {
	f := &Finder{GOOS: "windows", Home: `C:\Users\u`}
	for token, ok := range map[string]bool{
		`C:\a\b (1).png`:         true,
		`C:/a/b.png`:             true,
		`"C:\a b.png"`:           true,
		`file:///C:/a%20b.png`:   true,
		`\\server\share\x.png`:   false,
		`//server/share/x.png`:   false,
		`file://server/share/x`:  false,
		`\\?\C:\x.png`:           false,
		`/a/b.png`:               false,
		`file:////server/s/x.pn`: false,
	} {
		if _, got := f.absolute(token); got != ok {
			t.Errorf("%s counts as a local file: %v, want %v", token, got, ok)
		}
	}
	f.shares = true
	if _, ok := f.absolute(`\\server\share\x.png`); !ok {
		t.Error("a file copied on a share is not taken")
	}
	words, err := SplitArgs(`"C:\a b.png" C:\c\d.png`, "windows")
	if err != nil || !slices.Equal(words, []string{`C:\a b.png`, `C:\c\d.png`}) {
		t.Errorf("split into %q, %v", words, err)
	}
}

func TestARetypedNameFindsItsFile(t *testing.T) {
	dir := t.TempDir()
	at := plant(t, dir, "Shot at 4.42.48"+narrow+"PM.png", "été.png", "a b.png", "ab.png", "x"+narrow+"y.png", "x"+noBreak+"y.png")
	for asked, want := range map[string]string{
		"Shot at 4.42.48 PM.png":                "Shot at 4.42.48" + narrow + "PM.png",
		"Shot at 4.42.48PM.png":                 "Shot at 4.42.48" + narrow + "PM.png",
		norm.NFD.String("été.png"):              "été.png",
		"a b.png":                               "a b.png",
		"Shot  at 4.42.48 PM.png":               "Shot at 4.42.48" + narrow + "PM.png",
		"x" + narrow + "y.png":                  "x" + narrow + "y.png",
		"../" + filepath.Base(dir) + "/a b.png": "a b.png",
	} {
		got, err := ResolveName(dir+"/"+asked, Disk{})
		if err != nil || filepath.Clean(got.Path) != at(want) {
			t.Errorf("%q finds %q, %v; want %q", asked, got.Path, err, want)
		}
	}
	if _, err := ResolveName(at("x y.png"), Disk{}); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("two files answer to the name, yet the error is %v", err)
	}
	if _, err := ResolveName(at("none.png"), Disk{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file answers to the name, yet the error is %v", err)
	}
	if _, err := ResolveName("a b.png", Disk{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a relative name gave %v", err)
	}
}

func TestAttachTakesOneUnquotedNameOrSeveralWords(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "my shot.png", "b.png")
	f := &Finder{}
	for line, want := range map[string]int{
		"my shot.png":             1,
		"'my shot.png' b.png":     2,
		`my\ shot.png ./b.png`:    2,
		dir + "/b.png":            1,
		"b.png " + dir + "/b.png": 2,
	} {
		found, missing, err := f.Args(line, dir)
		if err != nil || len(found) != want || len(missing) != 0 {
			t.Errorf("%q: found %v, missing %q, %v; want %d files", line, found, missing, err, want)
		}
	}
	if _, missing, _ := f.Args("b.png none.png", dir); !slices.Equal(missing, []string{"none.png"}) {
		t.Errorf("missing %q, want none.png", missing)
	}
	plant(t, dir, "x"+narrow+"y.png", "x"+noBreak+"y.png")
	if _, _, err := f.Args("b.png 'x y.png'", dir); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("two files answer to the name, yet the error is %v", err)
	}
	if _, _, err := f.Args("'b.png", dir); err == nil {
		t.Error("an open quote is not reported")
	}
}

func FuzzParsePaths(f *testing.F) {
	dir := f.TempDir()
	plant(f, dir, "a b.png", "c"+narrow+"d.png", "it's.png", `e\f.png`)
	for _, c := range pathCases() {
		f.Add(c.paste)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "D/", dir+"/")
		for _, found := range ParsePaths(text, Disk{}) {
			info, err := os.Stat(found.Path)
			if err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(found.Path) {
				t.Fatalf("%q means %q, which is no regular file", text, found.Path)
			}
		}
		if words, err := SplitArgs(text, "linux"); err == nil {
			for _, w := range words {
				if len(w) > len(text) {
					t.Fatalf("%q split into the longer %q", text, w)
				}
			}
		}
	})
}
