package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Simple is one command of a line, as the shell would run it.
type Simple struct {
	Words    []string // quotes and backslashes gone; what is unknown is left out of its word
	Sets     []string // variables set for it that can change what it does, as NAME=value
	Known    bool     // every word is certain
	ReadOnly bool     // known to look and not touch
	Carrier  bool     // it runs another command of the list (env, timeout, sh -c): only deny and ask rules look at it
}

// Judgement is what a command line would do, as far as can be told without running it.
type Judgement struct {
	Commands []Simple
	Faults   []string // why it cannot be judged, the first first; such a line is asked
	Touches  []string // sentences: a protected, credential or outside path is named
	Writes   []Path   // what redirections write
	ReadOnly bool     // everything in it is known to look and not touch

	looks   []string // absolute names that arguments may stand for
	changes []string // those of commands that are not read-only
}

// JudgeShell judges a command line as the shell of this guard parses it. Relative names are relative to the
// folders it may run in, absolute names with links resolved; none means the workspace.
func (g *Guard) JudgeShell(command string, folders ...string) Judgement {
	var j Judgement
	if len(folders) == 0 {
		folders = []string{g.roots.physical}
	}
	s := &shellJudge{roots: g.roots, posix: g.posix, home: g.roots.secrets.expandHome("~"), folders: slices.Clone(folders), j: &j}
	if len(command) > maxCommandBytes {
		s.fault("the line is too long to judge")
		return j
	}
	if strings.ContainsFunc(command, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }) || !utf8.ValidString(command) {
		s.fault("the line holds control characters, which shells read in different ways")
		return j
	}
	s.script(command, g.posix)
	j.ReadOnly = len(j.Faults) == 0 && len(j.Touches) == 0 && len(j.Writes) == 0 &&
		!slices.ContainsFunc(j.Commands, func(c Simple) bool { return !c.ReadOnly && !c.Carrier })
	return j
}

// shellJudge walks one line. Folders are all that relative names may be relative to: `cd` adds one and takes
// none away, since it may not have run.
type shellJudge struct {
	roots   *Roots
	posix   bool
	home    string
	folders []string
	depth   int
	// functions says that the line defines some: any name may mean another thing then.
	functions bool
	j         *Judgement
	repos     map[string]string // what runs in the repository of a folder
}

func (s *shellJudge) fault(why string) {
	if !slices.Contains(s.j.Faults, why) {
		s.j.Faults = append(s.j.Faults, why)
	}
}

func (s *shellJudge) touch(what string) {
	if !slices.Contains(s.j.Touches, what) {
		s.j.Touches = append(s.j.Touches, what)
	}
}

// script parses and judges shell text, which may stand inside another.
func (s *shellJudge) script(text string, posix bool) {
	if s.depth >= maxShellDepth {
		s.fault("shells are nested too deep")
		return
	}
	variant := syntax.LangBash
	if posix {
		variant = syntax.LangPOSIX
	}
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.fault("it cannot be parsed as a shell command")
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		_, is := n.(*syntax.FuncDecl)
		s.functions = s.functions || is
		return true
	})
	before := s.posix
	s.posix = posix
	s.depth++
	syntax.Walk(file, s.node)
	s.depth--
	s.posix = before
}

// node looks at each part of the line in the order it is written. What a node holds is walked too, so that a
// command inside a substitution, a function or a loop is judged like any other.
func (s *shellJudge) node(n syntax.Node) bool {
	switch n := n.(type) {
	case nil, *syntax.File, *syntax.Stmt, *syntax.Comment, *syntax.Word, *syntax.DblQuoted, *syntax.BraceExp, *syntax.CmdSubst, *syntax.ProcSubst,
		*syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.CaseItem,
		*syntax.BinaryCmd, *syntax.TimeClause, *syntax.FuncDecl, *syntax.ArrayExpr, *syntax.ArrayElem, *syntax.ParenTest, *syntax.ExtGlob:
	case *syntax.Lit:
		s.text(n.Value)
	case *syntax.SglQuoted:
		s.text(n.Value)
	case *syntax.CallExpr:
		s.call(n)
	case *syntax.Assign:
		s.assign(n)
	case *syntax.Redirect:
		s.redirect(n)
	case *syntax.DeclClause:
		s.declare(n)
	case *syntax.WordIter:
		if !ownVariable(n.Name.Value) {
			s.fault("it sets " + Printable(n.Name.Value) + " for what follows")
		}
	case *syntax.ParamExp:
		s.param(n)
	case *syntax.ArithmExp:
		s.arithmetic(n.X)
	case *syntax.ArithmCmd:
		s.arithmetic(n.X)
	case *syntax.CStyleLoop, *syntax.LetClause:
		s.fault("arithmetic on variables can run what they hold")
	case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.TestClause:
	case *syntax.BinaryTest:
		s.test(n)
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) && ok && w.Lit() == "" {
			s.fault("it names a variable through another")
		}
	default: // coprocesses and what other shells have
		s.fault("it uses a construct that is not judged")
	}
	return true
}

