//go:build unix && !race

package e2e

// buildFlags are what the program is built with.
func buildFlags() []string { return nil }
