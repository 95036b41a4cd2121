package clipboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Fault is why nothing was read or written.
type Fault string

const (
	FaultNothing     Fault = "nothing"     // the clipboard is empty, or holds nothing of use
	FaultUndecodable Fault = "undecodable" // a picture is there, but it cannot be fetched or read
	FaultUnavailable Fault = "unavailable" // no way to a clipboard works here
	FaultRemote      Fault = "remote"      // the clipboard is on the machine the person sits at
	FaultTimeout     Fault = "timeout"     // the owner or a helper did not answer in time
)

// Error is a clipboard that brought nothing, in one sentence that says what was tried and what to do.
type Error struct {
	Fault    Fault
	Tried    []string // each way, with what it said
	Sentence string
	cause    error
}

func (e *Error) Error() string { return e.Sentence }

// Unwrap tells a read that was cancelled by its cause.
func (e *Error) Unwrap() error { return e.cause }

const remoteSentence = "the clipboard is on the other side of this SSH connection, and this terminal does not bring it over: paste text with " +
	"the terminal's own paste key; for a picture copy the file here with scp and use /attach PATH, drop it on the terminal if that " +
	"uploads drops, or use a terminal that carries the clipboard (kitty)"

var (
	errTooMuch = fmt.Errorf("it answered with more than %d MiB", maxOutputBytes>>20)
	errNoWay   = errors.New("not reachable")

	errSilent       = errors.New("it answered with nothing")
	errNotInstalled = errors.New("not installed")
)

// verdict words a Read that brought nothing.
func (r *reader) verdict(ctx context.Context) error {
	e := &Error{Tried: r.triedWords()}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Fault = FaultTimeout
		e.Sentence, e.cause = "reading the clipboard was cancelled", ctx.Err()
	case r.undecodable != "":
		e.Fault = FaultUndecodable
		e.Sentence = "a picture is on the clipboard but cannot be used: " + r.undecodable +
			"; save it as a PNG file and use /attach PATH"
	case r.timedOut() || errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Fault = FaultTimeout
		e.Sentence = "the clipboard did not answer in time (" + tryList(e.Tried) +
			"): copy again, or use /attach PATH"
	case r.answered:
		e.Fault = FaultNothing
		e.Sentence = "the clipboard holds no picture, file or text: copy something first, or use /attach PATH"
	default:
		e.Fault = FaultUnavailable
		e.Sentence = "no clipboard could be reached (" + tryList(e.Tried) + "): " + r.env.remedy(r.missing()) +
			"drop the file, paste its path, or use /attach PATH"
	}
	return e
}

func (r *reader) triedWords() []string {
	var out []string
	for _, a := range r.tried {
		out = append(out, a.way+": "+plain(a.err))
	}
	return out
}

// plain words an error for people.
func plain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

func tryList(tried []string) string {
	if len(tried) == 0 {
		return "no desktop session was found"
	}
	return "tried " + strings.Join(tried, "; ")
}

// missing lists the programs that were looked for in vain.
func (r *reader) missing() []string {
	var out []string
	for _, a := range r.tried {
		if errors.Is(a.err, errNotInstalled) {
			out = append(out, a.way)
		}
	}
	return out
}

// remedy says what would help where these programs are missing, ending with "; " where there is anything.
func (e Env) remedy(missing []string) string {
	var words []string
	for _, program := range missing {
		switch program {
		case "powershell.exe", "clip.exe":
			words = append(words, "let WSL start Windows programs (interop in /etc/wsl.conf)")
		case "wl-paste", "wl-copy":
			words = append(words, "install wl-clipboard")
		case "xclip":
			words = append(words, "check DISPLAY and XAUTHORITY or install xclip")
		}
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, ", ") + "; "
}
