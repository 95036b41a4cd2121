package guard

import (
	"os"
	"slices"
	"sync"
)

// Leftovers are the groups of commands that ended and left something running, as `server &` does. They go on while
// the session does and end with it. The zero value is ready; it is safe for use from several goroutines.
//
// A group is known by its number, which the system gives to no one else while the group has a member. Groups that
// have ended are forgotten at each look, so that their number means nothing here once somebody else has it.
type Leftovers struct {
	mu     sync.Mutex
	groups []int
}

// Note looks whether anything of a command's group is left. The command was made by ShellCommand and has ended.
func (l *Leftovers) Note(leader *os.Process) {
	if l == nil || leader == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups = slices.DeleteFunc(append(l.groups, leader.Pid), func(group int) bool { return !groupLives(group) })
}

// End ends what is left, all of it at once, and waits for that: killGrace at the longest.
func (l *Leftovers) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var all sync.WaitGroup
	for _, group := range l.groups {
		all.Go(func() { _ = endGroup(group) }) // one that may not be ended is not this user's
	}
	all.Wait()
	l.groups = nil
}
