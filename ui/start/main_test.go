package start

import (
	"os"
	"testing"

	"espy/agent/extend/mcp/mcptest"
	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
)

// TestMain lets the test's program be the helper that commands run under, as espy's own is, and an MCP server.
func TestMain(m *testing.M) {
	sandbox.Serve()
	lifeline.Serve()
	mcptest.Main()
	os.Exit(m.Run())
}
