package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// blobExts are the endings a blob may have: what the gate makes and keeps, and text.
var blobExts = sync.OnceValue(func() []string {
	return []string{"png", "jpg", "gif", "webp", "bmp", "tiff", "txt", "bin"}
})

// refShape is a Ref and nothing else: no folder, no link, no second dot can be written in it.
var refShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\Ablobs/([0-9a-f]{64})\.(` + strings.Join(blobExts(), "|") + `)\z`)
})

// blobs is a folder of content-named files. It is safe for use by many goroutines.
//
// A file gets its name only when it is whole and synced, so a name that is there is a promise; open keeps it by
// hashing each file once, and again when its size or time changed.
type blobs struct {
	dir  string
	most int64 // bytes of one file

	mu    sync.Mutex
	known map[string]stamp // by file name
}

// stamp is how a checked file looked.
type stamp struct {
	size int64
	time time.Time
}

func newBlobs(dir string) *blobs {
	return &blobs{dir: dir, most: maxBlobBytes, known: map[string]stamp{}}
}

// fileName is the name of a Ref's file inside a blobs or draft folder.
func fileName(ref string) (string, error) {
	if !refShape().MatchString(ref) {
		return "", &BlobError{Ref: ref, Invalid: true}
	}
	return strings.TrimPrefix(ref, "blobs/"), nil
}

// put stores what r holds and returns its Ref and size in bytes. Added is false where equal bytes were there.
func (b *blobs) put(ctx context.Context, ext string, r io.Reader) (ref string, size int64, added bool, err error) {
	if !slices.Contains(blobExts(), ext) {
		return "", 0, false, fmt.Errorf("a blob cannot end in %.20q; it is one of %s", ext, strings.Join(blobExts(), ", "))
	}
	f, err := os.CreateTemp(b.dir, tempPattern)
	if err != nil {
		return "", 0, false, writeError(b.dir, err)
	}
	source := &failing{r: contextReader{ctx, r}}
	sum := sha256.New()
	size, err = copyBounded(io.MultiWriter(f, sum), source, b.most)
	name := hex.EncodeToString(sum.Sum(nil)) + "." + ext
	if err != nil {
		finish(f, "", false, err)
		if source.err != nil {
			return "", 0, false, source.err
		}
		return "", 0, false, writeError(b.dir, err)
	}
	added, err = b.keep(f, name)
	return "blobs/" + name, size, added, err
}

// keep gives a whole temporary file its name. A file that is there already is replaced, because it may have been
// altered; where it is in use and cannot be, as on Windows, it has to be right.
func (b *blobs) keep(f *os.File, name string) (added bool, err error) {
	target := filepath.Join(b.dir, name)
	added = !exists(target)
	if err := finish(f, target, true, nil); err != nil {
		there, opening := b.open("blobs/" + name)
		if opening != nil {
			return false, writeError(b.dir, err)
		}
		return false, there.Close()
	}
	b.remember(name)
	return added, nil
}

// failing keeps a reader's own error, so that it is not taken for a full disk.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func copyBounded(w io.Writer, r *failing, most int64) (int64, error) {
	n, err := io.Copy(w, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("more than %d bytes, the most one stored file may hold", most)
		r.err = err
	}
	return n, err
}

func (b *blobs) remember(name string) {
	info, err := os.Lstat(filepath.Join(b.dir, name))
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[name] = stamp{info.Size(), info.ModTime()}
}

// open opens a file whose bytes are the ones its name promises, at its start.
func (b *blobs) open(ref string) (*os.File, error) {
	name, err := fileName(ref)
	if err != nil {
		return nil, err
	}
	f, info, err := openRegular(filepath.Join(b.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &BlobError{Ref: ref}
	}
	if errors.Is(err, errNotRegular) {
		return nil, &BlobError{Ref: ref, Altered: true}
	}
	if err != nil {
		return nil, err
	}
	if err := b.check(ref, name, f, info); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// check hashes an opened file unless it was hashed before and looks the same.
func (b *blobs) check(ref, name string, f *os.File, info fs.FileInfo) error {
	now := stamp{info.Size(), info.ModTime()}
	b.mu.Lock()
	seen, ok := b.known[name]
	b.mu.Unlock()
	if ok && seen.size == now.size && seen.time.Equal(now.time) {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if !strings.HasPrefix(name, hex.EncodeToString(sum.Sum(nil))+".") {
		return &BlobError{Ref: ref, Altered: true}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[name] = now
	return nil
}

// stat is a blob's size in bytes.
func (b *blobs) stat(ref string) (int64, error) {
	name, err := fileName(ref)
	if err != nil {
		return 0, err
	}
	info, err := os.Lstat(filepath.Join(b.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, &BlobError{Ref: ref}
	}
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &BlobError{Ref: ref, Altered: true}
	}
	return info.Size(), nil
}

// refs are the names in the folder that are Refs, starting with the given characters of a hash.
func (b *blobs) refs(prefix string) []string {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		ref := "blobs/" + e.Name()
		if strings.HasPrefix(e.Name(), prefix) && refShape().MatchString(ref) {
			found = append(found, ref)
		}
	}
	return found
}

// bytes is the size of all files in the folder.
func (b *blobs) bytes() int64 {
	var total int64
	for _, ref := range b.refs("") {
		if size, err := b.stat(ref); err == nil {
			total += size
		}
	}
	return total
}

// prefixShape is how a person or a model names a blob.
var prefixShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`\Ablob:([0-9a-fA-F]{%d,64})\z`, blobPrefixHex))
})

// find turns "blob:<prefix>" into the one Ref of the folders that it can mean.
func find(name string, folders ...*blobs) (string, bool) {
	shape := prefixShape().FindStringSubmatch(name)
	if shape == nil {
		return "", false
	}
	var found []string
	for _, folder := range folders {
		found = append(found, folder.refs(strings.ToLower(shape[1]))...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
