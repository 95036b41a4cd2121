package tools

import (
	"errors"
	"fmt"

	"espy/agent/guard"
	"espy/media"
)

// mistake is a failure a model can mend: a sentence that becomes a result with IsError. Inside the package
// tools return it as an error; a call's wrapper turns it, a refused path and a refused picture into results.
type mistake struct{ sentence string }

func (m *mistake) Error() string { return m.sentence }

func mistakef(format string, args ...any) error {
	return &mistake{fmt.Sprintf(format, args...)}
}

// mendable returns the sentence of an error that a model can do something about.
func mendable(err error) (string, bool) {
	var m *mistake
	var p *guard.PathError
	var r *media.Refusal
	switch {
	case errors.As(err, &m):
		return m.sentence, true
	case errors.As(err, &p):
		return p.Sentence, true
	case errors.As(err, &r):
		return r.Sentence, true
	}
	return "", false
}

func pathFault(err error) guard.PathFault {
	var p *guard.PathError
	if errors.As(err, &p) {
		return p.Kind
	}
	return ""
}
