package agent

import (
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
	"espy/providers"
)

// Command is what a face asks of the loop. Commands are taken in the order they were sent.
type Command interface{ command() }

// Prompt is a request as it stands in the composer: text blocks in order and the pictures on the row.
type Prompt struct {
	Text        []message.Text // typed text, @file contents and shell output, each with its origin
	Attachments []Attachment
	Untrusted   string // who wrote some of the text, where nobody vouches for it: an MCP server; "" else
}

// Attachment is a picture on the row: it passed the gate and lies in the session's draft until it is sent.
type Attachment struct {
	Image   message.Image
	Record  message.PictureRecord // Number is what the model will be told
	Receipt media.Receipt
}

// Queued is a prompt that waits for the running turn.
type Queued struct {
	ID     string
	Prompt Prompt
}

// Submit sends a prompt. While a turn runs it is queued, unless Steer puts it into the running turn after
// the calls under way.
type Submit struct {
	Prompt Prompt
	Steer  bool
}

// Unqueue takes a queued prompt back. The face gets it from the QueueChanged that showed it.
type Unqueue struct{ ID string }

// Answer settles a PermissionAsked.
type Answer struct {
	ID     string
	Choice guard.Choice
	Reason string // for the model, when denied
}

// Reply settles a QuestionAsked.
type Reply struct {
	ID    string
	Reply tools.Reply
}

// Background sends the command that the turn waits for to the background, where it goes on as a job.
type Background struct{}

// KillJob ends a job with its children.
type KillJob struct{ ID int }

// SetRoute goes on with another model from the next request. Effort "" keeps the session's effort where the model
// knows it; DefaultEffort leaves it to the model.
type SetRoute struct {
	Route  providers.Route
	Effort string
}

// DefaultEffort is the effort that sends none.
const DefaultEffort = "default"

// SetMode changes the permission mode.
type SetMode struct{ Mode guard.Mode }

// Compact shrinks what the next request carries.
type Compact struct{ Instructions string }

// PinPicture keeps a picture in the context, exempt from eviction and elision; Off takes that back.
type PinPicture struct {
	Ref string
	Off bool
}

// DropPicture takes a picture out of the context for good; Off brings it back.
type DropPicture struct {
	Ref string
	Off bool
}

// Unfold takes an elision or a summary back, by the id of its mark.
type Unfold struct{ ID string }

// RewindWhat says what goes back.
type RewindWhat string

const (
	RewindBoth         RewindWhat = "" // the conversation, and the files espy changed since
	RewindConversation RewindWhat = "conversation"
	RewindFiles        RewindWhat = "files"
)

// ConflictChoice says what becomes of files that somebody else changed meanwhile.
type ConflictChoice string

const (
	ConflictAsk       ConflictChoice = "" // nothing goes back, and a RewindAsked names them
	ConflictKeep      ConflictChoice = "keep"
	ConflictOverwrite ConflictChoice = "overwrite" // what they hold now is kept, and a Redo brings it back
)

// Rewind goes back to before a message of the person: To is its id. Nothing is deleted.
type Rewind struct {
	To        string
	What      RewindWhat
	Conflicts ConflictChoice
}

// Redo takes the last Rewind back.
type Redo struct{ Conflicts ConflictChoice }

// Rename names the session for lists.
type Rename struct{ Title string }

// Point is a message that a Rewind can go back to before.
type Point struct {
	ID       string
	Text     string
	Time     time.Time
	Pictures int
	Files    int // that changed since
}

// Reload reads the person's files anew at once, and says so where nothing changed, unless it is quiet.
type Reload struct{ Quiet bool }

// Note puts a sentence for the person into the transcript; it is never sent to a model.
type Note struct{ Text string }

func (Submit) command()      {}
func (Unqueue) command()     {}
func (Answer) command()      {}
func (Reply) command()       {}
func (Background) command()  {}
func (KillJob) command()     {}
func (SetRoute) command()    {}
func (SetMode) command()     {}
func (Compact) command()     {}
func (PinPicture) command()  {}
func (DropPicture) command() {}
func (Unfold) command()      {}
func (Note) command()        {}
func (Rewind) command()      {}
func (Redo) command()        {}
func (Rename) command()      {}
func (Reload) command()      {}
