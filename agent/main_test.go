package agent

import (
	"os"
	"testing"

	"espy/agent/extend/mcp/mcptest"
)

// TestMain lets the test's program be an MCP server.
func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}
