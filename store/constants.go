package store

import "time"

// Limits on what is written and held. Sizes are in bytes.
// StatesName is the folder of a session in which package checkpoint keeps what files held.
const StatesName = "files.git"

const (
	// maxRecordBytes bounds one line of a log. The largest honest record is a tool result's full text; a longer
	// line counts as damaged and is skipped without being held.
	maxRecordBytes = 64 << 20

	// headBytes is how much of a line is held to list sessions: far more than any ordinary message, far less
	// than a pasted file.
	headBytes = 256 << 10

	// maxNesting bounds the depth of a cut line that is mended for a list. Our own records stay under ten.
	maxNesting = 64

	// readBytes is the buffer a log is read through: few system calls, little memory.
	readBytes = 64 << 10

	// chunkBytes is how much of a log one worker decodes at a time: some milliseconds of work.
	chunkBytes = 256 << 10

	// maxBlobBytes bounds one blob: several times the largest source picture and any sensible shell output.
	maxBlobBytes = 256 << 20

	// maxMetaBytes bounds meta.json, which is a title, a path and a few numbers.
	maxMetaBytes = 64 << 10

	// maxDraftBytes bounds a draft's saved state: a composer full of pasted text.
	maxDraftBytes = 64 << 20

	// maxPromptBytes bounds one prompt kept for recall; what is longer is a file and not a prompt.
	maxPromptBytes = 1 << 20
)

// decoders is how many chunks of a log are decoded side by side. Each may hold a record of the largest size, so
// that more would cost memory for little time.
const decoders = 4

// Shapes of names and titles.
const (
	titleRunes     = 80 // a list row; longer titles are cut with an ellipsis
	blobPrefixHex  = 6  // fewest hash characters that name a blob: 16 million values, few pictures
	historyKept    = 1000
	historyRewrite = 1200 // entries at which the oldest are dropped, so that one Add in 200 rewrites
)

// historyWait is how long Add waits for another process that is writing history: a write takes
// milliseconds, a stopped process may hold it for ever.
const historyWait = 5 * time.Second

// historyPoll is how often Add looks whether the lock is free.
const historyPoll = 5 * time.Millisecond

// outliveFor is how long a lock is waited for whose holder is dead, and outlivePoll how often it is tried: the
// program that still has it open runs within some milliseconds, on a busy machine within some hundred.
const (
	outliveFor  = 2 * time.Second
	outlivePoll = 5 * time.Millisecond
)

// leftAfter is the age from which a folder without a log or a draft counts as left by a crash: its maker has long
// locked it, or written to it, by then.
const leftAfter = time.Hour

// Modes of everything under the state folder: a conversation is nobody else's.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Names inside the state folder and a session's folder.
const (
	sessionsName = "sessions"
	logName      = "transcript.jsonl"
	metaName     = "meta.json"
	lockName     = "lock"
	blobsName    = "blobs"
	tasksName    = "tasks"
	draftName    = "draft"
	stateName    = "state.json"
	tempPattern  = ".part-*"
	tempPrefix   = ".part-"
	historyName  = "history.jsonl"
	historyLock  = "history.lock"
)
