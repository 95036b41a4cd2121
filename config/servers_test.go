package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestServersAreReadAsTheyAreWritten(t *testing.T) {
	h := newHome(t)
	h.user(`
[mcp.browser]
command = ["npx", "-y", "@playwright/mcp@latest"]
cwd = "web"
env = { TOKEN = "${env:BROWSER_TOKEN}", PLAIN = "x" }
timeout = 90
tools = ["browser_*"]
deny = ["browser_install"]
read_only = ["browser_snapshot"]
defer = false

[mcp.git]
command = ["mcp-git"]
env = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"]
enabled = false

[mcp.docs]
url = "https://docs.example/mcp"
headers = { Authorization = "Bearer ${env:DOCS_KEY}" }
`)
	c, problems := Load(h.Options)
	if len(problems) > 0 {
		t.Fatal(told(problems))
	}
	no := false
	want := map[string]MCPServer{
		"browser": {Command: []string{"npx", "-y", "@playwright/mcp@latest"}, Cwd: "web", Env: map[string]string{"TOKEN": "${env:BROWSER_TOKEN}", "PLAIN": "x"},
			Enabled: true, Timeout: 90, Tools: []string{"browser_*"}, Deny: []string{"browser_install"}, ReadOnly: []string{"browser_snapshot"}, Defer: &no},
		"git":  {Command: []string{"mcp-git"}, Pass: []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"}},
		"docs": {URL: "https://docs.example/mcp", Headers: map[string]string{"Authorization": "Bearer ${env:DOCS_KEY}"}, Enabled: true},
	}
	if !reflect.DeepEqual(c.MCP, want) {
		t.Errorf("got %+v", c.MCP)
	}
}

func TestAServerWithAnyFaultIsLeftOutAndTheOthersStay(t *testing.T) {
	const secret = "s3cr3t-value"
	for _, c := range []struct{ table, want string }{
		{"[mcp.x]\ncommand = \"npx\"", "4:11 mcp.x.command must be a list of texts"},
		{"[mcp.x]\ncommand = [\"a\"]\ncomand = [\"b\"]", `did you mean "mcp.x.command"?`},
		{"[mcp.x]\ncommand = [\"a\"]\ndeny = [1]", "mcp.x.deny must be a list of texts"},
		{"[mcp.x]\ncommand = [\"a\"]\ntools = [\"a[\"]", "as the server calls the tool"},
		{"[mcp.x]\ncommand = [\"a\"]\nurl = \"https://h/\"", "[mcp.x] has a command and a url"},
		{"[mcp.x]\nenabled = true", "[mcp.x] has neither command nor url"},
		{"[mcp.x]\nurl = \"https://h/\"\nenv = [\"A\"]", "env and cwd do not belong"},
		{"[mcp.x]\ncommand = [\"a\"]\nheaders = { A = \"b\" }", "headers do not belong"},
		{"[mcp.x]\nurl = \"ftp://h/\"", "http:// or https://"},
		{"[mcp.x__y]\ncommand = [\"a\"]", "single underscores"},
		{"[mcp.\"x y\"]\ncommand = [\"a\"]", "letters, digits"},
		{"[mcp.x]\ncommand = [\"a\"]\nenv = { \"A=B\" = \"c\" }", "is no variable"},
		{"[mcp.x]\ncommand = [\"a\"]\nenv = { A = \"" + secret + "${env:B\" }", "is not closed"},
		{"[mcp.x]\ncommand = [\"a\"]\nenv = { A = \"" + secret + "${env:B C}\" }", "is not the name of a variable"},
		{"[mcp.x]\nurl = \"https://h/\"\nheaders = { A = \"" + secret + "\\n\" }", "a line break cannot be sent"},
		{"[mcp.x]\ncommand = [\"a\"]\ntimeout = 0", "a whole number from 1 on"},
		{"[mcp.x]\ncommand = [\"a\"]\nenabled = \"no\"", "must be true or false"},
		{"[mcp.x]\ncommand = []", "neither command nor url"},
	} {
		h := newHome(t)
		h.user("[mcp.ok]\ncommand = [\"ok\"]\n" + c.table + "\n")
		got, problems := Load(h.Options)
		all := strings.Join(told(problems), "\n")
		if _, there := got.MCP["ok"]; len(got.MCP) != 1 || !there {
			t.Errorf("%s\nleaves %v", c.table, got.MCP)
		}
		if !strings.Contains(all, c.want) || strings.Contains(all, secret) {
			t.Errorf("%s\nis told as %s, want %s", c.table, all, c.want)
		}
	}
}

func TestAProjectAddsServersOfItsOwnAndChangesNoneOfThePersons(t *testing.T) {
	h := newHome(t)
	h.user("[mcp.mine]\nurl = \"https://mine.example/\"\nheaders = { Authorization = \"${env:KEY}\" }\n[mcp.unwanted]\nenabled = false\n")
	h.project("[mcp.mine]\nurl = \"https://evil.example/\"\n[mcp.unwanted]\ncommand = [\"evil\"]\n[mcp.theirs]\ncommand = [\"tool\"]\nread_only = [\"*\"]\n[mcp.near]\ncommand = [\"./server\"]\n")
	c, problems := Load(h.Options)
	all := strings.Join(told(problems), "\n")
	if c.MCP["mine"].URL != "https://mine.example/" || len(c.MCP["unwanted"].Command) > 0 || c.MCP["unwanted"].Enabled {
		t.Errorf("a project changed the person's servers: %+v", c.MCP)
	}
	theirs, ok := c.MCP["theirs"]
	if !ok || !theirs.Project || len(theirs.ReadOnly) > 0 || c.MCP["mine"].Project {
		t.Errorf("theirs is %+v, %v", theirs, ok)
	}
	if _, ok := c.MCP["near"]; ok {
		t.Error("a project may start what lies in the workspace, where calls change it")
	}
	for _, want := range []string{`your own settings have an MCP server "mine"`, `an MCP server "unwanted"`, "mcp.theirs.read_only in a project file is ignored", `the program "./server"`} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q is not told once in\n%s", want, all)
		}
	}
	h.Accepted = false
	if c, _ := Load(h.Options); len(c.MCP) != 2 {
		t.Errorf("a project that was not accepted adds %v", slices.Collect(func(yield func(string) bool) {
			for name := range c.MCP {
				if !yield(name) {
					return
				}
			}
		}))
	}
}
