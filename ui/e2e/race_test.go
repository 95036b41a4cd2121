//go:build unix && race

package e2e

// buildFlags are what the program is built with: the tests' race detector looks at the program too.
func buildFlags() []string { return []string{"-race"} }
