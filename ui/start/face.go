package start

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"espy/agent"
	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/config"
	"espy/media"
	"espy/providers"
	"espy/store"
	"espy/ui"
	"espy/ui/headless"
)

// mostSessions bounds what the session picker lists, mostRecalled what the history recalls.
const (
	mostSessions = 500
	mostRecalled = 500
)

// Screen is the full-screen face of a folder: it opens rooms as the person goes from session to session.
type Screen struct {
	settings *Settings // as they were at the start; what cannot change while espy runs is read here
	watch    *watch
	request  Request
	history  *store.History

	swept    sync.Once
	mu       sync.Mutex // guards what follows
	room     *Room      // nil while a session is only read
	reading  *reading   // nil while one is worked in
	next     *Settings  // in force for the next session; the room has its own word on that
	reviewed string     // digest of the folder's own files as they were shown

	held *store.InUseError // why the first session is only read
}

// NewScreen prepares the face. The first room is opened at once, so that its faults are told before the screen is.
func NewScreen(ctx context.Context, s *Settings, r Request) (*Screen, error) {
	f := &Screen{settings: s, request: r, history: store.OpenHistory(s.Dirs.State), next: s, watch: newWatch(s)}
	r.refresh = f.refresh
	room, err := Open(ctx, s, r)
	if errors.As(err, &f.held) { // it is shown as it stands, and the person says what is to become of it
		f.reading, err = read(ctx, s, f.held.ID)
	}
	if err != nil {
		return nil, err
	}
	f.room = room
	return f, nil
}

// sweepFor bounds the tidying at the end.
const sweepFor = 300 * time.Millisecond

// Close ends the room that is open, and tidies away what crashes before it left.
func (f *Screen) Close() error {
	var err error
	if room := f.current(); room != nil {
		err = room.Close()
	}
	f.swept.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), sweepFor)
		defer cancel()
		_ = f.settings.Store.Sweep(ctx, time.Now())
	})
	return err
}

// current is the room that is worked in, nil while a session is only read.
func (f *Screen) current() *Room {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.room
}

// session is what is on the screen, worked in or only read.
func (f *Screen) session() (id string, pictures blobs) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room != nil {
		return f.room.Session.ID(), f.room.Session
	}
	return f.reading.id, f.reading
}

// blobs is where a session's pictures lie.
type blobs interface {
	OpenBlob(ref string) (io.ReadSeekCloser, error)
	StatBlob(ref string) (int64, error)
	Dir() string
}

// mode is the mode that is worked in, "" while a session is only read.
func (f *Screen) mode() string {
	if room := f.current(); room != nil {
		return string(room.Guard.Mode())
	}
	return ""
}

// move closes the room that is open and opens another. Where that fails, the old one is gone on with: it is
// closed only after the new one stands.
func (f *Screen) move(ctx context.Context, r Request) (ui.Conversation, error) {
	settings := f.inForce()
	r.refresh = f.refresh
	room, err := Open(context.WithoutCancel(ctx), settings, r)
	if err != nil {
		return ui.Conversation{}, err
	}
	if err := f.take(room, nil); err != nil {
		room.Agent.Send(agent.Note{Text: "The session before could not be closed cleanly: " + err.Error()})
	}
	return conversation(room, settings), nil
}

