package start

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/config"
	"espy/ui"
)

// Files are read again between turns and by /reload. What counts is their content, never a time: each is read whole,
// within the bounds of a start, and nothing follows unless a digest differs from the one of what was parsed before. A
// file that is faulty now and was not before leaves what it said in force.

// prints are digests of everything that is read, as it was found last, good or not.
type prints struct{ settings, files, workspace string }

// watch remembers what was found, so that the same content is judged and spoken of once.
type watch struct {
	mu   sync.Mutex
	seen prints
	told map[string][sha256.Size]byte // by place, the content whose fault was told
}

func newWatch(s *Settings) *watch {
	own := slices.DeleteFunc(slices.Clone(s.files), func(f extend.File) bool { return f.Project })
	return &watch{seen: prints{s.Config.Digest, extend.Digest(own), s.Workspace.Digest}, told: make(map[string][sha256.Size]byte)}
}

// again is the settings as the files have them now, and what is to be said of faults. It is nil where nothing changed.
// The settings in force stay as they are.
func (w *watch) again(ctx context.Context, s *Settings) (next *Settings, told []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := guard.WorkspaceFiles(ctx, s.Folder, s.plain)
	if err != nil {
		found = s.Workspace
	}
	own, problems := extend.ReadDir(s.Dirs.Config)
	now := prints{config.Fingerprint(s.configOptions()), extend.Digest(own), found.Digest}
	accepted := s.accepts(found)
	if now == w.seen && accepted == s.Accepted || ctx.Err() != nil {
		return nil, nil
	}
	next = s.again()
	told = append(next.takeWorkspace(s, found, accepted), problems...)
	told = append(told, w.takeFiles(next, s, own)...)
	now.settings = next.takeSettings(s)
	if now.settings != next.Config.Digest { // the settings before stay in force
		told = append(told, w.once("settings", []byte(now.settings), faulty(next.faults))...)
		next.faults = s.faults
	}
	old := s.strayServers()
	for _, sentence := range next.strayServers() {
		if !slices.Contains(old, sentence) {
			told = append(told, sentence)
		}
	}
	w.seen = now
	return next, told
}

// once is a sentence about a place with this content, unless it was told already.
func (w *watch) once(place string, content []byte, sentence string) []string {
	sum := sha256.Sum256(content)
	if w.told[place] == sum {
		return nil
	}
	w.told[place] = sum
	return []string{sentence}
}

// accepts reports whether the person accepted the workspace as it was found.
func (s *Settings) accepts(found guard.Workspace) bool {
	trusted, err := s.Trust.Workspace(s.Folder)
	return found.Digest == "" || err == nil && trusted.Digest == found.Digest
}

// again is a copy that shares what lasts as long as the program does.
func (s *Settings) again() *Settings {
	return &Settings{Version: s.Version, flags: s.flags, Folder: s.Folder, Dirs: s.Dirs, Store: s.Store, Trust: s.Trust, Client: s.Client, Trace: s.Trace,
		Gate: s.Gate, Allow: s.Allow, Secrets: s.Secrets, plain: s.plain, Book: s.Book}
}

// takeWorkspace takes in what the folder brings along. What its .espy declares stays in force only while that is what was
// accepted; a change of AGENTS.md alone leaves it.
func (s *Settings) takeWorkspace(before *Settings, found guard.Workspace, accepted bool) (told []string) {
	s.Workspace, s.Accepted = found, accepted
	s.holds = accepted || before.holds && slices.Equal(sums(found, false), sums(before.Workspace, false))
	switch {
	case before.holds && !s.holds:
		s.lapsed = append(extend.Lapsed(before.Extras.Hooks), before.lapsed...)
		told = append(told, fmt.Sprintf("Files of this folder that tell espy what to run changed (%s): what they declare is inert until you accept them again with /trust accept.", changedNames(before.Workspace, found)))
	case !s.holds:
		s.lapsed = before.lapsed
	case accepted && !before.Accepted:
		told = append(told, "This folder's own files are accepted as they are now: what .espy declares is in use, and what AGENTS.md says from the next session on.")
	case !accepted && !slices.Equal(sums(found, true), sums(before.Workspace, true)):
		told = append(told, fmt.Sprintf("Instructions of this folder changed (%s): this session goes on with those it began with; /trust accept takes the new ones for the next.", changedNames(before.Workspace, found)))
	}
	return told
}

// sums are the names and contents of a workspace's instructions, or of its other files.
func sums(w guard.Workspace, instructions bool) (all []string) {
	for _, f := range w.Files {
		if f.Instruction == instructions {
			all = append(all, f.Display+" "+f.Sum)
		}
	}
	return all
}

