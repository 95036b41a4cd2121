package guard

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call judges one simple command with the variables set for it.
func (s *shellJudge) call(c *syntax.CallExpr) {
	var sets []string
	for _, a := range c.Assigns {
		if set := s.setting(a); set != "" {
			sets = append(sets, set)
		}
	}
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			if a.Name == nil || s.setting(a) != "" && !ownVariable(a.Name.Value) {
				s.fault("it sets variables that change what follows")
			}
		}
		return
	}
	s.run(s.words(c.Args), sets)
}

// run judges a command given as words, wherever they stand: on the line, behind env, in find -exec.
func (s *shellJudge) run(words []word, sets []string) {
	if len(words) == 0 {
		return
	}
	if !words[0].known || words[0].glob != "" || words[0].text == "" {
		s.fault("the command's name is only known when it runs")
		s.arguments(words, pathUse{})
		return
	}
	name := words[0].text
	at := len(s.j.Commands)
	s.j.Commands = append(s.j.Commands, Simple{Words: texts(words), Sets: sets, Known: allKnown(words)})
	if s.carried(base(name), words, sets) {
		s.j.Commands[at].Carrier = true // what it carries was judged by itself
		return
	}
	s.programs(base(name), words)
	if name == "cd" {
		s.changeFolder(words)
	}
	spec, listed := readOnlyCommands()[name]
	plain := allKnown(words) && len(sets) == 0
	if listed && spec.inert && !slices.ContainsFunc(words, func(w word) bool { return w.glob != "" }) {
		s.j.Commands[at].ReadOnly = len(sets) == 0 && spec.checks(words[1:])
		if s.j.Commands[at].ReadOnly {
			return
		}
	}
	reads := listed && plain && (spec.check == nil || spec.check(texts(words[1:])))
	if reads && name == "git" {
		reads = s.gitReads(words)
	}
	s.arguments(words[1:], pathUse{reads: reads})
	if search, searches := searchOf(name, texts(words[1:])); searches {
		s.searched(search)
	}
	s.j.Commands[at].ReadOnly = reads
}

// base is a command's name without its folder: /bin/sh is sh.
func base(name string) string { return path.Base(name) }

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

func allKnown(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { return !w.known && !w.number && !w.stream })
}

// changeFolder notes where relative names may lead from now on.
func (s *shellJudge) changeFolder(words []word) {
	var operands []word
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.text, "-") || w.text == "-" || !w.known {
			operands = append(operands, w)
		}
	}
	if len(operands) != 1 || !operands[0].known || operands[0].glob != "" || operands[0].text == "-" || operands[0].text == "" {
		s.fault("it changes to a folder that is only known when it runs")
		return
	}
	s.moveTo(operands[0].text)
}

// moveTo adds a folder to those that relative names may be relative to.
func (s *shellJudge) moveTo(name string) {
	for _, folder := range slices.Clone(s.folders) {
		at := joinFolder(folder, name)
		p, err := s.roots.Resolve(at)
		if err != nil {
			continue // told as an argument
		}
		for _, abs := range []string{p.Abs, filepath.Clean(at)} { // the shell itself remembers the link it came by
			if !slices.Contains(s.folders, abs) {
				s.folders = append(s.folders, abs)
			}
		}
	}
	if len(s.folders) > maxShellFolders {
		s.fault("it changes folders too often to judge")
		s.folders = s.folders[:1]
	}
}

// carried judges commands that run others. It reports whether this one does nothing else.
func (s *shellJudge) carried(name string, words []word, sets []string) bool {
	switch name {
	case "command", "builtin", "exec", "nohup", "nice", "ionice", "timeout", "time", "stdbuf", "setsid", "chronic":
		return s.plainCarrier(name, words, sets)
	case "env":
		return s.envCarrier(words, sets)
	case "sh", "bash", "dash", "ash", "ksh", "zsh", "fish", "rbash", "mksh":
		return s.shellCarrier(name, words, sets)
	case "eval":
		return s.textCarrier(words[1:])
	case "trap":
		if len(words) > 2 && words[1].text != "-" && !strings.HasPrefix(words[1].text, "-") {
			return s.textCarrier(words[1:2])
		}
	case "xargs", "parallel":
		s.fault(name + " runs a command with arguments that come from elsewhere")
		s.inner(skipOptions(words[1:], "IELnPsdJRSaj"), sets)
	case "sudo", "doas", "su", "chroot", "unshare", "nsenter", "runuser", "pkexec", "setpriv", "systemd-run", "watch", "script", "strace", "ltrace", "gdb", "flock", "at", "batch", "busybox", "toybox", "expect", "socat", "start-stop-daemon":
		s.fault(name + " runs a command in another way than the shell does")
		s.inner(skipOptions(words[1:], "ugChprtDR"), sets)
	case "source", ".":
		s.fault("it runs a file's text in this shell")
	case "alias", "enable", "hash", "bind", "complete", "shopt":
		s.fault(name + " changes what commands mean")
	case "find":
		s.findActions(words, sets)
	case "fd", "fdfind":
		s.actionFlags(words, sets, "-x", "-X", "--exec", "--exec-batch")
	}
	return false
}

// inner judges the command that another one runs, where there is one.
func (s *shellJudge) inner(words []word, sets []string) {
	if len(words) > 0 {
		s.run(words, sets)
	}
}

