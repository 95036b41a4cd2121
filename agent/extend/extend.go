// Package extend reads tools, skills and slash commands that people declare in files, so that extending espy is
// a change with no code in it. Formats are TOML and Markdown; docs/extending.md is enough to write one.
//
// Contract: a file is parsed from the exact bytes that were read, with every fault named by file and line; one
// faulty file leaves the others. What a declared tool would do is told to the guard like a built-in tool's. A
// project's files can add tools but never loosen what the guard asks: their read_only is not believed.
//
// The package knows the tools' interface, the guard's effects and the gate for pictures. It must not know the
// loop, a provider or a screen.
package extend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"

	"espy/agent/tools"
)

// File is one declaring file, as read.
type File struct {
	Path    string // how to name it; its folders say what it declares: tools/x.toml, skills/x/SKILL.md, commands/x.md, extensions/x/hooks.toml
	Project bool   // from an accepted workspace's .espy, not from the person's own folder
	Data    []byte
}

// Set is everything that was declared.
type Set struct {
	Tools    []tools.Tool
	Skills   []Skill
	Commands []Command
	Hooks    []Hook
	Problems []string // a sentence each, for the person
	Digest   string   // of the exact bytes parsed; equal digests mean nothing to reload
}

// Parse reads files into a set. Of two tools with one name the person's own stays.
func Parse(files []File) Set {
	var s Set
	sort.SliceStable(files, func(i, j int) bool { return !files[i].Project && files[j].Project })
	taken := make(map[string]string)
	for _, f := range files {
		if err := s.add(f, taken); err != nil {
			s.Problems = append(s.Problems, fmt.Sprintf("%s: %v", f.Path, err))
		}
	}
	if t, ok := skillTool(s.Skills); ok {
		s.Tools = append(s.Tools, t)
	}
	for i := range s.Tools {
		s.Tools[i].Source = tools.SourceFiles
	}
	s.Digest = Digest(files)
	return s
}

// add parses one file by the folder it lies in.
func (s *Set) add(f File, taken map[string]string) error {
	claim := func(kind, name string) error {
		if by, ok := taken[kind+name]; ok {
			return fmt.Errorf("there is a %s %q already, from %s; this one is not used", kind, name, by)
		}
		taken[kind+name] = f.Path
		return nil
	}
	switch kind, _, _ := strings.Cut(placeOf(f.Path), "/"); kind {
	case "tools":
		t, name, err := parseTool(f)
		if err == nil {
			err = claim("tool", name)
		}
		if err != nil {
			return err
		}
		s.Tools = append(s.Tools, t)
	case "skills":
		skill, err := parseSkill(f)
		if err == nil {
			err = claim("skill", skill.Name)
		}
		if err != nil {
			return err
		}
		s.Skills = append(s.Skills, skill)
	case "extensions":
		hooks, err := parseHooks(f)
		if err != nil {
			return err
		}
		s.Hooks = append(s.Hooks, hooks...)
	case "commands":
		c, err := parseCommand(f)
		if err == nil {
			err = claim("command", c.Name)
		}
		if err != nil {
			return err
		}
		s.Commands = append(s.Commands, c)
	}
	return nil
}

// placeOf is the path from the folder that says what a file declares.
func placeOf(path string) string {
	parts := strings.Split(strings.ReplaceAll(path, "\\", "/"), "/")
	for i := len(parts) - 2; i >= 0; i-- {
		switch parts[i] {
		case "tools", "skills", "commands", "extensions":
			return strings.Join(parts[i:], "/")
		}
	}
	return ""
}

// Declares reports whether a file by its place and name declares something.
func Declares(path string) bool {
	place := placeOf(path)
	switch {
	case strings.HasPrefix(place, "tools/"):
		return strings.HasSuffix(place, ".toml")
	case strings.HasPrefix(place, "skills/"):
		return strings.HasSuffix(place, "/SKILL.md")
	case strings.HasPrefix(place, "extensions/"):
		return strings.HasSuffix(place, "/hooks.toml")
	case strings.HasPrefix(place, "commands/"):
		return strings.HasSuffix(place, ".md")
	}
	return false
}

// Digest is a Set's digest of files in the order ReadDir gives them.
func Digest(files []File) string {
	if len(files) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %t %d\n", f.Path, f.Project, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}
