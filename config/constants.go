package config

import "time"

// Bounds on files that are read. Sizes are in bytes.
const (
	// maxFileBytes bounds a settings file: a hundred times what people write by hand, read in a quarter second at worst.
	maxFileBytes = 256 << 10

	// maxProblems bounds the problems told of one file; more say nothing a person could use.
	maxProblems = 50

	// maxDepth bounds nested tables and lists. The deepest real key, models.limits.max_images, has three.
	maxDepth = 16

	// maxBack is how many lines before a syntax fault are tried as the start of the faulty entry.
	maxBack = 200

	// quotedRunes is how much of a faulty value is quoted in a sentence.
	quotedRunes = 60
)

// Waiting for another process that writes the same file: its work takes milliseconds, but it may be stopped.
const (
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond
)

// Modes of what is written: trust and keys are nobody else's.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Names of files and of the places that are no files.
const (
	configName      = "config.toml"
	permissionsName = "permissions.toml"
	trustName       = "trust.toml"
	choiceName      = "choice.toml"
	projectDir      = ".espy"
	environment     = "environment"
	commandLine     = "command line"
)
