package start

import (
	"os"
	"testing"

	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
)

// TestMain lets the test's program be the helper that commands run under, as espy's own is.
func TestMain(m *testing.M) {
	sandbox.Serve()
	lifeline.Serve()
	os.Exit(m.Run())
}
