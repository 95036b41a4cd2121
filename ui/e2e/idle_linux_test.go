package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// wakeUps is how often the threads of a process have given up their processor so far: they ran in between.
func wakeUps(t testing.TB, pid int) int {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("there are no threads of %d: %v", pid, err)
	}
	sum := 0
	for _, name := range threads {
		status, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
		if words := strings.Fields(rest); len(words) > 0 {
			n, _ := strconv.Atoi(words[0])
			sum += n
		}
	}
	return sum
}
