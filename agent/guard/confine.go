package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"espy/agent/guard/sandbox"
)

// Sandboxing says whether commands run in a sandbox. The zero value is none.
type Sandboxing struct {
	On      bool // ask sandbox.Missing first: without what it needs no command starts
	Network bool // commands in the sandbox may open sockets to a network
}

// temporary are folders for what need not last.
var temporary = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"}

// cacheVariables name folders in which programs keep what they can fetch or build again.
var cacheVariables = []string{"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "npm_config_cache", "PIP_CACHE_DIR", "UV_CACHE_DIR", "CCACHE_DIR", "SCCACHE_DIR", "TMPDIR"}

// toolCaches are such folders below the home folder. Of folders that also hold settings, keys or programs, only the
// part that is a cache is named.
var toolCaches = []string{
	".cache", "Library/Caches", "go/pkg", ".npm", ".yarn/berry", ".local/share/pnpm/store", "Library/pnpm/store", ".pnpm-store", ".bun/install/cache", ".deno",
	".cargo/registry", ".cargo/git", ".cargo/.package-cache", ".cargo/.package-cache-mutate", ".cargo/.global-cache", ".m2/repository",
	".gradle/caches", ".gradle/daemon", ".gradle/native", ".gradle/notifications", ".gradle/workers", ".gradle/.tmp", ".konan/cache", ".ivy2/cache", ".sbt/boot",
	".nuget/packages", ".ccache", ".conan2/p", ".bundle/cache", ".pub-cache", ".hex", ".stack/pantry", ".cabal/packages", ".ghcup/cache",
}

// Sandboxed reports whether commands run in the sandbox now: not in full mode, in which nothing holds them.
func (g *Guard) Sandboxed() bool { return g.sandboxing.On && g.Mode() != ModeFull }

// Confine puts a prepared command into the sandbox and reports whether it did. Once it is there, the command writes
// only to the workspace, trusted paths, temporary folders and the caches of tools, does not read folders of
// credentials outside the workspace, and has no network unless that is allowed. Where the system can do it, what a
// repository runs by itself, .env files inside the workspace and the terminal that espy runs in are kept from it too.
func (g *Guard) Confine(cmd *exec.Cmd) (bool, error) {
	if !g.Sandboxed() {
		return false, nil
	}
	env := cmd.Env
	if env == nil {
		env = os.Environ()
	}
	p := g.roots.policy(env, g.sandboxing.Network)
	if g.box.Features().Files {
		p.Keep, p.Shut = g.roots.inner()
		p.Shut = append(p.Shut, terminalControls(os.Getenv)...)
	}
	return true, g.box.Confine(cmd, p)
}

// Close ends the sandbox: nothing may be confined afterwards.
func (g *Guard) Close() error { return g.box.Close() }

// policy is what a command with this environment may touch.
func (r *Roots) policy(env []string, network bool) sandbox.Policy {
	value := func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(env[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
	p := sandbox.Policy{Network: network, Hide: r.secrets.folders()}
	add := func(name string) {
		if !filepath.IsAbs(name) {
			return
		}
		if physical, err := filepath.EvalSymlinks(name); err == nil && !slices.Contains(p.Write, physical) {
			p.Write = append(p.Write, physical)
		}
	}
	add(r.physical)
	add(r.repository())
	for _, t := range r.Trusted() {
		if t.Problem == "" {
			add(t.Path)
		}
	}
	for _, name := range temporary {
		add(name)
	}
	for _, name := range cacheVariables {
		add(value(name))
	}
	for _, path := range filepath.SplitList(value("GOPATH")) {
		add(filepath.Join(path, "pkg"))
	}
	home := r.secrets.expandHome("~")
	if filepath.IsAbs(home) {
		makeCache(home)
		for _, name := range toolCaches {
			add(filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	return p
}

// makeCache makes the folder that many programs make for themselves, which they cannot in the sandbox.
func makeCache(home string) {
	if _, err := os.Lstat(home); err == nil {
		_ = os.Mkdir(filepath.Join(home, ".cache"), 0o700)
	}
}

// repository is repositoryFolder of the workspace.
func (r *Roots) repository() string { return repositoryFolder(r.physical, r.secrets.expandHome("~")) }

// repositoryFolder is the .git folder of the repository the workspace lies in, so that git can commit from a folder
// inside it; "" where there is none. A .git file is not followed: a repository could name any folder in it.
func repositoryFolder(workspace, home string) string {
	name := filepath.Join(instructionFolders(workspace, home)[0], ".git")
	if info, err := os.Lstat(name); err != nil || !info.IsDir() {
		return ""
	}
	return name
}

// folders lists the folders of credentials that exist outside any workspace: espy's own, and those of the home
// folder. Single files are not among them, since programs fail on settings they see and cannot read.
func (s *Secrets) folders() []string {
	var found []string
	add := func(name string) {
		physical, err := filepath.EvalSymlinks(name)
		if err != nil || slices.Contains(found, physical) {
			return
		}
		if info, err := os.Lstat(physical); err == nil && info.IsDir() {
			found = append(found, physical)
		}
	}
	if s == nil {
		return nil
	}
	for _, name := range s.own {
		add(name)
	}
	if s.home == "" {
		return found
	}
	for _, name := range slices.Concat(credentialFolders, credentialPairs, homeFolders, homeFiles) {
		at := filepath.Join(s.home, filepath.FromSlash(name))
		if !s.exempted(at) {
			add(at)
		}
	}
	return found
}
