package tools_test

import (
	"os"
	"testing"

	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
)

// TestMain lets the tests' own program be what commands are started through, as espy is.
func TestMain(m *testing.M) {
	sandbox.Serve()
	lifeline.Serve()
	os.Exit(m.Run())
}
