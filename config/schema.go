package config

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// kind is the shape of a key's value.
type kind string

const (
	text        kind = "text"
	number      kind = "whole number"
	decimal     kind = "number"
	flag        kind = "true or false"
	texts       kind = "list of texts"
	textOrTexts kind = "text or list of texts"
	scalar      kind = "text, number, or true or false"
)

// phrase is the kind in a sentence.
func (k kind) phrase() string {
	switch k {
	case flag, scalar:
		return string(k)
	}
	return "a " + string(k)
}

// row is one key. In path, "*" stands for any name and "[]" for an element of a list of tables.
type row struct {
	path  string
	kind  kind
	check string // validator of the value, of each text of a list
	name  string // validator of what "*" stands for
	doc   string // what it does; for people and for the table of docs/configuration.md

	least   int64  // smallest number
	unset   string // what holds without it, for the table
	project string // what a project file may do with it; "" nothing
	secret  bool   // never quoted
	expand  bool   // ${env:NAME} is replaced
	refers  bool   // ${env:NAME} is checked and replaced later

	// set puts a checked value in. At holds the names "*" and "[]" stood for.
	set func(c *Config, at []string, v any)
	// loosens says why a project's value is refused, or "".
	loosens func(v validators, c *Config, value any) string
}

// schema is every key espy knows, in the order of the documentation.
var schema = sync.OnceValue(func() []row {
	var rows []row
	for _, part := range [][]row{generalRows(), providerRows(), modelRows(), taskRows(), otherRows(), serverRows()} {
		rows = append(rows, part...)
	}
	return rows
})

func generalRows() []row {
	return []row{
		{path: "model", kind: text, check: CheckModel, unset: "the last choice of `/model`, else `fake/echo`",
			doc: "The model to start with, as `provider/model`.",
			set: func(c *Config, _ []string, v any) { c.Model = v.(string) }},
		{path: "mode", kind: text, check: CheckMode, unset: "`ask`", project: "narrower than yours",
			doc:     "How much runs unasked: `plan`, `ask`, `auto` or `full`.",
			set:     func(c *Config, _ []string, v any) { c.Mode = v.(string) },
			loosens: widerMode},
	}
}

func widerMode(v validators, c *Config, value any) string {
	if v.wider(value.(string), c.Mode) {
		return fmt.Sprintf("a project may only narrow your mode, which is %q; its %q is ignored", c.Mode, value)
	}
	return ""
}

func providerRows() []row {
	field := func(path string, change func(p *Provider, v string)) row {
		return row{path: "providers.*." + path, kind: text, name: CheckProvider, set: func(c *Config, at []string, v any) {
			p := c.Providers[at[0]]
			change(&p, v.(string))
			c.Providers[at[0]] = p
		}}
	}
	protocol := field("protocol", func(p *Provider, v string) { p.Protocol = v })
	protocol.check, protocol.unset = CheckProtocol, "the built-in provider's"
	protocol.doc = "What the server speaks: `chat`, `anthropic`, `responses` or `fake`."
	base := field("base_url", func(p *Provider, v string) { p.BaseURL = strings.TrimRight(v, "/") })
	base.check, base.unset = CheckURL, "the built-in provider's"
	base.doc = "Where the server is, up to and with its version: `http://127.0.0.1:8080/v1`."
	key := field("api_key", func(p *Provider, v string) { p.APIKey = v })
	key.secret, key.expand, key.unset = true, true, "the provider's variable, such as `ANTHROPIC_API_KEY`"
	key.doc = "The key, best as `${env:NAME}`. It is never shown and never written anywhere else."
	headers := field("headers.*", nil)
	headers.secret, headers.expand, headers.name = true, true, ""
	headers.doc = "An extra header of every request; `${env:NAME}` is replaced."
	headers.set = func(c *Config, at []string, v any) {
		p := c.Providers[at[0]]
		if p.Headers == nil {
			p.Headers = map[string]string{}
		}
		p.Headers[at[1]] = v.(string)
		c.Providers[at[0]] = p
	}
	script := field("script", func(p *Provider, v string) { p.Script = v })
	script.doc = "With protocol `fake`: a file of streams to play."
	return []row{protocol, base, key, headers, script}
}

