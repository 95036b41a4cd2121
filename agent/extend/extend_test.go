package extend

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

func parseOne(t *testing.T, text string) tools.Tool {
	t.Helper()
	s := Parse([]File{{Path: "tools/x.toml", Data: []byte(text)}})
	if len(s.Problems) > 0 || len(s.Tools) != 1 {
		t.Fatalf("problems %v, %d tools", s.Problems, len(s.Tools))
	}
	return s.Tools[0]
}

func run(t *testing.T, env *tools.Env, tool tools.Tool, args string) tools.Outcome {
	t.Helper()
	if _, err := tool.Effect(env, args); err != nil {
		return failed(message.ToolCall{}, err.Error())
	}
	out, err := tool.Run(context.Background(), env, message.ToolCall{ID: "c", Name: tool.Spec.Name, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const printer = `
kind = "command"
name = "printer"
description = "prints its arguments"
argv = ["printf", "[%%s]", "{a}", "--b={b}", "{list}", "fixed"]
[parameters.a]
type = "string"
[parameters.b]
type = "integer"
[parameters.list]
type = "list"
`

func TestArgumentsAreWordsAndNothingElse(t *testing.T) {
	env := toolstest.New(t).Env
	tool := parseOne(t, strings.ReplaceAll(printer, "%%", "%"))
	for _, c := range []struct{ args, want string }{
		{`{}`, "[fixed]"},
		{`{"a":"x; rm -rf / && $(reboot) ` + "`id`" + ` \"q\" 'p' \\ *"}`, `[x; rm -rf / && $(reboot) ` + "`id`" + ` "q" 'p' \ *][fixed]`},
		{`{"b":7}`, "[--b=7][fixed]"},
		{`{"list":["one","two words"],"a":"z"}`, "[z][one][two words][fixed]"},
		{`{"a":null}`, "[fixed]"},
		{`{"a":"line\nbreak"}`, "[line\nbreak][fixed]"},
	} {
		if got := run(t, env, tool, c.args).Result; got.IsError || got.Text != c.want {
			t.Errorf("%s printed %q, want %q", c.args, got.Text, c.want)
		}
	}
	for _, args := range []string{`null`, `[]`, `{"a":`, `{"c":1}`, `{"a":7}`, `{"b":"x"}`, `{"a":"-rf"}`, `{"list":"x"}`, `{"a":"x\u0000y"}`, `{} {}`} {
		if got := run(t, env, tool, args).Result; !got.IsError {
			t.Errorf("%s was taken: %q", args, got.Text)
		}
	}
}

func TestACommandIsJudgedAsWhatItIsAndAProjectsReadOnlyIsNotBelieved(t *testing.T) {
	text := "kind = \"command\"\nname = \"look\"\ndescription = \"d\"\nread_only = true\nargv = [\"rm\", \"-r\", \"{path}\"]\n[parameters.path]\ntype = \"string\"\n"
	own := Parse([]File{{Path: "tools/look.toml", Data: []byte(text)}}).Tools[0]
	project := Parse([]File{{Path: ".espy/tools/look.toml", Project: true, Data: []byte(text)}}).Tools[0]
	env := toolstest.New(t).Env
	if e, err := own.Effect(env, `{"path":"a b"}`); err != nil || e.Kind != guard.KindNone || !own.ReadOnly {
		t.Errorf("the person's own word that a tool only looks was not taken: %+v, %v", e, err)
	}
	e, err := project.Effect(env, `{"path":"a b"}`)
	if err != nil || e.Kind != guard.KindExec || project.ReadOnly || !strings.Contains(e.Command, "rm") || !strings.Contains(e.Command, "'a b'") {
		t.Errorf("a project's tool must be judged by what it runs: %+v, %v", e, err)
	}
	if d := guard.New(guard.Options{Roots: env.Roots}).Decide(e); d.Verdict != guard.Ask {
		t.Errorf("it is %s unasked", d.Verdict)
	}
}

func TestFaultyFilesAreNamedAndLeaveTheOthers(t *testing.T) {
	good := "kind = \"command\"\nname = \"ok\"\ndescription = \"d\"\nargv = [\"true\"]\n"
	named := func(name string) string { return strings.Replace(good, "\"ok\"", "\""+name+"\"", 1) }
	for _, c := range []struct{ text, want string }{
		{"kind = \"command\"\nname = \"x\"\ndescription = \"d\"\nargv = [\"true\"]\nread_onyl = true\n", "line 5"},
		{"kind = \"command\"\nname = \"x y\"\ndescription = \"d\"\nargv = [\"true\"]\n", "name \"x y\""},
		{"kind = \"command\"\nname = \"x\"\nargv = [\"true\"]\n", "description is missing"},
		{"kind = \"command\"\nname = \"x\"\ndescription = \"d\"\nargv = [\"true\", \"{a}\"]\n", "{a}, which is no parameter"},
		{"kind = \"command\"\nname = \"x\"\ndescription = \"d\"\nargv = [\"{a}\"]\n", "argv[0]"},
		{"kind = \"sh\"\nname = \"x\"\ndescription = \"d\"\n", "expected command or http"},
		{"kind = \"http\"\nname = \"x\"\ndescription = \"d\"\nurl = \"https://{host}/x\"\n[parameters.host]\ntype=\"string\"\n", "take no argument"},
		{"kind = \"http\"\nname = \"x\"\ndescription = \"d\"\nurl = \"ftp://h/x\"\n", "expected https://"},
		{"kind = \"command\nname", "line 1"},
		{good, "already"},
		{named("read"), "take another"}, {named("task"), "take another"}, {named("fetch"), "take another"}, {named("load_tools"), "take another"},
		{named("skill"), "take another"}, {named("shell_outside"), "take another"}, {named("mcp__server__tool"), "take another"},
	} {
		s := Parse([]File{{Path: "tools/a.toml", Data: []byte(good)}, {Path: "tools/b.toml", Data: []byte(c.text)}})
		if len(s.Tools) != 1 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0], c.want) || !strings.HasPrefix(s.Problems[0], "tools/b.toml: ") {
			t.Errorf("want one problem with %q, got %q and %d tools", c.want, s.Problems, len(s.Tools))
		}
	}
}

func testPNG(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestAnEnvelopesPicturesPassTheGateAndItsTextStaysWhole(t *testing.T) {
	world := toolstest.New(t)
	if err := os.WriteFile(filepath.Join(world.Env.Workspace, "shot.png"), testPNG(30, 20), 0o600); err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString(testPNG(8, 8))
	envelope, err := json.Marshal(map[string]any{"text": "two views\nwhole", "images": []map[string]string{
		{"path": "shot.png"}, {"base64": encoded, "name": "small"}, {"path": "/etc/passwd"}, {"base64": "!!"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(world.Env.Workspace, "out.json"), envelope, 0o600); err != nil {
		t.Fatal(err)
	}
	tool := parseOne(t, "kind = \"command\"\nname = \"shoot\"\ndescription = \"d\"\nargv = [\"cat\", \"out.json\"]\noutput = \"envelope\"\n")
	got := run(t, world.Env, tool, `{}`)
	if len(got.Result.Images) != 2 || len(got.Pictures) != 2 || got.Pictures[0].Name != "shot.png" || got.Pictures[1].Name != "small" {
		t.Fatalf("want two pictures, got %+v", got)
	}
	if !strings.HasPrefix(got.Result.Text, "two views\nwhole") || strings.Contains(got.Result.Text, encoded) {
		t.Errorf("the text is not as printed: %q", got.Result.Text)
	}
	if strings.Count(got.Result.Text, "was not taken") != 2 {
		t.Errorf("the two that cannot pass are not told: %q", got.Result.Text)
	}
	plain := parseOne(t, "kind = \"command\"\nname = \"shoot\"\ndescription = \"d\"\nargv = [\"cat\", \"out.json\"]\n")
	if got := run(t, world.Env, plain, `{}`); len(got.Result.Images) != 0 {
		t.Error("output that is no declared envelope was promoted to pictures")
	}
}

func TestHTTPToolsStayOnTheirHostAndScrubTheirSecrets(t *testing.T) {
	t.Setenv("ESPY_TEST_KEY", "s3cr3t/value")
	var asked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Error("the other host was asked") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.RequestURI())
		switch {
		case strings.HasPrefix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case r.Header.Get("X-Key") != "s3cr3t/value":
			w.WriteHeader(401)
		default:
			fmt.Fprintf(w, `{"results":[{"title":"one","url":"u1"},{"title":"two","url":"u2"}],"echo":%q}`, r.Header.Get("X-Key"))
		}
	}))
	defer server.Close()
	declare := func(path, more string) tools.Tool {
		return parseOne(t, fmt.Sprintf("kind = \"http\"\nname = \"find\"\ndescription = \"d\"\nurl = \"%s%s\"\nheaders = { X-Key = \"${env:ESPY_TEST_KEY}\" }\nquery = { q = \"{q}\", n = \"{n}\" }\n%s\n[parameters.q]\ntype = \"string\"\nrequired = true\ndash = true\n[parameters.n]\ntype = \"integer\"\n", server.URL, path, more))
	}
	env := toolstest.New(t).Env
	got := run(t, env, declare("/search/{q}", `fields = ["results[].title", "results[].url"]`), `{"q":"a/../b?x=1&y #ü"}`).Result
	if got.IsError || got.Text != "title: one\nurl: u1\n\ntitle: two\nurl: u2" {
		t.Errorf("cut answer: %q", got.Text)
	}
	if want := "GET /search/a%2F..%2Fb%3Fx=1&y%20%23%C3%BC?q=a%2F..%2Fb%3Fx%3D1%26y+%23%C3%BC"; len(asked) != 1 || asked[0] != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if got.Meta[message.MetaTaint] == "" {
		t.Error("a web answer is not marked as untrusted")
	}
	whole := run(t, env, declare("/search", ""), `{"q":"x","n":3}`).Result
	if strings.Contains(whole.Text, "s3cr3t") || !strings.Contains(whole.Text, "[secret]") {
		t.Errorf("the key came back: %q", whole.Text)
	}
	if away := run(t, env, declare("/away", ""), `{"q":"x"}`).Result; !away.IsError || !strings.Contains(away.Text, "stays on") {
		t.Errorf("a redirect to another host: %q", away.Text)
	}
	os.Unsetenv("ESPY_TEST_KEY")
	if unset := run(t, env, declare("/search", ""), `{"q":"x"}`).Result; !unset.IsError || !strings.Contains(unset.Text, "ESPY_TEST_KEY") {
		t.Errorf("without its key: %q", unset.Text)
	}
}

func TestSkillsAreOfferedByDescriptionAndReadOnUse(t *testing.T) {
	s := Parse([]File{{Path: "skills/deploy/SKILL.md", Data: []byte("---\ndescription: \"How to deploy\"\n---\n# Steps\nfirst\n")}})
	if len(s.Problems) > 0 || len(s.Tools) != 1 {
		t.Fatalf("%v", s.Problems)
	}
	tool := s.Tools[0]
	if !strings.Contains(tool.Spec.Description, "deploy: How to deploy") || strings.Contains(tool.Spec.Description, "Steps") {
		t.Errorf("offered as %q", tool.Spec.Description)
	}
	env := toolstest.New(t).Env
	if got := run(t, env, tool, `{"name":"deploy"}`).Result.Text; got != "# Steps\nfirst" {
		t.Errorf("read as %q", got)
	}
	if got := run(t, env, tool, `{"name":"depoly"}`).Result; !got.IsError || !strings.Contains(got.Text, "deploy") {
		t.Errorf("a misspelt name: %q", got.Text)
	}
}

func TestTheOtherFilesOfASkillAreNamedAndCanBeRead(t *testing.T) {
	env := toolstest.New(t).Env
	dir := filepath.Join(t.TempDir(), "skills", "draw")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: draw\ndescription: d\n---\nsee help.md"
	for name, data := range map[string]string{"SKILL.md": text, "help.md": "how"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := Parse([]File{{Path: filepath.Join(dir, "SKILL.md"), Data: []byte(text)}})
	if len(s.Tools) != 1 {
		t.Fatal(s.Problems)
	}
	if _, _, err := env.Roots.Open(filepath.Join(dir, "help.md")); err == nil {
		t.Error("it can be read before the skill was")
	}
	if got := run(t, env, s.Tools[0], `{"name":"draw"}`).Result.Text; !strings.Contains(got, "see help.md") || !strings.Contains(got, dir) {
		t.Errorf("read as %q", got)
	}
	f, _, err := env.Roots.Open(filepath.Join(dir, "help.md"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestCommandsTakeTheirArguments(t *testing.T) {
	c := Parse([]File{{Path: "commands/fix.md", Data: []byte("---\ndescription: d\narguments: FILE\n---\nFix $1, all of: $ARGUMENTS")}}).Commands[0]
	if got := c.Fill("a.go now"); c.Name != "fix" || got != "Fix a.go, all of: a.go now" {
		t.Errorf("%s filled as %q", c.Name, got)
	}
	plain := Command{Text: "Do it."}
	if got := plain.Fill("with care"); got != "Do it.\n\nwith care" {
		t.Errorf("filled as %q", got)
	}
}

// examples reads the files that ship.
func examples(t *testing.T) Set {
	t.Helper()
	var files []File
	root := filepath.Join("..", "..", "examples")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !Declares(path) {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, File{Path: path, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := Parse(files)
	if len(s.Problems) > 0 {
		t.Fatalf("the examples have faults: %q", s.Problems)
	}
	return s
}

func exampleTool(t *testing.T, name string) tools.Tool {
	t.Helper()
	for _, tool := range examples(t).Tools {
		if tool.Spec.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no example tool %s", name)
	return tools.Tool{}
}

func TestTheGitExamplesWorkOnARealRepositoryAndRunNothingOfItsOwn(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed, and CI brings it")
		}
		t.Skip("git is not installed")
	}
	world := toolstest.New(t)
	dir := world.Env.Workspace
	canary := filepath.Join(t.TempDir(), "canary")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "a.txt")
	git("config", "user.name", "t")
	git("config", "user.email", "t@example.org")
	wicked := "A subject; touch " + canary + "\n\n`touch " + canary + "` $(touch " + canary + ")\n-- and a line"
	args, _ := json.Marshal(map[string]string{"message": wicked})
	if got := run(t, world.Env, exampleTool(t, "git-commit"), string(args)).Result; got.IsError {
		t.Fatalf("git-commit: %s", got.Text)
	}
	if got := strings.TrimSpace(git("log", "-1", "--format=%B")); got != wicked {
		t.Errorf("the message became %q", got)
	}
	git("config", "core.fsmonitor", "touch "+canary)
	git("config", "diff.external", "touch "+canary)
	os.Remove(canary)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"git-status", `{}`, "a.txt"}, {"git-diff", `{"path":"a.txt"}`, "+two"}, {"git-diff", `{"staged":"--staged"}`, ""}, {"git-log", `{"count":1}`, "A subject"},
	} {
		if got := run(t, world.Env, exampleTool(t, c.tool), c.args).Result; got.IsError || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s %s: %q", c.tool, c.args, got.Text)
		}
	}
	if got := run(t, world.Env, exampleTool(t, "git-log"), `{}`).Result; !got.IsError {
		t.Error("git-log ran without a count")
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program of the repository ran")
	}
}

func TestACommandsArgumentsAreFilledInOnce(t *testing.T) {
	for text, want := range map[string]string{
		"Explain $1, then $2.": "Explain $2, then b.",
		"All: $ARGUMENTS":      "All: $2 b",
		"$3 of $1 costs $$":    " of $2 costs $$",
		"Nothing named":        "Nothing named\n\n$2 b",
	} {
		if got := (Command{Text: text}).Fill("$2 b"); got != want {
			t.Errorf("%q with %q gives %q, want %q", text, "$2 b", got, want)
		}
	}
}

func TestACommandCannotTakeThePlaceOfOneOfEspysOwn(t *testing.T) {
	set := Parse([]File{{Path: "commands/help.md", Data: []byte("Help.\n")}, {Path: "commands/ours.md", Data: []byte("Ours.\n")}})
	set.Reserve([]string{"help", "quit"})
	if len(set.Commands) != 1 || set.Commands[0].Name != "ours" {
		t.Errorf("the commands are %+v", set.Commands)
	}
	if len(set.Problems) != 1 || !strings.Contains(set.Problems[0], "commands/help.md: /help is a command of espy's own") {
		t.Errorf("told is %q", set.Problems)
	}
}
