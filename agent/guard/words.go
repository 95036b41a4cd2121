package guard

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one argument as far as it is known before the command runs.
type word struct {
	text   string
	known  bool   // text is what the program gets, but for glob
	glob   string // text as a pattern, ordinary characters escaped; "" where nothing is expanded
	number bool   // unknown, but nothing but digits: an arithmetic result, $?, $#
	stream bool   // a process substitution: what it runs is judged, its name is harmless
}

// words evaluates arguments: braces multiply, quotes go, variables that are certain are put in.
func (s *shellJudge) words(args []*syntax.Word) []word {
	var all []word
	for _, arg := range args {
		all = append(all, s.expand(arg)...)
		if len(all) > maxWords {
			s.fault("the line multiplies into too many words to judge")
			return all[:maxWords]
		}
	}
	return all
}

func (s *shellJudge) expand(w *syntax.Word) []word {
	if s.posix || !holdsBrace(w) {
		one := s.word(w) // an unquoted word that is certain is never empty without braces
		if leftBraces(w) {
			one.known = false // some shells called sh multiply braces
		}
		return []word{one}
	}
	parts := append([]syntax.WordPart(nil), w.Parts...)
	split := &syntax.Word{Parts: parts}
	syntax.SplitBraces(split)
	var all []word
	for x, err := range expand.BracesSeq(&expand.Config{}, split) {
		if err != nil || len(all) > maxWords {
			return []word{{}}
		}
		one := s.word(x)
		if leftBraces(x) {
			one.known = false
		}
		if one.text != "" || !one.known || quoted(x) {
			all = append(all, one)
		}
	}
	return all
}

// quoted reports words that exist even when they are empty.
func quoted(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		switch part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
		return false
	})
}

func holdsBrace(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// leftBraces reports braces that the parser did not expand and a shell might.
func leftBraces(w *syntax.Word) bool {
	var all strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			all.WriteString(strings.NewReplacer(`\{`, "", `\,`, "").Replace(part.Value))
		default:
			all.WriteString("x")
		}
	}
	_, rest, open := strings.Cut(all.String(), "{")
	return open && (strings.Contains(rest, ",") || strings.Contains(rest, ".."))
}

// word evaluates one word that has no braces.
func (s *shellJudge) word(w *syntax.Word) word {
	v := evaluation{judge: s, known: true}
	for i, part := range w.Parts {
		v.part(part, i == 0)
	}
	out := word{text: v.text.String(), known: v.known, number: !v.known && v.numeric && v.text.Len() == 0, stream: v.stream && len(w.Parts) == 1}
	if v.globs || v.sets && strings.Contains(out.text, "]") {
		out.glob = v.pattern.String()
	}
	return out
}

// evaluation builds a word's text and, beside it, the same text as a pattern.
type evaluation struct {
	judge   *shellJudge
	text    strings.Builder
	pattern strings.Builder
	known   bool
	globs   bool
	sets    bool // it has a bracket, which is a glob once it is closed
	numeric bool // the only unknown parts are digits
	stream  bool
}

func (v *evaluation) part(part syntax.WordPart, first bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		v.unquoted(part.Value, first)
	case *syntax.SglQuoted:
		v.single(part)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				v.ordinary(unescapeDouble(lit.Value))
			} else if text, ok := v.judge.heredocText(inner); ok {
				v.ordinary(text)
			} else {
				v.part(inner, false)
			}
		}
	case *syntax.ParamExp:
		v.param(part)
	case *syntax.ArithmExp:
		v.digits()
	case *syntax.ProcSubst:
		v.stream, v.known = true, false
	default: // command substitution, extended globs
		v.unknown()
	}
}

// heredocText is the text of `$(cat <<'EOF' … EOF)`, the usual way to write a long message.
func (s *shellJudge) heredocText(part syntax.WordPart) (string, bool) {
	subst, ok := part.(*syntax.CmdSubst)
	if !ok || s.functions || len(subst.Stmts) != 1 || len(subst.Stmts[0].Redirs) != 1 {
		return "", false
	}
	stmt := subst.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	r := stmt.Redirs[0]
	if !ok || len(call.Assigns) != 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || r.Op != syntax.Hdoc || r.N != nil || stmt.Negated || stmt.Background {
		return "", false
	}
	if !quoted(r.Word) || r.Hdoc == nil || len(r.Hdoc.Parts) != 1 {
		return "", false
	}
	lit, ok := r.Hdoc.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return strings.TrimRight(lit.Value, "\n"), true
}