func modelRows() []row {
	field := func(path string, k kind, check, doc string, change func(m *Model, v any)) row {
		return row{path: "models.[]." + path, kind: k, check: check, doc: doc, unset: "the catalogue's",
			set: func(c *Config, at []string, v any) { change(modelAt(c, at[0]), v) }}
	}
	id := field("id", text, CheckModel, "Which model the row is for, as `provider/model`. Every row has one.", func(m *Model, v any) { m.ID = v.(string) })
	id.unset = ""
	window := field("context_window", number, "", "How many tokens the model reads in one request.", func(m *Model, v any) { m.ContextWindow = count(v) })
	output := field("max_output", number, "", "How many tokens the model writes in one answer.", func(m *Model, v any) { m.MaxOutput = count(v) })
	window.least, output.least = 1, 1
	rows := []row{
		id,
		field("name", text, "", "What to call it on screen.", func(m *Model, v any) { m.Name = word(v) }),
		field("image_input", text, CheckCapability, "Whether it sees pictures: `supported`, `unsupported` or `unknown`.", func(m *Model, v any) { m.ImageInput = word(v) }),
		field("tools", text, CheckCapability, "Whether it calls tools, in the same three words.", func(m *Model, v any) { m.Tools = word(v) }),
		field("thinking", text, CheckCapability, "Whether it thinks before it answers, in the same three words.", func(m *Model, v any) { m.Thinking = word(v) }),
		window, output,
		field("image_cost", text, CheckCostRule, "The rule a picture's tokens are counted by; `docs/pictures.md` lists them.", func(m *Model, v any) { m.ImageCost = word(v) }),
		field("efforts", texts, "", "The reasoning efforts it knows, weakest first.", func(m *Model, v any) { m.Efforts = v.([]string) }),
	}
	return append(rows, modelMapRows()...)
}

func modelMapRows() []row {
	limits := row{path: "models.[].limits.*", kind: number, name: CheckLimit, least: 0, unset: "the catalogue's",
		doc: "What one request may hold, for example `max_images`, `max_side` (px) or `max_image_base64` (bytes).",
		set: func(c *Config, at []string, v any) {
			m := modelAt(c, at[0])
			if m.Limits == nil {
				m.Limits = map[string]int64{}
			}
			m.Limits[at[1]] = v.(int64)
		}}
	quirks := row{path: "models.[].quirks.*", kind: scalar, name: CheckQuirk, unset: "the catalogue's",
		doc: "How the server deviates from its protocol; `docs/providers.md` lists the columns.",
		set: func(c *Config, at []string, v any) {
			m := modelAt(c, at[0])
			if m.Quirks == nil {
				m.Quirks = map[string]any{}
			}
			m.Quirks[at[1]] = v
		}}
	rows := []row{limits}
	for _, part := range []string{"input", "output", "cache_read", "cache_write"} {
		rows = append(rows, row{path: "models.[].price." + part, kind: decimal, unset: "the catalogue's",
			doc: "US dollars for a million tokens (" + strings.ReplaceAll(part, "_", " ") + ").",
			set: func(c *Config, at []string, v any) {
				m := modelAt(c, at[0])
				if m.Price == nil {
					m.Price = map[string]float64{}
				}
				m.Price[part] = v.(float64)
			}})
	}
	return append(rows, quirks)
}

