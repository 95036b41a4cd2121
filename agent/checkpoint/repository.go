package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

var (
	errTooSlow = errors.New("looking through this folder takes too long")
	errTooMany = fmt.Errorf("this folder holds more than %d files or %d MiB that are not ignored", maxFiles, maxBytes>>20)
)

// attributes keep git from converting anything: they stand before every .gitattributes of the workspace.
const attributes = "* -text !eol -ident !filter !working-tree-encoding !diff !merge\n"

// repository is a session's private git repository. Trees are its snapshots; nothing is ever committed.
type repository struct {
	dir     string
	work    string
	secrets *guard.Secrets
	ready   bool

	progress func(done, total int) // may be nil
}

func (r *repository) git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return guard.PrivateGit(ctx, r.dir, r.work, stdin, args...)
}

// open makes the repository where it is not there, and clears what a killed git left.
func (r *repository) open(ctx context.Context) error {
	if r.ready {
		return nil
	}
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); err != nil {
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			return err
		}
		if _, err := r.git(ctx, nil, "init", "-q", "--template=", "--object-format=sha1"); err != nil {
			return err
		}
	}
	info := filepath.Join(r.dir, "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(info, "attributes"), []byte(attributes), 0o600); err != nil {
		return err
	}
	r.ready = true
	return nil
}

// keep stores a file's bytes.
func (r *repository) keep(ctx context.Context, data []byte) (string, error) {
	if err := r.open(ctx); err != nil {
		return "", err
	}
	out, err := r.git(ctx, bytes.NewReader(data), "hash-object", "-w", "--no-filters", "--stdin")
	return strings.TrimSpace(string(out)), err
}

func (r *repository) read(ctx context.Context, object string) ([]byte, error) {
	return r.git(ctx, nil, "cat-file", "blob", object)
}

// snapshot is a tree of everything in the workspace that git would not ignore. Only what changed since the last
// one is read. An index that a crash damaged is made anew.
func (r *repository) snapshot(ctx context.Context) (string, error) {
	if err := r.open(ctx); err != nil {
		return "", err
	}
	index := filepath.Join(r.dir, "index")
	os.Remove(index + ".lock") // only this process uses the repository: it holds the session's lock
	tree, err := r.take(ctx)
	if err == nil || ctx.Err() != nil || errors.Is(err, errTooMany) || errors.Is(err, guard.ErrGitOutput) {
		return tree, tooMany(err)
	}
	os.Remove(index)
	return r.take(ctx)
}

func tooMany(err error) error {
	if errors.Is(err, guard.ErrGitOutput) {
		return errTooMany
	}
	return err
}

func (r *repository) take(ctx context.Context) (string, error) {
	listed, err := r.git(ctx, nil, "ls-files", "-m", "-o", "--exclude-standard", "-z")
	if err != nil {
		return "", err
	}
	names, err := r.wanted(listed)
	if err != nil {
		return "", err
	}
	if len(names) > 0 {
		if _, err := r.git(ctx, r.watched(names), "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	tree, err := r.git(ctx, nil, "write-tree")
	return strings.TrimSpace(string(tree)), err
}

// watched is names as git reads them: it asks for more when it has taken the files before in.
func (r *repository) watched(names []byte) io.Reader {
	if r.progress == nil {
		return bytes.NewReader(names)
	}
	return &counted{names: names, total: bytes.Count(names, []byte{0}), tell: r.progress}
}

// counted tells how many names were read of all.
type counted struct {
	names       []byte
	done, total int
	tell        func(done, total int)
}

func (c *counted) Read(p []byte) (int, error) {
	c.tell(c.done, c.total)
	if len(c.names) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), namesAtOnce)], c.names)
	c.done += bytes.Count(c.names[:n], []byte{0})
	c.names = c.names[n:]
	return n, nil
}

// wanted keeps the names whose state is taken in: no credentials, no repositories inside, nothing too large or
// not readable. What is gone is wanted too, so that it leaves the index.
func (r *repository) wanted(listed []byte) ([]byte, error) {
	var names []byte
	count, total := 0, int64(0)
	for name := range bytes.SplitSeq(listed, []byte{0}) {
		if len(name) == 0 || name[len(name)-1] == '/' {
			continue
		}
		abs := filepath.Join(r.work, filepath.FromSlash(string(name)))
		info, err := os.Lstat(abs)
		if err == nil {
			if !keepable(info) || r.secrets.Named(abs) || !readable(abs, info) {
				continue
			}
			total += info.Size()
		}
		if count++; count > maxFiles || total > maxBytes {
			return nil, errTooMany
		}
		names = append(append(names, name...), 0)
	}
	return names, nil
}

func keepable(info os.FileInfo) bool {
	return info.Mode()&os.ModeSymlink != 0 || info.Mode().IsRegular() && info.Size() <= maxFile
}

func readable(abs string, info os.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return true
	}
	f, err := os.Open(abs)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// diff is what differs between two trees.
func (r *repository) diff(ctx context.Context, before, after string) ([]message.FileChange, error) {
	if before == after {
		return nil, nil
	}
	out, err := r.git(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", before, after)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var changes []message.FileChange
	for i := 0; i+1 < len(fields); i += 2 {
		// ":100644 100755 <object> <object> M"
		cells := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(cells) != 5 {
			return nil, fmt.Errorf("git diff-tree printed %.60q", fields[i])
		}
		changes = append(changes, message.FileChange{
			Path:   filepath.Join(r.work, filepath.FromSlash(fields[i+1])),
			Before: treeState(cells[0], cells[2]), After: treeState(cells[1], cells[3]),
		})
	}
	return changes, nil
}

func treeState(mode, object string) message.FileState {
	if strings.Trim(mode, "0") == "" {
		return message.FileState{}
	}
	return message.FileState{Kept: gitPrefix + object, Mode: mode}
}
