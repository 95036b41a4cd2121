package start

import (
	"fmt"
	"sync"

	"espy/providers"
	"espy/providers/chat"
	"espy/providers/fake"
	"espy/store"
)

// protocols are the adapters, by the name a server's row gives its protocol.
func protocols() map[string]func(providers.Route, providers.Blobs, *providers.Client) providers.Provider {
	return map[string]func(providers.Route, providers.Blobs, *providers.Client) providers.Provider{
		"chat": func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
			return chat.New(r, b, c)
		},
		"fake": func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
			return fake.New(r, b, c)
		},
	}
}

// connector makes a session's providers: one a route, kept, because an adapter remembers what a server refused.
func connector(s *Settings, session *store.Session) func(providers.Route) (providers.Provider, error) {
	var mu sync.Mutex
	made := make(map[string]providers.Provider)
	return func(route providers.Route) (providers.Provider, error) {
		mu.Lock()
		defer mu.Unlock()
		if p, ok := made[route.Name()]; ok {
			return p, nil
		}
		if !route.Server.Usable() {
			return nil, fmt.Errorf("%s needs a key: set %s, or choose another model with /model", route.Name(), route.Server.KeyEnv)
		}
		construct, ok := protocols()[route.Server.Protocol]
		if !ok {
			return nil, fmt.Errorf("%s speaks the protocol %q, which this version does not; choose another model with /model, or reach it through a Chat Completions server", route.Name(), route.Server.Protocol)
		}
		p := providers.WithRetry(construct(route, session, s.Client), providers.Policy{})
		made[route.Name()] = p
		return p, nil
	}
}
