package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// home is a user's folders, a workspace and an environment of a test.
type home struct {
	t testing.TB
	Options
	env map[string]string
}

func newHome(t testing.TB) *home {
	dir := t.TempDir()
	h := &home{t: t, env: map[string]string{}}
	h.Options = Options{
		Dirs:      Dirs{Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state")},
		Workspace: filepath.Join(dir, "work"),
		Accepted:  true,
		Env: func(name string) (string, bool) {
			v, ok := h.env[name]
			return v, ok
		},
		Validators: map[string]Validator{
			CheckRule: {Check: func(s string) error {
				if !strings.HasSuffix(s, ")") {
					return errors.New("it is written tool(pattern)")
				}
				return nil
			}},
			CheckAction:   {Names: []string{"send", "newline", "interrupt"}},
			CheckKey:      {Check: func(s string) error { return nil }},
			CheckCostRule: {Names: []string{"tile-512", "area-750"}},
			CheckLimit:    {Names: []string{"max_images", "max_side", "max_image_base64"}},
			CheckQuirk: {Names: []string{"developer_role", "id_style"}, Value: func(name string, v any) error {
				if _, ok := v.(bool); name == "developer_role" && !ok {
					return errors.New("it is true or false")
				}
				return nil
			}},
		},
	}
	return h
}

func (h *home) write(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) user(text string)    { h.write(h.Dirs.ConfigFile(), text) }
func (h *home) project(text string) { h.write(filepath.Join(h.Workspace, ProjectFile()), text) }

// told are problems as "line:column sentence".
func told(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Sentence))
	}
	return all
}

func TestNothingConfiguredIsNoProblem(t *testing.T) {
	c, problems := Load(newHome(t).Options)
	if len(problems) > 0 || c.Mode != "ask" || c.History.MaxImages != 5 || !c.UI.Mouse || c.UI.Theme != "auto" {
		t.Errorf("%+v, %v", c, problems)
	}
}

