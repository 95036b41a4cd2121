package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Version is the log format's version, written into every record as "v". Kinds and optional fields are
// added without changing it; nothing is ever removed or given another meaning.
const Version = 1

// Kind names what a record is.
type Kind string

const (
	// On the path from the root to the head: what was said and what changed how it is read.
	KindMessage Kind = "message"
	KindResult  Kind = "result"
	KindPrelude Kind = "prelude"
	KindMark    Kind = "mark" // elide, evict, summarise, leave-out; the other marks are for the whole session
	KindModel   Kind = "model"
	KindMode    Kind = "mode"
	KindTools   Kind = "tools"

	// For the whole session, wherever the head is.
	KindSession Kind = "session"
	KindPicture Kind = "picture"
	KindTitle   Kind = "title"
	KindUsage   Kind = "usage"
	KindRewind  Kind = "rewind" // names a new head
	KindFiles   Kind = "files"  // which files changed, and what they held
	KindTask    Kind = "task"   // a call that runs a conversation of its own
	KindJob     Kind = "job"    // a command began in the background, or ended there
)

// Record is one line of a log: a MessageRecord, ResultRecord, and so on, or an UnknownRecord.
type Record interface{ Header() Head }

// Head is what every record starts with. IDs are ULIDs, so that they sort by the time they were made.
type Head struct {
	V      int       `json:"v"`
	Kind   Kind      `json:"kind"`
	ID     string    `json:"id"`
	Parent string    `json:"parent,omitempty"`
	Time   time.Time `json:"time"`
}

// Header returns the head itself; embedding Head makes a type a Record.
func (h Head) Header() Head { return h }

// NewHead fills a head for a record that is about to be appended.
func NewHead(kind Kind, id, parent string, now time.Time) Head {
	return Head{V: Version, Kind: kind, ID: id, Parent: parent, Time: recordTime(now)}
}

// MessageRecord holds a user, assistant or note message.
type MessageRecord struct {
	Head
	Message Message `json:"message"`
}

// Body returns the message with the identity its record gave it.
func (r MessageRecord) Body() Message {
	m := r.Message
	m.ID, m.Parent, m.Time = r.ID, r.Parent, r.Time
	return m
}

// ResultRecord is one finished call. Results are written one by one, as they finish, so that a crash never
// forgets a finished write; readers assemble the tool message.
type ResultRecord struct {
	Head
	ToolResult
}

// PreludeRecord is what stands before every conversation: the system text and the tool list as sent.
type PreludeRecord struct {
	Head
	System []string `json:"system"`
	Tools  string   `json:"tools"` // the tool list as JSON, a string so that it stays byte-identical

	// Known is every tool there was, declared or only named, by name, with a digest of what it said of itself.
	Known map[string]string `json:"known,omitempty"`
}

// ModelRecord says which model the conversation goes on with.
type ModelRecord struct {
	Head
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Effort   string `json:"effort,omitempty"`
}

// ModeRecord says which permission mode the conversation goes on in.
type ModeRecord struct {
	Head
	Mode string `json:"mode"`
}

// ToolsRecord tells what changed about tools after the prelude, whose list stays as it is.
type ToolsRecord struct {
	Head
	Loaded []string          `json:"loaded,omitempty"` // deferred tools that were used or read about
	Known  map[string]string `json:"known,omitempty"`  // as in a prelude: what the note before this record told
}

// SessionRecord opens a log.
type SessionRecord struct {
	Head
	Folder string `json:"folder"`           // the workspace, absolute
	Espy   string `json:"espy"`             // the version that made it
	Forked string `json:"forked,omitempty"` // the session this one was forked from
	Outer  string `json:"outer,omitempty"`  // of a task's conversation: the session it belongs to
}

// TitleRecord names the session for lists.
type TitleRecord struct {
	Head
	Title string `json:"title"`
}

// UsageRecord is what one request cost. Cost is in US dollars and nil where the price is unknown.
type UsageRecord struct {
	Head
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Usage    Usage    `json:"usage"`
	Cost     *float64 `json:"cost,omitempty"`
	Estimate int      `json:"estimate,omitempty"` // tokens espy had estimated for the input, before correction
	Task     string   `json:"task,omitempty"`     // the task whose request it was; "" for the conversation's own
	Pictures int      `json:"pictures,omitempty"` // of the input, tokens estimated for pictures, corrected
}

