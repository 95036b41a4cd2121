package lifeline

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Line is a program's hold on what it started: a job object, whose members the system ends when the last handle to
// it is closed, which is when this program ends. The zero value is ready; it is safe for use from several goroutines.
type Line struct {
	mu  sync.Mutex
	job windows.Handle
}

// Watch puts a process that was just started, and what it will start, into the job. Where that fails nothing is
// watched.
func (l *Line) Watch(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.job == 0 {
		l.job = newJob()
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if l.job == 0 || err != nil {
		return
	}
	defer windows.CloseHandle(process)
	_ = windows.AssignProcessToJobObject(l.job, process)
}

// Close ends what is left in the job.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.job != 0 {
		_ = windows.CloseHandle(l.job)
		l.job = 0
	}
}

func newJob() windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}

// Serve does nothing here: the system is the watcher.
func Serve() {}
