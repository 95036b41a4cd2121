//go:build unix

package guard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pieces are what random lines are made of: commands that look, ways to reach the credential, ways to write,
// and everything a shell joins them with.
var pieces = []string{
	"cat", "head", "grep", "grep -r", "grep -rn KEY", "rg", "ls", "sort", "uniq", "find", "wc -l", "echo", "printf %s", "tail -n +1", "nl", "cut -c1-", "tr a b", "sed -n 1p", "awk '{print $1}'", "awk '{print}' FS=x", "test -f", "[", "]", "cd", "cd docs", "pwd", "diff", "od -c", "xxd", "strings", "tac", "rev", "jq -R .", "comm", "paste", "fold",
	".env", "./.env", "../.env", "docs/../.env", ".e*", ".en?", ".[e]nv", "*", ".*", "docs", "docs/*", "main.go", "docs/plan.md", "harmless.txt", "{.env,main.go}", ".{env,x}", "$'\\x2eenv'", "\".env\"", "'.env'", ".e\\nv", "$X", "\"$X\"", "${X:-.env}", "${X}", "$PWD/.env", "~", "~/.ssh/id_rsa", "\"$HOME\"/.ssh/*", "leak", "leakdir/*", "../out/secret.txt", "KEY", ".", "..", "-", "--", "''",
	"X=.env", "X=.env;", "x=.env;", "LANG=C", "-r", "-R", "-n", "-f", "-f.env", "-e KEY", "-o docs/out", "-delete", "-exec cat {} +", "-exec cat {} ;", "-name .env", "--files0-from=.env", "--hidden", "-uu", "-print0", "-0",
	"|", "||", "&&", ";", "&", "\n", "(", ")", "{", "}", "!", "<", "<.env", "< main.go", ">", "> docs/out", ">> docs/out", "2>&1", "2>/dev/null", ">/dev/null", "<<<", "<<EOF\n", "\nEOF\n", "$(", "`", "<(", "\"", "'", "\\", "#", "$((1+1))", "xargs cat", "xargs", "eval", "sh -c", "bash -c", "'cat .env'", "\"cat .env\"", "'cat main.go'", "time", "timeout 1", "env", "command", "exec", "nice", "tee docs/out", "if true; then", "fi", "for f in", "; do", "done", "while false", "f() {", "f", "read X", "[[", "]]", "-eq", "source", ".", "trap", "EXIT",
}

func randomLine(r *rand.Rand) string {
	var words []string
	for range 1 + r.IntN(7) {
		words = append(words, pieces[r.IntN(len(pieces))])
	}
	return strings.Join(words, " ")
}

// everything sums all names and contents below the world's folder.
func (w *world) everything() string {
	h := sha256.New()
	_ = filepath.WalkDir(w.base, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		data, _ := os.ReadFile(path)
		fmt.Fprintf(h, "%s %v %x\n", path, e.Type(), data)
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestLinesThatRunUnaskedPrintNoCredentialAndChangeNothing runs what the judge lets pass in a real shell.
func TestLinesThatRunUnaskedPrintNoCredentialAndChangeNothing(t *testing.T) {
	w := shellWorld(t)
	w.write("ws/.env", w.forbidden)
	g := New(Options{Roots: w.roots})
	before := w.everything()
	lines := []string{}
	for _, c := range commandTable {
		if c.want == Allow && !strings.Contains(c.line, "go ") && !strings.HasPrefix(c.line, "node") { // those keep caches at home
			lines = append(lines, c.line)
		}
	}
	r := rand.New(rand.NewPCG(seedOf(t)))
	for range 30000 {
		lines = append(lines, randomLine(r))
	}
	ran := 0
	for _, line := range lines {
		if d := g.Decide(shellEffect(line)); d.Verdict != Allow {
			continue
		}
		if ran++; ran > maxRuns(t) {
			break
		}
		cmd, err := ShellCommand(context.Background(), line, w.ws, CommandEnvironment(append(os.Environ(), "HOME="+w.home), nil, nil))
		if err != nil {
			t.Skip(err)
		}
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), w.forbidden) {
			t.Errorf("%q printed what is closed", line)
		}
		if w.everything() != before {
			t.Fatalf("%q changed something", line)
		}
	}
	if ran < 100 {
		t.Errorf("only %d lines ran", ran)
	}
	t.Logf("%d lines ran", ran)
}

// seedOf is fixed, so that a failure comes back; ESPY_SEED tries others.
func seedOf(t *testing.T) (uint64, uint64) {
	var seed uint64
	if text := os.Getenv("ESPY_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal(err)
		}
	}
	return seed, 1
}

func maxRuns(t *testing.T) int {
	if os.Getenv("ESPY_SEED") != "" {
		return 1 << 20
	}
	return 300
}