// RewindRecord makes To the head of the conversation. Nothing that was said after it is deleted. A rewind of
// files alone names the head that is there already.
type RewindRecord struct {
	Head
	To   string `json:"to"`             // "" with a From is the empty conversation
	From string `json:"from,omitempty"` // the head before
	Redo string `json:"redo,omitempty"` // the id of the rewind that this one takes back
}

// FilesRecord says which files a call, a rewind or a redo changed. Before a call that may change files a record
// with Begun is written, and one without it when the call has ended: a begun call without its end was cut off by
// a crash.
type FilesRecord struct {
	Head
	Call    string       `json:"call,omitempty"`   // the call's id
	Of      string       `json:"of,omitempty"`     // the id of the begun record that this one ends
	Rewind  string       `json:"rewind,omitempty"` // the id of the RewindRecord whose files these are
	Begun   bool         `json:"begun,omitempty"`
	Tree    string       `json:"tree,omitempty"` // with Begun: the state of the workspace, a tree in files.git
	Changes []FileChange `json:"changes,omitempty"`
}

// FileChange is one file before and after. With Begun, After means nothing yet.
type FileChange struct {
	Path   string    `json:"path"` // absolute
	Before FileState `json:"before"`
	After  FileState `json:"after"`
}

// FileState is what a file held. The zero state is no file.
type FileState struct {
	Kept string `json:"kept,omitempty"` // where its bytes are: "git:<object id>" in files.git, or a Ref
	Mode string `json:"mode,omitempty"` // as git writes it: 100644, 100755 (may be run) or 120000 (a link)
	Lost string `json:"lost,omitempty"` // there was something, and why it could not be kept
}

// TaskRecord says that a call runs a conversation of its own, whose log is tasks/<Task>/ in the session's folder. It is
// written before that conversation's first request.
type TaskRecord struct {
	Head
	Call     string `json:"call"`
	Task     string `json:"task"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// JobRecord says that a command began in the background, or ended there. One whose end is not written down ended
// with the espy that ran it.
type JobRecord struct {
	Head
	Job     int    `json:"job"` // its number, never used again in the session
	Command string `json:"command,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	How     string `json:"how,omitempty"` // with Ended: "exit code 1"
}

// Rect is a rectangle in upright pixels of a picture's original.
type Rect struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// PictureRecord is what is known of a stored picture beyond its block, keyed by Ref.
type PictureRecord struct {
	Head
	Ref       string `json:"ref"`
	Number    int    `json:"number,omitempty"` // counts the user's pictures along the conversation; 0 for a tool's picture
	Call      string `json:"call,omitempty"`   // the call that made it, for a tool's picture
	Name      string `json:"name"`             // what to call it: a file's base name, "clipboard", a tool's word
	Source    string `json:"source,omitempty"` // the path it was read from, where there is one
	Original  string `json:"original,omitempty"`
	Detail    string `json:"detail"`
	Width     int    `json:"width"`  // of the upright source, in pixels
	Height    int    `json:"height"` // of the upright source, in pixels
	Crop      *Rect  `json:"crop,omitempty"`
	Redacted  []Rect `json:"redacted,omitempty"`
	Hidden    string `json:"hidden,omitempty"` // hex SHA-256 of the file a redacted picture was made of
	MediaType string `json:"media_type"`
}

// MarkKind says how a mark changes the way the log is read.
type MarkKind string

const (
	// On the path.
	MarkElide     MarkKind = "elide"     // old text and pictures become one-line stubs
	MarkEvict     MarkKind = "evict"     // pictures beyond the count bound
	MarkSummarise MarkKind = "summarise" // whole units replaced by a summary
	MarkLeaveOut  MarkKind = "leave-out" // pictures the request has no room for

	// For the whole session.
	MarkRetire    MarkKind = "retire"    // the provider refused the picture
	MarkMissing   MarkKind = "missing"   // its blob is gone or altered
	MarkDrop      MarkKind = "drop"      // the person removed it
	MarkPin       MarkKind = "pin"       // exempt from eviction; Off undoes it
	MarkBlind     MarkKind = "blind"     // the route turned out not to see
	MarkRendition MarkKind = "rendition" // a smaller picture to send in another's place on a route
)

// OnPath reports whether a mark of this kind holds only on the path it was written on.
func (k MarkKind) OnPath() bool {
	switch k {
	case MarkElide, MarkEvict, MarkSummarise, MarkLeaveOut:
		return true
	}
	return false
}

