package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
)

func forkOf(t *testing.T, s *Store, id, upTo string) (string, Loaded) {
	t.Helper()
	forked, err := s.Fork(context.Background(), id, upTo)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := s.Read(context.Background(), forked)
	if err != nil || loaded.Damaged != 0 {
		t.Fatalf("%v, %d damaged", err, loaded.Damaged)
	}
	return forked, loaded
}

// pictured is a closed session of three messages, the second with a picture.
func pictured(t *testing.T, s *Store) (id, ref string, records []message.Record) {
	t.Helper()
	session := begin(t, s, "/work")
	ref = put(t, session, "png", "a picture")
	records = []message.Record{
		talk(message.RoleUser, 1, message.Text{Text: "one"}),
		talk(message.RoleUser, 2, imageOf(ref), message.Text{Text: "two"}),
		talk(message.RoleUser, 3, message.Text{Text: "three"}),
		message.UsageRecord{Head: message.NewHead(message.KindUsage, NewID(), "", start()), Usage: message.Usage{Input: 5}},
		message.MarkRecord{Head: message.NewHead(message.KindMark, NewID(), "", start()), Mark: message.MarkRetire, Refs: []string{ref}},
	}
	if err := session.Append(records...); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	return session.ID(), ref, records
}

func TestAForkSaysTheSameAndOutlivesItsSource(t *testing.T) {
	s := Open(t.TempDir())
	id, ref, records := pictured(t, s)
	fork, loaded := forkOf(t, s, id, "")
	if got := texts(loaded); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("the fork says %q", got)
	}
	opening, ok := loaded.Records[0].(message.SessionRecord)
	if !ok || opening.Forked != id || opening.Folder != "/work" {
		t.Errorf("it opens with %+v", loaded.Records[0])
	}
	if slices.ContainsFunc(loaded.Records, func(r message.Record) bool { _, ok := r.(message.UsageRecord); return ok }) {
		t.Error("what the source cost counts twice")
	}
	if loaded.Records[1].Header().ID != records[0].Header().ID {
		t.Error("messages got other ids, so that marks no longer speak of them")
	}
	if err := s.Remove(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	session, _ := resume(t, s, fork)
	defer closing(t, session)
	if content(t, session, ref) != "a picture" {
		t.Error("its picture went with the source")
	}
}

func TestAForkOfAnEarlierMessageEndsThereAndKeepsWhatWasLearnt(t *testing.T) {
	s := Open(t.TempDir())
	id, ref, records := pictured(t, s)
	_, loaded := forkOf(t, s, id, records[1].Header().ID)
	if got := texts(loaded); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the fork says %q", got)
	}
	if !slices.ContainsFunc(loaded.Records, func(r message.Record) bool { m, ok := r.(message.MarkRecord); return ok && m.Refs[0] == ref }) {
		t.Error("the fork will send what the provider refused")
	}
	if _, err := s.Fork(context.Background(), id, "nowhere"); err == nil {
		t.Error("a fork at a record that is not there was made")
	}
	if left, _ := s.List(context.Background(), "", 0); len(left) != 2 {
		t.Errorf("%d sessions are listed, not the source and its fork", len(left))
	}
}

func TestASessionInUseCanBeForkedAndSaysSo(t *testing.T) {
	s := Open(t.TempDir())
	id, _, _ := pictured(t, s)
	holder, _ := resume(t, s, id)
	defer closing(t, holder)
	_, _, err := s.Resume(context.Background(), id)
	if err == nil || !strings.Contains(err.Error(), "espy sessions fork "+id) {
		t.Errorf("the second writer is told: %v", err)
	}
	forkOf(t, s, id, "")
}

func TestAForkWithAMissingPictureIsMadeAllTheSame(t *testing.T) {
	s := Open(t.TempDir())
	id, ref, _ := pictured(t, s)
	os.Remove(filepath.Join(s.Dir(id), ref))
	if _, loaded := forkOf(t, s, id, ""); len(texts(loaded)) != 3 {
		t.Errorf("%q", texts(loaded))
	}
}

