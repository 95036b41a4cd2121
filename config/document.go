package config

import (
	"bytes"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a settings file taken apart: its keys with their values in the order written, each with the offset
// it stands at, and the faults of its text. A fault costs the entry it is in and no other.
type document struct {
	text    []byte
	lines   []int // offset of each line's start
	entries []entry
	tables  []header
	faults  []fault
}

// entry is one key with its value. Inside [[models]] the path has an element name: models, #2, id.
type entry struct {
	path []string
	at   int
	value
}

// header is a [table] or [[list of tables]] line.
type header struct {
	path []string
	at   int
}

// value is a TOML value: its text for strings, numbers and truth values, else its elements or fields.
type value struct {
	kind   unstable.Kind
	text   string
	list   []value
	fields []entry
	at     int
}

// fault is a place that is not TOML, in a table, and the text from start to end that was skipped with it.
type fault struct {
	at         int
	sentence   string
	table      []string
	start, end int
}

// parse takes a text apart. The parser stops at the first syntax fault, so it is started again on the line after
// the start of each faulty entry. Faults in a row are one: what follows an open bracket is its fault too.
func parse(text []byte) *document {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	d := &document{text: text, lines: lineStarts(text)}
	r := reading{document: d, counts: map[string]int{}}
	for from := 0; from < len(text); {
		before := len(d.entries) + len(d.tables)
		failed, at, message := r.run(from)
		if !failed {
			break
		}
		start := r.entryStart(from, at)
		next := d.lineAfter(start)
		r.fault(start, next, at, message, from > 0 && len(d.entries)+len(d.tables) == before)
		from = next
	}
	return d
}

// reading is the state while a document is taken apart.
type reading struct {
	*document
	table  []string
	lost   bool           // the header above could not be read: its keys belong nowhere
	counts map[string]int // how many elements a list of tables has
}

// run reads entries from an offset on until the end or a fault, and says where that is.
func (r *reading) run(from int) (failed bool, at int, message string) {
	var p unstable.Parser
	p.Reset(r.text[from:])
	for p.NextExpression() {
		r.expression(&p, p.Expression(), from)
	}
	err := p.Error()
	if err == nil {
		return false, 0, ""
	}
	var parsing *unstable.ParserError
	if !errors.As(err, &parsing) {
		return true, from, err.Error()
	}
	at = from
	if len(parsing.Highlight) > 0 {
		at += int(p.Range(parsing.Highlight).Offset)
	} else {
		at = len(r.text)
	}
	return true, at, parsing.Message
}

func (r *reading) expression(p *unstable.Parser, node *unstable.Node, from int) {
	path, at := keyOf(node, from)
	switch node.Kind {
	case unstable.Table:
		r.table, r.lost = r.inElement(path), false
		r.tables = append(r.tables, header{r.table, at})
	case unstable.ArrayTable:
		parent := r.inElement(path[:len(path)-1])
		full := append(parent, path[len(path)-1])
		name := strings.Join(full, "\x00")
		r.table, r.lost = append(full, element(r.counts[name])), false
		r.counts[name]++
		r.tables = append(r.tables, header{r.table, at})
	case unstable.KeyValue:
		if r.lost {
			return
		}
		full := append(append([]string{}, r.table...), path...)
		r.entries = append(r.entries, entry{full, at, valueOf(p, node.Value(), from, at, 0)})
	}
}

// inElement inserts the current element's name after each list of tables in a header's path.
func (r *reading) inElement(path []string) []string {
	var full []string
	for _, part := range path {
		full = append(full, part)
		if n := r.counts[strings.Join(full, "\x00")]; n > 0 {
			full = append(full, element(n-1))
		}
	}
	return full
}

func keyOf(node *unstable.Node, from int) (path []string, at int) {
	at = -1
	for it := node.Key(); it.Next(); {
		key := it.Node()
		if at < 0 {
			at = from + int(key.Raw.Offset)
		}
		path = append(path, string(key.Data))
	}
	return path, at
}

// valueOf copies a value out of the parser. Where the parser keeps no place for it, it gets its key's.
func valueOf(p *unstable.Parser, node *unstable.Node, from, at, depth int) value {
	if node.Raw.Length > 0 {
		at = from + int(node.Raw.Offset)
	}
	v := value{kind: node.Kind, text: string(node.Data), at: at}
	if depth == maxDepth {
		v.kind = unstable.Invalid
		return v
	}
	for it := node.Children(); it.Next(); {
		child := it.Node()
		switch {
		case node.Kind == unstable.Array && child.Kind != unstable.Comment:
			v.list = append(v.list, valueOf(p, child, from, at, depth+1))
		case node.Kind == unstable.InlineTable && child.Kind == unstable.KeyValue:
			path, keyAt := keyOf(child, from)
			v.fields = append(v.fields, entry{path, keyAt, valueOf(p, child.Value(), from, keyAt, depth+1)})
		}
	}
	return v
}

// entryStart is the offset of the line on which the entry with a fault at an offset begins: the last line up to
// which everything reads well.
func (r *reading) entryStart(from, at int) int {
	last := r.lineOf(at)
	for line := last; line >= 0 && line > last-maxBack && r.lines[line] > from; line-- {
		var p unstable.Parser
		p.Reset(r.text[from:r.lines[line]])
		for p.NextExpression() {
		}
		if p.Error() == nil {
			return r.lines[line]
		}
	}
	if last-r.lineOf(from) < maxBack {
		return from
	}
	return r.lines[last]
}

// fault notes a fault, or lets the one before it reach further.
func (r *reading) fault(start, next, at int, message string, again bool) {
	if again && len(r.faults) > 0 {
		r.faults[len(r.faults)-1].end = next
	} else {
		r.faults = append(r.faults, fault{at, message, r.table, start, next})
	}
	if bytes.HasPrefix(bytes.TrimSpace(r.text[start:next]), []byte("[")) {
		r.lost = true
	}
}

// lineAfter is the offset of the line after the one an offset is in.
func (d *document) lineAfter(at int) int {
	if line := d.lineOf(at); line+1 < len(d.lines) {
		return d.lines[line+1]
	}
	return len(d.text)
}

// place is the line and column of an offset, from 1, the column in characters.
func (d *document) place(at int) (line, column int) {
	at = min(at, len(d.text))
	n := d.lineOf(at)
	return n + 1, utf8.RuneCount(d.text[d.lines[n]:at]) + 1
}

func (d *document) lineOf(at int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > at }) - 1
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