// MarkRecord changes how the log is read; it never changes the log.
type MarkRecord struct {
	Head
	Mark     MarkKind `json:"mark"`
	Refs     []string `json:"refs,omitempty"`     // pictures it speaks of
	Messages []string `json:"messages,omitempty"` // messages whose text it elides or summarises
	Calls    []string `json:"calls,omitempty"`    // results whose text it elides, each as CallKey writes it
	Reason   string   `json:"reason,omitempty"`   // the provider's words (retire), the limit passed (leave-out)
	Keep     int      `json:"keep,omitempty"`     // how many newest pictures stay (evict)
	Summary  string   `json:"summary,omitempty"`  // the text that stands for the messages (summarise)
	Route    string   `json:"route,omitempty"`    // "provider/model" (blind, rendition)
	Image    *Image   `json:"image,omitempty"`    // the picture to send instead (rendition)
	Off      bool     `json:"off,omitempty"`      // undoes an earlier mark of the same kind
	Of       string   `json:"of,omitempty"`       // with Off, for marks on the path: the id of the mark it undoes
}

// CallKey names one call of one assistant message. A call id alone does not do: servers reuse them.
func CallKey(assistantID, callID string) string { return assistantID + "/" + callID }

// OnPath reports whether a record lies on the path from the root to the head and so moves the head.
func OnPath(r Record) bool {
	switch r := r.(type) {
	case MessageRecord, ResultRecord, PreludeRecord, ModelRecord, ModeRecord, ToolsRecord:
		return true
	case MarkRecord:
		return r.Mark.OnPath()
	}
	return false
}

// UnknownRecord is a record of a kind this version does not know. It is kept as it stands.
type UnknownRecord struct {
	Head
	Raw string
}

// Encode writes a record as one line of JSON without the newline.
func Encode(r Record) ([]byte, error) {
	if u, ok := r.(UnknownRecord); ok {
		return []byte(u.Raw), nil
	}
	return marshal(r)
}

var errNoHead = errors.New("a record needs a kind and an id")

// Decode reads one line of a log. An unknown kind is no error; a line that is not a record is.
func Decode(line []byte) (Record, error) {
	h, ok := peek(line)
	if !ok {
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, err
		}
	}
	if h.Kind == "" || h.ID == "" {
		return nil, errNoHead
	}
	if h.V > Version {
		return UnknownRecord{Head: h, Raw: string(line)}, nil
	}
	if h.Kind == KindMessage || h.Kind == KindResult {
		if r, ok := decodeByHand(line); ok {
			return r, nil
		}
	}
	switch h.Kind {
	case KindMessage:
		return decodeRecord[MessageRecord](line)
	case KindResult:
		return decodeRecord[ResultRecord](line)
	case KindPrelude:
		return decodeRecord[PreludeRecord](line)
	case KindMark:
		return decodeRecord[MarkRecord](line)
	case KindModel:
		return decodeRecord[ModelRecord](line)
	case KindMode:
		return decodeRecord[ModeRecord](line)
	case KindTools:
		return decodeRecord[ToolsRecord](line)
	case KindSession:
		return decodeRecord[SessionRecord](line)
	case KindPicture:
		return decodeRecord[PictureRecord](line)
	case KindTitle:
		return decodeRecord[TitleRecord](line)
	case KindUsage:
		return decodeRecord[UsageRecord](line)
	case KindRewind:
		return decodeRecord[RewindRecord](line)
	case KindFiles:
		return decodeRecord[FilesRecord](line)
	case KindTask:
		return decodeRecord[TaskRecord](line)
	case KindJob:
		return decodeRecord[JobRecord](line)
	}
	return UnknownRecord{Head: h, Raw: string(line)}, nil
}

// peek reads the head of a line that begins the way Encode writes one, without looking at the rest. Whoever decodes
// the rest checks it. Lines of a newer version or another kind are read whole.
func peek(line []byte) (h Head, ok bool) {
	const begin = `{"v":1,"kind":"`
	rest, found := strings.CutPrefix(string(line[:min(len(line), 256)]), begin)
	if !found {
		return h, false
	}
	kind, rest, found := strings.Cut(rest, `","id":"`)
	id, _, whole := strings.Cut(rest, `"`)
	if !found || !whole || id == "" || strings.ContainsAny(kind+id, "\\\"") {
		return h, false
	}
	switch Kind(kind) {
	case KindMessage, KindResult, KindPrelude:
		return Head{V: Version, Kind: Kind(kind), ID: id}, true
	}
	return h, false
}

func decodeRecord[R Record](line []byte) (Record, error) {
	var r R
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("%s record: %w", r.Header().Kind, err)
	}
	if r.Header().ID == "" {
		return nil, errNoHead
	}
	return r, nil
}
