package e2e

import (
	"os"
	"testing"
	"time"

	"espy/ui/terminal"
)

const (
	// idleTime is how long an idle program is watched, and fewWakeUps how often its threads may run meanwhile: none is usual,
	// the collector and the scheduler of Go look around now and then.
	idleTime   = 10 * time.Second
	fewWakeUps = 10
)

func TestAnIdleProgramWritesNothingAndSleeps(t *testing.T) {
	for name, prepare := range map[string]func(term *terminal.Terminal){
		"with a draft": func(term *terminal.Terminal) {
			term.Send("a draft")
			term.WaitFor("› a draft")
		},
		"with a question": func(term *terminal.Terminal) {
			send(term, callWrite)
			term.WaitFor(waits)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			term := w.opened()
			send(term, "hello there")
			term.WaitFor("text: 11 characters")
			prepare(term)
			quiet(t, term)
			quiet(t, term) // the draft is saved, the memory of the turn is cleared
			quiet(t, term)
			written, woken := len(term.Output()), wakeUps(t, term.Pid())
			time.Sleep(idleTime) // that nothing happens can only be seen by letting time pass
			if more := term.Output()[written:]; len(more) > 0 {
				t.Errorf("idle for %v it wrote %q", idleTime, more)
			}
			if n := wakeUps(t, term.Pid()) - woken; n > fewWakeUps && len(buildFlags()) == 0 {
				t.Errorf("idle for %v its threads ran %d times", idleTime, n)
			}
			term.Signal(os.Kill)
			term.Wait()
		})
	}
}
