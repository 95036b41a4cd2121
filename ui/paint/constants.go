package paint

import "time"

// The numbers that may be tuned, each with its unit and its reason.
const (
	// bytesPerSecond is how much a terminal is given at most, frames of a burst counted together: enough for 125 whole
	// screens of 8 KB a second, more than anyone sees, and little enough for a terminal behind a slow line to keep up with.
	bytesPerSecond = 1 << 20
	// longestRest bounds the pause after one frame.
	longestRest = 16 * time.Millisecond
	// markedBytes is the least a frame must have to be worth marking as one: less is drawn at once anyway.
	markedBytes = 256
	// longestStyle is the most bytes of styling that are repeated to begin in the middle of a line.
	longestStyle = 64
	// patience is how long a terminal that takes nothing is waited for when it changes hands or the program ends.
	patience = 2 * time.Second
)
