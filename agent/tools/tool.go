// Package tools holds the built-in tools and the registry they are looked up in. A tool is one file: its
// declaration for the model (a Markdown file beside it), what it would do (Effect) and doing it (Run).
//
// Contract: a mistake a model can mend (a wrong argument, a missing file, a refused path) is a ToolResult
// with IsError and a sentence that says what to do; broken machinery (a full disk) is a Go error. Run is
// called only after the guard allowed the Effect, and ends soon after its context: with ctx.Err(), or, where
// something was done or printed, with a result that says so. Read-only tools may run side by side.
//
// The package knows the guard's roots, the gate for pictures and where blobs go. It must not know the loop,
// the log or a screen; what a call needs of them is in Env.
package tools

import (
	"context"
	"io"
	"os/exec"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
	"espy/providers"
)

// Tool is one thing a model can ask for.
type Tool struct {
	Spec     providers.ToolSpec
	ReadOnly bool     // runs beside others and in every mode
	Deferred bool     // named in load_tools and not declared to the model; in a registry, what Prefer said is counted in
	Source   string   // where it comes from: SourceBuiltin, SourceFiles, or SourceServer(name)
	Keywords []string // further words it is looked for by, beside its name and description
	// Effect says what the call would do. An error is a sentence for the model: the arguments are wrong.
	Effect func(env *Env, args string) (guard.Effect, error)
	Run    func(ctx context.Context, env *Env, call message.ToolCall) (Outcome, error)
}

// Outcome is what a call came to.
type Outcome struct {
	Result   message.ToolResult
	Pictures []message.PictureRecord // for each image of the result that is new to the log, without head
	Refused  bool                    // a call made inside it was refused
	Changed  bool                    // a call made inside it changed files
}

// Blobs is the part of a session a tool needs: storing bytes and opening what is stored.
type Blobs interface {
	media.Sink
	OpenBlob(ref string) (io.ReadSeekCloser, error)
	// FindBlob turns "blob:<first characters of the hash>" into a Ref; ok is false where none or several match.
	FindBlob(name string) (ref string, ok bool)
}

// Env is what calls run in. It is built once a session; its fields are safe for use from several calls.
type Env struct {
	Workspace string // absolute
	Roots     *guard.Roots
	Blobs     Blobs
	Gate      *media.Gate
	Route     func() providers.Route                         // the route the call's answer goes to
	Picture   func(ref string) (message.PictureRecord, bool) // what the log knows of a picture
	Progress  func(callID, lines string)                     // the newest lines of output, for the screen; never blocks
	Ledger    *Ledger                                        // which files the model has read, and as what
	MaxSource int64                                          // bytes a text file may have to be read whole; 0 means 10 MiB

	// Environ is the environment of commands, without the keys of providers. Nil means espy's own less the
	// keys whose names are known (guard.CommandEnvironment).
	Environ []string

	// Confine puts a prepared command into the sandbox and reports whether it did. Nil means there is none.
	Confine func(*exec.Cmd) (bool, error)

	// Tasks runs conversations of their own. Nil means that there are none: a task starts no tasks.
	Tasks Tasks

	// Jobs are the commands in the background. Nil means there are none and none can begin.
	Jobs *Jobs

	// Ask puts a question to the person and waits for the answer, or for ctx. Nil means that nobody is there.
	Ask func(ctx context.Context, call message.ToolCall, q Question) (Reply, error)

	// Left runs commands and keeps what they leave running, for whoever ends it with the session. Nil runs them and
	// leaves that alone.
	Left *guard.Leftovers

	// Redacted says whether a file, by absolute path or by the hex SHA-256 of its bytes, holds a picture the
	// person hid parts of in this session. Nil means none does.
	Redacted func(abs, hash string) bool
}