// aged makes what List says of a session old.
func aged(t *testing.T, s *Store, age time.Duration, text string) string {
	t.Helper()
	session := begin(t, s, "/work")
	r := message.MessageRecord{Head: message.NewHead(message.KindMessage, NewID(), "", time.Now().Add(-age)),
		Message: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: text}}}}
	if err := session.Append(r); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	return session.ID()
}

func goes(pruned []Pruned) (ids []string) {
	for _, p := range pruned {
		if p.Kept == "" && p.Unnamed == 0 {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func TestPruningRemovesOnlyWhatIsOldAndBeyondTheNewest(t *testing.T) {
	ctx := context.Background()
	s := Open(t.TempDir())
	day := 24 * time.Hour
	oldest, old, young := aged(t, s, 90*day, "oldest"), aged(t, s, 60*day, "old"), aged(t, s, day, "young")
	ahead := aged(t, s, -day, "from the future")
	opt := PruneOptions{OlderThan: 30 * day, Keep: 3, Now: time.Now(), DryRun: true}
	got, err := s.Prune(ctx, opt)
	if err != nil || !slices.Equal(goes(got), []string{oldest}) || got[0].Freed == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if !exists(s.Dir(oldest)) {
		t.Fatal("a dry run removed it")
	}
	opt.DryRun, opt.Keep = false, 0
	if got, err = s.Prune(ctx, opt); err != nil || len(goes(got)) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if exists(s.Dir(oldest)) || exists(s.Dir(old)) || !exists(s.Dir(young)) || !exists(s.Dir(ahead)) {
		t.Error("other sessions went than were to go")
	}
}

func TestPruningKeepsSessionsInUseAndUnsentDrafts(t *testing.T) {
	s := Open(t.TempDir())
	day := 24 * time.Hour
	used, drafted := aged(t, s, 60*day, "used"), aged(t, s, 60*day, "drafted")
	session, _ := resume(t, s, drafted)
	if err := session.Draft().Save([]byte(`{"text":"half a thought"}`)); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	holder, _ := resume(t, s, used)
	defer closing(t, holder)
	got, err := s.Prune(context.Background(), PruneOptions{OlderThan: day, Now: time.Now()})
	if err != nil || len(goes(got)) != 0 || len(got) != 2 || got[0].Kept == "" || got[1].Kept == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if !exists(filepath.Join(s.Dir(used), logName)) || !exists(filepath.Join(s.Dir(drafted), draftName, stateName)) {
		t.Error("something went that was to stay")
	}
}

func TestStoredFilesThatNothingNamesGoAndAllOthersStay(t *testing.T) {
	s := Open(t.TempDir())
	id, ref, _ := pictured(t, s)
	session, _ := resume(t, s, id)
	orphan, drafted, damaged := put(t, session, "png", "orphan"), put(t, session, "png", "in the draft"), put(t, session, "txt", "in a bad line")
	if err := session.Draft().Save([]byte(`{"queue":[{"image":"` + drafted + `"}]}`)); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	log := filepath.Join(s.Dir(id), logName)
	text, _ := os.ReadFile(log)
	overwrite(t, log, append(text, []byte(strings.Repeat("x", readBytes-70)+damaged+"}garbage\n")...))
	opt := PruneOptions{OlderThan: 24 * 365 * 100 * time.Hour, Now: time.Now(), DryRun: true}
	got, err := s.Prune(context.Background(), opt)
	if err != nil || len(got) != 1 || got[0].Unnamed != 1 || got[0].Freed != int64(len("orphan")) {
		t.Fatalf("%+v, %v", got, err)
	}
	opt.DryRun = false
	if _, err := s.Prune(context.Background(), opt); err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{ref, drafted, damaged} {
		if !exists(filepath.Join(s.Dir(id), kept)) {
			t.Errorf("%s is named and went", kept)
		}
	}
	if exists(filepath.Join(s.Dir(id), orphan)) {
		t.Error("what nothing names stayed")
	}
}
