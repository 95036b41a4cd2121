package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func save(t *testing.T, d *Draft, state string) {
	t.Helper()
	if err := d.Save([]byte(state)); err != nil {
		t.Fatal(err)
	}
}

func discard(t *testing.T, d *Draft, refs ...string) {
	t.Helper()
	if err := d.Discard(refs...); err != nil {
		t.Fatal(err)
	}
}

// inDraft reports whether the picture's bytes are in the draft folder.
func inDraft(s *Session, ref string) bool {
	return exists(filepath.Join(s.Dir(), draftName, filepath.Base(ref)))
}

func TestAPromotedPictureMovesToTheBlobs(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	ref := put(t, session.Draft(), "png", "picture")
	if exists(filepath.Join(session.Dir(), ref)) {
		t.Error("it was in the blobs before it was sent")
	}
	for range 2 {
		if err := session.Draft().Promote(ref); err != nil {
			t.Fatal(err)
		}
	}
	if inDraft(session, ref) || content(t, session, ref) != "picture" {
		t.Error("it did not move")
	}
	put(t, session.Draft(), "png", "picture")
	if err := session.Draft().Promote(ref); err != nil || inDraft(session, ref) {
		t.Errorf("pasted again and sent: %v", err)
	}
	var blob *BlobError
	if err := session.Draft().Promote("blobs/" + hashOf("never") + ".png"); !errors.As(err, &blob) {
		t.Errorf("a picture that never was: %v", err)
	}
}

func TestADiscardedPictureGoesUnlessTheStateNamesIt(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	d := session.Draft()
	ref := put(t, d, "png", "picture")
	save(t, d, `["`+ref+`","`+ref+`"]`)
	save(t, d, `["`+ref+`"]`)
	discard(t, d, ref)
	if !inDraft(session, ref) {
		t.Error("it went though the row still shows it")
	}
	save(t, d, `["`+ref+`"]`)
	if !inDraft(session, ref) {
		t.Error("saving the row without a change removed it")
	}
	save(t, d, `[]`)
	if inDraft(session, ref) {
		t.Error("it stayed though nothing names it")
	}
}

func TestADiscardedPictureIsGoneAtOnceWhenTheRowWasSavedWithoutIt(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	d := session.Draft()
	ref := put(t, d, "png", "secret")
	save(t, d, `["`+ref+`"]`)
	save(t, d, `["redacted"]`)
	discard(t, d, ref)
	if inDraft(session, ref) {
		t.Error("the secret is still on disk")
	}
	discard(t, d, ref)
}

func TestAnErasedPictureIsGoneAtOnceWhateverNamesIt(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	d := session.Draft()
	named, fresh := put(t, d, "png", "secret"), ""
	save(t, d, `["`+named+`"]`)
	fresh = put(t, d, "jpg", "another secret")
	if err := d.Erase(named, "", fresh, named); err != nil {
		t.Fatal(err)
	}
	if inDraft(session, named) || inDraft(session, fresh) {
		t.Error("a secret is still on disk")
	}
	if err := d.Erase("blobs/../transcript.jsonl"); err == nil {
		t.Error("a path was taken for a picture")
	}
}

func TestAPictureDiscardedAfterTheLastSaveGoesWithTheSession(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	d := session.Draft()
	save(t, d, `{"text":"kept"}`)
	ref := put(t, d, "png", "picture")
	discard(t, d, ref, "")
	closing(t, session)
	if inDraft(session, ref) {
		t.Error("it is still on disk")
	}
	if !exists(filepath.Join(session.Dir(), draftName, stateName)) {
		t.Error("the text went too")
	}
}

func TestAPicturePastedAgainAfterItsDiscardStays(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	d := session.Draft()
	ref := put(t, d, "png", "picture")
	discard(t, d, ref) // before any save
	put(t, d, "png", "picture")
	save(t, d, `["`+ref+`"]`)
	if !inDraft(session, ref) {
		t.Error("it went")
	}
}

func TestTheDraftStateIsWholeAndComesBack(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one")
	if state, err := session.Draft().Load(); state != nil || err != nil {
		t.Errorf("before any save: %q, %v", state, err)
	}
	ref := put(t, session.Draft(), "png", "picture")
	save(t, session.Draft(), `{"text":"wip","row":["`+ref+`"]}`)
	closing(t, session)
	session, _ = resume(t, s, session.ID())
	state, err := session.Draft().Load()
	if err != nil || string(state) != `{"text":"wip","row":["`+ref+`"]}` {
		t.Errorf("it is %q, %v", state, err)
	}
	discard(t, session.Draft(), ref)
	if content(t, session, ref) != "picture" {
		t.Error("a picture the saved row names went")
	}
	save(t, session.Draft(), "")
	closing(t, session)
	if exists(filepath.Join(session.Dir(), draftName)) {
		t.Error("an abandoned draft was kept")
	}
}

func TestASessionThatWasNeverUsedLeavesNoFolder(t *testing.T) {
	state := t.TempDir()
	for _, left := range []string{"", "{}", "null"} {
		session, err := Open(state).Create(t.Context(), "/work", "1.0")
		if err != nil {
			t.Fatal(err)
		}
		put(t, session.Draft(), "png", "pasted and given up")
		put(t, session, "png", "stored and not sent")
		save(t, session.Draft(), `{"text":"x"}`)
		save(t, session.Draft(), left)
		closing(t, session)
		if entries, _ := os.ReadDir(filepath.Join(state, sessionsName)); len(entries) > 0 {
			t.Errorf("%q left %v", left, entries)
		}
	}
}

func TestAPartOfAFileThatACrashLeftIsSweptAway(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one")
	put(t, session, "png", "picture")
	closing(t, session)
	part := filepath.Join(session.Dir(), blobsName, tempPrefix+"123")
	overwrite(t, part, []byte("half"))
	session, _ = resume(t, s, session.ID())
	defer closing(t, session)
	if exists(part) {
		t.Error("it is still there")
	}
}

func TestFoldersThatACrashLeftEmptyAreSweptAndNoOthers(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	used := begin(t, s, "/work", "one")
	closing(t, used)
	drafted, _ := s.Create(t.Context(), "/work", "1.0")
	save(t, drafted.Draft(), `{"text":"x"}`)
	closing(t, drafted)
	open, _ := s.Create(t.Context(), "/work", "1.0")
	put(t, open.Draft(), "png", "on the row")
	left := s.Dir(NewID())
	overwriteIn(t, filepath.Join(left, draftName), "picture.png")
	if err := s.Sweep(t.Context(), time.Now()); err != nil || !exists(left) {
		t.Errorf("a folder just made: %v", err)
	}
	if err := s.Sweep(t.Context(), time.Now().Add(2*leftAfter)); err != nil || exists(left) {
		t.Errorf("a folder a crash left: %v", err)
	}
	for _, kept := range []*Session{used, drafted, open} {
		if !exists(kept.Dir()) {
			t.Error("a session was swept away")
		}
	}
	closing(t, open)
}

func overwriteIn(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(dir, name), []byte("x"))
}