// take puts a room, or a session that is only read, in the place of what was there, and closes that.
func (f *Screen) take(room *Room, r *reading) error {
	f.mu.Lock()
	old := f.room
	f.room, f.reading = room, r
	f.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

// look shows a session that another espy writes.
func (f *Screen) look(ctx context.Context, id string) (ui.Conversation, error) {
	r, err := read(ctx, f.inForce(), id)
	if err != nil {
		return ui.Conversation{}, err
	}
	if err := f.take(nil, r); err != nil {
		r.put(agent.Notice{Kind: agent.NoticeError, Sentence: "The session before could not be closed cleanly: " + err.Error()})
	}
	return r.conversation(), nil
}

func conversation(room *Room, s *Settings) ui.Conversation {
	return ui.Conversation{Loop: room.Agent, Intake: room.Intake, Memory: room.Agent, Jobs: room.Agent, Spending: room.Agent.Spending, Points: room.Agent.Points, MCP: room.servers.screen(),
		First: &ui.FirstScreen{Try: worthReading(s.Folder), ModelReason: room.Why, NotAccepted: s.NotAccepted(), Problems: s.Problems}}
}

// Options are what the full-screen program is given.
func (f *Screen) Options() ui.Options {
	s, live := f.settings, f.live()
	var first ui.Conversation
	if room := f.current(); room != nil {
		first = conversation(room, s)
	} else {
		first = f.reading.conversation()
	}
	return ui.Options{
		Conversation: first,
		Held:         f.held,
		Folder:       s.Folder,
		Version:      s.Version,
		Theme:        live.Theme,
		Dark:         true,
		NoColor:      os.Getenv("NO_COLOR") != "",
		Mouse:        s.Config.UI.Mouse,
		Keys:         live.Keys,
		Remote:       os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "",
		Vim:          live.Vim,
		Title:        live.Title,
		Notify:       live.Notify,
		Cost:         media.Costs().Cost,
		Preview:      f.preview,
		TmuxPictures: tmuxPictures,
		PicturePath:  f.picturePath,
		OpenPicture:  f.openPicture,
		Previews:     live.Previews,
		Models:       func() []providers.Route { return f.inForce().Book.Routes() },
		Ask:          func(ctx context.Context) { f.inForce().Ask(ctx) },
		Servers:      func() []providers.Server { return f.inForce().Book.Servers() },
		KeepKey:      func(ctx context.Context, provider, key string) error { return f.inForce().KeepKey(ctx, provider, key) },
		Model:        func(name string) (providers.Route, error) { return f.inForce().Book.Find(name) },
		Sessions: func(ctx context.Context) ([]store.Summary, error) {
			return s.Store.List(ctx, s.Folder, mostSessions)
		},
		Open: func(ctx context.Context, id string) (ui.Conversation, error) {
			return f.move(ctx, Request{Resume: id})
		},
		Read: f.look,
		Fork: func(ctx context.Context, upTo string) (ui.Conversation, error) {
			id, _ := f.session()
			return f.fork(ctx, id, upTo)
		},
		ForkOf: func(ctx context.Context, id string) (ui.Conversation, error) { return f.fork(ctx, id, "") },
		New: func(ctx context.Context) (ui.Conversation, error) {
			return f.move(ctx, Request{Mode: f.mode()})
		},
		History:  f.recall,
		Remember: f.remember,
		Copy:     copyText,
		Export:   f.export,
		Trust:    f.trust(),
		Rules:    f.rules(),
		Crash:    f.crash,
		Commands: live.Commands,
		Skills:   live.Skills,
		Tools:    f.tools,
		Fresh:    f.live,
	}
}

// fork copies a session and goes on in the copy, in the mode that was worked in.
func (f *Screen) fork(ctx context.Context, session, upTo string) (ui.Conversation, error) {
	id, err := f.settings.Store.Fork(ctx, session, upTo)
	if errors.As(err, new(*store.NotFoundError)) {
		return ui.Conversation{}, errors.New("nothing was said in this session yet, so there is nothing to fork")
	}
	if err != nil {
		return ui.Conversation{}, err
	}
	return f.move(ctx, Request{Resume: id, Mode: f.mode()})
}

func (f *Screen) recall() []ui.Past {
	entries, err := f.history.Entries(f.settings.Folder, mostRecalled)
	if err != nil {
		return nil
	}
	past := make([]ui.Past, 0, len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		past = append(past, ui.Past{Text: e.Text, Session: e.Session, Images: e.Images})
	}
	return past
}

// remember keeps a sent message for recall. Where it cannot be kept, it is still in the session's log.
func (f *Screen) remember(p ui.Past) {
	id, _ := f.session()
	_ = f.history.Add(context.Background(), store.HistoryEntry{Text: p.Text, Folder: f.settings.Folder, Session: id, Images: p.Images, Time: time.Now()})
}

// commands are slash commands declared in files.
func commands(declared []extend.Command) []ui.Command {
	var list []ui.Command
	for _, c := range declared {
		list = append(list, ui.Command{Name: c.Name, Hint: c.Hint, About: c.Description,
			Prompt: func(args string) (string, error) { return c.Fill(args), nil }})
	}
	return list
}

// tools are those of the session that is open.
func (f *Screen) tools() (list []ui.Tool) {
	room := f.current()
	if room == nil {
		return nil
	}
	for _, t := range room.tools.All() {
		list = append(list, ui.Tool{Name: t.Spec.Name, About: t.Spec.Description, Source: t.Source, Deferred: t.Deferred, ReadOnly: t.ReadOnly})
	}
	return list
}

// skills are those declared in files.
func (f *Screen) skills(declared []extend.Skill) []ui.Skill {
	list := make([]ui.Skill, len(declared))
	for i, s := range declared {
		list[i] = ui.Skill{Name: s.Name, About: s.Description, Place: s.Path, Project: s.Project, Read: func() string {
			if room := f.current(); room != nil {
				return s.Read(f.settings.Folder, room.Roots)
			}
			return s.Body
		}}
	}
	return list
}

// export writes the conversation as Markdown. Pictures stand as their sentence; a file that is there is not
// written over.
func (f *Screen) export(_ context.Context, path string) (string, error) {
	said := f.messages()
	if len(said) == 0 {
		return "", errors.New("nothing was said in this session yet, so there is nothing to export")
	}
	id, _ := f.session()
	if path == "" {
		path = "espy-" + id + ".md"
	}
	path = absolute(f.settings.Folder, path)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("%s exists; name another file: /export PATH", path)
	}
	if err != nil {
		return "", err
	}
	err = headless.WriteMarkdown(out, said, nil)
	return path, errors.Join(err, out.Close())
}

