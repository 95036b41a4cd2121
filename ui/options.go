package ui

import (
	"context"
	"image"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
	"espy/providers"
	"espy/store"
)

// Loop is the conversation's other end: commands go in, events come out. Send and Interrupt never block.
// Next waits for events and returns all that are pending, deltas merged; its error means that no more will
// come. One caller reads Next at a time.
type Loop interface {
	Send(agent.Command)
	Interrupt()
	Next(ctx context.Context) ([]agent.Event, error)
}

// Intake takes pictures and files in. Its methods are safe from any goroutine and may take as long as a
// clipboard or a disk does; the program calls them in commands only.
type Intake interface {
	// Paste looks at the clipboard: pictures, or text.
	Paste(ctx context.Context) (agent.Pasted, error)
	// PastedBytes attaches a picture that came through the terminal.
	PastedBytes(ctx context.Context, picture []byte) (agent.Pasted, error)
	// PastedText attaches what a pasted list of paths names; any other text comes back byte for byte.
	PastedText(ctx context.Context, text string) (agent.Pasted, error)
	// AttachPaths attaches the files of an /attach line. What succeeded comes back beside the error.
	AttachPaths(ctx context.Context, args string) ([]agent.Attachment, error)
	// AttachFile attaches one file, its name taken as it stands.
	AttachFile(ctx context.Context, name string) (agent.Attachment, error)
	// Adopt takes back pictures that a saved draft names; those whose bytes are gone are left out and named.
	Adopt([]agent.Attachment) ([]agent.Attachment, error)
	// Recall puts pictures of an earlier message back, of this session ("") or another. What came back is returned
	// beside the error.
	Recall(ctx context.Context, session string, images []message.Image) ([]agent.Attachment, error)
	// AtFiles expands @file and @picture at sending.
	AtFiles(ctx context.Context, text string) ([]message.Text, []agent.Attachment, error)
	// Redetail renders an attachment again at another detail.
	Redetail(ctx context.Context, a agent.Attachment, detail media.Detail) (agent.Attachment, error)
	// Recut renders an attachment again, cropped and with areas blacked out for good: agent.Intake says what that means.
	Recut(ctx context.Context, a agent.Attachment, crop *message.Rect, redact []message.Rect) (agent.Attachment, error)
	// Discard forgets an attachment that was taken off the row.
	Discard(a agent.Attachment)
	// Complete names paths that go on from a prefix, ignored files left out.
	Complete(ctx context.Context, prefix string, most int) []string
	// SaveDraft and LoadDraft keep the unsent part of the session; the state is this package's own.
	SaveDraft(state []byte)
	LoadDraft() []byte
}

// Conversation is a session to talk in.
type Conversation struct {
	Loop   Loop
	Intake Intake
	Memory Memory // nil: the commands about pictures and folds say that they are not available
	Jobs   Jobs   // nil: there are none
	// Spending is what the session has taken, by model; it may be called from any goroutine.
	Spending func() []agent.Spent
	// Points lists the messages a rewind can go back to before, oldest first; it may be called from any goroutine.
	Points func() []agent.Point
	First  *FirstScreen // what its first screen says; nil keeps what the options say

	MCP Servers

	ReadOnly error // why nothing can be said in it; nil where it is worked in
}

