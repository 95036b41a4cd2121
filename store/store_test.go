package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"espy/agent/message"
)

// start is the time of the first record of every test's log.
func start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func prompt(text string) message.MessageRecord {
	return message.MessageRecord{
		Head:    message.NewHead(message.KindMessage, NewID(), "", start()),
		Message: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: text}}},
	}
}

// begin makes a session whose log has its opening and the given prompts.
func begin(t testing.TB, s *Store, folder string, prompts ...string) *Session {
	t.Helper()
	session, err := s.Create(context.Background(), folder, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	records := []message.Record{session.Opening(start())}
	for _, p := range prompts {
		records = append(records, prompt(p))
	}
	if err := session.Append(records...); err != nil {
		t.Fatal(err)
	}
	return session
}

func closing(t testing.TB, s *Session) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func resume(t testing.TB, s *Store, id string) (*Session, Loaded) {
	t.Helper()
	session, loaded, err := s.Resume(context.Background(), id)
	if err != nil {
		t.Fatalf("resuming: %v", err)
	}
	return session, loaded
}

// texts are the typed texts of the user messages of a log.
func texts(l Loaded) []string {
	var all []string
	for _, r := range l.Records {
		if m, ok := r.(message.MessageRecord); ok {
			all = append(all, m.Message.TypedText())
		}
	}
	return all
}

func put(t testing.TB, sink interface {
	PutBlob(context.Context, string, io.Reader) (string, error)
}, ext, text string) string {
	t.Helper()
	ref, err := sink.PutBlob(context.Background(), ext, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func content(t testing.TB, s *Session, ref string) string {
	t.Helper()
	f, err := s.OpenBlob(ref)
	if err != nil {
		t.Fatalf("opening %s: %v", ref, err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingIsOnDiskBeforeTheFirstRecord(t *testing.T) {
	state := t.TempDir()
	session, err := Open(state).Create(context.Background(), "/work", "1.0")
	if err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	if entries, _ := os.ReadDir(state); len(entries) > 0 {
		t.Errorf("an unused session left %v", entries)
	}
}

func TestAResumedSessionHasTheRecordsInOrder(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one", "two")
	if err := session.Append(prompt("three")); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	again, loaded := resume(t, s, session.ID())
	defer closing(t, again)
	if got := strings.Join(texts(loaded), " "); got != "one two three" || loaded.Damaged != 0 || len(loaded.Records) != 4 {
		t.Errorf("got %q, %d damaged, %d records", got, loaded.Damaged, len(loaded.Records))
	}
	if again.Folder() != "/work" {
		t.Errorf("the folder is %q", again.Folder())
	}
	if err := again.Append(prompt("four")); err != nil {
		t.Fatal(err)
	}
	if loaded, err := s.Read(context.Background(), session.ID()); err != nil || len(texts(loaded)) != 4 {
		t.Errorf("after going on: %v, %v", texts(loaded), err)
	}
}

func TestUnknownKindsAndLaterVersionsAreKeptAsTheyStand(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work")
	raw := `{"v":2,"kind":"hologram","id":"X","time":"2026-01-01T00:00:00Z","odd" : [1, 2]}`
	if err := session.Append(message.UnknownRecord{Raw: raw}); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	loaded, err := s.Read(context.Background(), session.ID())
	if err != nil || len(loaded.Records) != 2 {
		t.Fatalf("%v, %v", loaded, err)
	}
	if u, ok := loaded.Records[1].(message.UnknownRecord); !ok || u.Raw != raw {
		t.Errorf("the record became %#v", loaded.Records[1])
	}
}

func TestFoldersAndFilesAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	state := t.TempDir()
	session := begin(t, Open(state), "/work", "one")
	put(t, session, "png", "picture")
	put(t, session.Draft(), "png", "draft")
	if err := session.Draft().Save([]byte(`{"text":"x"}`)); err != nil {
		t.Fatal(err)
	}
	defer closing(t, session)
	if err := OpenHistory(state).Add(context.Background(), HistoryEntry{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(state, func(path string, d os.DirEntry, walking error) error {
		info, err := d.Info()
		if err := errors.Join(walking, err); err != nil {
			t.Fatal(err)
		}
		if path != state && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode().Perm())
		}
		return nil
	})
}

func TestAnIDThatIsNoIDReachesNoFile(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	begin(t, s, "/work", "one")
	outside := filepath.Join(state, "outside")
	os.MkdirAll(outside, 0o700)
	os.WriteFile(filepath.Join(outside, logName), []byte("{}\n"), 0o600)
	for _, id := range []string{"", ".", "..", "../outside", "../../etc", "a/b", `a\b`, "01arz3ndektsv4rrffq69g5fav", NewID()} {
		var missing *NotFoundError
		if _, _, err := s.Resume(context.Background(), id); !errors.As(err, &missing) {
			t.Errorf("resume %q: %v", id, err)
		}
		if _, err := s.Read(context.Background(), id); !errors.As(err, &missing) {
			t.Errorf("read %q: %v", id, err)
		}
		if err := s.Remove(context.Background(), id); !errors.As(err, &missing) {
			t.Errorf("remove %q: %v", id, err)
		}
	}
	if !exists(filepath.Join(outside, logName)) {
		t.Error("a file outside was removed")
	}
}

func TestARemovedSessionIsGoneAndOneInUseStays(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one")
	var inUse *InUseError
	if err := s.Remove(context.Background(), session.ID()); !errors.As(err, &inUse) || inUse.PID != os.Getpid() {
		t.Errorf("removing a session in use: %v", err)
	}
	if _, _, err := s.Resume(context.Background(), session.ID()); !errors.As(err, &inUse) {
		t.Errorf("resuming a session in use: %v", err)
	}
	closing(t, session)
	if err := s.Remove(context.Background(), session.ID()); err != nil {
		t.Fatal(err)
	}
	if exists(session.Dir()) {
		t.Error("its folder is still there")
	}
}

func TestIDsIncreaseThoughTheClockMovesBackward(t *testing.T) {
	gen := &generator{entropy: ulid.Monotonic(rand.Reader, 0)}
	last := ""
	for i := range 5000 {
		now := start().Add(-time.Duration(i%7) * time.Hour)
		id := gen.next(now)
		if id <= last || !validID(id) {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
}

func TestClosedSessionsRefuseToWrite(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	closing(t, session)
	closing(t, session)
	if err := session.Append(prompt("two")); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, err := session.PutBlob(context.Background(), "png", strings.NewReader("x")); !errors.Is(err, ErrClosed) {
		t.Errorf("blob: %v", err)
	}
	if err := session.Draft().Save([]byte("{}")); !errors.Is(err, ErrClosed) {
		t.Errorf("draft: %v", err)
	}
}

func TestAForkSharesTheBlobsItNames(t *testing.T) {
	s := Open(t.TempDir())
	from := begin(t, s, "/work", "one")
	kept, gone := put(t, from, "png", "kept"), put(t, from, "png", "gone")
	os.Remove(filepath.Join(from.Dir(), gone))
	closing(t, from)
	fork := begin(t, s, "/work", "one")
	defer closing(t, fork)
	var missing *BlobError
	if err := fork.Link(context.Background(), from.ID(), gone, kept, "blobs/../x"); !errors.As(err, &missing) {
		t.Errorf("a blob that is gone: %v", err)
	}
	if err := s.Remove(context.Background(), from.ID()); err != nil {
		t.Fatal(err)
	}
	if got := content(t, fork, kept); got != "kept" {
		t.Errorf("the fork reads %q", got)
	}
}

// noPictures fails where a file under dir, blobs aside, holds base64 of a PNG, JPEG, GIF or WebP.
func noPictures(t testing.TB, dir string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []string{"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "\x89PNG\r\n"} {
			if filepath.Base(filepath.Dir(path)) != blobsName && bytes.Contains(data, []byte(sign)) {
				t.Errorf("%s holds picture bytes (%q)", path, sign)
			}
		}
		return nil
	})
}

func TestAPictureIsNamedInTheLogAndNeverCarried(t *testing.T) {
	state := t.TempDir()
	session := begin(t, Open(state), "/work", "one")
	ref := put(t, session, "png", "\x89PNG\r\n\x1a\n and the rest")
	message := prompt("look")
	message.Message.Blocks = append(message.Message.Blocks, imageOf(ref))
	if err := session.Append(message); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	noPictures(t, state)
}

func imageOf(ref string) message.Image {
	return message.Image{Ref: ref, MediaType: "image/png", Width: 10, Height: 20}
}

func ExampleInUseError() {
	fmt.Println(&InUseError{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", PID: 4711})
	// Output: session 01ARZ3NDEKTSV4RRFFQ69G5FAV is in use by process 4711; close it there, go on in a copy (`espy sessions fork 01ARZ3NDEKTSV4RRFFQ69G5FAV`), or only read it (`espy sessions show 01ARZ3NDEKTSV4RRFFQ69G5FAV`)
}
