package extend

import (
	"fmt"
	"strings"
)

// frontMatter splits a Markdown file into the fields between its two "---" lines and its body. Fields are
// "key: value" lines; a value may stand in quotes. A file without front matter has no fields.
func frontMatter(data []byte) (fields map[string]string, body string, err error) {
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFEFF")
	fields = make(map[string]string)
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return fields, text, nil
	}
	head, body, ok := strings.Cut(rest, "\n---")
	if !ok {
		return nil, "", fmt.Errorf("line 1: the front matter that begins here has no closing ---")
	}
	for i, line := range strings.Split(head, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, "", fmt.Errorf("line %d: expected \"key: value\", found %q", i+2, line)
		}
		fields[strings.TrimSpace(key)] = unquoted(strings.TrimSpace(value))
	}
	return fields, strings.TrimPrefix(strings.TrimLeft(body, "-"), "\n"), nil
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
