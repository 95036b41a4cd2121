package ui

import (
	"context"
	"strings"
	"sync"
	"testing"

	"espy/agent"
	"espy/providers"
)

// shelf is a book of two servers, one without a key.
type shelf struct {
	mu    sync.Mutex
	kept  map[string]string
	asked int
}

func (s *shelf) route(name string) providers.Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	server, id, _ := strings.Cut(name, "/")
	r := providers.Route{Server: providers.Server{Name: server}, Model: providers.Model{ID: id, Efforts: []string{"low", "high"}}}
	if server == "openai" {
		r.Server.KeyEnv, r.Server.BaseURL, r.Server.Key = "OPENAI_API_KEY", "https://api.openai.com/v1", s.kept[server]
	}
	return r
}

func (s *shelf) options(o *Options) {
	o.Models = func() []providers.Route {
		routes := []providers.Route{s.route("openai/gpt-6-sol"), s.route("fake/echo")}
		s.mu.Lock()
		asked := s.asked
		s.mu.Unlock()
		if asked > 0 {
			routes = append(routes, s.route("ollama/llava"))
		}
		return routes
	}
	o.Model = func(name string) (providers.Route, error) { return s.route(name), nil }
	o.Servers = func() []providers.Server { return []providers.Server{s.route("openai/x").Server} }
	o.KeepKey = func(_ context.Context, provider, key string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.kept[provider] = key
		return nil
	}
	o.Ask = func(context.Context) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
	}
}

// chosen are the routes that were handed to the loop.
func (d *driver) chosen() (routes []agent.SetRoute) {
	for _, c := range d.loop.Commands() {
		if s, ok := c.(agent.SetRoute); ok {
			routes = append(routes, s)
		}
	}
	return routes
}

func openOn(route providers.Route) agent.Opened {
	return agent.Opened{Session: "s", Route: route, Mode: "ask"}
}

func TestAModelWithoutAKeyTakesOneAndTheKeyNeverShows(t *testing.T) {
	s := &shelf{kept: map[string]string{}}
	d := drive(t, 100, 24, s.options, openOn(s.route("fake/echo")))
	d.types("/model")
	d.key("enter")
	d.shows("needs OPENAI_API_KEY or a key typed here")
	d.types("gpt-6")
	d.key("enter")
	d.shows("key for openai")
	d.types("sk-very-secret")
	d.shows("••••••••••••••")
	if strings.Contains(d.screen(), "secret") {
		t.Errorf("the key is on the screen:\n%s", d.screen())
	}
	d.key("enter")
	d.until("the model is chosen with its key", func() bool {
		routes := d.chosen()
		return len(routes) == 1 && routes[0].Route.Name() == "openai/gpt-6-sol" && routes[0].Route.Server.Key == "sk-very-secret"
	})
	for _, past := range d.m.comp.past {
		if strings.Contains(past.Text, "secret") {
			t.Errorf("the key is among what can be recalled: %q", past.Text)
		}
	}
}

func TestAKeyBehindTheCommandIsNotTaken(t *testing.T) {
	s := &shelf{kept: map[string]string{}}
	d := drive(t, 100, 24, s.options, openOn(s.route("fake/echo")))
	d.types("/key sk-very-secret")
	d.key("enter")
	d.shows("type a key into the dialog")
	for _, past := range d.m.comp.past {
		if strings.Contains(past.Text, "secret") {
			t.Errorf("the key is among what can be recalled: %q", past.Text)
		}
	}
	if len(s.kept) > 0 {
		t.Errorf("something was kept: %v", s.kept)
	}
}

func TestServersAreAskedWhenTheListOpensAndNotBefore(t *testing.T) {
	s := &shelf{kept: map[string]string{}}
	d := drive(t, 100, 24, s.options, openOn(s.route("fake/echo")))
	d.types("hello")
	d.until("the names are loaded", func() bool { return len(d.m.names) > 0 })
	s.mu.Lock()
	if s.asked > 0 {
		t.Error("a server was asked although nobody looked at a list")
	}
	s.mu.Unlock()
	d.key("ctrl+u")
	d.types("/model")
	d.key("enter")
	d.shows("ollama/llava")
}

func TestTheEffortInForceIsMarkedAndCanBeLeftToTheModel(t *testing.T) {
	s := &shelf{kept: map[string]string{}}
	opened := openOn(s.route("fake/echo"))
	opened.Effort = "high"
	d := drive(t, 100, 24, s.options, opened)
	d.types("/effort")
	d.key("enter")
	d.shows("› high")
	d.key("down")
	d.shows("› default")
	d.key("enter")
	d.until("no effort is chosen", func() bool {
		routes := d.chosen()
		return len(routes) == 1 && routes[0].Effort == agent.DefaultEffort
	})
}
