package media

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// specimen is one file of the public test pictures and what the reference C decoders make of it.
type specimen struct {
	name, format, verdict string
	width, height         int
	note                  string
}

// corpora returns the folder of public test pictures, or skips: it is beside the project, not in it. Where
// ESPY_SHARED names the folder around it, a missing folder is a failure.
func corpora(t testing.TB) string {
	t.Helper()
	if shared := os.Getenv("ESPY_SHARED"); shared != "" {
		dir := filepath.Join(shared, "corpora")
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("ESPY_SHARED is set and there are no test pictures: %v", err)
		}
		return dir
	}
	for dir, _ := os.Getwd(); ; dir = filepath.Dir(dir) {
		if found := filepath.Join(dir, "shared", "corpora"); isDir(found) {
			return found
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no folder shared/corpora above this one; set ESPY_SHARED to run over the public test pictures")
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func specimens(t testing.TB, dir string) []specimen {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []specimen
	for s := bufio.NewScanner(f); s.Scan(); {
		col := strings.Split(s.Text(), "\t")
		if len(col) < 6 || col[0] == "path" {
			continue
		}
		w, _ := strconv.Atoi(col[3])
		h, _ := strconv.Atoi(col[4])
		all = append(all, specimen{filepath.Join(dir, col[0]), col[1], col[2], w, h, col[5]})
	}
	if len(all) < 500 {
		t.Fatalf("only %d test pictures are listed in %s", len(all), dir)
	}
	return all
}

// openFile opens a picture for the test's duration.
func openFile(t testing.TB, path string) (*os.File, int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return f, info.Size()
}
