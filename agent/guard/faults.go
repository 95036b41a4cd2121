package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
)

// PathError is a refused name, in one sentence that says what was found and what to do.
type PathError struct {
	Name     string
	Kind     PathFault
	Sentence string

	at string // FaultOutside: where the walk ended, an absolute name whose links were not looked at; "" where nothing may be opened
}

func (e *PathError) Error() string { return e.Sentence }

// Is makes a missing file fs.ErrNotExist.
func (e *PathError) Is(target error) bool {
	return target == fs.ErrNotExist && e.Kind == FaultMissing
}

// PathFault says why a name was refused.
type PathFault string

const (
	FaultMissing    PathFault = "missing"
	FaultFolder     PathFault = "folder"     // a folder where a file was wanted
	FaultNotFolder  PathFault = "not-folder" // a file where a folder was wanted
	FaultSpecial    PathFault = "special"    // FIFO, device, socket
	FaultOutside    PathFault = "outside"    // outside the workspace and trusted paths
	FaultCredential PathFault = "credential"
	FaultUnreadable PathFault = "unreadable" // permission, I/O
	FaultDenied     PathFault = "denied"     // a deny rule names it
)

// Refuse words a fault. Every door says it with these words: tools, @file, /attach and paste.
func Refuse(kind PathFault, name string) *PathError {
	shown := Printable(name)
	var s string
	switch kind {
	case FaultMissing:
		s = fmt.Sprintf("%s does not exist; check the spelling or list its folder", shown)
	case FaultFolder:
		s = fmt.Sprintf("%s is a folder; name a file inside it", shown)
	case FaultNotFolder:
		s = fmt.Sprintf("%s is a file where a folder was expected", shown)
	case FaultSpecial:
		s = fmt.Sprintf("%s is not a regular file (a FIFO, device, socket or kernel file); only regular files are opened", shown)
	case FaultOutside:
		s = fmt.Sprintf("%s is outside the workspace and the trusted paths; the user can allow it with /trust add", shown)
	case FaultCredential:
		s = fmt.Sprintf("%s is a credential file, which is never opened; if it holds no secret, the user can list it under not_credentials in the configuration", shown)
	case FaultDenied:
		s = fmt.Sprintf("%s is refused by a deny rule of the user", shown)
	default:
		s = fmt.Sprintf("%s cannot be read", shown)
	}
	return &PathError{Name: name, Kind: kind, Sentence: s}
}

func refuseLink(name, target string) *PathError {
	e := Refuse(FaultOutside, name)
	e.Sentence = fmt.Sprintf("%s is a link that leads to %s, outside the workspace and the trusted paths; the user can allow that with /trust add",
		Printable(name), Printable(target))
	return e
}

func refuseDangling(name, target string) *PathError {
	e := Refuse(FaultMissing, name)
	e.Sentence = fmt.Sprintf("%s is a link to %s, which does not exist", Printable(name), Printable(target))
	return e
}

func refuseBecause(kind PathFault, name, because string) *PathError {
	return &PathError{Name: name, Kind: kind, Sentence: Printable(name) + " " + because}
}

// refuseSystem turns an operating system's error into a fault.
func refuseSystem(name string, err error) *PathError {
	if pe := (*PathError)(nil); errors.As(err, &pe) {
		return pe
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Refuse(FaultMissing, name)
	}
	cause := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	return refuseBecause(FaultUnreadable, name, "cannot be opened: "+cause.Error())
}

// Printable shows a name as one harmless line: control characters, line breaks and characters that change
// the direction of writing become escapes, and a long one is cut.
func Printable(name string) string {
	if len(name) > maxShownName {
		name = strings.ToValidUTF8(name[:maxShownName], "") + "…"
	}
	if strings.IndexFunc(name, unprintable) < 0 && name != "" {
		return name
	}
	q := fmt.Sprintf("%+q", name)
	if strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
		q = fmt.Sprintf("%q", name) // %q escapes what is not printable and keeps letters
	}
	return q
}

func unprintable(r rune) bool {
	return r == unicode.ReplacementChar || !unicode.IsPrint(r)
}
