package start

import (
	"context"
	"strings"
	"sync"

	"espy/config"
	"espy/providers/discover"
)

// asker asks servers what they serve, each once as long as it answers: a picker opens often.
type asker struct {
	mu       sync.Mutex
	answered map[string]bool
}

// Ask asks the servers worth asking that have not answered yet, teaches the book, and returns what came. Nothing
// else contacts a server before the person sends something.
func (s *Settings) Ask(ctx context.Context) []discover.Answer {
	s.asker.mu.Lock()
	defer s.asker.mu.Unlock()
	if s.asker.answered == nil {
		s.asker.answered = make(map[string]bool)
	}
	servers := s.Book.Servers()
	left := servers[:0]
	for _, server := range servers {
		if !s.asker.answered[server.Name] {
			left = append(left, server)
		}
	}
	answers := discover.Ask(ctx, s.Client, left)
	for _, a := range answers {
		if a.Err == nil {
			s.asker.answered[a.Server] = true
			s.Book.Learn(a.Server, a.Models)
		}
	}
	return answers
}

// KeepKey takes a key that was typed for a provider, uses it from now on and keeps it for the next start; an empty
// one takes it away. The key is in no error.
func (s *Settings) KeepKey(ctx context.Context, provider, key string) error {
	key = strings.TrimSpace(key)
	host, err := s.Book.KeyHost(provider)
	if err != nil {
		return err
	}
	if err := config.SaveKey(ctx, s.Dirs, provider, config.KeptKey{Key: key, Host: host}); err != nil {
		return err
	}
	s.Book.SetKey(provider, key)
	return nil
}
