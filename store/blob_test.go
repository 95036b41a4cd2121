package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestABlobIsNamedByItsContentAndEqualOnesShareOne(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work")
	defer closing(t, session)
	first, second := put(t, session, "png", "same"), put(t, session, "png", "same")
	if first != "blobs/"+hashOf("same")+".png" || first != second {
		t.Errorf("the names are %s and %s", first, second)
	}
	if entries, _ := os.ReadDir(filepath.Join(session.Dir(), blobsName)); len(entries) != 1 {
		t.Errorf("the folder has %d files", len(entries))
	}
	if got := content(t, session, first); got != "same" {
		t.Errorf("it holds %q", got)
	}
	if size, err := session.StatBlob(first); err != nil || size != 4 {
		t.Errorf("it has %d bytes, %v", size, err)
	}
}

func TestBlobsAreWrittenFromManyGoroutines(t *testing.T) {
	s := Open(t.TempDir())
	session, err := s.Create(context.Background(), "/work", "1.0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			text := strings.Repeat("x", i%4+1)
			ref, err := session.PutBlob(context.Background(), "bin", strings.NewReader(text))
			if err != nil || ref != "blobs/"+hashOf(text)+".bin" {
				t.Errorf("%s, %v", ref, err)
			}
		})
	}
	wg.Wait()
	if err := session.Append(session.Opening(start())); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
}

func TestOnlyANameOfTheRightShapeIsOpened(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	hash := strings.TrimPrefix(put(t, session, "png", "x"), "blobs/")[:64]
	for _, ref := range []string{
		"", "blobs/", "transcript.jsonl", "../transcript.jsonl", "blobs/../transcript.jsonl", "/etc/passwd",
		hash + ".png", "blobs/" + hash, "blobs/" + hash + ".exe", "blobs/" + hash + ".png/", "blobs/" + hash + ".png\n",
		"blobs/" + hash + ".png\x00", "blobs//" + hash + ".png", "./blobs/" + hash + ".png", "blobs/" + strings.ToUpper(hash) + ".png",
		"draft/" + hash + ".png", `blobs\` + hash + ".png", "blobs/" + hash[:63] + ".png", "blobs/" + hash + ".png.png",
	} {
		var blob *BlobError
		if f, err := session.OpenBlob(ref); !errors.As(err, &blob) || !blob.Invalid || f != nil {
			t.Errorf("opening %q: %v", ref, err)
		}
		if _, err := session.StatBlob(ref); !errors.As(err, &blob) {
			t.Errorf("asking for %q: %v", ref, err)
		}
		if err := session.Draft().Promote(ref); !errors.As(err, &blob) {
			t.Errorf("promoting %q: %v", ref, err)
		}
		if err := session.Draft().Discard(ref); ref != "" && !errors.As(err, &blob) {
			t.Errorf("discarding %q: %v", ref, err)
		}
	}
}

func TestAnAlteredShortOrMissingBlobIsToldAndPutBackByStoringItAgain(t *testing.T) {
	damages := map[string]struct {
		damage  func(path string) error
		altered bool
	}{
		"altered": {func(p string) error { return os.WriteFile(p, []byte("PICTURE"), 0o600) }, true},
		"half":    {func(p string) error { return os.Truncate(p, 3) }, true},
		"empty":   {func(p string) error { return os.Truncate(p, 0) }, true},
		"gone":    {os.Remove, false},
		"folder":  {func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) }, true},
	}
	for name, d := range damages {
		s := Open(t.TempDir())
		session := begin(t, s, "/work", "one")
		ref := put(t, session, "png", "picture")
		closing(t, session)
		session, _ = resume(t, s, session.ID())
		path := filepath.Join(session.Dir(), ref)
		for range 2 { // when first seen, and after it was checked and found well
			if err := d.damage(path); err != nil {
				t.Fatal(err)
			}
			var blob *BlobError
			if _, err := session.OpenBlob(ref); !errors.As(err, &blob) || blob.Altered != d.altered {
				t.Errorf("%s: %v", name, err)
			}
			if name == "folder" {
				break
			}
			put(t, session, "png", "picture")
			if got := content(t, session, ref); got != "picture" {
				t.Errorf("%s, stored again: %q", name, got)
			}
		}
		closing(t, session)
	}
}

func TestALinkOrPipeInPlaceOfABlobIsNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take rights on Windows")
	}
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	ref := put(t, session, "png", "picture")
	path := filepath.Join(session.Dir(), ref)
	secret := filepath.Join(t.TempDir(), "picture")
	overwrite(t, secret, []byte("picture"))
	os.Remove(path)
	if err := os.Symlink(secret, path); err != nil {
		t.Fatal(err)
	}
	var blob *BlobError
	if _, err := session.OpenBlob(ref); !errors.As(err, &blob) {
		t.Errorf("a link to equal bytes: %v", err)
	}
}

func TestAFailedOrEndlessSourceLeavesNothing(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	broken := errors.New("the cable was pulled")
	if _, err := session.PutBlob(context.Background(), "png", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a failing source: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := session.PutBlob(ctx, "png", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	session.blobs.most = 1 << 20
	if _, err := session.PutBlob(context.Background(), "bin", endless{}); err == nil {
		t.Error("an endless source was stored")
	}
	if _, err := session.PutBlob(context.Background(), "exe", strings.NewReader("x")); err == nil {
		t.Error("an unknown ending was stored")
	}
	if entries, _ := os.ReadDir(filepath.Join(session.Dir(), blobsName)); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// endless is a source that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestABlobIsFoundByTheStartOfItsHash(t *testing.T) {
	session := begin(t, Open(t.TempDir()), "/work", "one")
	defer closing(t, session)
	ref := put(t, session, "png", "picture")
	draft := put(t, session.Draft(), "jpg", "draft")
	put(t, session, "txt", "draft") // equal bytes under another ending
	hash := hashOf("picture")
	for name, want := range map[string]string{
		"blob:" + hash[:6]:                   ref,
		"blob:" + hash[:12]:                  ref,
		"blob:" + strings.ToUpper(hash[:12]): ref,
		"blob:" + hash:                       ref,
		"blob:" + hashOf("draft")[:12]:       "", // two endings: which is meant is not known
		"blob:" + hash[:5]:                   "",
		"blob:" + hash + "0":                 "",
		"blob:":                              "",
		"blob:../../":                        "",
		"blob:zzzzzz":                        "",
		hash[:12]:                            "",
		ref:                                  "",
	} {
		if got, ok := session.FindBlob(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", name, got, ok)
		}
	}
	if got := content(t, session, draft); got != "draft" {
		t.Errorf("the draft's picture reads %q", got)
	}
}

func TestABlobOfAnySessionIsReadWithoutItsLock(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "one")
	defer closing(t, session)
	ref := put(t, session, "png", "picture")
	f, err := s.OpenBlob(session.ID(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, _ := io.ReadAll(f); !bytes.Equal(got, []byte("picture")) {
		t.Errorf("it reads %q", got)
	}
	if _, err := s.OpenBlob("../"+session.ID(), ref); err == nil {
		t.Error("an id with a path in it was followed")
	}
}
