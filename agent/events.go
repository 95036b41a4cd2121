package agent

import (
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/providers"
)

// Event is what the loop tells a face. Deltas may be merged before a face reads them; every other event is
// delivered exactly once and in order. No event carries picture bytes.
type Event interface{ event() }

// Opened is the first event: where the session stands. A face draws the conversation from it.
type Opened struct {
	Session  string
	Folder   string
	Resumed  bool
	Route    providers.Route
	Effort   string // "" leaves it to the model
	Mode     guard.Mode
	Sandbox  bool                             // commands run in a sandbox in this mode
	Messages []message.Message                // along the path, results assembled into tool messages
	Pictures map[string]message.PictureRecord // by Ref
	Queue    []Queued
	Meter    Meter
}

// TurnStarted tells that a user message was accepted and written.
type TurnStarted struct{ User message.Message }

// TextDelta and ThinkingDelta are pieces of the answer being written.
type TextDelta struct{ Text string }

// ThinkingDelta is a piece of the model's reasoning.
type ThinkingDelta struct{ Text string }

// AnswerRestarted voids the deltas since the last AnswerDone or TurnStarted: the answer broke off.
type AnswerRestarted struct{}

// AnswerDone is a whole assistant message, written to the log. It replaces the deltas shown for it.
type AnswerDone struct{ Message message.Message }

// CallStarted tells that a call runs or waits to be allowed.
type CallStarted struct {
	Call    message.ToolCall
	Summary string // what it will do, in a few words: "read main.go", "shell: go test ./..."
}

// CallDelta tells that the model is writing a call: its name once that is known, and about how many tokens arrived.
type CallDelta struct {
	Name   string
	Tokens int
}

// CallProgress is what a running call has to show: the newest output lines of a shell command, or a count. It
// replaces what the call showed before.
type CallProgress struct {
	CallID string
	Text   string // lines, the newest last
}

// CallFinished carries the result as it was written to the log.
type CallFinished struct {
	Call     message.ToolCall
	Result   message.ToolResult
	Pictures []message.PictureRecord // of the result's images
	Took     time.Duration
}

// PermissionAsked waits for an Answer with the same ID.
type PermissionAsked struct {
	ID       string
	Call     message.ToolCall
	Effect   guard.Effect
	Decision guard.Decision
	Task     string // the call of the task that asks; "" where the conversation itself does
	Title    string // of that task
}

// PermissionSettled tells how a call that had to be judged came out, asked or not.
type PermissionSettled struct {
	ID      string // of the PermissionAsked; "" where nobody was asked
	Call    message.ToolCall
	Allowed bool
	Reason  string
	Task    string // the call of the task it is of; "" for the conversation's own
}

// QuestionAsked waits for a Reply with the same ID.
type QuestionAsked struct {
	ID       string
	Call     message.ToolCall
	Question tools.Question
}

// QuestionSettled tells that a question waits no longer: it was answered, or its turn was interrupted.
type QuestionSettled struct {
	ID   string
	Call message.ToolCall
}

// JobChanged tells that a command began in the background, or ended there.
type JobChanged struct{ Job tools.Job }

// Reloaded tells that files of the person's were read anew and what they say is in force; notices say what changed.
type Reloaded struct{}

// NoticeKind says what a notice is about; `espy run --events` prints it.
type NoticeKind string

const (
	NoticeEvicted   NoticeKind = "evicted"
	NoticeWithheld  NoticeKind = "withheld"
	NoticeRetired   NoticeKind = "retired"
	NoticeLeftOut   NoticeKind = "left-out"
	NoticeMissing   NoticeKind = "missing"
	NoticeElided    NoticeKind = "elided"
	NoticeCompacted NoticeKind = "compacted"
	NoticeRetried   NoticeKind = "retried"
	NoticeDamaged   NoticeKind = "damaged" // something in the log could not be read
	NoticeInfo      NoticeKind = "info"
	NoticeError     NoticeKind = "error" // something failed and the session goes on
)

// Notice is one sentence for the person.
type Notice struct {
	Kind     NoticeKind
	Sentence string
	Task     string // the call of the task it is about; "" for the conversation itself

	// Of NoticeRetried, beside the sentence that says it all:
	Cause   string        // why the attempt failed
	Wait    time.Duration // until the next attempt
	Attempt int           // its number, from 1
	Most    int           // how many there will be
}

// Meter is what a session has used, for the status line.
type Meter struct {
	Context int             // tokens the next request takes, estimated and corrected by reported usage
	Size    projection.Size // Context by kind
	Window  int             // tokens the model takes; 0 unknown
	Input   int             // tokens read in this session so far
	Cached  int             // of those, served from a prompt cache
	Written int             // of those, written to a prompt cache
	Output  int             // tokens written in this session so far
	Cost    *float64        // US dollars; nil where a price is unknown
}

