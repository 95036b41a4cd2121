package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2/unstable"
)

// merging is one file on its way into the settings.
type merging struct {
	*loader
	source
	doc   *document
	seen  map[string]int  // path -> offset of the entry that counts
	muted map[string]bool // tables that are unknown as a whole, told once

	theirs  map[string]bool // MCP servers of an earlier file
	skipped map[string]bool // of those, the ones this file speaks of
	faulty  map[string]bool // MCP servers with a fault in this file
	faults  []found         // told at the end, in the order of the file
}

// found is a problem with its offset.
type found struct {
	at     int
	unsafe bool
	Problem
}

// file merges one file.
func (l *loader) file(s source) {
	if s.err != nil {
		l.add(Problem{File: s.path, Sentence: fmt.Sprintf("the file cannot be read: %s; what it restricts is not known", cause(s.err))}, true)
		return
	}
	m := &merging{loader: l, source: s, doc: parse(s.text), seen: map[string]int{}, muted: map[string]bool{},
		theirs: map[string]bool{}, skipped: map[string]bool{}, faulty: map[string]bool{}}
	for name := range l.config.MCP {
		m.theirs[name] = true
	}
	models := len(l.config.Models)
	for _, f := range m.doc.faults {
		m.syntax(f)
	}
	m.headers()
	for _, e := range m.doc.entries {
		m.entry(e)
	}
	m.unnamed(models)
	m.servers()
	m.tell()
}

// tell hands the file's problems on in the order they stand in it.
func (m *merging) tell() {
	slices.SortStableFunc(m.faults, func(a, b found) int { return a.at - b.at })
	for i, f := range m.faults {
		f.File = m.path
		f.Line, f.Column = m.doc.place(f.at)
		switch {
		case i < maxProblems:
			m.add(f.Problem, f.unsafe)
		case f.unsafe:
			m.unsafe = append(m.unsafe, f.Problem)
		}
	}
	if more := len(m.faults) - maxProblems; more > 0 {
		m.add(Problem{File: m.path, Sentence: fmt.Sprintf("and %d more", more)}, false)
	}
}

func (m *merging) problem(at int, path []string, unsafe bool, format string, args ...any) {
	if len(path) > 1 && path[0] == serverTable {
		m.faulty[path[1]] = true
	}
	m.tellOf(at, path, unsafe, format, args...)
}

// tellOf tells a problem that costs nothing but the entry itself.
func (m *merging) tellOf(at int, path []string, unsafe bool, format string, args ...any) {
	m.faults = append(m.faults, found{at, unsafe, Problem{Key: shown(path), Sentence: fmt.Sprintf(format, args...)}})
}

// syntax tells a place that is not TOML. What was skipped with it may have been a restriction.
func (m *merging) syntax(f fault) {
	unsafe := len(f.table) > 0 && f.table[0] == "permissions"
	if len(f.table) > 1 && f.table[0] == serverTable {
		m.faulty[f.table[1]] = true
	}
	lost := strings.ToLower(string(m.doc.text[f.start:f.end]))
	for _, word := range []string{"permission", "deny", "ask", "mode"} {
		unsafe = unsafe || strings.Contains(lost, word)
	}
	m.problem(f.at, nil, unsafe, "this is not TOML: %s; the entry is ignored", f.sentence)
}

// headers judges table headers: a table nobody knows is told once, not for each of its keys.
func (m *merging) headers() {
	seen := map[string]bool{}
	for _, h := range m.doc.tables {
		name := strings.Join(h.path, "\x00")
		if seen[name] && !m.muted[name] {
			m.problem(h.at, h.path, false, "the table [%s] is written twice; both are read", shown(h.path))
		}
		seen[name] = true
		if len(below(h.path)) == 0 && !m.muted[name] {
			m.muted[name] = true
			m.unknown(h.path, h.at)
		}
	}
}

func (m *merging) entry(e entry) {
	r, at, ok := find(e.path)
	switch {
	case m.taken(e):
	case ok && (e.kind != unstable.InlineTable || len(below(e.path)) == 0):
		m.known(r, at, e)
	case e.kind == unstable.InlineTable && len(below(e.path)) > 0:
		for _, field := range e.fields {
			field.path = append(slices.Clone(e.path), field.path...)
			m.entry(field)
		}
	case e.kind == unstable.Array && slices.Contains(below(e.path), "[]"):
		for i, v := range e.list {
			m.entry(entry{append(slices.Clone(e.path), element(i)), v.at, v})
		}
	default:
		m.stray(e)
	}
}

// stray tells a key nobody knows, unless its whole table was told.
func (m *merging) stray(e entry) {
	for n := 1; n < len(e.path); n++ {
		if m.muted[strings.Join(e.path[:n], "\x00")] {
			if restriction(e.path[len(e.path)-1]) {
				m.unknown(e.path, e.at)
			}
			return
		}
	}
	m.unknown(e.path, e.at)
}

// restriction reports whether a name is one a person tightens espy with.
func restriction(name string) bool {
	return name == "deny" || name == "ask" || name == "mode" || name == "permissions"
}

