package ui

import (
	"context"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// completionKind says what a list of completions names.
type completionKind int

const (
	completeNothing completionKind = iota
	completePath                   // after "@"
	completeAttach                 // an argument of /attach
	completeCommand                // the first word after "/"
	completeArg                    // an argument of another command
)

// wanted is what the text at the cursor asks to complete: the cells from start to the cursor.
type wanted struct {
	kind    completionKind
	start   spot
	query   string
	command string // completeArg: whose argument it is
}

// completion is the list above the composer.
type completion struct {
	want     wanted
	items    []suggestion
	of       wanted // what the items were found for; they stand until those for want are here
	selected int
	moved    bool   // the person chose the line
	closed   wanted // the person closed the list here; it stays closed until the word changes
}

// suggestion is one line of the list.
type suggestion struct {
	insert string
	hint   string
	about  string
	marks  []int // bytes of insert that matched
	loose  bool  // only its letters matched, in order
}

func (c *completion) open() bool { return len(c.items) > 0 }

// late reports whether the lines are still those for a word that was typed on since. No key takes one of them: it
// would put something else in the place of what was typed.
func (c *completion) late() bool { return c.of != c.want }

func (c *completion) close() { c.closed, c.items, c.selected, c.moved = c.want, nil, 0, false }

func (c *completion) move(by int) {
	if n := len(c.items); n > 0 {
		c.selected, c.moved = ((c.selected+by)%n+n)%n, true
	}
}

// guessed reports whether the chosen line is one nobody wrote or moved to: enter leaves it alone.
func (c *completion) guessed() bool { return c.items[c.selected].loose && !c.moved }

func (c *completion) show(items []suggestion) {
	c.items, c.of = items, c.want
	c.selected = min(c.selected, max(len(items)-1, 0))
}

// wantedAt reads what is to be completed before the cursor. Only the cursor's line is looked at.
func wantedAt(b *buffer) wanted {
	line, at := b.lines[b.at.row], b.at.col
	start := at
	for start > 0 && line[start-1].chip == nil && !blank(line[start-1].text) {
		start--
	}
	word := textOf(line[start:at])
	first := b.at.row == 0 && start == 0
	switch {
	case strings.HasPrefix(word, "@"):
		return wanted{kind: completePath, start: spot{b.at.row, start + 1}, query: word[1:]}
	case first && strings.HasPrefix(word, "/"):
		return wanted{kind: completeCommand, start: spot{0, 0}, query: word[1:]}
	case b.at.row == 0 && len(line) > 0 && line[0].text == "/" && !first:
		name, _, _ := strings.Cut(textOf(line[1:start]), " ")
		w := wanted{kind: completeArg, start: spot{0, start}, query: word, command: name}
		if name == "attach" {
			w.kind = completeAttach
		}
		return w
	}
	return wanted{}
}

func blank(s string) bool { return s == " " || s == "\t" }

func textOf(line []cell) string {
	var b strings.Builder
	for _, c := range line {
		if c.chip == nil {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// found brings completions of a path back from a command.
type found struct {
	want  wanted
	items []suggestion
}

// findPaths asks for paths that go on from the query, and for those that have its letters in order.
func findPaths(ctx context.Context, in Intake, want wanted) found {
	paths := in.Complete(ctx, want.query, completions)
	have := map[string]bool{}
	for _, p := range paths {
		have[p] = true
	}
	if want.query != "" && len(paths) < popupRows && !strings.HasPrefix(want.query, "/") && !strings.HasPrefix(want.query, "~") {
		pool := in.Complete(ctx, "", fuzzyPool)
		for _, m := range fuzzy.Find(want.query, pool) {
			if !have[m.Str] && len(paths) < completions {
				have[m.Str] = true
				paths = append(paths, m.Str)
			}
		}
	}
	return found{want, ranked(want.query, paths)}
}

// ranked puts the paths that match best first and keeps the others behind them.
func ranked(query string, paths []string) []suggestion {
	out := make([]suggestion, 0, len(paths))
	if query != "" {
		seen := map[int]bool{}
		for _, m := range fuzzy.Find(query, paths) {
			seen[m.Index] = true
			out = append(out, suggestion{insert: m.Str, marks: m.MatchedIndexes})
		}
		for i, p := range paths {
			if !seen[i] {
				out = append(out, suggestion{insert: p})
			}
		}
		slices.SortStableFunc(out, func(a, b suggestion) int { // enter takes the first: what was typed in full stays
			switch {
			case a.insert == query && b.insert != query:
				return -1
			case b.insert == query && a.insert != query:
				return 1
			}
			return 0
		})
		return out
	}
	for _, p := range paths {
		out = append(out, suggestion{insert: p})
	}
	return out
}

// accept puts the chosen suggestion into the text. It reports whether the word goes on, as a folder does.
func (c *completion) accept(b *buffer) (more bool) {
	if !c.open() {
		return false
	}
	s := c.items[c.selected]
	text := s.insert
	more = strings.HasSuffix(text, "/")
	if c.want.kind == completePath || c.want.kind == completeAttach {
		if strings.ContainsAny(text, " \t'\\") && !more {
			text = `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
		}
	}
	if c.want.kind == completeCommand {
		text = "/" + text
	}
	if !more {
		text += " "
	}
	b.remove(c.want.start, false)
	b.insert(text)
	if more {
		c.items = nil
	} else {
		c.close()
	}
	return more
}

// view draws the list, the selected line in it.
func (c *completion) view(width, most int, t *theme) []string {
	rows := min(len(c.items), most)
	if rows <= 0 {
		return nil
	}
	more := rows < len(c.items) && rows > 2
	if more {
		rows--
	}
	from := min(max(c.selected-rows/2, 0), len(c.items)-rows)
	widest := 0
	for _, s := range c.items[from : from+rows] {
		widest = max(widest, cellsOf(c.prefix()+flat(s.insert+" "+s.hint)))
	}
	widest = min(widest, width-4)
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = c.line(c.items[from+i], from+i == c.selected, widest, width, t)
	}
	if more {
		lines = append(lines, t.faint.Render(cut("  "+grouped(c.selected+1)+" of "+grouped(len(c.items)), width)))
	}
	return lines
}

func (c *completion) prefix() string {
	switch c.want.kind {
	case completeCommand:
		return "/"
	case completePath:
		return "@"
	}
	return ""
}

func (c *completion) line(s suggestion, selected bool, widest, width int, t *theme) string {
	name := cut(c.prefix()+flat(s.insert), widest)
	hint := cut(flat(s.hint), max(widest-cellsOf(name)-1, 0))
	pad := strings.Repeat(" ", max(widest-cellsOf(name)-cellsOf(hint)-1, 0))
	about := cut(flat(s.about), max(width-widest-6, 0))
	if selected {
		return "› " + t.selected.Render(cut(name+" "+hint+pad+"  "+about, width-2))
	}
	return "  " + c.marked(name, s, t) + " " + t.dim.Render(hint) + pad + "  " + t.dim.Render(about)
}

// marked shows which letters were found; only names that are drawn as they are can be marked.
func (c *completion) marked(name string, s suggestion, t *theme) string {
	if name != c.prefix()+s.insert || len(s.marks) == 0 {
		return name
	}
	hit := map[int]bool{}
	for _, i := range s.marks {
		hit[i] = true
	}
	var out strings.Builder
	out.WriteString(c.prefix())
	for i, r := range s.insert {
		if hit[i] {
			out.WriteString(t.match.Render(string(r)))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