// changedNames are the files that are not the same in two workspaces.
func changedNames(before, now guard.Workspace) string {
	in := func(w guard.Workspace) map[string]string {
		all := make(map[string]string)
		for _, f := range w.Files {
			all[f.Display] = f.Sum
		}
		return all
	}
	a, b := in(before), in(now)
	return namesOf(differing(a, b))
}

// differing are the keys that two maps do not have alike, sorted.
func differing[V comparable](a, b map[string]V) (keys []string) {
	for k, v := range a {
		if other, ok := b[k]; !ok || other != v {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// mostNamed bounds the names in one sentence.
const mostNamed = 6

func namesOf(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("and %d more", more))
	}
	return guard.Printable(strings.Join(names, ", "))
}

// takeFiles takes in the declaring files. One that is faulty and was good before is used as it was.
func (w *watch) takeFiles(s, before *Settings, own []extend.File) (told []string) {
	good := make(map[string]extend.File)
	for _, f := range before.files {
		good[f.Path] = f
	}
	s.files = append(own, s.projectFiles()...)
	for i, f := range s.files {
		old, was := good[f.Path]
		if was && old.Project == f.Project && string(old.Data) == string(f.Data) {
			continue
		}
		if alone := extend.Parse([]extend.File{f}); len(alone.Problems) > 0 && was {
			s.files[i] = old
			told = append(told, w.once(f.Path, f.Data, alone.Problems[0]+". What it said before stays in force.")...)
		}
	}
	s.Extras = parsed(s.files)
	for _, p := range s.Extras.Problems {
		if !slices.Contains(before.Extras.Problems, p) {
			told = append(told, p)
		}
	}
	return told
}

// takeSettings reads the settings and returns the digest of what was read. Where they have faults they had not before,
// those in force stay, and faults holds what is wrong.
func (s *Settings) takeSettings(before *Settings) (digest string) {
	fresh, problems := config.Load(s.configOptions())
	s.faults = slices.DeleteFunc(slices.Clone(problems), func(p config.Problem) bool {
		return slices.ContainsFunc(before.faults, func(old config.Problem) bool {
			return old.File == p.File && old.Key == p.Key && old.Sentence == p.Sentence
		})
	})
	if len(s.faults) > 0 || len(fresh.Unsafe) > len(before.Config.Unsafe) {
		s.Config = before.config()
		return fresh.Digest
	}
	s.Config, s.faults = fresh, problems
	if !reflect.DeepEqual(fresh.Providers, before.Config.Providers) || !reflect.DeepEqual(fresh.Models, before.Config.Models) {
		s.makeBook()
	}
	return fresh.Digest
}

// config is a copy of the settings whose lists of rules are its own.
func (s *Settings) config() config.Config {
	s.rules.Lock()
	defer s.rules.Unlock()
	c := s.Config
	p := &c.Permissions
	p.Allow, p.Ask, p.Deny = slices.Clone(p.Allow), slices.Clone(p.Ask), slices.Clone(p.Deny)
	sources := make(map[string]string, len(c.Sources))
	for k, v := range c.Sources {
		sources[k] = v
	}
	c.Sources = sources
	return c
}

// faulty is what is said of settings that are not taken.
func faulty(problems []config.Problem) string {
	if len(problems) == 0 {
		return "The settings are faulty now; those in force stay."
	}
	more := ""
	if n := len(problems) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more: espy config check lists them)", n)
	}
	return fmt.Sprintf("%s%s. The settings in force stay.", strings.TrimSuffix(problems[0].Error(), "."), more)
}

// inForce are the settings as they were read last.
func (f *Screen) inForce() *Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next
}

// renew reads the files again for the next session, and for the one that is open once it takes them up.
func (f *Screen) renew(ctx context.Context) (told []string) {
	next, told := f.watch.again(ctx, f.inForce())
	if next != nil {
		f.mu.Lock()
		f.next = next
		f.mu.Unlock()
	}
	return told
}

// refresh reads the files again and puts them in force in the session that is open. It says what changed.
func (f *Screen) refresh(ctx context.Context) []string {
	told := f.renew(ctx)
	room, s := f.current(), f.inForce()
	if room == nil {
		return told
	}
	before := room.settings.Load()
	if before == s {
		return told
	}
	rulesChanged := room.adopt(s)
	return append(told, changes(before, s, rulesChanged)...)
}

// live is what of the settings the screen can change while it runs.
func (f *Screen) live() ui.Live {
	s := f.inForce()
	return ui.Live{Theme: s.Config.UI.Theme, Previews: s.Config.UI.Previews, Keys: s.Config.Keys, Vim: s.Config.UI.Vim,
		Title: s.Config.UI.Title, Notify: s.Config.UI.Notify, Commands: commands(s.Extras.Commands), Skills: f.skills(s.Extras.Skills)}
}
