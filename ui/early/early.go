// Package early runs before the Bubble Tea package does, and that is all it is for.
//
// Bubble Tea v1 asks the terminal for its background colour while its package is being initialised: before main, before
// flags are read, even for --version. A terminal that does not answer holds the program for five seconds, and over a slow
// line every start pays two round trips. Lip Gloss only asks when nobody has told it the answer, so this package tells it.
//
// Go initialises packages whose imports are ready in the order of their import paths. This package imports Lip Gloss and
// nothing else, and its path ("espy/ui/early") sorts before "github.com/charmbracelet/bubbletea", so it comes first. Both
// must stay so: another import here, or a module path that sorts later, brings the stall back. The tests watch for it.
//
// The true colour is asked for later, without waiting, by package ui/input.
package early

import "github.com/charmbracelet/lipgloss"

// init is the one initialiser with an effect in this program: nothing later would be early enough.
func init() { lipgloss.SetHasDarkBackground(true) }