func TestEveryKeyArrivesWhereItBelongs(t *testing.T) {
	h := newHome(t)
	h.env["K"] = "secret"
	h.user(`
model = "local/m"
mode = "auto"
[providers.local]
protocol = "chat"
base_url = "http://127.0.0.1:1/v1/"
api_key = "${env:K}"
headers = { X-Team = "a", Authorization = "Basic ${env:K}" }
script = "s"
[[models]]
id = "local/m"
name = "M"
image_input = "supported"
tools = "unknown"
thinking = "unsupported"
context_window = 32_768
max_output = 0x1000
image_cost = "tile-512"
efforts = ["low", "high"]
limits = { max_images = 20, max_side = 2048 }
price = { input = 3, output = 15.5, cache_read = 0.3, cache_write = 1e1 }
quirks = { developer_role = true, id_style = "alnum9" }
[[models]]
id = "local/n"
limits.max_images = 1
[tools]
always_load = ["read_media"]
[history]
max_images = 7
evict_step = 2
[task]
model = "fast"
models = { fast = "local/n" }
max_turns = 12
max_cost = 0.5
[permissions]
allow = ["shell(go test *)"]
ask = ["shell(git push)"]
deny = ["read(**/private/**)"]
credentials = ["*.vault"]
not_credentials = ["testdata/**/*.key"]
sandbox = "off"
network = "allow"
[ui]
theme = "dark"
previews = "off"
mouse = false
vim = true
[keys]
send = "enter"
newline = ["alt+enter", "ctrl+j"]
`)
	c, problems := Load(h.Options)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	s := func(s string) *string { return &s }
	n := func(n int) *int { return &n }
	want := Config{
		Model: "local/m", Mode: "auto",
		Providers: map[string]Provider{"local": {
			Protocol: "chat", BaseURL: "http://127.0.0.1:1/v1", APIKey: "secret", KeyEnv: "K", Script: "s",
			Headers: map[string]string{"X-Team": "a", "Authorization": "Basic secret"},
		}},
		Models: []Model{{
			ID: "local/m", Name: s("M"), ImageInput: s("supported"), Tools: s("unknown"), Thinking: s("unsupported"),
			ContextWindow: n(32768), MaxOutput: n(4096), ImageCost: s("tile-512"), Efforts: []string{"low", "high"},
			Limits: map[string]int64{"max_images": 20, "max_side": 2048},
			Price:  map[string]float64{"input": 3, "output": 15.5, "cache_read": 0.3, "cache_write": 10},
			Quirks: map[string]any{"developer_role": true, "id_style": "alnum9"},
		}, {ID: "local/n", Limits: map[string]int64{"max_images": 1}}},
		MCP:         map[string]MCPServer{},
		Tools:       Tools{AlwaysLoad: []string{"read_media"}},
		Task:        Task{Model: "fast", Models: map[string]string{"fast": "local/n"}, MaxTurns: 12, MaxCost: 0.5},
		History:     History{7, 2},
		Permissions: Permissions{Allow: []string{"shell(go test *)"}, Ask: []string{"shell(git push)"}, Deny: []string{"read(**/private/**)"}, Credentials: []string{"*.vault"}, NotCredentials: []string{"testdata/**/*.key"}, Sandbox: "off", Network: "allow"},
		UI:          UI{"dark", "off", false, true, true, "auto"},
		Keys:        map[string][]string{"send": {"enter"}, "newline": {"alt+enter", "ctrl+j"}},
	}
	if c.Sources["history.max_images"] != h.Dirs.ConfigFile()+":29" {
		t.Errorf("max_images comes from %q", c.Sources["history.max_images"])
	}
	want.Sources, want.Digest = c.Sources, c.Digest
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

func TestEachRowOfTheSchemaIsReadAndPutSomewhere(t *testing.T) {
	values := map[kind][2]string{
		text: {`"a"`, `7`}, number: {`3`, `"x"`}, decimal: {`0.5`, `"x"`}, flag: {`true`, `"x"`},
		texts: {`["a"]`, `"x"`}, textOrTexts: {`["a"]`, `7`}, scalar: {`true`, `[1]`},
	}
	for _, r := range schema() {
		h := newHome(t)
		h.Validators = map[string]Validator{}
		for name := range builtin() {
			h.Validators[name] = Validator{}
		}
		path := strings.ReplaceAll(r.path, "*", "x")
		line := path + " = "
		if rest, ok := strings.CutPrefix(path, "models.[]."); ok {
			line = "[[models]]\nid = \"a/b\"\n" + rest + " = "
		}
		if r.path == "models.[].id" {
			line = "[[models]]\nid = "
		}
		base := ""
		switch r.path {
		case "mcp.*.command", "mcp.*.url":
		case "mcp.*.headers.*":
			base = "mcp.x.url = \"a\"\n"
		default:
			if strings.HasPrefix(r.path, "mcp.") {
				base = "mcp.x.command = [\"a\"]\n"
			}
		}
		h.user(base)
		without, _ := Load(h.Options)
		value, line := values[r.kind], base+line
		if r.path == "ui.mouse" || r.path == "ui.title" || r.path == "mcp.*.enabled" {
			value[0] = "false"
		}
		h.user(line + value[0])
		with, problems := Load(h.Options)
		with.Sources, with.Digest, without.Sources, without.Digest = nil, "", nil, ""
		if len(problems) > 0 || reflect.DeepEqual(with, without) {
			t.Errorf("%s = %s: %v", r.path, value[0], problems)
		}
		h.user(line + value[1])
		if _, problems := Load(h.Options); len(problems) == 0 {
			t.Errorf("%s = %s is no problem", r.path, value[1])
		}
		if r.doc == "" || strings.Contains(r.doc, "|") {
			t.Errorf("%s is described as %q", r.path, r.doc)
		}
	}
}

// faultyFiles are user files with exactly what is said of them, and whether espy may start.
var faultyFiles = map[string]struct {
	text   string
	want   []string
	unsafe bool
}{
	"unknown key": {"modl = \"a/b\"", []string{`1:1 "modl" is not a setting; did you mean "model"?`}, false},
	"unknown key in a table": {"[history]\nmax-images = 3\n", []string{
		`2:1 "history.max-images" is not a setting; did you mean "history.max_images"?`}, false},
	"unknown table": {"[histroy]\nmax_images = 3\nevict_step = 2\n", []string{
		`1:2 "histroy" is not a setting; did you mean "history"?`}, false},
	"far from everything": {"[ui]\nzebra = 1", []string{
		`2:1 "ui.zebra" is not a setting; there is theme, previews, mouse, vim, title, notify`}, false},
	"wrong table": {"[ui]\nmax_images = 1", []string{
		`2:1 "ui.max_images" is not a setting; max_images belongs in [history]`}, false},
	"key of a model": {"context_window = 1", []string{
		`1:1 "context_window" is not a setting; context_window belongs in [[models]]`}, false},
	"wrong type": {"\"ä\" = 1\nhistory = { max_images = \"five\" }", []string{
		`1:1 "\"ä\"" is not a setting; there is model, mode, providers, models, task, tools, history, permissions, ui, keys, mcp`,
		`2:26 history.max_images must be a whole number; found the text "five"`}, false},
	"wrong types": {"[ui]\nmouse = \"yes\"\nvim = 1\ntheme = true\npreviews = []", []string{
		`2:9 ui.mouse must be true or false; found the text "yes"`,
		`3:7 ui.vim must be true or false; found the number 1`,
		`4:9 ui.theme must be a text; found true`,
		`5:1 ui.previews must be a text; found a list`}, false},
	"bad values": {"[ui]\ntheme = \"drak\"\n[history]\nmax_images = 0", []string{
		`2:9 "drak" is no theme; did you mean "dark"?`,
		`4:14 history.max_images must be a whole number from 1 on; found "0"`}, false},
	"out of range": {"[history]\nmax_images = 99999999999999999999", []string{
		`2:14 history.max_images must be a whole number from 1 on; found "99999999999999999999"`}, false},
	"a model without provider": {"model = \"opus\"", []string{
		`1:9 "opus" is no model: it is written provider/model, for example "anthropic/claude-opus-5"`}, false},
	"set twice":                {"[ui]\nvim = true\nvim = false", []string{`3:1 ui.vim is set twice; the value of line 2 is used`}, false},
	"table twice":              {"[ui]\nvim = true\n[ui]\nmouse = false", []string{`3:2 the table [ui] is written twice; both are read`}, false},
	"a table where a list is":  {"[models]\nid = \"a/b\"", []string{`2:1 models is a list of tables; write [[models]] above its keys`}, false},
	"a value where a table is": {"ui = 3", []string{`1:1 ui is a table; write [ui] above its keys`}, false},
	"a row without id": {"[[models]]\nname = \"x\"\n[[models]]\nid = \"a/b\"", []string{
		`1:3 a [[models]] row without id is ignored; it needs id = "provider/model"`}, false},
	"names of columns": {"[[models]]\nid = \"a/b\"\nimage_cost = \"tiles\"\nlimits.max_image = 3\nquirks = { developer_role = 1, x = 2 }", []string{
		`3:14 "tiles" is no cost rule; it is one of tile-512, area-750`,
		`4:1 "max_image" is no limit; did you mean "max_images"?`,
		`5:29 models.quirks.developer_role: it is true or false`,
		`5:32 "x" is no quirk; it is one of developer_role, id_style`}, false},
	"key actions": {"[keys]\nsned = \"enter\"\nsend = 3", []string{
		`2:1 "sned" is no action; did you mean "send"?`,
		`3:8 keys.send must be a text or list of texts; found the number 3`}, false},
	"unset variable": {"[providers.p]\napi_key = \"${env:NOPE}\"\nheaders.A = \"${env:a b}\"\nheaders.B = \"${env:X\"", []string{
		`2:11 providers.p.api_key: the variable NOPE is not set; set it before espy starts`,
		`3:13 providers.p.headers.A: "a b" is not the name of a variable`,
		`4:13 providers.p.headers.B: a ${env:NAME} is not closed`}, false},
	"a secret is not quoted": {"[providers.p]\napi_key = 123456\nheaders.A = [\"hunter2\"]", []string{
		`2:11 providers.p.api_key must be a text; found something else`,
		`3:1 providers.p.headers.A must be a text; found a list`}, false},
	"a bad URL": {"[providers.p]\nbase_url = \"localhost:8080\"", []string{
		`2:12 "localhost:8080" is no URL: it starts with http:// or https:// and names a host`}, false},
	"not TOML": {"model = \"a/b\"\ntheme: dark\n[ui]\nvim = true", []string{
		`2:6 this is not TOML: expected '=' after key; the entry is ignored`}, false},
	"an open list": {"[tools]\nalways_load = [\"a\",\n\"b\"\n\n[ui]\nvim = true", nil, false},

	"a misspelt rule list": {"[permissions]\ndenny = [\"read(x)\"]", []string{
		`2:1 "permissions.denny" is not a setting; did you mean "permissions.deny"?`}, true},
	"a misspelt permissions table": {"[permission]\ndeny = [\"read(x)\"]", []string{
		`1:2 "permission" is not a setting; did you mean "permissions"?`,
		`2:1 "permission.deny" is not a setting; did you mean "permissions"?`}, true},
	"a bad deny rule": {"[permissions]\ndeny = [\"read(x)\", \"read\", 3]", []string{
		`2:20 "read" is no rule: it is written tool(pattern)`,
		`2:28 permissions.deny must be a list of texts; found the number 3 in it`}, true},
	"a deny rule that is no list": {"[permissions]\ndeny = \"read(x)\"", []string{
		`2:8 permissions.deny must be a list of texts; found the text "read(x)"`}, true},
	"a bad ask rule":    {"[permissions]\nask = [\"x\"]", []string{`2:8 "x" is no rule: it is written tool(pattern)`}, true},
	"a bad allow rule":  {"[permissions]\nallow = [\"x\"]", []string{`2:10 "x" is no rule: it is written tool(pattern)`}, false},
	"a bad mode":        {"mode = \"plna\"", []string{`1:8 "plna" is no mode; did you mean "plan"?`}, true},
	"a misspelt mode":   {"mod = \"plan\"", []string{`1:1 "mod" is not a setting; did you mean "mode"?`}, true},
	"a misplaced mode":  {"[ui]\nmode = \"plan\"", []string{`2:1 "ui.mode" is not a setting; mode belongs at the top of the file, above the first [table]`}, true},
	"a misplaced deny":  {"deny = [\"x\"]", []string{`1:1 "deny" is not a setting; deny belongs in [permissions]`}, true},
	"deny set twice":    {"[permissions]\ndeny = []\ndeny = [\"read(x)\"]", []string{`3:1 permissions.deny is set twice; the value of line 2 is used`}, true},
	"a broken deny":     {"[permissions]\ndeny = [\"read(x)\n[ui]\nvim = true", nil, true},
	"a broken header":   {"[permissions\ndeny = [\"read(x)\"]\n", nil, true},
	"permissions as is": {"permissions = \"none\"", []string{`1:1 permissions is a table; write [permissions] above its keys`}, true},
}

func TestEachFaultIsToldWithItsPlaceAndARemedy(t *testing.T) {
	for name, c := range faultyFiles {
		h := newHome(t)
		h.user(c.text)
		got, problems := Load(h.Options)
		if c.want != nil && !slices.Equal(told(problems), c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(told(problems), "\n     "), strings.Join(c.want, "\n     "))
		}
		if len(problems) == 0 || (len(got.Unsafe) > 0) != c.unsafe {
			t.Errorf("%s: unsafe are %v of %v", name, got.Unsafe, problems)
		}
		for _, p := range problems {
			if p.File != h.Dirs.ConfigFile() || strings.Contains(p.Error(), "hunter2") || strings.Contains(p.Error(), "123456") {
				t.Errorf("%s: %v", name, p)
			}
		}
	}
}

