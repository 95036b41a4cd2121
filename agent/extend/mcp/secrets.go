package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// reference is ${env:NAME}.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`) })

// leastSecret is how long a value has to be to be scrubbed, in bytes: a shorter one keeps no secret, and its letters
// are in every text.
const leastSecret = 4

// secrets are values that were sent to a server and may stand in nothing that comes back.
type secrets struct {
	mu     sync.Mutex
	values []string
}

// add remembers a value.
func (s *secrets) add(value string) {
	if len(value) < leastSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, value) {
		return
	}
	values := append(slices.Clone(s.values), value)                           // scrub reads the old list meanwhile
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // what holds another goes first
	s.values = values
}

// scrub takes the values out of a text, as they are, percent-encoded, and as they stand in JSON.
func (s *secrets) scrub(text string) string {
	s.mu.Lock()
	values := s.values
	s.mu.Unlock()
	for _, v := range values {
		for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v), insideJSON(v)} {
			text = strings.ReplaceAll(text, form, "[secret]")
		}
	}
	return text
}

func insideJSON(s string) string {
	encoded, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(encoded[1 : len(encoded)-1])
}

// expand fills ${env:NAME} at the time it is used. Its values are remembered to be scrubbed.
func (s *server) expand(template string) (string, error) {
	var missing error
	full := reference().ReplaceAllStringFunc(template, func(found string) string {
		name := reference().FindStringSubmatch(found)[1]
		value, err := s.variable(name)
		if err != nil {
			missing = err
		}
		return value
	})
	if full != template {
		s.secrets.add(full) // a header such as "Bearer KEY" comes back whole
	}
	return full, missing
}

// variable is the value of one of espy's own variables that goes to the server.
func (s *server) variable(name string) (string, error) {
	if s.config.Project && s.opt.Secret != nil && s.opt.Secret(name) {
		return "", fmt.Errorf("it wants %s, which holds a model provider's key; a project's server does not get those", name)
	}
	value, ok := "", false
	if s.opt.Getenv != nil {
		value, ok = s.opt.Getenv(name)
	}
	if !ok || value == "" {
		return "", fmt.Errorf("it needs the variable %s, which is not set; export it before espy starts", name)
	}
	s.secrets.add(value)
	return value, nil
}

// Wants are the variables of espy's own that a server gets by its settings.
func Wants(c Config) []string {
	names := slices.Clone(c.Pass)
	for _, values := range []map[string]string{c.Env, c.Headers} {
		for _, v := range values {
			for _, found := range reference().FindAllStringSubmatch(v, -1) {
				names = append(names, found[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
