package input

import (
	"os"
	"time"
)

// file is the console. It shows no descriptor: where Bubble Tea finds standard input's it reads console records past the
// reader it was given. The console must therefore be set to raw mode and to send sequences by [Reader.Start].
type file struct{ in *os.File }

func newFile(f *os.File) file { return file{f} }

// held is nothing: what sets the console back keeps its mode.
type held struct{}

// Read reads from the console.
func (f file) Read(p []byte) (int, error) { return f.in.Read(p) }

// waits reports that ready cannot wait for input.
func waits() bool { return false }

// ready is always false: the console delivers each key's sequence whole, so nothing needs to be waited for.
func (f file) ready(time.Duration) bool { return false }