// UsageChanged follows each answer.
type UsageChanged struct {
	Usage message.Usage // of the request just made
	Meter Meter
	Task  string // the call of the task whose request it was; "" for the conversation's own
}

// TaskStarted tells that a call runs a conversation of its own.
type TaskStarted struct {
	CallID string
	State  TaskState
}

// TaskChanged tells how far a task is. It ends with the CallFinished of its call.
type TaskChanged struct {
	CallID string
	State  TaskState
	Step   *TaskStep // the call of the task that began, waits or ended; nil where only State changed
}

// Activity says what the loop is at when it is not the model's answer or a call, and how far it is: summarising,
// making pictures smaller, keeping the state of files. "" says that it is done.
type Activity struct{ Text string }

// MeterChanged follows what changed the context without an answer: a compaction, a picture dropped or pinned.
type MeterChanged struct{ Meter Meter }

// QueueChanged tells what waits to be sent.
type QueueChanged struct{ Queue []Queued }

// RouteChanged and ModeChanged follow a switch.
type RouteChanged struct {
	Route  providers.Route
	Effort string
	Meter  Meter
}

// ModeChanged follows a change of the permission mode.
type ModeChanged struct {
	Mode    guard.Mode
	Sandbox bool // commands run in a sandbox in this mode
}

// EndReason says why a turn ended.
type EndReason string

const (
	EndDone        EndReason = "done"
	EndInterrupted EndReason = "interrupted"
	EndRefused     EndReason = "refused" // a headless run ended after a call it wanted was refused
	EndFailed      EndReason = "failed"
	EndRejected    EndReason = "rejected" // the prompt was not taken; a Rejected event says why
	EndLimit       EndReason = "limit"    // --max-turns or --max-cost
)

// TurnEnded is the last event of a turn. Err is set when the reason is EndFailed, EndRejected or EndLimit.
type TurnEnded struct {
	Reason EndReason
	Err    error
}

// ServersChanged says that an MCP server stands otherwise than before.
type ServersChanged struct{}

// Rejected tells that a Submit was not taken: nothing was written or sent. The face puts Prompt back into
// the composer, whole.
type Rejected struct {
	Prompt Prompt
	Err    error
}

// Rewound tells that the conversation, files, or both went back, or forward again. A face draws the conversation
// anew from Messages and puts Prompt into the composer, pictures and all.
type Rewound struct {
	Redo         bool
	To           string // id of the message gone back to; "" for a redo
	Conversation bool   // false where only files went back
	Prompt       Prompt // what that message said; empty for a redo or files alone
	Messages     []message.Message
	Pictures     map[string]message.PictureRecord
	Files        []RestoredFile
	Faults       []FileConflict // files that could not go back, and why
	CanRedo      bool
	Meter        Meter
}

// RestoredFile is a file that holds again what it held.
type RestoredFile struct {
	Path    string // for people
	Removed bool   // it was not there then
}

// FileConflict is a file that did not go back, and why.
type FileConflict struct {
	Path string
	Why  string
}

// RewindAsked tells that nothing went back yet: somebody else changed these files meanwhile. The face sends the
// command again with a ConflictChoice, or not at all.
type RewindAsked struct {
	Rewind Rewind // the command, where it was one
	Redo   bool   // it was a Redo
	Files  []FileConflict
}

// Renamed follows a Rename.
type Renamed struct{ Title string }

func (Opened) event()            {}
func (TurnStarted) event()       {}
func (TextDelta) event()         {}
func (ThinkingDelta) event()     {}
func (AnswerRestarted) event()   {}
func (AnswerDone) event()        {}
func (CallStarted) event()       {}
func (CallDelta) event()         {}
func (CallProgress) event()      {}
func (CallFinished) event()      {}
func (PermissionAsked) event()   {}
func (PermissionSettled) event() {}
func (QuestionAsked) event()     {}
func (QuestionSettled) event()   {}
func (JobChanged) event()        {}
func (Notice) event()            {}
func (UsageChanged) event()      {}
func (Activity) event()          {}
func (TaskStarted) event()       {}
func (TaskChanged) event()       {}
func (MeterChanged) event()      {}
func (QueueChanged) event()      {}
func (RouteChanged) event()      {}
func (Reloaded) event()          {}
func (ModeChanged) event()       {}
func (ServersChanged) event()    {}
func (TurnEnded) event()         {}
func (Rejected) event()          {}
func (Rewound) event()           {}
func (RewindAsked) event()       {}
func (Renamed) event()           {}
