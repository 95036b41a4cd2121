package guard

import (
	"slices"
	"strings"
)

// Protected names decide what runs, or what is believed, the next time a program or an agent starts. Writing
// them always asks, whichever tool writes. All are in lower case.
var (
	protectedFolders = []string{
		".git", ".hg", ".svn", ".jj", ".espy", ".husky", ".githooks",
		".vscode", ".idea", ".zed", ".vim", ".nvim", ".emacs.d", ".devcontainer", ".direnv",
		".claude", ".codex", ".gemini", ".cursor", ".opencode", ".crush",
	}
	protectedNames = []string{
		"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".mcp.json",
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
		".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".envrc", ".pam_environment", ".xinitrc", ".xsession", ".xprofile", "config.fish",
		".gitconfig", ".gitmodules", ".tmux.conf", ".screenrc",
		".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el", ".editorconfig.el", ".lvimrc",
	}
	protectedEnds = []string{".code-workspace"}
)

// protected returns what makes an absolute name protected, or "".
func (r *Roots) protected(abs string) string {
	rel := abs
	if inside, ok := relativeTo(r.physical, abs); ok {
		rel = inside
	}
	elements := strings.Split(spelling(rel), "/")
	for _, element := range elements {
		if slices.Contains(protectedFolders, element) {
			return element
		}
	}
	base := elements[len(elements)-1]
	if slices.Contains(protectedNames, base) {
		return base
	}
	if slices.ContainsFunc(protectedEnds, func(end string) bool { return strings.HasSuffix(base, end) }) {
		return base
	}
	return r.instructionTarget(abs)
}

// instructionTarget catches a file that an instruction file is a link to.
func (r *Roots) instructionTarget(abs string) string {
	for _, name := range instructionNames {
		if p, err := r.Resolve(name); err == nil && p.Abs == abs {
			return name
		}
	}
	return ""
}
