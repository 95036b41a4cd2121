package agent

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:embed system.md
var systemText string

// Surroundings are what the system text says about where espy runs. They are gathered once when a session is
// opened, so that the text stays byte-identical while it lasts.
type Surroundings struct {
	OS           string // "linux/amd64"
	Shell        string // what the shell tool runs: "bash"
	Folder       string // the workspace
	Repository   bool   // inside a git repository
	Branch       string
	Today        time.Time
	Instructions []Instruction
	Unaccepted   []string // instruction files that are there and were not read, because the folder is not accepted
}

// Instruction is an accepted AGENTS.md (or CLAUDE.md), outermost first.
type Instruction struct {
	Path string
	Text string
}

// SystemTexts are the system texts of a session: how to work, where, and what the folder's own files say.
func SystemTexts(s Surroundings) []string {
	var env strings.Builder
	fmt.Fprintf(&env, "# Where you are\n- Workspace: %s\n- System: %s; the shell tool runs %s\n", s.Folder, s.OS, s.Shell)
	switch {
	case s.Repository && s.Branch != "":
		fmt.Fprintf(&env, "- Inside a git repository, on branch %s when the session began\n", s.Branch)
	case s.Repository:
		env.WriteString("- Inside a git repository\n")
	default:
		env.WriteString("- Not inside a git repository\n")
	}
	fmt.Fprintf(&env, "- Date when the session began: %s\n", s.Today.Format("2006-01-02"))
	if len(s.Unaccepted) > 0 {
		fmt.Fprintf(&env, "- The user has not accepted this folder's own instructions (%s); they were not loaded.\n", strings.Join(s.Unaccepted, ", "))
	}
	texts := []string{strings.TrimSpace(systemText), strings.TrimSpace(env.String())}
	for _, i := range s.Instructions {
		texts = append(texts, fmt.Sprintf("# Instructions of this repository, from %s\n\n%s", i.Path, strings.TrimSpace(i.Text)))
	}
	return texts
}