// messages is the conversation on the screen.
func (f *Screen) messages() []message.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room != nil {
		return f.room.Agent.Messages()
	}
	return f.reading.history.Conversation().Messages
}

func (f *Screen) trust() ui.Trust {
	s := f.settings
	return ui.Trust{
		Add: func(path string) (string, error) {
			room := f.current()
			if room == nil {
				return "", errOnlyRead
			}
			kept, err := trustPath(s, room.Roots, absolute(s.Folder, path))
			if err != nil {
				return "", err
			}
			return kept + " may be read and written in this workspace's sessions from now on; /trust remove takes it back.", nil
		},
		Remove: func(path string) (string, error) {
			abs := absolute(s.Folder, path)
			removed, err := s.Trust.RemovePath(context.Background(), s.Folder, abs)
			if err != nil {
				return "", err
			}
			if room := f.current(); room != nil && room.Roots.RemoveTrusted(abs) || removed {
				return abs + " is no longer trusted.", nil
			}
			return "", fmt.Errorf("%s is not trusted; /trust list shows what is", path)
		},
		List: func() ([]string, error) {
			trusted, err := s.Trust.Workspace(s.Folder)
			var paths []string
			for _, p := range trusted.Paths {
				paths = append(paths, p.Path)
			}
			return paths, err
		},
		Review: f.review,
		Accept: func() (string, error) {
			return f.accept(context.Background())
		},
	}
}

// trustPath opens a path and remembers it for the folder; what may not be opened is not remembered.
func trustPath(s *Settings, roots *guard.Roots, path string) (string, error) {
	opened, err := roots.AddTrusted(path)
	if err != nil {
		return "", err
	}
	kept, err := s.Trust.AddPath(context.Background(), s.Folder, opened.Abs)
	if err != nil {
		roots.RemoveTrusted(opened.Abs)
		return "", err
	}
	return kept.Path, nil
}

// accept accepts the folder's own files as they were when the person was shown or told of them. Files that changed
// since are not what was accepted.
func (f *Screen) accept(ctx context.Context) (string, error) {
	s := f.inForce()
	f.mu.Lock()
	digest := f.reviewed
	f.mu.Unlock()
	if digest == "" {
		digest = s.Workspace.Digest
	}
	if err := s.Trust.Accept(ctx, s.Folder, digest); err != nil {
		return "", err
	}
	f.renew(ctx)
	if fresh := f.inForce(); !fresh.Accepted {
		return "", fmt.Errorf("the folder's own files changed meanwhile; look at %s again, then /trust accept", strings.Join(fresh.NotAccepted(), ", "))
	}
	if room := f.current(); room != nil {
		room.Agent.Send(agent.Reload{Quiet: true})
	}
	return "This folder's own files are accepted as they are now. What .espy declares is used from the next turn on, AGENTS.md from the next session on: /new begins one.", nil
}

// review is what accept would accept.
func (f *Screen) review() (files []ui.ReviewedFile) {
	found := f.inForce().Workspace
	f.mu.Lock()
	f.reviewed = found.Digest
	f.mu.Unlock()
	for _, file := range found.Files {
		files = append(files, ui.ReviewedFile{Name: file.Display, Text: string(file.Data), Truncated: file.Truncated})
	}
	return files
}

func absolute(folder, path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, path[1:])
		}
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(folder, path)
	}
	return filepath.Clean(path)
}

// crash opens a file for a report about a fault of espy itself.
func (f *Screen) crash() (io.WriteCloser, string, error) {
	dir := filepath.Join(f.settings.Dirs.State, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	name := filepath.Join(dir, "crash-"+time.Now().UTC().Format("20060102-150405")+".txt")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, "", err
	}
	return &redacted{file: file, keys: f.inForce().keys()}, name, nil
}

// keepRoute remembers the person's choice of a model for the next start.
func keepRoute(ctx context.Context, dirs config.Dirs) func(providers.Route) error {
	return func(route providers.Route) error {
		return config.SaveChoice(context.WithoutCancel(ctx), dirs, route.Name())
	}
}