func TestABrokenEntryKeepsAllOthers(t *testing.T) {
	for name, broken := range map[string]string{
		"no value": "theme =", "open text": `theme = "dark`, "open block": "theme = \"\"\"dark", "open list": "always_load = [\"a\",",
		"words": "please be dark", "open table": "limits = { a = 1,", "stray bracket": "]", "bad escape": `theme = "\q"`,
		"two on a line": "vim = true mouse = false", "control character": "theme = \"\x01\"", "list over lines": "x = [\n 1,\n 2\n y = 3\n",
	} {
		h := newHome(t)
		h.user("[history]\nmax_images = 3\n" + broken + "\nevict_step = 4\n[keys]\nsend = \"enter\"\n")
		c, problems := Load(h.Options)
		if len(problems) == 0 || c.History.MaxImages != 3 || c.History.EvictStep != 4 || len(c.Keys["send"]) != 1 {
			t.Errorf("%s: %+v %v, %v", name, c.History, c.Keys, told(problems))
		}
	}
}

func TestKeysBelowAHeaderThatCannotBeReadBelongNowhere(t *testing.T) {
	h := newHome(t)
	h.user("[ui]\nvim = true\n[histo ry]\nmouse = false\n[history]\nmax_images = 2")
	c, problems := Load(h.Options)
	if !c.UI.Mouse || !c.UI.Vim || c.History.MaxImages != 2 || len(problems) != 1 {
		t.Errorf("%+v, %v", c.UI, told(problems))
	}
}