// unknown tells a key or table that is not in the schema, and what it may have meant.
func (m *merging) unknown(path []string, at int) {
	n := 0
	for n < len(path)-1 && len(below(path[:n+1])) > 0 {
		n++
	}
	word, names := path[n], slices.DeleteFunc(below(path[:n]), func(s string) bool { return s == "*" || s == "[]" })
	near := nearest(word, names)
	unsafe := path[0] == "permissions" || restriction(near) || restriction(path[len(path)-1])
	sentence := fmt.Sprintf("%s is not a setting", quoted(shown(path)))
	home := homeOf(path[len(path)-1])
	switch {
	case len(below(path[:n+1])) > 0 || isElement(word) || isRow(path[:n+1]):
		sentence = shapeSentence(path[:n+1])
	case slices.Contains(below(path[:n]), "[]"):
		sentence = shapeSentence(path[:n])
	case near != "":
		sentence += fmt.Sprintf("; did you mean %q?", shown(append(slices.Clone(path[:n]), near)))
	case home != "":
		sentence += "; " + home
	case len(names) > 0:
		sentence += fmt.Sprintf("; there is %s", strings.Join(names, ", "))
	}
	m.problem(at, path, unsafe, "%s", sentence)
}

func isRow(path []string) bool {
	_, _, ok := find(path)
	return ok
}

// shapeSentence says how a table that was written as something else is written.
func shapeSentence(path []string) string {
	for len(path) > 0 && isElement(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	name := shown(path)
	next := below(path)
	switch {
	case slices.Contains(next, "[]"):
		return fmt.Sprintf("%s is a list of tables; write [[%s]] above its keys", name, name)
	case len(next) == 0:
		return fmt.Sprintf("%s is a value; write %s = ...", name, name)
	}
	return fmt.Sprintf("%s is a table; write [%s] above its keys", name, name)
}

// homeOf says where a key that stands in the wrong table belongs.
func homeOf(name string) string {
	for _, r := range schema() {
		table, last := "", r.path
		if i := strings.LastIndexByte(r.path, '.'); i >= 0 {
			table, last = r.path[:i], r.path[i+1:]
		}
		if last != name {
			continue
		}
		if table == "" {
			return name + " belongs at the top of the file, above the first [table]"
		}
		if rest, ok := strings.CutSuffix(table, ".[]"); ok {
			return fmt.Sprintf("%s belongs in [[%s]]", name, rest)
		}
		return fmt.Sprintf("%s belongs in [%s]", name, strings.ReplaceAll(table, "*", "NAME"))
	}
	return ""
}

// known checks and puts in the value of a key of the schema.
func (m *merging) known(r row, at []string, e entry) {
	safety := e.path[0] == "mode" || e.path[0] == "permissions" && r.path != "permissions.allow" && r.path != "permissions.not_credentials"
	name := strings.Join(e.path, "\x00")
	if first, twice := m.seen[name]; twice {
		line, _ := m.doc.place(first)
		m.problem(e.at, e.path, safety, "%s is set twice; the value of line %d is used", shown(e.path), line)
		return
	}
	m.seen[name] = e.at
	if m.layer == projectLayer && r.project == "" {
		m.tellOf(e.at, e.path, false, "%s in a project file is ignored; set it in your own %s", shown(e.path), configName)
		return
	}
	if m.layer == permissionsLayer && e.path[0] != "permissions" {
		m.problem(e.at, e.path, false, "%s is ignored here; set it in %s", shown(e.path), configName)
		return
	}
	if r.name != "" {
		if err := m.valid.check(r.name, at[len(at)-1]); err != nil {
			m.problem(e.at, e.path, safety, "%v", err)
			return
		}
	}
	v, ok := m.convert(r, e, safety)
	if !ok {
		return
	}
	if m.layer == projectLayer && r.loosens != nil {
		if why := r.loosens(m.valid, &m.config, v); why != "" {
			m.problem(e.at, e.path, false, "%s", why)
			return
		}
	}
	m.put(r, at, e, v)
}

func (m *merging) put(r row, at []string, e entry, v any) {
	r.set(&m.config, at, v)
	line, _ := m.doc.place(e.at)
	place := fmt.Sprintf("%s:%d", m.path, line)
	m.config.Sources[shown(e.path)] = place
	if rules, ok := v.([]string); ok && r.check == CheckRule {
		for _, rule := range rules {
			if key := RuleSource(e.path[1], rule); m.config.Sources[key] == "" { // a later file repeats what holds already
				m.config.Sources[key] = place
			}
		}
	}
}

// unnamed drops [[models]] rows that do not say which model they are for.
func (m *merging) unnamed(from int) {
	for i := len(m.config.Models) - 1; i >= from; i-- {
		if m.config.Models[i].ID != "" {
			continue
		}
		m.config.Models = slices.Delete(m.config.Models, i, i+1)
		m.problem(m.elementAt(i), []string{"models", "id"}, false, `a [[models]] row without id is ignored; it needs id = "provider/model"`)
	}
}

// elementAt is where a [[models]] row stands.
func (m *merging) elementAt(i int) int {
	for _, h := range m.doc.tables {
		if len(h.path) == 2 && h.path[0] == "models" && h.path[1] == element(i) {
			return h.at
		}
	}
	for _, e := range m.doc.entries {
		if e.path[0] == "models" {
			return e.at
		}
	}
	return 0
}

// shown is a path as a person writes it.
func shown(path []string) string {
	var parts []string
	for _, p := range path {
		switch {
		case isElement(p):
		case bareKey().MatchString(p):
			parts = append(parts, p)
		default:
			parts = append(parts, quoted(p))
		}
	}
	return strings.Join(parts, ".")
}

var bareKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_-]{1,60}\z`) })

// wholeNumber reads a TOML integer.
func wholeNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", ""), 0, 64)
	return n, err == nil
}

// anyNumber reads a TOML integer or float that is finite.
func anyNumber(text string) (float64, bool) {
	if n, ok := wholeNumber(text); ok {
		return float64(n), true
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}
