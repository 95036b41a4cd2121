// Package headless is the face without a screen: `espy run` with its events, `espy look`, `espy sessions`,
// `espy models`, `espy doctor` and `espy config`. Everything it prints is either the answer, JSON lines whose
// shape only ever grows, or one line that says what, where and what to do.
//
// The package drives the loop through the same commands and events as the screen. It must not know a
// protocol, decide a permission or touch history.
package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"espy/agent"
	"espy/ui/screen"
)

// Exit codes of the program.
const (
	ExitDone        = 0
	ExitFailed      = 1   // the turn failed
	ExitUsage       = 2   // bad usage or configuration
	ExitRefused     = 3   // the turn ended but a call it wanted was refused
	ExitInterrupted = 130 // Ctrl+C
)

// Loop is the running agent as this face sees it.
type Loop interface {
	Send(agent.Command)
	Next(ctx context.Context) ([]agent.Event, error)
}

// Output is where a command prints.
type Output struct {
	Out io.Writer
	Err io.Writer
}

// Fail prints one line about what went wrong. Outside text in it cannot steer the terminal.
func (o Output) Fail(err error) {
	fmt.Fprintln(o.Err, "espy: "+oneLine(err.Error()))
}

// oneLine makes any text safe to print and a single line.
func oneLine(s string) string { return strings.Join(strings.Fields(screen.Safe(s)), " ") }

// printJSON writes one value as a line of JSON without HTML escaping.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