func TestAFileThatCannotBeReadMayHaveHeldRestrictions(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"a folder":   func(p string) error { return os.MkdirAll(p, 0o700) },
		"too large":  func(p string) error { return os.WriteFile(p, make([]byte, maxFileBytes+1), 0o600) },
		"not text":   func(p string) error { return os.WriteFile(p, []byte("model = \"\xff\""), 0o600) },
		"all zeroes": func(p string) error { return os.WriteFile(p, make([]byte, 100), 0o600) },
	} {
		h := newHome(t)
		os.MkdirAll(h.Dirs.Config, 0o700)
		if err := spoil(h.Dirs.ConfigFile()); err != nil {
			t.Fatal(err)
		}
		c, problems := Load(h.Options)
		if len(problems) != 1 || len(c.Unsafe) == 0 && name != "all zeroes" || c.Mode != "ask" {
			t.Errorf("%s: %v, unsafe %v", name, told(problems), c.Unsafe)
		}
	}
}

func TestFilesOfOtherEditorsReadTheSame(t *testing.T) {
	h := newHome(t)
	h.user("\ufeffmode = \"plan\"\r\n[history]\r\nmax_images = \"x\"\r\nevict_step = 3\r\n")
	c, problems := Load(h.Options)
	if c.Mode != "plan" || c.History.EvictStep != 3 || len(problems) != 1 || problems[0].Line != 3 || problems[0].Column != 14 {
		t.Errorf("%+v, %v", c, told(problems))
	}
}

