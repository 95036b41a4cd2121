package start

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"espy/agent"
	"espy/providers"
	"espy/providers/anthropic"
	"espy/providers/chat"
	"espy/providers/fake"
	"espy/providers/responses"
)

// constructor makes an adapter for a route.
type constructor func(providers.Route, providers.Blobs, *providers.Client) providers.Provider

// protocols are the adapters, by the name a server's row gives its protocol.
func protocols() map[string]constructor {
	return map[string]constructor{
		"chat":      adapter(chat.New),
		"anthropic": adapter(anthropic.New),
		"responses": adapter(responses.New),
		"fake":      adapter(fake.New),
	}
}

// adapter lets an adapter's own constructor stand in the table.
func adapter[P providers.Provider](construct func(providers.Route, providers.Blobs, *providers.Client) P) constructor {
	return func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
		return construct(r, b, c)
	}
}

// connected is a provider and the server it was made for.
type connected struct {
	provider providers.Provider
	server   providers.Server
}

// connector makes the providers of a session or a task, which read its pictures: one a route, kept, because an adapter remembers what a server refused. One
// whose key was typed anew, or whose settings changed, is made anew.
func connector(s *Settings, blobs providers.Blobs) func(providers.Route) (providers.Provider, error) {
	var mu sync.Mutex
	made := make(map[string]connected)
	return func(route providers.Route) (providers.Provider, error) {
		mu.Lock()
		defer mu.Unlock()
		if c, ok := made[route.Name()]; ok && reflect.DeepEqual(c.server, route.Server) {
			return c.provider, nil
		}
		if !route.Server.Usable() {
			return nil, fmt.Errorf("%s needs a key: type it with /key %s, set %s, or choose another model with /model", route.Name(), route.Server.Name, route.Server.KeyEnv)
		}
		construct, ok := protocols()[route.Server.Protocol]
		if !ok {
			return nil, fmt.Errorf("%s speaks the protocol %q, which this version does not; choose another model with /model, or reach it through a Chat Completions server", route.Name(), route.Server.Protocol)
		}
		adapter := construct(route, blobs, s.Client)
		if route.Server.Protocol == "fake" {
			adapter = providers.WithTrace(adapter, s.Trace, route.Name())
		}
		p := providers.WithRetry(adapter, providers.Policy{})
		made[route.Name()] = connected{p, route.Server}
		return p, nil
	}
}

// taskOptions is what the settings say of tasks.
func taskOptions(s *Settings) agent.TaskOptions {
	t := s.Config.Task
	return agent.TaskOptions{Find: s.Book.Find, Model: t.Model, Models: t.Models, MaxTurns: t.MaxTurns, MaxCost: t.MaxCost,
		Connect: func(blobs providers.Blobs) func(providers.Route) (providers.Provider, error) {
			return connector(s, blobs)
		}}
}

// taskModels are the short names that the settings have for models, with what the model that chooses should know.
func taskModels(s *Settings) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Config.Task.Models)) {
		full := s.Config.Task.Models[name]
		about := full
		if route, err := s.Book.Find(full); err == nil {
			switch route.Model.ImageInput {
			case providers.Supported:
				about += ", sees pictures"
			case providers.Unsupported:
				about += ", sees no pictures"
			}
		}
		list = append(list, name+" ("+about+")")
	}
	return list
}
