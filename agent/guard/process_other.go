//go:build unix && !linux

package guard

import "syscall"

// endWithThisProgram does nothing: no signal tells of a parent's end here. Sessions are ended by the lifeline.
func endWithThisProgram(*syscall.SysProcAttr) {}
