package guard

import (
	"slices"
	"strings"
)

// interpreter says how a program is given code instead of a file.
type interpreter struct {
	short string   // letters of options that take code
	long  []string // long options, or whole words, that do
	text  bool     // its first operand is code
}

// interpreters are programs that run what they are given. Code on the line is not judged, so it is asked.
func interpreters() map[string]interpreter {
	node := interpreter{short: "ep", long: []string{"--eval", "--print", "--require", "--import", "--loader", "--experimental-loader", "-r"}}
	return map[string]interpreter{
		"python": {short: "c"}, "pypy": {short: "c"}, "node": node, "nodejs": node,
		"perl": {short: "eEMmI"}, "ruby": {short: "er"}, "php": {short: "rBREF"}, "lua": {short: "el"}, "luajit": {short: "el"},
		"bun": {short: "ep", long: []string{"--eval", "--print", "--preload"}}, "deno": {long: []string{"eval", "repl", "--preload"}},
		"rscript": {short: "e"}, "osascript": {short: "e"}, "pwsh": {short: "cC", long: []string{"-command", "-encodedcommand"}},
		"powershell": {short: "cC", long: []string{"-command", "-encodedcommand"}}, "julia": {short: "eEL", long: []string{"--eval", "--print", "--load"}},
		"elixir": {short: "e"}, "erl": {long: []string{"-eval"}}, "ghc": {short: "e"}, "tclsh": {}, "groovy": {short: "e"}, "scala": {short: "e"},
		"awk": {text: true}, "gawk": {text: true}, "mawk": {text: true}, "nawk": {text: true}, "gnuplot": {short: "e"},
		"vim": {short: "cSs", long: []string{"--cmd", "+"}}, "vi": {short: "cSs"}, "nvim": {short: "clSs", long: []string{"--cmd", "+"}}, "ex": {short: "c"}, "emacs": {long: []string{"--eval", "--batch", "-l", "-f"}},
		"sqlite3": {long: []string{"-cmd", "-init", ".shell", ".system"}}, "psql": {}, "ed": {},
	}
}

// reads their program from their input where no operand is given.
func readsInput(name string) bool {
	return !slices.Contains([]string{"vim", "vi", "nvim", "ex", "emacs", "psql", "sqlite3", "deno", "bun", "ghc"}, name)
}

// programs refuses options that name code or a program to run.
func (s *shellJudge) programs(name string, words []word) {
	s.interpreted(name, words[1:])
	s.programOptions(name, words[1:])
}

func (s *shellJudge) interpreted(name string, args []word) {
	key := strings.ToLower(strings.TrimRight(name, "0123456789."))
	in, ok := interpreters()[key]
	if !ok {
		return
	}
	if in.text && allKnown(args) && awkReads(texts(args)) {
		return
	}
	operand := false
	for i, w := range args {
		text := w.text
		switch {
		case !w.known:
			return // told elsewhere
		case text == "--" || operand:
		case takesCode(in, text):
			s.fault(name + " runs code given on the line")
			return
		case !strings.HasPrefix(text, "-") && !(i > 0 && valuedOption(args[i-1].text)):
			operand = true
			if in.text {
				s.fault(name + " runs code given on the line")
			}
		}
	}
	asksVersion := len(args) == 1 && slices.Contains([]string{"--version", "-V", "-v", "-h", "--help", "-version"}, args[0].text)
	module := slices.ContainsFunc(args, func(w word) bool { return strings.HasPrefix(w.text, "-m") })
	if !operand && !asksVersion && !module && readsInput(key) {
		s.fault(name + " runs what it reads from its input")
	}
}

func valuedOption(option string) bool { return slices.Contains([]string{"-W", "-X"}, option) }

func takesCode(in interpreter, text string) bool {
	lower := strings.ToLower(text)
	if slices.ContainsFunc(in.long, func(l string) bool {
		return lower == l || strings.HasPrefix(lower, l+"=") || l == "+" && strings.HasPrefix(lower, l)
	}) {
		return true
	}
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[1:], in.short)
}

// programOptions refuses the options by which ordinary tools run other programs.
func (s *shellJudge) programOptions(name string, args []word) {
	if name == "git" {
		s.gitPrograms(args)
		return
	}
	for _, option := range programFlags(name) {
		for _, w := range args {
			if w.text == option || strings.HasPrefix(w.text, option+"=") || strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && w.text == "-"+option {
				s.fault(name + " is told to run a program (" + option + ")")
			}
		}
	}
}

func programFlags(name string) []string {
	switch name {
	case "go":
		return []string{"-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-C"}
	case "rg":
		return []string{"--pre", "--hostname-bin"}
	case "sort":
		return []string{"--compress-program"}
	case "tar", "gtar", "bsdtar":
		return []string{"--to-command", "--checkpoint-action", "--use-compress-program", "-I", "--rsh-command", "--info-script", "-F"}
	case "rsync", "scp", "sftp":
		return []string{"-e", "--rsh", "-S", "-o", "--rsync-path"}
	case "ssh":
		return []string{"-o", "-F"}
	case "curl":
		return []string{"-K", "--config"}
	case "wget":
		return []string{"-e", "--execute", "--use-askpass"}
	case "make", "gmake":
		return []string{"--eval", "-E", "SHELL"}
	case "cargo":
		return []string{"--config"}
	case "zip":
		return []string{"-TT", "--unzip-command"}
	case "man":
		return []string{"-P", "--pager", "-H", "--html"}
	}
	return nil
}
