package config

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2/unstable"
)

// convert turns a value into what its row wants, or tells why it cannot. Of a list the good texts are kept.
func (m *merging) convert(r row, e entry, safety bool) (any, bool) {
	switch {
	case r.kind == text && e.kind == unstable.String:
		return m.text(r, e, safety)
	case r.kind == flag && e.kind == unstable.Bool:
		return e.text == "true", true
	case r.kind == number && e.kind == unstable.Integer, r.kind == decimal && isNumber(e.kind):
		return m.number(r, e, safety)
	case r.kind == textOrTexts && e.kind == unstable.String:
		e.list = []value{e.value}
		return m.texts(r, e, safety)
	case (r.kind == texts || r.kind == textOrTexts) && e.kind == unstable.Array:
		return m.texts(r, e, safety)
	case r.kind == scalar:
		if v, ok := scalarOf(e.value); ok {
			return m.scalar(r, e, v)
		}
	}
	m.problem(e.value.at, e.path, safety, "%s must be %s; found %s", shown(e.path), r.kind.phrase(), m.describe(r, e.value))
	return nil, false
}

func isNumber(k unstable.Kind) bool { return k == unstable.Integer || k == unstable.Float }

// describe names a value in a sentence. What may be a secret is named by its kind alone.
func (m *merging) describe(r row, v value) string {
	names := map[unstable.Kind]string{
		unstable.String: "a text", unstable.Bool: "", unstable.Integer: "the number", unstable.Float: "the number",
		unstable.Array: "a list", unstable.InlineTable: "a table", unstable.Invalid: "something nested too deep",
	}
	name, ok := names[v.kind]
	switch {
	case !ok:
		return "a date or time"
	case r.secret || v.kind == unstable.Array || v.kind == unstable.InlineTable || v.kind == unstable.Invalid:
		if name == "" || name == "the number" {
			return "something else"
		}
		return name
	case v.kind == unstable.String:
		return "the text " + quoted(v.text)
	}
	return strings.TrimSpace(name + " " + v.text)
}

func (m *merging) text(r row, e entry, safety bool) (any, bool) {
	s := e.text
	if r.expand {
		return m.expand(r, e)
	}
	if r.refers {
		return m.refer(e)
	}
	if err := m.judge(r, s); err != nil {
		m.problem(e.value.at, e.path, safety, "%v", err)
		return nil, false
	}
	return s, true
}

func (m *merging) judge(r row, s string) error {
	if r.check == "" {
		return nil
	}
	return m.valid.check(r.check, s)
}

func (m *merging) texts(r row, e entry, safety bool) (any, bool) {
	good := []string{}
	for _, v := range e.list {
		if v.kind != unstable.String {
			m.problem(v.at, e.path, safety, "%s must be %s; found %s in it", shown(e.path), r.kind.phrase(), m.describe(r, v))
			continue
		}
		if err := m.judge(r, v.text); err != nil {
			m.problem(v.at, e.path, safety, "%v", err)
			continue
		}
		good = append(good, v.text)
	}
	return good, len(good) > 0 || len(e.list) == 0
}

func (m *merging) number(r row, e entry, safety bool) (any, bool) {
	if r.kind == decimal {
		f, ok := anyNumber(e.text)
		if !ok || f < 0 {
			m.problem(e.value.at, e.path, safety, "%s must be a number from 0 on; found %s", shown(e.path), quoted(e.text))
		}
		return f, ok && f >= 0
	}
	n, ok := wholeNumber(e.text)
	if !ok || n < r.least || n > 1<<53 {
		m.problem(e.value.at, e.path, safety, "%s must be a whole number from %d on; found %s", shown(e.path), r.least, quoted(e.text))
		return nil, false
	}
	return n, true
}

func scalarOf(v value) (any, bool) {
	switch v.kind {
	case unstable.String:
		return v.text, true
	case unstable.Bool:
		return v.text == "true", true
	case unstable.Integer:
		n, ok := wholeNumber(v.text)
		return n, ok
	case unstable.Float:
		f, ok := anyNumber(v.text)
		return f, ok
	}
	return nil, false
}

// scalar asks the owner of a column whether its value is right.
func (m *merging) scalar(r row, e entry, v any) (any, bool) {
	if judge := m.valid.get(r.name).Value; judge != nil {
		if err := judge(e.path[len(e.path)-1], v); err != nil {
			m.problem(e.value.at, e.path, false, "%s: %s", shown(e.path), oneLine(err))
			return nil, false
		}
	}
	return v, true
}

var (
	reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{env:([^}]*)\}`) })
	varName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*\z`) })
)

// expand replaces each ${env:NAME}. An unset or empty variable, or one that is no name, is a problem and the key
// counts as not set: a request with half a key in it helps nobody.
func (m *merging) expand(r row, e entry) (any, bool) {
	m.noteKeyEnv(r, e)
	good := true
	tell := func(format string, args ...any) {
		m.problem(e.value.at, e.path, false, format, args...)
		good = false
	}
	full := reference().ReplaceAllStringFunc(e.text, func(whole string) string {
		name := reference().FindStringSubmatch(whole)[1]
		set, ok := m.options.Env(name)
		switch {
		case !varName().MatchString(name):
			tell("%s: %s is not the name of a variable", shown(e.path), quoted(name))
		case !ok:
			tell("%s: the variable %s is not set; set it before espy starts", shown(e.path), name)
		case set == "":
			tell("%s: the variable %s is empty", shown(e.path), name)
		}
		return set
	})
	if strings.Contains(reference().ReplaceAllString(e.text, ""), "${env:") {
		tell("%s: a ${env:NAME} is not closed", shown(e.path))
	}
	if good && strings.ContainsAny(full, "\r\n\x00") {
		tell("%s: a line break cannot be sent in a header", shown(e.path))
	}
	return full, good
}

// noteKeyEnv keeps the variable's name where the key is one reference, set or not, so that a later error can name it.
func (m *merging) noteKeyEnv(r row, e entry) {
	found := reference().FindStringSubmatch(e.text)
	if r.path != "providers.*.api_key" || found == nil || found[0] != e.text || !varName().MatchString(found[1]) {
		return
	}
	p := m.config.Providers[e.path[1]]
	p.KeyEnv = found[1]
	m.config.Providers[e.path[1]] = p
}

// KeyTable is the table of all keys in docs/configuration.md.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| key | value | without it | in a project file | what it does |\n|---|---|---|---|---|\n")
	for _, r := range schema() {
		path := strings.NewReplacer(".[]", "[]", "*", "NAME").Replace(r.path)
		unset, project := r.unset, r.project
		if unset == "" {
			unset = "-"
		}
		if project == "" {
			project = "ignored"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", path, r.kind, unset, project, r.doc)
	}
	return b.String()
}
