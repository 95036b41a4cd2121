package extend

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every complete example of the page must be a file that works.
func TestTheExamplesOfThePageParse(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	var files []File
	for _, m := range regexp.MustCompile("(?s)```(toml|markdown)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		path := "tools/example.toml"
		switch {
		case strings.Contains(m[2], "[[hook]]"):
			path = "extensions/example/hooks.toml"
		case m[1] == "markdown" && strings.Contains(m[2], "name:"):
			path = "skills/example/SKILL.md"
		case m[1] == "markdown":
			path = "commands/example.md"
		}
		files = append(files, File{Path: path, Data: []byte(m[2])})
	}
	s := Parse(files)
	if len(s.Problems) > 0 || len(s.Tools) != 4 || len(s.Skills) != 1 || len(s.Commands) != 1 || len(s.Hooks) != 2 {
		t.Errorf("%d tools, %d skills, %d commands, problems %q", len(s.Tools), len(s.Skills), len(s.Commands), s.Problems)
	}
}
