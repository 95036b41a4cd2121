package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// Prefix begins the name of every tool of a server, as in mcp__SERVER__TOOL.
const Prefix = "mcp__"

// ToolName is what the model calls a server's tool by: what services take as a name. A name that had to be changed
// beyond one character for another, or was too long, ends in a part of its hash.
func ToolName(server, tool string) string {
	name := Prefix + server + "__" + plain(tool)
	if len(name) > mostName || tool == "" {
		return hashed(name, tool)
	}
	return name
}

// plain replaces what no service takes in a name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// hashed is a name with a part of the hash of what it stands for, within mostName.
func hashed(name, tool string) string {
	sum := sha256.Sum256([]byte(tool))
	tail := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), mostName-len(tail))] + tail
}

// matches reports whether a name is, or fits a pattern, in a list; * stands for any letters.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if p == name {
			return true
		}
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}
