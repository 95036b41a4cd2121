package diffview

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"espy/ui/screen"
)

// kind is what a line of a diff is.
type kind int

const (
	plain kind = iota // text that is no diff
	title             // the name of a file
	note              // what git says about a file, or "no newline at end of file"
	hunk              // @@ -1,2 +1,3 @@
	same
	add
	remove
)

// line is one line of a diff, its text safe to show. text[from:to] differs from the line it is set against.
type line struct {
	kind     kind
	text     string
	number   int // in the new file, of removed lines in the old one; 0 where there is none
	from, to int
}

// reader follows a diff. Inside a hunk the counts of its header say what belongs to it, so that a removed line "-- x" is not
// taken for a header.
type reader struct {
	lines            []line
	old, new         int // next line numbers
	oldLeft, newLeft int // lines of the hunk still to come
	oldName          string
}

func parse(diff string) []line {
	var r reader
	for text := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		text = strings.TrimSuffix(text, "\r")
		if r.oldLeft > 0 || r.newLeft > 0 {
			if r.inHunk(text) {
				continue
			}
			r.oldLeft, r.newLeft = 0, 0
		}
		r.outside(text)
	}
	return r.lines
}

// inHunk takes a line of a hunk, false when it cannot be one.
func (r *reader) inHunk(text string) bool {
	sign, rest := byte(' '), ""
	if text != "" { // an empty line is an empty line of the file whose space was trimmed
		sign, rest = text[0], screen.SafeLine(text[1:])
	}
	switch {
	case sign == ' ' && r.oldLeft > 0 && r.newLeft > 0:
		r.lines = append(r.lines, line{kind: same, text: rest, number: r.new})
		r.old, r.new, r.oldLeft, r.newLeft = r.old+1, r.new+1, r.oldLeft-1, r.newLeft-1
	case sign == '+' && r.newLeft > 0:
		r.lines = append(r.lines, line{kind: add, text: rest, number: r.new})
		r.new, r.newLeft = r.new+1, r.newLeft-1
	case sign == '-' && r.oldLeft > 0:
		r.lines = append(r.lines, line{kind: remove, text: rest, number: r.old})
		r.old, r.oldLeft = r.old+1, r.oldLeft-1
	case sign == '\\':
		r.lines = append(r.lines, line{kind: note, text: screen.SafeLine(text)})
	default:
		return false
	}
	return true
}

// outside takes a line between hunks.
func (r *reader) outside(text string) {
	switch {
	case strings.HasPrefix(text, "@@ ") && r.header(text):
		r.lines = append(r.lines, line{kind: hunk, text: screen.SafeLine(text)})
	case strings.HasPrefix(text, "--- "):
		r.oldName = fileName(text[len("--- "):])
	case strings.HasPrefix(text, "+++ "):
		r.lines = append(r.lines, line{kind: title, text: screen.SafeLine(named(r.oldName, fileName(text[len("+++ "):])))})
		r.oldName = ""
	case strings.HasPrefix(text, "diff --git "), strings.HasPrefix(text, "index "):
	case isNote(text):
		r.lines = append(r.lines, line{kind: note, text: screen.SafeLine(text)})
	default:
		r.lines = append(r.lines, line{kind: plain, text: screen.SafeLine(text)})
	}
}

// isNote recognises what git says between the header of a file and its hunks.
func isNote(text string) bool {
	for _, start := range []string{
		`\ `, "new file mode", "deleted file mode", "old mode", "new mode", "similarity index", "rename from", "rename to", "copy from",
		"copy to", "Binary files ", "GIT binary patch",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// header reads "@@ -a,b +c,d @@", false when it is not that.
func (r *reader) header(text string) bool {
	fields := strings.SplitN(text, " ", 5)
	if len(fields) < 4 || !strings.HasPrefix(fields[3], "@@") {
		return false
	}
	old, oldCount, ok1 := span(fields[1], '-')
	now, newCount, ok2 := span(fields[2], '+')
	if !ok1 || !ok2 {
		return false
	}
	r.old, r.oldLeft, r.new, r.newLeft = old, oldCount, now, newCount
	return true
}

// span reads "-a,b" or "-a".
func span(s string, sign byte) (start, count int, ok bool) {
	if s == "" || s[0] != sign {
		return 0, 0, false
	}
	first, second, found := strings.Cut(s[1:], ",")
	if !found {
		second = "1"
	}
	start, err1 := strconv.Atoi(first)
	count, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || start < 0 || count < 0 || len(first) > maxDigits || len(second) > maxDigits {
		return 0, 0, false
	}
	return start, count, true
}

// fileName takes off the time stamp that diff writes after a tab, and git's a/ or b/.
func fileName(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return rest
		}
	}
	return s
}

// named is the title of a file by its two names.
func named(old, now string) string {
	const none = "/dev/null"
	switch {
	case old == none:
		return now + " (new)"
	case now == none:
		return old + " (deleted)"
	case old == now || old == "":
		return now
	}
	return old + " → " + now
}

// pair sets each removed line of a run against an added one where the two runs are as long, and marks in both what differs.
func pair(lines []line) {
	for i := 0; i < len(lines); {
		removed := run(lines[i:], remove)
		added := run(lines[i+removed:], add)
		if removed == added && removed <= maxPaired {
			for k := range removed {
				mark(&lines[i+k], &lines[i+removed+k])
			}
		}
		i += max(removed+added, 1)
	}
}

// run is how many lines of a kind lines begin with.
func run(lines []line, k kind) int {
	n := 0
	for n < len(lines) && lines[n].kind == k {
		n++
	}
	return n
}

// mark finds the part between the common start and the common end of two lines. Lines with little in common stay unmarked.
func mark(a, b *line) {
	start := 0
	for start < len(a.text) && start < len(b.text) && a.text[start] == b.text[start] {
		start++
	}
	end := 0
	for end < len(a.text)-start && end < len(b.text)-start && a.text[len(a.text)-1-end] == b.text[len(b.text)-1-end] {
		end++
	}
	start, end = atRune(a.text, start), len(a.text)-afterRune(a.text, len(a.text)-end)
	if 3*(start+end) < min(len(a.text), len(b.text)) {
		return
	}
	a.from, a.to = start, len(a.text)-end
	b.from, b.to = start, len(b.text)-end
}

// atRune is the last start of a character at or before i.
func atRune(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// afterRune is the first start of a character at or after i.
func afterRune(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
