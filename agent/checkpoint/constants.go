package checkpoint

import (
	"time"

	"espy/store"
)

const (
	// maxFile is the largest file whose state is kept, in bytes: what the write and edit tools take. Larger files
	// in a workspace are data or build output, and a copy of each state would fill the disk.
	maxFile = 10 << 20

	// maxFiles and maxBytes bound what one look at the workspace takes in anew: a large repository's sources fit,
	// a home folder does not.
	maxFiles = 50_000
	maxBytes = 256 << 20

	// snapshotFor bounds one look at the workspace: the first one of 20,000 files takes about three seconds, later
	// ones some ten milliseconds. A person waits for it before a command runs.
	snapshotFor = 10 * time.Second

	// namesAtOnce is how many bytes of names git is given at a time: what it has read is how far it is.
	namesAtOnce = 4 << 10

	// keepFor bounds what is still done for a call after it was interrupted.
	keepFor = 10 * time.Second
)

// repositoryName is the private repository inside a session's folder.
const repositoryName = store.StatesName
