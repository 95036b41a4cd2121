package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Gate admits pictures. It holds how many decodes may run at once: as many as fit into MaxDecodeAllocBytes together,
// and no more than four. One Gate serves a process; the zero Gate is ready.
type Gate struct {
	once   sync.Once
	memory *semaphore.Weighted
}

// mostDecodes is how many decodes run at once at most: more would only make each of them slower.
const mostDecodes = 4

// NewGate returns a gate.
func NewGate() *Gate { return &Gate{} }

// Ingest takes a picture through the gate: proven, rendered as the options say, stored in sink. A picture
// that cannot pass is a *Refusal; a Go error of another type is broken machinery (a full disk, an unreadable file) or
// the context's end. A file that may still be being written is looked at once more before it is refused, or taken as far
// as it goes.
func (g *Gate) Ingest(ctx context.Context, sink Sink, src Source, opt Options) (Picture, error) {
	before := stateOf(src)
	pic, err := g.ingest(ctx, sink, src, opt, before.unsettled(src))
	if err == nil || !worthAnotherLook(src, before, err) {
		return pic, err
	}
	wait := time.NewTimer(rewriteWait)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	case <-wait.C:
	}
	after := stateOf(src)
	if after == before && after.size == src.Size && !errors.Is(err, errUnfinished) {
		return Picture{}, err
	}
	src.Size = after.size
	return g.ingest(ctx, sink, src, opt, false)
}

// errUnfinished is a picture that could be read as far as it goes, of a file that may still be being written.
var errUnfinished = errors.New("the file may not be finished")

// fileState is what tells a file that is being written from one that is not.
type fileState struct {
	size    int64
	changed time.Time
}

func stateOf(src Source) fileState {
	f, ok := src.Bytes.(interface{ Stat() (fs.FileInfo, error) })
	if !ok || src.Path == "" {
		return fileState{}
	}
	info, err := f.Stat()
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime()}
}

// unsettled reports whether the file may still be being written.
func (s fileState) unsettled(src Source) bool {
	return !s.changed.IsZero() && (s.size != src.Size || time.Since(s.changed).Abs() < rewriteRecent)
}

// worthAnotherLook reports whether a refusal may be due to a file that was not finished yet.
func worthAnotherLook(src Source, s fileState, err error) bool {
	var r *Refusal
	if !errors.As(err, &r) {
		return errors.Is(err, errUnfinished)
	}
	switch r.Fault {
	case FaultBroken, FaultEmpty, FaultNotPicture:
		return s.unsettled(src)
	}
	return false
}

// enter waits until a decode of that many bytes may run and returns how to leave. Half as much again is taken for what is
// let go of and not yet collected; before a large one, what others left behind is given back.
func (g *Gate) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	g.once.Do(func() { g.memory = semaphore.NewWeighted(MaxDecodeAllocBytes) })
	share := min(max(bytes+bytes/2, MaxDecodeAllocBytes/mostDecodes), MaxDecodeAllocBytes)
	if err := g.memory.Acquire(ctx, share); err != nil {
		return nil, err
	}
	if bytes >= settleFrom+wireOverhead {
		debug.FreeOSMemory()
	}
	return func() { g.memory.Release(share) }, nil
}

// ingest takes one look. With early, a file that was cut short is errUnfinished.
func (g *Gate) ingest(ctx context.Context, sink Sink, src Source, opt Options, early bool) (Picture, error) {
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	if err := checkSize(src); err != nil {
		return Picture{}, err
	}
	reader := &faultReader{r: io.NewSectionReader(src.Bytes, 0, src.Size)}
	src.Bytes = reader
	h, err := Probe(reader, src.Size)
	if err := checkHeader(src, h, err); err != nil {
		return Picture{}, err
	}
	if err := checkLimits(src, h); err != nil {
		return Picture{}, err
	}
	given := SourceFacts{Format: string(h.Format), Bytes: src.Size}
	if _, ok := bitmaps[h.Format]; ok {
		if src, err = g.asPNG(ctx, src, h); err != nil {
			return Picture{}, err
		}
		reader = &faultReader{r: src.Bytes}
		src.Bytes = reader
		if h, err = Probe(reader, src.Size); err != nil {
			return Picture{}, fmt.Errorf("reading %s after it became PNG: %w", shownName(src.Name), err)
		}
	}
	j := &job{src: src, reader: reader, opt: opt, header: h, given: given, early: early}
	j.lateOrientation()
	if err := j.plan(); err != nil {
		return Picture{}, err
	}
	leave, err := g.enter(ctx, j.memory)
	if err != nil {
		return Picture{}, err
	}
	defer leave()
	if err := j.render(ctx); err != nil {
		return Picture{}, err
	}
	return j.store(ctx, sink)
}

// faultReader remembers a fault of the file itself, so that it is not mistaken for one of the picture.
type faultReader struct {
	r   io.ReaderAt
	err error
}

func (f *faultReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// Refusal says why a picture was not admitted, in one sentence: the file, what was found, the limit, what to do.
type Refusal struct {
	Name     string
	Fault    Fault
	Sentence string
}

func (r *Refusal) Error() string { return r.Sentence }

// Fault is why a picture was refused.
type Fault string

const (
	FaultEmpty       Fault = "empty"
	FaultNotPicture  Fault = "not-picture" // text, HTML, an archive; named by what it is
	FaultUnsupported Fault = "unsupported" // a picture, video, audio or document of a kind that is not read
	FaultTooBig      Fault = "too-big"     // file size, sides, pixels or predicted memory
	FaultBroken      Fault = "broken"      // cannot be decoded whole
	FaultCrop        Fault = "crop"        // out of range or empty
)