// text refuses literals that run a command when bash evaluates them as an array index.
func (s *shellJudge) text(value string) {
	if strings.Contains(value, "[") && (strings.Contains(value, "$(") || strings.Contains(value, "`")) {
		s.fault("a quoted text could run a command when it is evaluated")
	}
}

// arithmetic takes numbers only: bash evaluates what a variable holds, commands in it too.
func (s *shellJudge) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok && strings.Trim(w.Lit(), "0123456789") != "" || ok && w.Lit() == "" {
			s.fault("arithmetic on variables can run what they hold")
		}
		return true
	})
}

// test refuses comparisons that evaluate their operands as arithmetic, unless these are numbers.
func (s *shellJudge) test(t *syntax.BinaryTest) {
	switch t.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
	default:
		return
	}
	for _, x := range []syntax.TestExpr{t.X, t.Y} {
		w, ok := x.(*syntax.Word)
		if !ok {
			continue
		}
		if v := s.word(w); !v.number && (!v.known || strings.Trim(v.text, "0123456789-") != "") {
			s.fault("arithmetic on variables can run what they hold")
		}
	}
}

func (s *shellJudge) param(p *syntax.ParamExp) {
	if p.Param != nil && secretVariable(p.Param.Value) {
		s.touch("it uses the variable " + Printable(p.Param.Value) + ", which may hold a secret")
	}
	switch {
	case p.Excl, p.Names != 0:
		s.fault("it names a variable through another")
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		s.fault("it expands a variable's value as shell text")
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		s.fault("it sets a variable on the way")
	case p.Index != nil, p.Slice != nil:
		s.fault("arithmetic on variables can run what they hold")
	}
}

// secretVariable knows variables of the environment that are named like a secret.
func secretVariable(name string) bool {
	if name == strings.ToLower(name) {
		return false
	}
	upper := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE", "DSN", "DATABASE", "_URL", "_URI", "PROXY"},
		func(part string) bool { return strings.Contains(upper, part) })
}

// harmlessVariables change how much a program says, its language or its target, not what it runs.
var harmlessVariables = []string{
	"LANG", "LANGUAGE", "TZ", "CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "LINES", "DEBUG", "VERBOSE",
	"GOOS", "GOARCH", "GOARM", "GOAMD64", "CGO_ENABLED", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GOTRACEBACK", "GODEBUG", "GO111MODULE", "GOEXPERIMENT",
	"RUST_BACKTRACE", "RUST_LOG", "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "GIT_PAGER", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT",
}

func harmlessVariable(name string) bool {
	return slices.Contains(harmlessVariables, name) || strings.HasPrefix(name, "LC_")
}

// assign looks at every assignment, also in front of a command.
func (s *shellJudge) assign(a *syntax.Assign) {
	if a.Index != nil {
		s.fault("arithmetic on variables can run what they hold")
	}
}

// setting returns an assignment as NAME=value, or "" where it is harmless.
func (s *shellJudge) setting(a *syntax.Assign) string {
	if a.Name == nil || a.Array != nil || a.Index != nil {
		return "?"
	}
	name := a.Name.Value
	value := word{known: true}
	if a.Value != nil {
		value = s.word(a.Value)
	}
	if harmlessVariable(name) && name != "GIT_PAGER" || name == "GIT_PAGER" && value.known && (value.text == "cat" || value.text == "") {
		return ""
	}
	return name + "=" + value.text
}

// ownVariable reports variables that only the line itself uses: lower case, and none that programs read.
func ownVariable(name string) bool {
	return name == strings.ToLower(name) && !strings.HasSuffix(name, "_proxy")
}

// declare judges export, local, declare, readonly and typeset.
func (s *shellJudge) declare(d *syntax.DeclClause) {
	for _, a := range d.Args {
		switch {
		case a.Name == nil || a.Naked && a.Value != nil:
			s.fault("it declares variables with options")
		case harmlessVariable(a.Name.Value) && a.Name.Value != "GIT_PAGER":
		case d.Variant.Value != "export" && ownVariable(a.Name.Value) && a.Array == nil:
		default:
			s.fault("it sets " + Printable(a.Name.Value) + " for what follows")
		}
	}
}

// redirect judges where a command's input and output lead.
func (s *shellJudge) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		s.fault("it keeps a file open under a variable")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	for _, w := range s.expand(r.Word) {
		switch {
		case w.stream:
		case !w.known || w.glob != "":
			s.fault("a redirection leads where only the run will tell")
		case r.Op == syntax.DplIn || r.Op == syntax.DplOut:
			if strings.Trim(w.text, "0123456789-") != "" {
				s.writes(w.text)
			}
		case r.Op == syntax.RdrIn:
			s.path(w.text, pathUse{reads: true, certain: true})
		default:
			s.writes(w.text)
		}
	}
}

// writes notes a file that a redirection writes.
func (s *shellJudge) writes(name string) {
	if harmlessDevice(name) {
		return
	}
	for _, folder := range s.folders {
		p, err := s.roots.Resolve(joinFolder(folder, name))
		if err == nil {
			s.j.Writes = append(s.j.Writes, p)
		}
	}
	s.path(name, pathUse{certain: true})
}

func harmlessDevice(name string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/zero", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"}, name)
}
