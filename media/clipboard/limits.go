package clipboard

import "time"

// Bounds on what is read, and for how long.
const (
	// readDeadline ends a whole Read: a person who pressed paste waits no longer.
	readDeadline = 3 * time.Second
	// listDeadline ends asking one way what there is, which takes milliseconds; a hung owner never answers.
	listDeadline = 1 * time.Second
	// fetchDeadline ends bringing one flavour: 11 MB of PNG take under 0.1 s on X11 and Wayland
	// and longer over a forwarded display.
	fetchDeadline = 1500 * time.Millisecond
	// slowDeadline is for helpers that start a runtime of their own, PowerShell and osascript, and leaves time
	// for another way.
	slowDeadline = 2 * time.Second
	// reapDelay is how long a killed helper's pipes may stay open before they are closed for it.
	reapDelay = 100 * time.Millisecond
	// writeDeadline ends WriteText.
	writeDeadline = 2 * time.Second

	// maxOutputBytes is the most a helper or an owner may hand over; a gate takes 20 MiB of picture, and
	// uncompressed bitmaps and hex or base64 renderings of one are larger. The helper is killed beyond it.
	maxOutputBytes = 64 << 20
	// maxTextBytes bounds pasted text.
	maxTextBytes = 16 << 20
	// maxStderrBytes is how much of a helper's complaint is kept.
	maxStderrBytes = 4 << 10
	// maxOffers bounds the flavours an owner may list; real ones list under 100.
	maxOffers = 1024
	// maxCopiedFiles bounds the files of one copy or drop.
	maxCopiedFiles = 256
)

// waits are the deadlines one Read or WriteText works under.
type waits struct{ read, list, fetch, slow, write time.Duration }

func usualWaits() waits {
	return waits{read: readDeadline, list: listDeadline, fetch: fetchDeadline, slow: slowDeadline, write: writeDeadline}
}

// Bounds of the path parser.
const (
	// maxPathText is the longest text that is looked at as paths; longer text is text.
	maxPathText = 16 << 10
	// maxSiblings is how many entries a folder may have for the tolerant look-up.
	maxSiblings = 5000
	// maxFoldedFolders is how many missing folders of one path are looked for tolerantly.
	maxFoldedFolders = 8
)
