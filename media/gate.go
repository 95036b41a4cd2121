package media

import "context"

// Gate admits pictures. It holds how many decodes may run at once; one Gate serves a process.
type Gate struct{}

// NewGate returns a gate.
func NewGate() *Gate { return &Gate{} }

// Ingest takes a picture through the gate: proven, rendered as the options say, stored in sink. A picture
// that cannot pass is a *Refusal; a Go error of another type is broken machinery (a full disk).
func (g *Gate) Ingest(ctx context.Context, sink Sink, src Source, opt Options) (Picture, error) {
	panic("placeholder")
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
