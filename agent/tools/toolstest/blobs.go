package toolstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Blobs keeps blobs in memory under their real names. The zero value is ready.
type Blobs struct {
	mu   sync.Mutex
	data map[string][]byte
	fail error
}

// Fail makes every later PutBlob fail with err once it read its first bytes, as a full disk does; nil ends it.
func (b *Blobs) Fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// PutBlob stores bytes under their hash.
func (b *Blobs) PutBlob(ctx context.Context, ext string, r io.Reader) (string, error) {
	b.mu.Lock()
	fail := b.fail
	b.mu.Unlock()
	if fail != nil {
		_, _ = r.Read(make([]byte, 1))
		return "", fail
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	ref := "blobs/" + hex.EncodeToString(sum[:]) + "." + ext
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.data == nil {
		b.data = map[string][]byte{}
	}
	b.data[ref] = data
	return ref, ctx.Err()
}

// OpenBlob opens what a Ref names.
func (b *Blobs) OpenBlob(ref string) (io.ReadSeekCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.data[ref]
	if !ok {
		return nil, fmt.Errorf("%s is gone", ref)
	}
	return blob{bytes.NewReader(data)}, nil
}

// FindBlob turns "blob:<first characters of the hash>" into a Ref.
func (b *Blobs) FindBlob(name string) (string, bool) {
	prefix := "blobs/" + strings.TrimPrefix(name, "blob:")
	b.mu.Lock()
	defer b.mu.Unlock()
	found := ""
	for ref := range b.data {
		if strings.HasPrefix(ref, prefix) && prefix != "blobs/" {
			if found != "" {
				return "", false
			}
			found = ref
		}
	}
	return found, found != ""
}

// Bytes returns a stored blob.
func (b *Blobs) Bytes(ref string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data[ref]
}

// Len is how many blobs are stored.
func (b *Blobs) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data)
}

type blob struct{ *bytes.Reader }

func (blob) Close() error { return nil }

// Count is how many blobs are stored.
func (b *Blobs) Count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data)
}
