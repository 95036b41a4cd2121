package agent

import (
	_ "embed"
	"strings"
)

//go:embed init.md
var initText string

// InitPrompt asks for the folder's AGENTS.md to be written, or improved where there is one. What the person adds is
// put behind it.
func InitPrompt(more string) string {
	text := strings.TrimSpace(initText)
	if more = strings.TrimSpace(more); more != "" {
		text += "\n\nThe user adds: " + more
	}
	return text
}
