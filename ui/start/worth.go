package start

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// firstRead are files that say what a folder is about, the best first.
var firstRead = []string{"README.md", "README", "readme.md", "README.rst", "README.txt", "AGENTS.md", "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "Makefile"}

// mostLookedAt bounds the names of a folder that are looked through for one worth reading.
const mostLookedAt = 500

// worthReading names a file of a folder for the first screen to suggest; "" where there is none.
func worthReading(folder string) string {
	dir, err := os.Open(folder)
	if err != nil {
		return ""
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(mostLookedAt)
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	for _, name := range firstRead {
		if slices.Contains(names, name) {
			return name
		}
		if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}
