package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha1" // git's own names for what it keeps
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

const (
	gitPrefix = "git:"
	modePlain = "100644"
	modeRuns  = "100755"
)

// found is a file as it is on disk now.
type found struct {
	there bool
	data  []byte
	mode  string
	lost  string // why its bytes are not taken
}

// look reads a file. What cannot be taken (a link, a folder, a credential, something large) is found as lost.
func (k *Keeper) look(path string) found {
	info, _, err := k.roots.Stat(path)
	var fault *guard.PathError
	if errors.As(err, &fault) && fault.Kind == guard.FaultMissing {
		return found{}
	}
	switch {
	case err != nil:
		return found{there: true, lost: err.Error()}
	case !info.Mode().IsRegular():
		return found{there: true, lost: "it is not a regular file"}
	case info.Size() > maxFile:
		return found{there: true, lost: fmt.Sprintf("it is larger than %d MiB", maxFile>>20)}
	}
	f, _, err := k.roots.Open(path)
	if err != nil {
		return found{there: true, lost: err.Error()}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil || len(data) > maxFile {
		return found{there: true, lost: "it could not be read whole"}
	}
	return found{there: true, data: data, mode: modeOf(info)}
}

func modeOf(info fs.FileInfo) string {
	if info.Mode().Perm()&0o100 != 0 {
		return modeRuns
	}
	return modePlain
}

// keepFile keeps what a file holds now.
func (k *Keeper) keepFile(ctx context.Context, path string) (message.FileState, error) {
	return k.keep(ctx, k.look(path))
}

// keep puts bytes into the repository, or into the session's blobs where that cannot be.
func (k *Keeper) keep(ctx context.Context, f found) (message.FileState, error) {
	if !f.there || f.lost != "" {
		return message.FileState{Lost: f.lost}, nil
	}
	if k.off == "" {
		object, err := k.repo.keep(ctx, f.data)
		if err == nil {
			return message.FileState{Kept: gitPrefix + object, Mode: f.mode}, nil
		}
		if ctx.Err() != nil {
			return message.FileState{}, ctx.Err()
		}
		k.off = err.Error()
	}
	ref, err := k.blobs.PutBlob(ctx, "bin", bytes.NewReader(f.data))
	return message.FileState{Kept: ref, Mode: f.mode}, err
}

// holds reports whether a file is in a kept state.
func (f found) holds(s message.FileState) bool {
	if s == (message.FileState{}) || !f.there {
		return s == (message.FileState{}) && !f.there
	}
	if f.lost != "" || s.Lost != "" || f.mode != s.Mode {
		return false
	}
	if object, ok := strings.CutPrefix(s.Kept, gitPrefix); ok {
		sum := sha1.New()
		fmt.Fprintf(sum, "blob %d\x00", len(f.data))
		sum.Write(f.data)
		return hex.EncodeToString(sum.Sum(nil)) == object
	}
	sum := sha256.Sum256(f.data)
	return strings.HasPrefix(s.Kept, "blobs/"+hex.EncodeToString(sum[:])+".")
}

// bytesOf reads a kept state.
func (k *Keeper) bytesOf(ctx context.Context, s message.FileState) ([]byte, error) {
	if object, ok := strings.CutPrefix(s.Kept, gitPrefix); ok {
		return k.repo.read(ctx, object)
	}
	f, err := k.blobs.OpenBlob(s.Kept)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
