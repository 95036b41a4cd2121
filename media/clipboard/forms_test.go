//go:build unix

package clipboard

import (
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forms are the ways terminals and file managers write a list of names.
func forms() map[string]func([]string) string {
	each := func(sep string, write func(string) string) func([]string) string {
		return func(names []string) string {
			var out []string
			for _, name := range names {
				out = append(out, write(name))
			}
			return strings.Join(out, sep)
		}
	}
	backslashed := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if strings.IndexByte(" \t\"'\\$`()&;<>|*?[]#~!{}", s[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		}
		return b.String()
	}
	inDouble := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
	}
	asURL := func(s string) string { return (&url.URL{Scheme: "file", Path: s}).String() }
	return map[string]func([]string) string{
		"raw lines":     each("\n", func(s string) string { return s }),
		"single quotes": each(" ", func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }),
		"double quotes": each(" ", inDouble),
		"backslashes":   each(" ", backslashed),
		"URLs":          each("\r\n", asURL),
	}
}

// oddName makes a name of the characters that cause trouble.
func oddName(random *rand.Rand) string {
	pieces := []string{" ", "  ", narrow, noBreak, "'", `"`, `\`, "%20", "%", "(", "&", "$HOME", "`", "~", "#", "?", "é", "e\u0301", "한", "’", "\xff", "[1]", "a", "b", "\t"}
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return "n" + b.String() + ".png" // blanks at the ends of a raw line are not part of a name
}

func TestEveryFormOfEveryOddNameIsRead(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	root := t.TempDir()
	for range 150 {
		dir, err := os.MkdirTemp(root, "d")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for range 1 + random.IntN(3) {
			name := oddName(random)
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Skip("this file system does not hold every name:", err)
			}
			names = append(names, filepath.Join(dir, name))
		}
		for form, write := range forms() {
			paste := write(names)
			got := ParsePaths(paste, Disk{})
			if len(got) != len(names) {
				t.Fatalf("%s: %q means %d files, want %q", form, paste, len(got), names)
			}
			for i := range names {
				if got[i].Path != names[i] {
					t.Fatalf("%s: %q means %q, want %q", form, paste, got[i].Path, names[i])
				}
			}
		}
	}
}