func taskRows() []row {
	return []row{
		{path: "task.model", kind: text, unset: "the session's model",
			doc: "The model that tasks run on, as `provider/model` or a name of `task.models`.",
			set: func(c *Config, _ []string, v any) { c.Task.Model = v.(string) }},
		{path: "task.models.*", kind: text, check: CheckModel,
			doc: "A short name for a model that a task may be given: `fast = \"provider/model\"`. A model that is named nowhere asks.",
			set: func(c *Config, at []string, v any) { c.Task.Models[at[0]] = v.(string) }},
		{path: "task.max_turns", kind: number, least: 1, unset: "50", project: "smaller than yours",
			doc: "How many requests one task may make.",
			set: func(c *Config, _ []string, v any) { c.Task.MaxTurns = int(v.(int64)) }, loosens: moreTurns},
		{path: "task.max_cost", kind: decimal, unset: "no bound of its own",
			doc: "How many US dollars one task may cost, where prices are known.",
			set: func(c *Config, _ []string, v any) { c.Task.MaxCost = v.(float64) }},
	}
}

func moreTurns(_ validators, c *Config, value any) string {
	if value.(int64) > int64(c.Task.MaxTurns) {
		return fmt.Sprintf("a project may only lower your limit, which is %d; its %d is ignored", c.Task.MaxTurns, value)
	}
	return ""
}

func otherRows() []row {
	list := func(path, check, project, doc string, into func(c *Config) *[]string) row {
		return row{path: path, kind: texts, check: check, project: project, doc: doc, set: func(c *Config, _ []string, v any) {
			*into(c) = append(*into(c), v.([]string)...)
		}}
	}
	return []row{
		list("tools.always_load", CheckTool, "adds", "Tools that every request declares, instead of a line in `load_tools`; `*` at the end stands for anything.", func(c *Config) *[]string { return &c.Tools.AlwaysLoad }),
		list("tools.defer", CheckTool, "adds", "Tools that are only a line in `load_tools`, in the same form; `always_load` wins.", func(c *Config) *[]string { return &c.Tools.Defer }),
		list("tools.private_hosts", "", "", "Hosts that `fetch` may read although they are not on the public internet, as `HOST` or `HOST:PORT`: `localhost:3000`.", func(c *Config) *[]string { return &c.Tools.PrivateHosts }),
		{path: "history.max_images", kind: number, least: 1, unset: "5", project: "smaller than yours",
			doc: "How many of the newest pictures stay in the conversation's context.",
			set: func(c *Config, _ []string, v any) { c.History.MaxImages = int(v.(int64)) }, loosens: moreImages},
		{path: "history.evict_step", kind: number, least: 1, unset: "5",
			doc: "How many pictures beyond that leave at once; leaving in steps keeps the provider's cache warm.",
			set: func(c *Config, _ []string, v any) { c.History.EvictStep = int(v.(int64)) }},
		list("permissions.allow", CheckRule, "", "Rules for calls that run unasked.", func(c *Config) *[]string { return &c.Permissions.Allow }),
		list("permissions.ask", CheckRule, "adds", "Rules for calls that always ask.", func(c *Config) *[]string { return &c.Permissions.Ask }),
		list("permissions.deny", CheckRule, "adds", "Rules for calls that never run, in any mode.", func(c *Config) *[]string { return &c.Permissions.Deny }),
		list("permissions.credentials", "", "adds", "Further credential files, by name or path pattern: no tool opens them.", func(c *Config) *[]string { return &c.Permissions.Credentials }),
		list("permissions.not_credentials", "", "", "Files that are no credentials although they are named like some.", func(c *Config) *[]string { return &c.Permissions.NotCredentials }),
		{path: "permissions.sandbox", kind: text, check: CheckSandbox, unset: "`auto`", doc: "Whether commands run in a sandbox: `auto` (where the system has one) or `off`.",
			set: func(c *Config, _ []string, v any) { c.Permissions.Sandbox = v.(string) }},
		{path: "permissions.network", kind: text, check: CheckNetwork, unset: "`ask`", doc: "Whether commands in the sandbox reach a network: `ask` (only outside it, which asks) or `allow`.",
			set: func(c *Config, _ []string, v any) { c.Permissions.Network = v.(string) }},
		{path: "ui.theme", kind: text, check: CheckTheme, unset: "`auto`", doc: "Colours: `auto`, `dark`, `light`, `high-contrast` or `none`.",
			set: func(c *Config, _ []string, v any) { c.UI.Theme = v.(string) }},
		{path: "ui.previews", kind: text, check: CheckPreviews, unset: "`auto`", doc: "How pictures are drawn: `auto`, `kitty`, `blocks` or `off`.",
			set: func(c *Config, _ []string, v any) { c.UI.Previews = v.(string) }},
		{path: "ui.mouse", kind: flag, unset: "`true`", doc: "Whether espy takes the mouse. Without it the terminal's own selection works.",
			set: func(c *Config, _ []string, v any) { c.UI.Mouse = v.(bool) }},
		{path: "ui.vim", kind: flag, unset: "`false`", doc: "Modal editing in the composer.",
			set: func(c *Config, _ []string, v any) { c.UI.Vim = v.(bool) }},
		{path: "ui.title", kind: flag, unset: "`true`", doc: "Whether the window's title says what espy is at.",
			set: func(c *Config, _ []string, v any) { c.UI.Title = v.(bool) }},
		{path: "ui.notify", kind: text, check: CheckNotify, unset: "`auto`",
			doc: "How you are told of a long turn's end or a waiting question when the keyboard rests: `auto` (a notification where the terminal has them, else the bell), `bell` or `off`.",
			set: func(c *Config, _ []string, v any) { c.UI.Notify = v.(string) }},
		{path: "keys.*", kind: textOrTexts, check: CheckKey, name: CheckAction, unset: "see `docs/keys.md`",
			doc: "The key, or keys, of an action.",
			set: func(c *Config, at []string, v any) { c.Keys[at[0]] = v.([]string) }},
	}
}

