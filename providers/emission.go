package providers

import "errors"

// Emission passes an answer's pieces on while it streams and bounds what is kept of it.
type Emission struct {
	emit func(Delta)
	size int
	any  bool
}

// NewEmission emits through emit, which may be nil.
func NewEmission(emit func(Delta)) *Emission { return &Emission{emit: emit} }

// Text passes on a piece of the answer's text. Empty pieces are not passed on.
func (e *Emission) Text(s string) error { return e.pass(Delta{Text: s}, len(s)) }

// Thinking passes on a piece of reasoning.
func (e *Emission) Thinking(s string) error { return e.pass(Delta{Thinking: s}, len(s)) }

// Call passes on a piece of a call's arguments, and its name with the first.
func (e *Emission) Call(index int, name, args string) error {
	return e.pass(Delta{Call: &CallDelta{Index: index, Name: name, Args: args}}, len(args)+len(name))
}

// Keep counts bytes that are kept and not shown, such as signatures.
func (e *Emission) Keep(n int) error {
	if e.size += n; e.size > MaxAnswerBytes {
		return &Error{Class: ClassUnintelligible, Picture: -1, Message: "the answer is larger than 24 MiB, which no model writes; check what serves base_url"}
	}
	return nil
}

func (e *Emission) pass(d Delta, n int) error {
	if err := e.Keep(n); err != nil || n == 0 {
		return err
	}
	if e.any = true; e.emit != nil {
		e.emit(d)
	}
	return nil
}

// Fail marks an error as one that came after something had been shown.
func (e *Emission) Fail(err error) error {
	var failed *Error
	if !e.any || !errors.As(err, &failed) {
		return err
	}
	partial := *failed
	partial.Partial = true
	return &partial
}
