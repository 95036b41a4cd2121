package tools

import (
	"fmt"
	"sort"
	"strings"
)

// replacement is one exact change of a text.
type replacement struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
	All bool   `json:"replace_all"`
}

// applyEdits makes the replacements in order, each on what the one before left, and returns the whole new
// text or an error and nothing. A byte order mark and the file's line endings stay: models read and write
// plain line feeds, so in a file with CRLF both are compared as line feeds and what is put in gets the ending
// of what it replaces. Nothing outside the replaced text changes.
func applyEdits(content string, edits []replacement) (string, error) {
	mark := ""
	if strings.HasPrefix(content, utf8Mark) {
		mark, content = utf8Mark, content[len(utf8Mark):]
	}
	original := content
	for i, e := range edits {
		next, err := e.apply(content)
		if err != nil {
			if len(edits) == 1 {
				return "", err
			}
			if i > 0 && len(unify(original).find(e.Old, false)) > 0 && len(unify(content).find(e.Old, false)) == 0 {
				err = fmt.Errorf("old_text was there until an earlier edit of this call changed it")
			}
			return "", fmt.Errorf("edit %d of %d: %w; nothing was changed", i+1, len(edits), err)
		}
		content = next
	}
	if content == original {
		return "", fmt.Errorf("the edits cancel each other out; nothing was changed")
	}
	return mark + content, nil
}

func (e replacement) apply(content string) (string, error) {
	switch {
	case e.Old == "":
		return "", fmt.Errorf("old_text is empty; give the text to replace, or use write to make a file")
	case e.Old == e.New:
		return "", fmt.Errorf("old_text and new_text are the same")
	}
	text := unify(content)
	hits := text.find(e.Old, e.All)
	switch {
	case len(hits) == 0:
		return "", notFound(text.plain, text.normal(e.Old))
	case len(hits) > 1 && !e.All:
		return "", notUnique(text, e.Old)
	}
	var b strings.Builder
	done := 0
	for _, h := range hits {
		from, to := text.raw(h), text.raw(h+len(text.normal(e.Old)))
		b.WriteString(content[done:from])
		b.WriteString(text.withEnding(e.New, content[from:to]))
		done = to
	}
	b.WriteString(content[done:])
	return b.String(), nil
}

// unified is a text with CRLF read as LF, and the way back.
type unified struct {
	plain  string
	breaks []int // positions in plain of the line feeds that had a carriage return before them
	crlf   bool  // most lines end with CRLF
}

func unify(content string) unified {
	if !strings.Contains(content, "\r\n") {
		return unified{plain: content}
	}
	u := unified{plain: strings.ReplaceAll(content, "\r\n", "\n")}
	at := 0
	for {
		i := strings.Index(content[at:], "\r\n")
		if i < 0 {
			break
		}
		u.breaks = append(u.breaks, at+i-len(u.breaks))
		at += i + 2
	}
	u.crlf = 2*len(u.breaks) >= strings.Count(u.plain, "\n")
	return u
}

// normal is the text as it is looked for: with line feeds only, where the file has any CRLF.
func (u unified) normal(text string) string {
	if len(u.breaks) == 0 {
		return text
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// find returns where a text starts in plain: all places that do not overlap, or with all unset up to two that
// may, because a text that fits twice is ambiguous even where it overlaps itself.
func (u unified) find(text string, all bool) []int {
	text = u.normal(text)
	if text == "" {
		return nil
	}
	step := 1
	if all {
		step = len(text)
	}
	var hits []int
	for at := 0; all || len(hits) < 2; {
		i := strings.Index(u.plain[at:], text)
		if i < 0 {
			break
		}
		hits = append(hits, at+i)
		at += i + step
	}
	return hits
}

// raw is the place in the file of a place in plain.
func (u unified) raw(at int) int {
	return at + sort.SearchInts(u.breaks, at)
}

// withEnding gives a new text the line ending of the text it replaces, or else of the file.
func (u unified) withEnding(text, replaced string) string {
	if len(u.breaks) == 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	crlf := u.crlf
	if strings.Contains(replaced, "\n") {
		crlf = strings.Contains(replaced, "\r\n")
	}
	if crlf {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