func TestAProjectFileOnlyTightens(t *testing.T) {
	h := newHome(t)
	h.user("mode = \"ask\"\nmodel = \"a/b\"\n[history]\nmax_images = 6\n[permissions]\nallow = [\"x(a)\"]\ndeny = [\"x(b)\"]")
	h.project(`
mode = "full"
model = "evil/m"
[providers.evil]
base_url = "http://evil.example"
[permissions]
allow = ["shell(rm *)"]
ask = ["x(c)"]
deny = ["x(d)"]
[history]
max_images = 60
evict_step = 1
[tools]
always_load = ["t"]
[ui]
theme = "dark"
[keys]
send = "a"
`)
	c, problems := Load(h.Options)
	if c.Mode != "ask" || c.Model != "a/b" || len(c.Providers) > 0 || c.History != (History{6, 5}) || c.UI.Theme != "auto" || len(c.Keys) > 0 {
		t.Errorf("it loosened: %+v", c)
	}
	if p := c.Permissions; !slices.Equal(p.Allow, []string{"x(a)"}) || !slices.Equal(p.Ask, []string{"x(c)"}) || !slices.Equal(p.Deny, []string{"x(b)", "x(d)"}) {
		t.Errorf("permissions are %+v", p)
	}
	if !slices.Equal(c.Tools.AlwaysLoad, []string{"t"}) || len(c.Unsafe) > 0 {
		t.Errorf("tools %v, unsafe %v", c.Tools, c.Unsafe)
	}
	want := []string{
		`2:1 a project may only narrow your mode, which is "ask"; its "full" is ignored`,
		`3:1 model in a project file is ignored; set it in your own config.toml`,
		`5:1 providers.evil.base_url in a project file is ignored; set it in your own config.toml`,
		`7:1 permissions.allow in a project file is ignored; set it in your own config.toml`,
		`11:1 a project may only lower your limit, which is 6; its 60 is ignored`,
		`12:1 history.evict_step in a project file is ignored; set it in your own config.toml`,
		`16:1 ui.theme in a project file is ignored; set it in your own config.toml`,
		`18:1 keys.send in a project file is ignored; set it in your own config.toml`,
	}
	if got := told(problems); !slices.Equal(got, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAProjectFileNarrows(t *testing.T) {
	h := newHome(t)
	h.user("mode = \"auto\"")
	h.project("mode = \"plan\"\n[history]\nmax_images = 2")
	if c, problems := Load(h.Options); c.Mode != "plan" || c.History.MaxImages != 2 || len(problems) > 0 {
		t.Errorf("%+v, %v", c, problems)
	}
}

func TestAWorkspaceThatIsNotAcceptedHasNoSay(t *testing.T) {
	h := newHome(t)
	h.project("mode = 7\n[permissions]\ndeny = [7]")
	h.Accepted = false
	if c, problems := Load(h.Options); len(problems) > 0 || len(c.Unsafe) > 0 {
		t.Errorf("%v", problems)
	}
}

func TestAProjectFileThatLeadsOutIsNotRead(t *testing.T) {
	h := newHome(t)
	outside := filepath.Join(t.TempDir(), "config.toml")
	h.write(outside, "mode = \"plan\"")
	h.write(filepath.Join(h.Workspace, projectDir, "x"), "")
	if err := os.Symlink(outside, filepath.Join(h.Workspace, ProjectFile())); err != nil {
		t.Skip("links cannot be made here")
	}
	if c, problems := Load(h.Options); c.Mode != "ask" || len(problems) != 1 {
		t.Errorf("mode %s, %v", c.Mode, problems)
	}
}

func TestEnvironmentThenFlagsComeLast(t *testing.T) {
	h := newHome(t)
	h.user("model = \"a/file\"\nmode = \"ask\"")
	h.env["ESPY_MODEL"], h.env["ESPY_MODE"] = "a/env", "auto"
	if c, _ := Load(h.Options); c.Model != "a/env" || c.Mode != "auto" || c.Sources["mode"] != "environment ESPY_MODE" {
		t.Errorf("environment: %+v", c)
	}
	h.Model, h.Mode = "a/flag", "full"
	if c, _ := Load(h.Options); c.Model != "a/flag" || c.Mode != "full" {
		t.Errorf("flags: %+v", c)
	}
	h.env["ESPY_MODEL"], h.Mode = "nonsense", "fulll"
	c, problems := Load(h.Options)
	if c.Model != "a/flag" || c.Mode != "auto" || len(c.Unsafe) != 1 || len(problems) != 2 {
		t.Errorf("faulty: %+v, %v", c, problems)
	}
	if got := problems[1].Error(); got != `command line: --mode: "fulll" is no mode; did you mean "full"?` {
		t.Error(got)
	}
}

func TestTheFingerprintFollowsTheFiles(t *testing.T) {
	h := newHome(t)
	h.user("mode = \"ask\"")
	c, _ := Load(h.Options)
	if Fingerprint(h.Options) != c.Digest {
		t.Error("it changed though nothing did")
	}
	h.project("mode = \"plan\"")
	if Fingerprint(h.Options) == c.Digest {
		t.Error("a new project file goes unnoticed")
	}
}

func TestFoldersFollowXDGAndRelativeOnesAreRefused(t *testing.T) {
	root := t.TempDir()
	find := func(env map[string]string) (Dirs, error) {
		return FindDirs(func(n string) (string, bool) { v, ok := env[n]; return v, ok })
	}
	dirs, err := find(map[string]string{"HOME": root, "XDG_CONFIG_HOME": filepath.Join(root, "c"), "XDG_STATE_HOME": "", "LocalAppData": root})
	if err != nil || dirs.Config != filepath.Join(root, "c", "espy") || !filepath.IsAbs(dirs.State) {
		t.Errorf("%+v, %v", dirs, err)
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if name == "HOME" && runtime.GOOS == "windows" {
			continue
		}
		for _, bad := range []string{"relative", ".", "./x"} {
			env := map[string]string{"HOME": root}
			env[name] = bad
			if dirs, err := find(env); err == nil || !strings.Contains(err.Error(), name+" is ") {
				t.Errorf("%s=%s gives %+v, %v", name, bad, dirs, err)
			}
		}
	}
}

func TestARuleThatTwoFilesHoldBelongsToTheFirst(t *testing.T) {
	h := newHome(t)
	h.user("[permissions]\ndeny = [\"shell(rm *)\"]")
	h.project("[permissions]\ndeny = [\"shell(rm *)\", \"shell(dd *)\"]")
	c, _ := Load(h.Options)
	if at := c.Sources[RuleSource("deny", "shell(rm *)")]; !strings.HasPrefix(at, h.Dirs.ConfigFile()) {
		t.Errorf("the user's rule is said to come from %s", at)
	}
	if at := c.Sources[RuleSource("deny", "shell(dd *)")]; !strings.Contains(at, ProjectFile()) {
		t.Errorf("the project's rule is said to come from %s", at)
	}
}

func FuzzLoad(f *testing.F) {
	for _, c := range faultyFiles {
		f.Add(c.text)
	}
	f.Add(strings.Repeat("[[a]]\n", 40) + "x = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]")
	f.Fuzz(func(t *testing.T, text string) {
		h := newHome(t)
		l := &loader{options: h.Options, valid: h.Validators, config: Default()}
		l.file(source{userLayer, "f", []byte(text), nil})
		for _, p := range l.problems {
			if p.Line < 0 || p.Column < 0 || strings.ContainsAny(p.Sentence, "\n\x1b") || p.Sentence == "" {
				t.Fatalf("%+v", p)
			}
		}
		if len(l.problems) > maxProblems+1 {
			t.Fatalf("%d problems", len(l.problems))
		}
		good := &loader{options: h.Options, valid: h.Validators, config: Default()}
		good.file(source{userLayer, "f", []byte("mode = \"plan\"\n" + text), nil})
		if good.config.Mode != "plan" {
			t.Fatal("a good first line was lost")
		}
	})
}