// skipOptions leaves out leading options; those whose letter is listed take the next word.
func skipOptions(words []word, valued string) []word {
	for len(words) > 0 && strings.HasPrefix(words[0].text, "-") && words[0].text != "-" {
		option := words[0].text
		words = words[1:]
		if option == "--" {
			break
		}
		if len(option) == 2 && strings.ContainsRune(valued, rune(option[1])) && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

// plainCarrier judges commands that run the rest of their words unchanged.
func (s *shellJudge) plainCarrier(name string, words []word, sets []string) bool {
	rest := words[1:]
	if name == "command" && len(rest) > 0 && (rest[0].text == "-v" || rest[0].text == "-V") {
		return true // only says what it would run
	}
	valued := map[string]string{"nice": "n", "ionice": "cn", "timeout": "sk", "stdbuf": "ioe"}[name]
	known := map[string]string{"command": "p", "nice": "n0123456789", "ionice": "cnt", "timeout": "skfpv", "time": "pv", "stdbuf": "ioe", "setsid": "cfw"}[name]
	for _, w := range rest {
		if !strings.HasPrefix(w.text, "-") || w.text == "--" {
			break
		}
		if long := strings.HasPrefix(w.text, "--"); long && !harmlessLong(w.text) || !long && (len(w.text) < 2 || !strings.ContainsRune(known, rune(w.text[1]))) {
			s.fault(name + " is given an option that is not judged")
		}
	}
	rest = skipOptions(rest, valued)
	if name == "timeout" && len(rest) > 0 {
		rest = rest[1:] // the duration
	}
	s.inner(rest, sets)
	return true
}

func harmlessLong(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return slices.Contains([]string{"--adjustment", "--signal", "--kill-after", "--foreground", "--preserve-status", "--output", "--error", "--input"}, name)
}

// envCarrier judges env with variables and a command; alone it prints the environment and is a command of
// its own.
func (s *shellJudge) envCarrier(words []word, sets []string) bool {
	rest := words[1:]
	for len(rest) > 0 {
		text := rest[0].text
		name, _, isSet := strings.Cut(text, "=")
		switch {
		case !rest[0].known:
			s.fault("an argument is only known when it runs")
			return true
		case text == "-i" || text == "-" || text == "--ignore-environment":
			sets = append(sets, "-i")
		case text == "-u" && len(rest) > 1:
			sets = append(sets, rest[1].text+"=")
			rest = rest[1:]
		case strings.HasPrefix(text, "-"):
			s.fault("env is given an option that is not judged")
			return true
		case isSet:
			if !harmlessVariable(name) {
				sets = append(sets, text)
			}
		default:
			s.inner(rest, sets)
			return true
		}
		rest = rest[1:]
	}
	return false
}

// shellCarrier judges the text that a shell gets with -c. Without it the shell runs a file, or its input.
func (s *shellJudge) shellCarrier(name string, words []word, sets []string) bool {
	if len(sets) > 0 {
		s.fault("a shell is started with other variables")
	}
	rest := words[1:]
	for len(rest) > 0 && (strings.HasPrefix(rest[0].text, "-") || strings.HasPrefix(rest[0].text, "+") || !rest[0].known) {
		option := rest[0]
		rest = rest[1:]
		switch {
		case !option.known, strings.HasPrefix(option.text, "--") && option.text != "--" && option.text != "--norc" && option.text != "--noprofile",
			strings.Trim(strings.TrimLeft(option.text, "-+"), "ceuxfnlv") != "" && !strings.HasPrefix(option.text, "--"):
			s.fault(name + " is given an option that is not judged")
			return false
		case !strings.HasPrefix(option.text, "--") && strings.Contains(option.text, "l"):
			s.fault("a login shell runs the user's start-up files")
		case !strings.HasPrefix(option.text, "--") && strings.Contains(option.text, "c"):
			s.commandText(name, rest)
			return true
		}
	}
	if len(rest) == 0 {
		s.fault(name + " runs what it reads from its input")
	}
	return false
}

func (s *shellJudge) commandText(name string, rest []word) {
	for len(rest) > 0 && rest[0].known && (strings.HasPrefix(rest[0].text, "-") || strings.HasPrefix(rest[0].text, "+")) {
		if strings.Trim(rest[0].text, "-+eux") != "" {
			s.fault(name + " is given an option that is not judged")
		}
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 || !rest[0].known || rest[0].glob != "":
		s.fault("a shell's text is only known when it runs")
	case name == "zsh" || name == "fish":
		s.fault(name + " has a grammar of its own")
	default:
		s.script(rest[0].text, false)
		if name != "bash" && name != "rbash" {
			s.script(rest[0].text, true) // sh may be either
		}
	}
}

// textCarrier judges words that the shell parses once more.
func (s *shellJudge) textCarrier(words []word) bool {
	for _, w := range words {
		if !w.known || w.glob != "" {
			s.fault("a shell's text is only known when it runs")
			return true
		}
	}
	s.script(strings.Join(texts(words), " "), s.posix)
	return true
}

// findActions judges what find runs for each file.
func (s *shellJudge) findActions(words []word, sets []string) {
	for i, w := range words {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.text) {
			continue
		}
		end := i + 1
		for end < len(words) && words[end].text != ";" && words[end].text != "+" {
			end++
		}
		s.fault("find runs a command on files that are only known when it runs")
		s.inner(words[i+1:end], sets)
	}
}

func (s *shellJudge) actionFlags(words []word, sets []string, flags ...string) {
	for i, w := range words {
		if slices.Contains(flags, w.text) || slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(w.text, f+"=") }) {
			s.fault(words[0].text + " runs a command on files that are only known when it runs")
			s.inner(words[i+1:], sets)
			return
		}
	}
}
