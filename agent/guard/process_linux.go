package guard

import "syscall"

// endWithThisProgram has the kernel kill a process when the thread that starts it ends. Threads of a Go program last
// as long as it does unless a goroutine keeps one to itself and ends; none here does.
func endWithThisProgram(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
