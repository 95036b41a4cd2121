package providers

import (
	_ "embed"
	"fmt"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

var (
	//go:embed servers.toml
	serversText []byte
	//go:embed models.toml
	modelsText []byte
)

// knownServer is a row of servers.toml.
type knownServer struct {
	Name     string `toml:"name"`
	Protocol string `toml:"protocol"`
	BaseURL  string `toml:"base_url"`
	KeyEnv   string `toml:"key_env"`
	Default  string `toml:"default"`
}

// rule is a row of models.toml, ready to match.
type rule struct {
	model, host, protocol *regexp.Regexp // nil matches all
	cells                 Cells
	source                string
}

// tables are the built-in rows, parsed once. They never change.
type tables struct {
	servers []knownServer
	rules   []rule
	known   map[string][]knownModel // catalogue, by server
}

var builtin = sync.OnceValue(func() tables {
	t, err := readTables(serversText, modelsText, catalogText)
	if err != nil {
		panic(err) // the tables are part of the program; a test reads them
	}
	return t
})

func readTables(servers, models []byte, catalog string) (t tables, err error) {
	var s struct {
		Server []knownServer `toml:"server"`
	}
	if err := toml.Unmarshal(servers, &s); err != nil {
		return t, fmt.Errorf("servers.toml: %w", err)
	}
	var m struct {
		Rule []map[string]any `toml:"rule"`
	}
	if err := toml.Unmarshal(models, &m); err != nil {
		return t, fmt.Errorf("models.toml: %w", err)
	}
	t.servers = s.Server
	for i, row := range m.Rule {
		r, err := newRule(row)
		if err != nil {
			return t, fmt.Errorf("models.toml, rule %d: %w", i+1, err)
		}
		t.rules = append(t.rules, r)
	}
	t.known, err = readCatalog(catalog)
	return t, err
}

func newRule(row map[string]any) (r rule, err error) {
	var named []string
	for key, into := range map[string]**regexp.Regexp{"model": &r.model, "host": &r.host, "protocol": &r.protocol} {
		text, ok := row[key].(string)
		if !ok {
			continue
		}
		if *into, err = regexp.Compile(text); err != nil {
			return r, err
		}
		named = append(named, key+" "+text)
		delete(row, key)
	}
	sort.Strings(named)
	r.source = "models.toml (" + strings.Join(named, ", ") + ")"
	r.cells = flatten(row)
	return r, nil
}

func (r rule) matches(model, host, protocol string) bool {
	return (r.model == nil || r.model.MatchString(model)) && (r.host == nil || r.host.MatchString(host)) && (r.protocol == nil || r.protocol.MatchString(protocol))
}

// vendorPrefix is what aggregators and clouds write before a model's own name.
var vendorPrefix = regexp.MustCompile(`^(.*/|([a-z]{2,4}\.)?(anthropic|amazon|meta|openai|google)\.)`)

// plainID is a model's id as the rules match it.
func plainID(id string) string {
	id = vendorPrefix.ReplaceAllString(strings.ToLower(id), "")
	if strings.HasPrefix(id, "claude-") {
		id = strings.ReplaceAll(id, ".", "-")
	}
	return id
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// BookOptions are what a person configured.
type BookOptions struct {
	Servers []Server     // [providers.NAME] tables: fields left empty keep the built-in row's
	Models  []ModelCells // [[models]] tables
	Keys    map[string]KeptKey
	Getenv  func(string) string
}

// KeptKey is a key that a person typed into espy, and the host it was given for.
type KeptKey struct{ Key, Host string }

// ModelCells are a person's own cells for one model, "provider/model".
type ModelCells struct {
	Name  string
	Cells Cells
}

// Book is every server and model espy knows, merged from the built-in tables, the configuration, and what servers
// said when they were asked. It is safe for concurrent use.
type Book struct {
	rules    []rule
	defaults map[string]string
	own      map[string]Cells // by route name

	mu      sync.RWMutex            // guards what follows
	servers []Server                // built-in order, then added ones by name
	asked   map[string][]ModelCells // by server, under the names it gave
}

// NewBook merges the tables. Faulty cells of the configuration are reported and left out.
func NewBook(opt BookOptions) (*Book, []error) {
	b := &Book{rules: builtin().rules, defaults: make(map[string]string), own: make(map[string]Cells)}
	for _, k := range builtin().servers {
		b.servers = append(b.servers, Server{Name: k.Name, Protocol: k.Protocol, BaseURL: k.BaseURL, KeyEnv: k.KeyEnv})
		b.defaults[k.Name] = k.Default
	}
	for _, s := range opt.Servers {
		b.addServer(s)
	}
	var faults []error
	for i := range b.servers {
		s := &b.servers[i]
		if s.Key != "" {
			s.KeyFrom = KeyConfigured
		}
		if base, err := NormaliseBaseURL(s.Protocol, s.BaseURL); err == nil {
			s.BaseURL = base
		} else if s.BaseURL != "" {
			faults = append(faults, fmt.Errorf("providers.%s: %w", s.Name, err))
		}
		if s.Key == "" && s.KeyEnv != "" && opt.Getenv != nil {
			if s.Key = strings.TrimSpace(opt.Getenv(s.KeyEnv)); s.Key != "" {
				s.KeyFrom = KeyVariable
			}
		}
		if kept := opt.Keys[s.Name]; s.Key == "" && kept.Key != "" && kept.Host == hostOf(s.BaseURL) {
			s.Key, s.KeyFrom = kept.Key, KeyTyped
		}
	}
	for _, m := range opt.Models {
		if err := new(Model).apply(m.Cells, m.Name); err != nil {
			faults = append(faults, err)
			continue
		}
		b.own[m.Name] = m.Cells
	}
	return b, faults
}

// KeyHost is the host that a key typed for a server would be for. It is an error where a key from elsewhere
// comes before a typed one.
func (b *Book) KeyHost(server string) (string, error) {
	for _, s := range b.Servers() {
		switch {
		case s.Name != server:
		case s.KeyFrom == KeyConfigured || s.KeyFrom == KeyVariable:
			return "", fmt.Errorf("%s has its key from %s, which comes before one that is typed; change it there", server, s.keyPlace())
		case hostOf(s.BaseURL) == "":
			return "", fmt.Errorf("%s needs no key", server)
		default:
			return hostOf(s.BaseURL), nil
		}
	}
	return "", fmt.Errorf("there is no provider %q; known are %s", server, b.serverNames())
}

// SetKey gives a server a key that was typed, or takes it away again. KeyHost says whether that may be.
func (b *Book) SetKey(server, key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.servers {
		if s := &b.servers[i]; s.Name == server {
			if s.Key, s.KeyFrom = key, KeyTyped; key == "" {
				s.KeyFrom = ""
			}
		}
	}
}

func (s Server) keyPlace() string {
	if s.KeyFrom == KeyVariable {
		return s.KeyEnv
	}
	return "the configuration"
}

// Learn takes in what a server said about its models. It replaces what the server said before.
func (b *Book) Learn(server string, models []ModelCells) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked == nil {
		b.asked = make(map[string][]ModelCells)
	}
	b.asked[server] = models
}

// addServer changes a built-in row or adds one.
func (b *Book) addServer(s Server) {
	s.Own = true
	for i, old := range b.servers {
		if old.Name != s.Name {
			continue
		}
		if s.Protocol == "" {
			s.Protocol = old.Protocol
		}
		if s.BaseURL == "" {
			s.BaseURL = old.BaseURL
		} else if s.KeyEnv == "" && s.Key == "" && hostOf(s.BaseURL) != hostOf(old.BaseURL) {
			old.KeyEnv = "" // a key is never sent to a host it was not given for
		}
		if s.KeyEnv == "" && s.Key == "" {
			s.KeyEnv = old.KeyEnv
		}
		b.servers[i] = s
		return
	}
	b.servers = append(b.servers, s)
}

// Routes lists every known model on every server: the configuration's, then the catalogue's.
func (b *Book) Routes() []Route {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var routes []Route
	for _, s := range b.servers {
		for _, id := range b.modelIDs(s.Name) {
			routes = append(routes, b.route(s, id))
		}
	}
	return routes
}

// Servers lists the servers, built-in ones first.
func (b *Book) Servers() []Server {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return append([]Server(nil), b.servers...)
}

func (b *Book) modelIDs(server string) []string {
	var ids []string
	seen := make(map[string]bool)
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	var own []string
	for name := range b.own {
		if id, ok := strings.CutPrefix(name, server+"/"); ok {
			own = append(own, id)
		}
	}
	sort.Strings(own)
	for _, id := range own {
		add(id)
	}
	add(b.defaults[server])
	for _, m := range b.asked[server] {
		add(m.Name)
	}
	for _, m := range builtin().known[server] {
		add(m.id)
	}
	return ids
}

// Find is the route "provider/model" names. The model need not be known: servers serve what they like.
func (b *Book) Find(name string) (Route, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.find(name)
}

func (b *Book) find(name string) (Route, error) {
	provider, id, ok := strings.Cut(name, "/")
	if !ok || id == "" {
		return Route{}, fmt.Errorf("%q is not a model; write provider/model, for example %q", name, b.example())
	}
	for _, s := range b.servers {
		if s.Name == provider {
			return b.route(s, id), nil
		}
	}
	return Route{}, fmt.Errorf("there is no provider %q; known are %s, and a [providers.%s] table adds it", provider, b.serverNames(), provider)
}

func (b *Book) example() string {
	for _, s := range b.servers {
		if id := b.defaults[s.Name]; id != "" && s.Key != "" {
			return s.Name + "/" + id
		}
	}
	return "openrouter/anthropic/claude-sonnet-5"
}

func (b *Book) serverNames() string {
	names := make([]string, len(b.servers))
	for i, s := range b.servers {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// askedSource names a server's own answer where a cell's source is shown.
const askedSource = "asked the server"

// route merges one row: the person's cells, then what the server said, then the rules, then the catalogue.
func (b *Book) route(s Server, id string) Route {
	m := Model{Provider: s.Name, ID: id, Sources: make(map[string]string)}
	_ = m.apply(b.own[s.Name+"/"+id], "configuration") // checked by NewBook
	for _, said := range b.asked[s.Name] {
		if said.Name == id {
			_ = m.apply(said.Cells, askedSource) // checked by a test over all that is asked
		}
	}
	plain, host := plainID(id), hostOf(s.BaseURL)
	row := catalogued(s.Name, id)
	_ = m.apply(row.sight(), catalogSource)
	for _, r := range b.rules {
		if r.matches(plain, host, s.Protocol) {
			_ = m.apply(r.cells, r.source) // checked by a test over all rules
		}
	}
	_ = m.apply(row.cells, catalogSource)
	if m.Name == "" {
		m.Name = id
	}
	if m.ImageInput == "" {
		m.ImageInput = Unknown
	}
	return Route{Server: s, Model: m}
}

// Choose says which route a session takes when it has none of its own: what is configured, else the last
// choice, else the first server with a key, else the offline model. The sentence says how it was chosen.
func (b *Book) Choose(configured, last string) (Route, string, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if configured != "" {
		r, err := b.find(configured)
		return r, "configured", err
	}
	if last != "" {
		if r, err := b.find(last); err == nil && r.Server.Usable() {
			return r, "your last choice", nil
		}
	}
	for _, s := range b.servers {
		if s.KeyEnv != "" && s.Key != "" && b.defaults[s.Name] != "" {
			return b.route(s, b.defaults[s.Name]), s.keySentence(), nil
		}
	}
	r, err := b.find("fake/echo")
	return r, "no model is configured and no provider's key was found", err
}

func (s Server) keySentence() string {
	switch s.KeyFrom {
	case KeyVariable:
		return s.KeyEnv + " is set"
	case KeyTyped:
		return "a key for " + s.Name + " was typed"
	}
	return "the configuration has a key for " + s.Name
}

// Usable reports whether requests can be sent: a key is there where one is needed.
func (s Server) Usable() bool { return s.KeyEnv == "" || s.Key != "" }
