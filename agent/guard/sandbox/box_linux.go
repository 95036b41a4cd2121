package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// Box is where the commands of one session run. The zero value is ready; it is safe for use from several goroutines.
type Box struct {
	mu     sync.Mutex
	made   bool
	spaces *spaces // nil where the system has none to give
	why    string
	closed bool
}

// order is what the helper is told.
type order struct {
	Policy
	Spaces  int    `json:"spaces"`  // the descriptor of the user namespace to enter first, and before that of the network's; 0 is none
	Inside  bool   `json:"inside"`  // that was done
	Parent  int    `json:"parent"`  // the process the command ends with
	Shelter string `json:"shelter"` // where a file may be made that stands for those that are shut
}

// Confine makes a prepared command run under a policy. The program's main must call Serve.
func (b *Box) Confine(cmd *exec.Cmd, p Policy) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errors.New("the session has ended")
	}
	b.make()
	return b.spaces.confine(cmd, p)
}

// confine has the helper start a command in the namespaces; nil are none.
func (s *spaces) confine(cmd *exec.Cmd, p Policy) error {
	o := order{Policy: p, Parent: os.Getpid(), Shelter: os.TempDir()}
	if s != nil {
		o.Spaces = 3 + len(cmd.ExtraFiles) // os/exec: entry i becomes descriptor 3+i
		cmd.ExtraFiles = append(cmd.ExtraFiles, s.user, s.network)
	}
	text, err := encode(o)
	if err != nil {
		return err
	}
	cmd.Args = append([]string{cmd.Args[0], helperArgument, text, cmd.Path}, cmd.Args...)
	cmd.Path = itself
	return nil
}

// Features says what the box has.
func (b *Box) Features() Features {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.make()
	return Features{Loopback: b.spaces != nil, Files: b.spaces != nil, Why: b.why}
}

// Close lets go of the namespaces; they last as long as a command in them. Nothing may be confined afterwards.
func (b *Box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.spaces == nil {
		return nil
	}
	err := b.spaces.close()
	b.spaces = nil
	return err
}

func (b *Box) make() {
	if b.made || b.closed {
		return
	}
	b.made = true
	s, err := makeSpaces()
	if err == nil {
		if err = s.try(); err != nil {
			_ = s.close()
		}
	}
	if err != nil {
		b.why = fmt.Sprintf("this system gives an ordinary program no namespaces (%v)", err)
		return
	}
	b.spaces = s
}
