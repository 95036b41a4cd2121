package start

import (
	"bytes"
	"errors"
	"io"
	"os"

	"espy/providers"
)

// startTrace has every request and answer from now on written to a file, which only its owner may read. The file
// is made if need be and added to.
func (s *Settings) startTrace(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return usage("--trace: %w", err)
	}
	s.Trace = providers.NewTrace(file, s.keys())
	s.Client = s.Client.Traced(s.Trace)
	return nil
}

// keys are the secrets of every server: what no file may hold.
func (s *Settings) keys() []string {
	var keys []string
	for _, server := range s.Book.Servers() {
		keys = append(keys, server.Secrets()...)
	}
	return keys
}

// redacted is a file whose text is cleaned of secrets and pictures when it is closed.
type redacted struct {
	bytes.Buffer
	file io.WriteCloser
	keys []string
}

// Close writes the text out.
func (r *redacted) Close() error {
	_, err := io.WriteString(r.file, providers.Redact(r.String(), r.keys))
	return errors.Join(err, r.file.Close())
}
