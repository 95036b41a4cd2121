package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// looker is a command that is known to look and not touch.
type looker struct {
	check func(args []string) bool // nil: with any arguments
	inert bool                     // its arguments are never opened as files
}

// readOnlyCommands are judged by name alone, never by path: `./ls` is not ls.
var readOnlyCommands = sync.OnceValue(func() map[string]looker {
	list := map[string]looker{
		"echo": {inert: true}, "printf": {inert: true, check: printfReads}, "true": {inert: true}, "false": {inert: true}, ":": {inert: true},
		"sleep": {inert: true}, "seq": {inert: true}, "basename": {inert: true}, "dirname": {inert: true}, "exit": {inert: true}, "wait": {inert: true},
		"which": {inert: true}, "type": {inert: true}, "whoami": {inert: true}, "id": {inert: true}, "uname": {inert: true}, "nproc": {inert: true},
		"arch": {inert: true}, "groups": {inert: true}, "uptime": {inert: true}, "tty": {inert: true}, "pwd": {inert: true},
		"date": {check: without("sf", "--set", "--file")}, "set": {inert: true, check: setsOnly}, "hostname": {inert: true, check: none},
		"break": {inert: true}, "continue": {inert: true}, "return": {inert: true},
		"cd": {}, "test": {check: without("v")}, "[": {check: without("v")},
		"sort": {check: without("oT", "--output", "--compress-program", "--files0-from", "--temporary-directory")},
		"uniq": {check: operandsAtMost(1)}, "wc": {check: without("", "--files0-from")}, "du": {check: without("X", "--files0-from", "--exclude-from")},
		"grep": {check: without("Rd", "--dereference-recursive", "--directories")}, "rg": {check: rgReads},
		"find": {check: findReads}, "tree": {check: without("oR", "--output", "--fromfile")}, "xxd": {check: xxdReads}, "file": {check: without("CmfzZ", "--compile", "--magic-file", "--files-from", "--uncompress")},
		"sed": {check: sedReads}, "go": {check: goReads}, "git": {}, "jq": {check: jqReads}, "fd": {check: without("xX", "--exec", "--exec-batch", "--follow", "-L")},
		"diff": {check: without("r", "--recursive", "--from-file", "--to-file", "--starting-file")},
	}
	for _, name := range []string{"awk", "gawk", "mawk"} {
		list[name] = looker{check: awkReads}
	}
	list["egrep"], list["fgrep"] = list["grep"], list["grep"]
	for _, name := range strings.Fields("ls cat head tail nl tac rev cut tr paste fold fmt expand unexpand column comm cmp stat df readlink realpath " +
		"md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum hexdump od strings tsort join") {
		list[name] = looker{}
	}
	for _, name := range strings.Fields("node npm python python3 pip pip3 ruby java javac gcc g++ clang make cmake docker kubectl " +
		"php perl deno bun tsc gofmt golangci-lint staticcheck terraform helm") {
		list[name] = looker{inert: true, check: versionOnly}
	}
	return list
})

// checks tries the arguments of an inert command. Those only known when it runs cannot be options where the
// first one is no option either, as in `printf '%s' "$x"`.
func (l looker) checks(args []word) bool {
	if l.check == nil {
		return true
	}
	if len(args) > 0 && !allKnown(args[:1]) || len(args) == 1 && !allKnown(args) {
		return false
	}
	return l.check(texts(args))
}

func none(args []string) bool { return len(args) == 0 }

func versionOnly(args []string) bool {
	return len(args) == 1 && (args[0] == "--version" || args[0] == "-V")
}

// setsOnly takes the options of `set` that make a script stricter or more talkative.
func setsOnly(args []string) bool {
	if len(args) == 0 {
		return false // prints every variable
	}
	for _, a := range args {
		if a != "pipefail" && a != "-o" && strings.Trim(strings.TrimLeft(a, "-+"), "euxfo") != "" {
			return false
		}
		if !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+") && a != "pipefail" {
			return false
		}
	}
	return true
}

// without takes arguments that hold none of the option letters, in any cluster, and none of the long options,
// in any abbreviation.
func without(letters string, long ...string) func([]string) bool {
	return func(args []string) bool {
		return !slices.ContainsFunc(args, func(a string) bool { return forbidden(a, letters, long) })
	}
}

func forbidden(arg, letters string, long []string) bool {
	if strings.HasPrefix(arg, "--") && len(arg) > 2 {
		name, _, _ := strings.Cut(arg, "=")
		return slices.ContainsFunc(long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	if slices.Contains(long, arg) {
		return true
	}
	return strings.HasPrefix(arg, "-") && letters != "" && strings.ContainsAny(arg[1:], letters)
}

func operands(args []string) []string {
	var list []string
	for i, a := range args {
		if a == "--" {
			return append(list, args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			list = append(list, a)
		}
	}
	return list
}

func operandsAtMost(n int) func([]string) bool {
	return func(args []string) bool { return len(operands(args)) <= n }
}

func rgReads(args []string) bool {
	return without("Lz", "--pre", "--hostname-bin", "--follow", "--search-zip", "--pre-glob")(args)
}

func printfReads(args []string) bool { return len(args) == 0 || !strings.HasPrefix(args[0], "-") }

func xxdReads(args []string) bool {
	return without("r")(args) && len(operands(args)) <= 1
}

func findReads(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-files0-from", "-L", "-H", "-follow"}, a) || strings.HasPrefix(a, "-fprint")
	})
}

// sedPrint is the part of sed that only prints lines by number or pattern.
var sedPrint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+|\$|/[^/\\]*/)(,(\d+|\$|\+\d+|/[^/\\]*/))?p(;(\d+|\$)(,(\d+|\$))?p)*$`)
})

func sedReads(args []string) bool {
	if len(args) < 2 || args[0] != "-n" && args[0] != "-nE" {
		return false
	}
	return sedPrint().MatchString(args[1]) && !slices.ContainsFunc(args[2:], func(a string) bool { return strings.HasPrefix(a, "-") })
}

// awkReads knows programs that only print fields and count: no pipe, no redirection (and so no ">" at all), no
// other program or file, no environment.
func awkReads(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case (args[0] == "-F" || args[0] == "-v") && len(args) > 1:
			args = args[2:]
		case strings.HasPrefix(args[0], "-F"):
			args = args[1:]
		default:
			return false
		}
	}
	if len(args) == 0 {
		return false
	}
	for _, part := range []string{"|", ">", "<", "@", "system", "getline", "ENVIRON", "PROCINFO", "SYMTAB", "ARG", "\\"} {
		if strings.Contains(args[0], part) {
			return false
		}
	}
	return !slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, "-") || strings.Contains(a, "=") })
}

// jqReads refuses filters that see the environment or load modules.
func jqReads(args []string) bool {
	for _, a := range args {
		lower := strings.ToLower(a)
		if strings.Contains(lower, "env") || strings.Contains(lower, "import") || strings.Contains(lower, "include") {
			return false
		}
	}
	return without("Lf", "--from-file", "--library-path", "--rawfile", "--slurpfile")(args)
}

// goReads knows the go commands that inspect.
func goReads(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, a := range args[1:] {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && slices.Contains([]string{"exec", "toolexec", "vettool", "overlay", "modfile", "mod", "C", "pkgdir", "w", "u", "o", "export", "cpuprofile", "memprofile", "fix", "http"}, name) {
			return false
		}
	}
	switch args[0] {
	case "version", "list", "vet", "doc", "env", "help":
		return true
	case "mod":
		return len(args) > 1 && slices.Contains([]string{"graph", "why", "verify"}, args[1])
	}
	return false
}