func (v *evaluation) unknown() { v.known, v.numeric = false, false }

func (v *evaluation) digits() {
	v.numeric = v.known || v.numeric
	v.known = false
}

// ordinary adds characters that expand to nothing else.
func (v *evaluation) ordinary(s string) {
	v.text.WriteString(s)
	for _, r := range s {
		if strings.ContainsRune(`*?[]{}\`, r) {
			v.pattern.WriteByte('\\')
		}
		v.pattern.WriteRune(r)
	}
}

// unquoted adds a bare literal: a tilde in front, backslashes, globs.
func (v *evaluation) unquoted(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		user, _, _ := strings.Cut(s, "/")
		if user != "~" || !filepath.IsAbs(v.judge.home) {
			v.unknown() // ~other, ~+, ~-
			return
		}
		v.ordinary(v.judge.home)
		s = s[len(user):]
	}
	if strings.Contains(s, "=~") || strings.Contains(s, ":~") {
		v.unknown() // some shells put the home folder in here too
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				v.ordinary(s[i : i+1])
			}
		case '*', '?', '[':
			v.globs = v.globs || c != '['
			v.sets = v.sets || c == '['
			v.text.WriteByte(c)
			v.pattern.WriteByte(c)
		default:
			v.text.WriteByte(c)
			if c == '{' || c == '}' {
				v.pattern.WriteByte('\\')
			}
			v.pattern.WriteByte(c)
		}
	}
}

func (v *evaluation) single(q *syntax.SglQuoted) {
	if !q.Dollar {
		v.ordinary(q.Value)
		return
	}
	text, err := expand.Literal(&expand.Config{}, &syntax.Word{Parts: []syntax.WordPart{q}})
	if err != nil {
		v.unknown()
		return
	}
	v.ordinary(text)
}

// param puts in the variables whose value is certain.
func (v *evaluation) param(p *syntax.ParamExp) {
	if p.Length && p.Param != nil {
		v.digits()
		return
	}
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
	if !plain {
		v.unknown()
		return
	}
	switch name := p.Param.Value; {
	case name == "HOME" && filepath.IsAbs(v.judge.home):
		v.ordinary(v.judge.home)
	case name == "PWD" && len(v.judge.folders) == 1:
		v.ordinary(v.judge.folders[0])
	case strings.Contains(" ? # $ ! RANDOM LINENO SECONDS PPID BASHPID UID EUID ", " "+name+" "):
		v.digits()
	default:
		v.unknown()
	}
}

func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(s)
}

// matches lists what a glob stands for now, below one folder; ok is false where that is too much to tell.
func (s *shellJudge) matches(folder, pattern string) (found []string, ok bool) {
	if filepath.IsAbs(pattern) {
		folder = string(filepath.Separator)
	}
	found = []string{folder}
	for _, element := range strings.Split(pattern, "/") {
		if element == "" {
			continue
		}
		if plain := plainElement(element); plain != "" {
			for i := range found {
				found[i] = strings.TrimSuffix(found[i], "/") + "/" + plain
			}
			continue
		}
		if found, ok = s.matchElement(found, element); !ok {
			return nil, false
		}
	}
	return found, true
}

// plainElement removes the escapes of an element that holds no glob, or returns "".
func plainElement(element string) string {
	var out strings.Builder
	for i := 0; i < len(element); i++ {
		switch element[i] {
		case '\\':
			if i++; i < len(element) {
				out.WriteByte(element[i])
			}
		case '*', '?', '[':
			return ""
		default:
			out.WriteByte(element[i])
		}
	}
	return out.String()
}

func (s *shellJudge) matchElement(folders []string, element string) (found []string, ok bool) {
	hidden := strings.HasPrefix(element, ".")
	for _, folder := range folders {
		entries, _, err := s.roots.ReadDir(folder)
		if err != nil {
			if f, is := err.(*PathError); is && (f.Kind == FaultMissing || f.Kind == FaultNotFolder) {
				continue
			}
			return []string{folder}, true // refused itself, which the caller finds
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") != hidden || !matchesElement(element, e.Name()) {
				continue
			}
			if found = append(found, strings.TrimSuffix(folder, "/")+"/"+e.Name()); len(found) > maxGlobMatches {
				return nil, false
			}
		}
	}
	return found, true
}

// matchesElement errs on the side of matching: sets of characters differ between shells and are taken as any.
func matchesElement(element, name string) bool {
	if i := strings.IndexByte(element, '['); i >= 0 {
		return true
	}
	return globs(element, name)
}
