package guard

import "time"

const (
	// maxLinks is how many links one name may pass; Linux itself stops at 40 (path_resolution(7)).
	maxLinks = 40
	// maxOpenAttempts is how often an open starts again when the file changed between check and use. A file
	// replaced by an editor needs one more attempt; a name that changes more often is being played with.
	maxOpenAttempts = 4
	// maxNameBytes bounds a name; Linux takes 4096 (PATH_MAX), Windows 32767.
	maxNameBytes = 32 << 10
	// maxShownName is how much of a name a sentence shows, in bytes: a deep path, not a flood.
	maxShownName = 400

	// maxDirEntries bounds one folder listing, in entries: beyond it a listing helps nobody.
	maxDirEntries = 100_000
	// maxWalkEntries bounds one walk, in entries; a large monorepo has about 100,000 files.
	maxWalkEntries = 200_000
	// maxWalkDepth bounds a walk's nesting, in folders; one handle is held for each level.
	maxWalkDepth = 64
	// dirChunk is how many entries are read between two looks at the context.
	dirChunk = 1024

	// pemSniffBytes is how much of a .pem file is searched for a private key; certificates chains with a key
	// at the end are seldom longer.
	pemSniffBytes = 64 << 10
	// maxSSHConfigBytes bounds ~/.ssh/config, which names further keys.
	maxSSHConfigBytes = 256 << 10

	// newFileMode and newFolderMode are what new things get before the umask.
	newFileMode   = 0o666
	newFolderMode = 0o777

	// maxGitOutput bounds what one git call may print, in bytes: a listing of 200,000 long names.
	maxGitOutput = 32 << 20
	// gitWait is how long a git call's output may stay open after it was killed.
	gitWait = 2 * time.Second
	// killGrace is how long a cancelled command has between SIGTERM and SIGKILL (package lifeline).
	killGrace = 2 * time.Second

	// maxCommandBytes bounds a command line that is judged; a longer one is asked.
	maxCommandBytes = 64 << 10
	// maxShellDepth bounds shells within shells (`sh -c "sh -c …"`).
	maxShellDepth = 4
	// maxWords bounds what braces may multiply into on one line.
	maxWords = 1024
	// maxShellFolders bounds the folders that relative names are tried in.
	maxShellFolders = 16
	// maxGlobMatches bounds what a pattern on a command line may stand for and still be judged.
	maxGlobMatches = 4096
	// maxIgnoreBytes bounds an ignore file that is read for what it takes back in.
	maxIgnoreBytes = 64 << 10
	// maxSearchEntries bounds the look for credential files below a folder that a command searches.
	maxSearchEntries = 20_000

	// innerEntries, innerDepth and innerWait bound the look for .env files before a command that is to be confined,
	// in files and folders, in folders below the workspace, and in time: most workspaces take a few milliseconds.
	innerEntries = 20_000
	innerDepth   = 6
	innerWait    = 250 * time.Millisecond

	// maxInstructionBytes is how much is kept of an instruction file (AGENTS.md) and of each file of `.espy`.
	maxInstructionBytes = 256 << 10
	// maxWorkspaceFileBytes bounds a file of `.espy` that is summed; a tool may be a program.
	maxWorkspaceFileBytes = 64 << 20
	// maxWorkspaceFiles bounds how many files of `.espy` are looked at.
	maxWorkspaceFiles = 512
)