// Options is what the program is given. Loop and Intake must be set; a nil function means that the command
// which needs it says it is not available here.
type Options struct {
	Conversation

	Folder  string // the workspace, absolute
	Version string
	First   FirstScreen

	Theme   string // auto, dark, light, high-contrast, none
	Dark    bool   // what the terminal's background was found to be, for theme "auto"
	NoColor bool   // NO_COLOR is set
	Mouse   bool   // the wheel scrolls and a click unfolds; Shift-drag stays with the terminal
	Keys    map[string][]string
	Remote  bool   // the person sits at another machine: the clipboard there is reached through the terminal only
	Vim     bool   // modal editing in the composer
	Title   bool   // the window's title says what espy is at
	Notify  string // auto, bell, off: how a person who turned away is told

	Attach        []string // files to put on the row at the start
	ChooseSession bool     // open the session picker at the start

	// Preview makes a part of a stored picture small, upright; nil draws no pictures. It is called in commands.
	Preview  func(ctx context.Context, want PreviewWant) (image.Image, error)
	Previews string // auto, kitty, blocks, off
	// TmuxPictures reports whether the tmux espy runs in passes pictures on to a terminal that draws them.
	TmuxPictures func(ctx context.Context) bool

	// PicturePath names the file a stored picture lies in; OpenPicture shows it in the system's own viewer.
	PicturePath func(ref string) (string, error)
	OpenPicture func(ctx context.Context, ref string) (sentence string, err error)

	// Cost is what a picture costs in tokens under a rule, at the wire detail of the route.
	Cost func(rule string, w, h int, detail string) int

	Models func() []providers.Route
	// Ask asks servers what they serve, before a list of models is looked at; nil asks nobody. Nothing else does.
	Ask func(ctx context.Context)
	// Servers are the providers, and KeepKey takes a key that was typed for one of them; "" takes it away.
	Servers  func() []providers.Server
	KeepKey  func(ctx context.Context, provider, key string) error
	Model    func(name string) (providers.Route, error) // any model of a known provider, listed or not
	Sessions func(ctx context.Context) ([]store.Summary, error)
	// Open goes on with another session and New begins one. The conversation before it is closed by them.
	Open func(ctx context.Context, session string) (Conversation, error)
	New  func(ctx context.Context) (Conversation, error)
	// Read shows a session that another espy holds, and ForkOf goes on in a copy of one. Held, where it is set, says that
	// the first conversation is such a one: what is to become of it is asked at the start.
	Read   func(ctx context.Context, session string) (Conversation, error)
	ForkOf func(ctx context.Context, session string) (Conversation, error)
	Held   *store.InUseError
	// Fork goes on in a copy of this session: up to and including the message with an id, or whole for "".
	Fork func(ctx context.Context, upTo string) (Conversation, error)

	// History is what was sent before, oldest first; Remember adds to it.
	History  func() []Past
	Remember func(Past)

	// Copy puts text on a clipboard and says which: "the clipboard". Where only the terminal can, it hands terminal what is
	// to be written to it.
	Copy   func(ctx context.Context, text string, terminal func(sequence string)) (where string, err error)
	Export func(ctx context.Context, path string) (written string, err error)

	Trust Trust
	Rules Rules
	// Commands are further slash commands.
	Commands []Command

	// Tools are what the model can call in the session that is open.
	Tools func() []Tool
	// Skills are what files declare of ways to work; the model is offered them, and the person can choose one.
	Skills []Skill

	// Fresh is what of all this can change while the program runs, as the settings have it now. It is called where the
	// loop says that files were read again, and returns at once; nil changes nothing.
	Fresh func() Live

	Input  *os.File  // the terminal; nil is standard input
	Output *os.File  // nil is standard output
	Crash  CrashFile // where a fault of espy itself is written down; nil writes nothing
	Clock  func() time.Time
}

// Live is what of the options can change while the program runs; the fields are those of Options.
type Live struct {
	Theme    string
	Previews string
	Keys     map[string][]string
	Vim      bool
	Title    bool
	Notify   string
	Commands []Command
	Skills   []Skill
}

// Tool is something a model can call.
type Tool struct {
	Name     string
	About    string
	Source   string // "", "files" or "mcp:SERVER"
	Deferred bool   // a line in load_tools, and not declared
	ReadOnly bool
}

// Skill is a way to work that a file declares.
type Skill struct {
	Name    string
	About   string        // when to use it
	Place   string        // the file
	Project bool          // from the workspace's .espy
	Read    func() string // its text; it may look at the disk
}

// Past is a message that was sent: its text, and its pictures with the session that holds them.
type Past struct {
	Text    string
	Session string
	Images  []message.Image
}

// same reports whether two messages say and show the same.
func (p Past) same(q Past) bool { return p.Text == q.Text && slices.Equal(p.Images, q.Images) }

func (p Past) empty() bool { return strings.TrimSpace(p.Text) == "" && len(p.Images) == 0 }

// CrashFile opens a file for a report about a fault of the program itself and names it.
type CrashFile func() (w io.WriteCloser, name string, err error)

// FirstScreen is what the welcome says beyond what every welcome says.
type FirstScreen struct {
	Try         string   // a file of the folder worth reading first; "" where there is none
	ModelReason string   // how the model was chosen: "no provider is configured"
	NotAccepted []string // what lies in the folder and is inert until it is accepted: "AGENTS.md"
	Problems    []string // faults of the settings, a sentence each
}

// Trust changes which folders may be read beyond the workspace, and accepts the workspace.
type Trust struct {
	Add    func(path string) (sentence string, err error)
	Remove func(path string) (sentence string, err error)
	List   func() ([]string, error)
	Accept func() (sentence string, err error)
	// Review is what Accept accepts: every file the folder brings along, as it was read.
	Review func() []ReviewedFile
}

// ReviewedFile is a file of the folder that instructs espy or says what it runs.
type ReviewedFile struct {
	Name      string
	Text      string
	Truncated bool // there is more than Text
}

// Rules shows and changes the permission rules of the session that is open.
type Rules struct {
	List   func() []Rule
	Add    func(verdict guard.Verdict, rule string) (sentence string, err error)
	Remove func(Rule) (sentence string, err error)
}

// Rule is a permission rule with the place it is written at.
type Rule struct {
	guard.SourcedRule
	Place string // "~/.config/espy/config.toml:12", or ""
}

// Command is a slash command that the program was given from outside. Run is called in a command and
// returns a sentence for the person; Prompt, where it is set instead, is sent to the model with the
// command's arguments in place of $ARGUMENTS.
type Command struct {
	Name   string // without the slash
	Hint   string // of its arguments: "[PATH]"
	About  string
	Run    func(ctx context.Context, args string) (sentence string, err error)
	Prompt func(args string) (text string, err error)
}

func (o *Options) fill() {
	if o.Input == nil {
		o.Input = os.Stdin
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Cost == nil {
		o.Cost = func(string, int, int, string) int { return 0 }
	}
}
