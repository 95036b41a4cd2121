package ui

import "context"

// suspendable is false: Windows has no job control.
func suspendable() bool { return false }

func wakeUnlessStopped(context.Context) {}
