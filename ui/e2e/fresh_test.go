//go:build unix

package e2e

import (
	"testing"
)

func TestAFreshMachineGetsAnAnswerWithoutAnyConfiguration(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	if s := term.Screen(); !s.Alternate || !s.Contains("fake/echo") {
		t.Errorf("the first screen is not full-screen on the offline model:\n%s", s.Framed())
	}
	send(term, "hello there")
	s := term.WaitFor("text: 11 characters")
	t.Log(s.Framed())
	quit(t, term)
}
