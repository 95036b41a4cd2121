//go:build !windows

package clipboard

import "context"

// windowsWays has nothing to offer elsewhere.
func windowsWays() []source { return nil }

func windowsWrite(context.Context, string) error { return errNoWay }
