package guard

import "os/exec"

// ownGroup leaves the program alone: its context ends it, and git starts no helpers with these settings.
func ownGroup(*exec.Cmd) {}

// ownSession: its context ends the program itself; what that started ends with espy (package lifeline).
func ownSession(cmd *exec.Cmd) { cmd.WaitDelay = killGrace + gitWait }

// sessionLives: what a command leaves running is in a job object, which is ended as a whole.
func sessionLives(int) bool { return false }

func endSessions(...int) {}
