package ui

// suspendable is false: Windows has no job control.
func suspendable() bool { return false }

func stopUntilWoken() error { return nil }
