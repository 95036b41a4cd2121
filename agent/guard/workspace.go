package guard

var instructionNames = []string{"AGENTS.md", "CLAUDE.md"}
