package tools

import "time"

// What a model is shown. Everything beyond goes to a blob the model can read piece by piece.
const (
	// maxShownLines and maxShownBytes bound one read. 2000 lines of source are about 25,000 tokens; 50 KB
	// keeps files of long lines at the same price.
	maxShownLines = 2000
	maxShownBytes = 50_000

	// maxLineBytes is where a single line is cut: minified code and data lines carry little per byte.
	maxLineBytes = 2000

	// maxOutputChars is how much of a tool's text stays in the context: head and tail, about 8,000 tokens.
	maxOutputChars = 30_000

	// maxFolderEntries bounds a listing; a larger folder is searched with glob instead.
	maxFolderEntries = 500
)

// Files.
const (
	// defaultMaxSource is used where Env.MaxSource is zero: text files up to 10 MiB are read and edited whole.
	defaultMaxSource = 10 << 20

	// maxSearchBytes is the largest file grep reads; larger ones are generated or data, and counted as skipped.
	maxSearchBytes = 10 << 20

	// sniffBytes is how much of a file decides what kind it is; git looks at as much for its binary test.
	sniffBytes = 8000

	// maxDiffBytes bounds the diff kept with a result; the file itself is always written whole.
	maxDiffBytes = 256 << 10
)

// Searching.
const (
	maxMatches       = 300  // matching lines of one grep; more say too little each
	maxGlobResults   = 200  // names of one glob
	maxContextLines  = 10   // lines around a match
	maxMatchBytes    = 500  // of one matching line; the match itself stays in view
	maxPatternBytes  = 1000 // of a glob pattern
	maxPatternBraces = 4    // groups in a glob pattern: each multiplies what is tried for every name
	searchWorkers    = 4    // files read at once: each may hold maxSearchBytes
)

// Tasks.
const (
	// mostTaskTurns is the most requests a call may ask for; the settings bound it further.
	mostTaskTurns = 200

	// maxSummaryBytes bounds what a call's line says of its description.
	maxSummaryBytes = 120
)

// Shell.
const (
	defaultShellTimeout = 120 * time.Second
	maxShellTimeout     = 600 * time.Second

	// shellWaitDelay is how long output is still collected after the shell ended or was killed, when a
	// background child holds the pipe open.
	shellWaitDelay = time.Second

	// maxSpillBytes bounds the stored output of one command; the rest is counted, and its tail is shown.
	maxSpillBytes = 64 << 20

	// spillBuffer is how much is collected before it is handed to the blob, in bytes.
	spillBuffer = 64 << 10

	// maxPendingLine is where an unfinished output line is passed on in pieces.
	maxPendingLine = 64 << 10

	// progressEvery is the shortest time between two looks at a running command's output: people read no faster, and a
	// screen that changes more often is not calm.
	progressEvery = 250 * time.Millisecond

	// maxProgressBytes bounds a progress line; a screen is seldom wider. progressLines is how many of the newest show.
	maxProgressBytes = 200
	progressLines    = 5

	// minFoldChars is the shortest run of base64 that is folded: below it, keys and hashes stay readable.
	minFoldChars = 1000

	// minFoldLine is the shortest line taken for one of wrapped base64; encoders wrap at 64 or 76.
	minFoldLine = 60
)

// Commands in the background.
const (
	// maxJobs bounds how many run at once: servers, watchers and a build or two.
	maxJobs = 8

	// maxEndedJobs is how many that have ended can still be looked at.
	maxEndedJobs = 16

	// recentBytes is how much of the end of its output a job keeps to be looked at while it runs: some 2,000 lines.
	recentBytes = 128 << 10

	// settleTime is how long a command that goes to the background is waited for: what fails at once is told at once.
	settleTime = time.Second

	// maxTailLines bounds the lines of one look at a job, maxJobWait how long a look may wait for its end.
	maxTailLines = 2000
	maxJobWait   = 120 * time.Second

	// mostOfCommand is how many bytes of a job's command a list shows.
	mostOfCommand = 300
)

// The person.
const (
	// maxTodos and maxTodoText bound the task list: more is no list that helps, and each is sent with every request.
	maxTodos    = 50
	maxTodoText = 300

	// leastChoices and mostChoices bound a question; maxQuestionText and maxChoiceText its words, in bytes.
	leastChoices, mostChoices = 2, 6
	maxQuestionText           = 2000
	maxChoiceText             = 300
)

// Pictures.
const (
	// legibleAspect is the ratio of sides over which a whole picture is too thin a strip to read.
	legibleAspect = 3

	// legibleSide is how many pixels of the long side one full-size crop shows: the side of detail "auto".
	legibleSide = 2048

	// maxSlices bounds the pictures of one call.
	maxSlices = 8

	// sliceOverlap is the part of a band that the next one repeats, so that no line of text is cut in two.
	sliceOverlap = 0.05

	// maxRedactedBytes bounds what is hashed to compare a file with a redacted one; the gate takes 20 MiB.
	maxRedactedBytes = 32 << 20
)

// Deferred tools.
const (
	// maxServerTools and maxServerBytes are where a server's tools are all deferred: beyond either, every request
	// would carry more of them than of espy's own (ten tools, about 8 KB of names, descriptions and schemas, which
	// are 2,000 tokens).
	maxServerTools = 12
	maxServerBytes = 8 << 10

	// maxListed and maxListedBytes bound the lines of deferred tools in load_tools: what a hundred tools take is
	// about 4,000 tokens. Those beyond are found by words.
	maxListed      = 100
	maxListedBytes = 16 << 10

	maxShapeBytes = 200  // of a deferred tool's argument shape; its schema says the rest
	maxAboutBytes = 120  // of its description
	maxNewsBytes  = 1500 // of the description of a tool that came or changed; espy's own are shorter
	maxShapeDepth = 2    // objects inside an argument that a shape shows

	maxFound = 3  // tools a search by words answers with
	maxNamed = 40 // names a sentence about a missing tool lists
)