func moreImages(_ validators, c *Config, value any) string {
	if value.(int64) > int64(c.History.MaxImages) {
		return fmt.Sprintf("a project may only lower your limit, which is %d; its %d is ignored", c.History.MaxImages, value)
	}
	return ""
}

// modelAt is the row of a [[models]] element, made when it is first spoken of.
func modelAt(c *Config, name string) *Model {
	n := elementIndex(name)
	for len(c.Models) <= n {
		c.Models = append(c.Models, Model{})
	}
	return &c.Models[n]
}

func word(v any) *string { s := v.(string); return &s }
func count(v any) *int   { n := int(v.(int64)); return &n }

// elementMark starts the path part of an element of a list of tables. A TOML key is UTF-8 and cannot hold it.
const elementMark = "\xff"

func element(n int) string { return elementMark + strconv.Itoa(n) }

func isElement(part string) bool { return strings.HasPrefix(part, elementMark) }

func elementIndex(part string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(part, elementMark))
	return n
}

// fits reports whether a part of a path is what a part of a row's path stands for.
func fits(pattern, part string) bool {
	switch pattern {
	case "[]":
		return isElement(part)
	case "*":
		return !isElement(part)
	}
	return pattern == part
}

// find returns the row of a path and what its wildcards stood for.
func find(path []string) (row, []string, bool) {
	for _, r := range schema() {
		if at, ok := r.match(path); ok {
			return r, at, true
		}
	}
	return row{}, nil, false
}

func (r row) match(path []string) (at []string, ok bool) {
	parts := strings.Split(r.path, ".")
	if len(parts) != len(path) {
		return nil, false
	}
	for i, pattern := range parts {
		if !fits(pattern, path[i]) {
			return nil, false
		}
		if pattern == "*" || pattern == "[]" {
			at = append(at, path[i])
		}
	}
	return at, true
}

// below returns the path parts that may follow a path; none where nothing in the schema starts with it.
func below(path []string) []string {
	var next []string
	seen := map[string]bool{}
	for _, r := range schema() {
		parts := strings.Split(r.path, ".")
		if len(parts) <= len(path) || !prefixFits(parts, path) || seen[parts[len(path)]] {
			continue
		}
		seen[parts[len(path)]] = true
		next = append(next, parts[len(path)])
	}
	return next
}

func prefixFits(parts, path []string) bool {
	for i := range path {
		if !fits(parts[i], path[i]) {
			return false
		}
	}
	return true
}
