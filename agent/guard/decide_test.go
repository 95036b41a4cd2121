package guard

import (
	"slices"
	"strings"
	"testing"
)

func edit(path string) Effect {
	return Effect{Tool: "edit", Kind: KindWrite, Paths: []string{path}, Summary: "edit " + path}
}

func look(path string) Effect {
	return Effect{Tool: "grep", Kind: KindRead, Paths: []string{path}, Summary: "search " + path}
}

func fetch(host string) Effect {
	return Effect{Tool: "fetch", Kind: KindNet, Host: host, Summary: "fetch " + host}
}

func TestEachModeRunsWhatItSays(t *testing.T) {
	w := newWorld(t)
	if _, err := w.roots.AddTrusted(w.path("out")); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		effect                Effect
		plan, ask, auto, full Verdict
	}{
		{look("a.txt"), Allow, Allow, Allow, Allow},
		{Effect{Tool: "todo", Kind: KindNone}, Allow, Allow, Allow, Allow},
		{edit("a.txt"), Deny, Ask, Allow, Allow},
		{edit("new/file.txt"), Deny, Ask, Allow, Allow},
		{edit(w.path("out/secret.txt")), Deny, Ask, Ask, Allow},
		{shellEffect("ls"), Allow, Allow, Allow, Allow},
		{shellEffect("make"), Deny, Ask, Ask, Allow},
		{shellEffect("ls > a.txt"), Deny, Ask, Allow, Allow},
		{shellEffect("ls > AGENTS.md"), Deny, Ask, Ask, Allow},
		{fetch("example.com"), Deny, Ask, Ask, Allow},
		{edit("AGENTS.md"), Deny, Ask, Ask, Allow},
		{edit(".git/config"), Deny, Ask, Ask, Allow},
		{edit("dir/.vscode/settings.json"), Deny, Ask, Ask, Allow},
		{edit("../elsewhere"), Deny, Ask, Ask, Ask},
		{look("/etc/passwd"), Ask, Ask, Ask, Ask},
		{look(".."), Deny, Deny, Deny, Deny},
		{look("~/.ssh/id_rsa"), Deny, Deny, Deny, Deny},
		{look(".env"), Deny, Deny, Deny, Deny},
		{edit(".env"), Deny, Deny, Deny, Deny},
		{Effect{Tool: "mcp__x__y", Kind: KindExec}, Deny, Ask, Ask, Allow},
	}
	for _, c := range cases {
		for mode, want := range map[Mode]Verdict{ModePlan: c.plan, ModeAsk: c.ask, ModeAuto: c.auto, ModeFull: c.full} {
			d := New(Options{Mode: mode, Roots: w.roots}).Decide(c.effect)
			if d.Verdict != want || d.Reason == "" {
				t.Errorf("%s mode, %s %v %s: %s (%s), want %s", mode, c.effect.Tool, c.effect.Paths, c.effect.Command, d.Verdict, d.Reason, want)
			}
		}
	}
}

func TestDenyBeatsAskBeatsAllowWhateverTheirOrder(t *testing.T) {
	w := newWorld(t)
	allow, ask, deny := rulesOf(t, Allow, "edit(dir/**)", "shell(go *)", "fetch(*.example.com)"), rulesOf(t, Ask, "edit(dir/ask*)", "shell(go run *)"), rulesOf(t, Deny, "edit(dir/deny*)", "shell(go install *)", "read(**/deny.txt)")
	for _, rules := range [][]SourcedRule{slices.Concat(allow, ask, deny), slices.Concat(deny, ask, allow)} {
		g := New(Options{Roots: w.roots, Rules: rules})
		cases := []struct {
			effect Effect
			want   Verdict
			rule   string
		}{
			{edit("dir/b.txt"), Allow, "edit(dir/**)"}, {edit("dir/ask.txt"), Ask, "edit(dir/ask*)"}, {edit("dir/deny.txt"), Deny, "edit(dir/deny*)"},
			{shellEffect("go build"), Allow, "shell(go *)"}, {shellEffect("go run ."), Ask, "shell(go run *)"}, {shellEffect("go build && go install x"), Deny, "shell(go install *)"},
			{shellEffect("/usr/bin/go install x"), Deny, "shell(go install *)"}, {shellEffect("env X=1 timeout 5 sh -c 'go install x'"), Deny, "shell(go install *)"}, {shellEffect("echo $(go install x)"), Deny, "shell(go install *)"},
			{shellEffect("cat dir/deny.txt"), Deny, "read(**/deny.txt)"}, {look("dir/deny.txt"), Deny, "read(**/deny.txt)"}, {shellEffect("touch dir/deny.x"), Deny, "edit(dir/deny*)"}, {shellEffect("ls > dir/deny.x"), Deny, "edit(dir/deny*)"},
			{Effect{Tool: "write", Kind: KindWrite, Paths: []string{"dir/deny.x"}}, Deny, "edit(dir/deny*)"}, {Effect{Tool: "patch", Kind: KindWrite, Paths: []string{"dir/b.txt", "dir/deny.x"}}, Deny, "edit(dir/deny*)"},
			{fetch("api.example.com"), Allow, "fetch(*.example.com)"}, {fetch("example.com.evil.org"), Ask, ""}, {Effect{Tool: "write", Kind: KindWrite, Paths: []string{"dir/b.txt", "a.txt"}}, Ask, ""},
		}
		for _, c := range cases {
			if d := g.Decide(c.effect); d.Verdict != c.want || d.Rule != c.rule {
				t.Errorf("%v: %+v, want %s by %q", c.effect, d, c.want, c.rule)
			}
		}
	}
}

func TestARuleForEverythingIsAboutCallsWithNothingToMatchToo(t *testing.T) {
	w := newWorld(t)
	for _, pattern := range []string{"*", "**"} {
		g := New(Options{Mode: ModeFull, Roots: w.roots, Rules: rulesOf(t, Deny, "task("+pattern+")", "mcp__x__y("+pattern+")", "fetch(*.example.com)")})
		for _, refused := range []Effect{{Tool: "task", Kind: KindNone}, {Tool: "task", Kind: KindNet, Host: "api"}, {Tool: "mcp__x__y", Kind: KindExec}} {
			if d := g.Decide(refused); d.Verdict != Deny {
				t.Errorf("%+v under deny %s(%s): %+v, want it refused", refused, refused.Tool, pattern, d)
			}
		}
		if d := g.Decide(Effect{Tool: "mcp__x__z", Kind: KindExec}); d.Verdict != Allow {
			t.Errorf("a tool that no rule names: %+v", d)
		}
	}
	g := New(Options{Mode: ModeFull, Roots: w.roots, Rules: rulesOf(t, Deny, "task(api.example.com)")})
	if d := g.Decide(Effect{Tool: "task", Kind: KindNone}); d.Verdict != Allow {
		t.Errorf("a task on the session's own model under a rule for a host: %+v", d)
	}
}

func TestDenyRulesForReadingHoldForEveryFileTheRootsOpen(t *testing.T) {
	w := newWorld(t)
	w.write("ws/private/x.txt", "x")
	w.link("private/x.txt", "ws/way-round")
	g := New(Options{Roots: w.roots, Rules: rulesOf(t, Deny, "read(private/**)")})
	for _, name := range []string{"private/x.txt", "way-round", "dir/../private/x.txt", w.path("ws/private/x.txt")} {
		if _, _, err := w.read(name); fault(err) != FaultDenied {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !g.Remove(g.Rules()[0]) {
		t.Fatal("the rule was not found")
	}
	if _, _, err := w.read("private/x.txt"); err != nil {
		t.Errorf("a removed rule still holds: %v", err)
	}
}

func TestFullModeKeepsDenyRulesAndAsksWhereALineHidesWhatItRuns(t *testing.T) {
	w := newWorld(t)
	g := New(Options{Mode: ModeFull, Roots: w.roots, Rules: rulesOf(t, Deny, "shell(git push *)")})
	for command, want := range map[string]Verdict{"git push": Deny, "ls; git push origin": Deny, "rm -rf dir": Allow, "$X push": Ask, "eval \"$X\"": Ask, "python -c 'x'": Ask} {
		if d := g.Decide(shellEffect(command)); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", command, d.Verdict, d.Reason, want)
		}
	}
}

func TestAProjectCannotAllow(t *testing.T) {
	w := newWorld(t)
	rules := rulesOf(t, Allow, "shell", "edit(**)")
	for i := range rules {
		rules[i].Source = SourceProject
	}
	g := New(Options{Roots: w.roots, Rules: rules})
	g.Add(rules[0])
	if len(g.Rules()) != 0 || g.Decide(edit("a.txt")).Verdict != Ask || g.Decide(shellEffect("make")).Verdict != Ask {
		t.Errorf("a project's rule allows: %v", g.Rules())
	}
}

func TestOffersAreNarrowAndAllowWhatWasAsked(t *testing.T) {
	w := newWorld(t)
	cases := []struct {
		effect Effect
		offer  string // "" for none
	}{
		{edit("dir/b.txt"), "edit(dir/**)"}, {edit("a.txt"), "edit(a.txt)"}, {edit("AGENTS.md"), ""}, {edit("dir/.git/config"), ""}, {fetch("example.com"), "fetch(example.com)"},
		{shellEffect("go test ./..."), "shell(go test *)"}, {shellEffect("go test"), "shell(go test *)"}, {shellEffect("npm run build -- x"), "shell(npm run build *)"}, {shellEffect("npm run"), "shell(npm run)"},
		{shellEffect("make all"), "shell(make all)"}, {shellEffect("git push --force"), "shell(git push --force)"}, {shellEffect("git commit -m 'a b'"), "shell(git commit -m 'a b')"}, {shellEffect("go run ."), "shell(go run .)"},
		{shellEffect("cat a.txt | make all"), "shell(make all)"}, {shellEffect("make && go test"), ""}, {shellEffect("make $X"), ""}, {shellEffect("X=1 make"), ""}, {shellEffect("make > a.txt"), ""}, {shellEffect("rm .git/config"), ""},
		{shellEffect("python -c x"), ""}, {Effect{Tool: "mcp__x__y", Kind: KindExec}, "mcp__x__y"},
	}
	for _, c := range cases {
		g := New(Options{Roots: w.roots})
		d := g.Decide(c.effect)
		if d.Verdict != Ask || strings.Join(d.Offer, "|") != c.offer {
			t.Errorf("%v: %+v, want the offer %q", c.effect, d, c.offer)
			continue
		}
		if c.offer == "" {
			continue
		}
		r, err := ParseRule(d.Offer[0])
		if err != nil {
			t.Errorf("%q cannot be read back: %v", d.Offer[0], err)
		}
		g.AddSession(r)
		if again := g.Decide(c.effect); again.Verdict != Allow || again.Rule != c.offer {
			t.Errorf("%v still asks with %q: %+v", c.effect, c.offer, again)
		}
	}
}

func TestAnOfferOutsideTheWorkspaceIsTheFileItself(t *testing.T) {
	w := newWorld(t)
	if _, err := w.roots.AddTrusted(w.path("out")); err != nil {
		t.Fatal(err)
	}
	name := w.path("out/dir/deep.txt")
	d := New(Options{Roots: w.roots}).Decide(edit(name))
	if want := "edit(" + name + ")"; d.Verdict != Ask || strings.Join(d.Offer, "|") != want {
		t.Errorf("always would save %v, want %s", d.Offer, want)
	}
}

func TestUntrustedOutputMakesCommandsAskUntilThePersonSpeaks(t *testing.T) {
	w := newWorld(t)
	g := New(Options{Mode: ModeAuto, Roots: w.roots, Rules: rulesOf(t, Allow, "shell(go test *)")})
	if d := g.Decide(shellEffect("ls")); d.Verdict != Allow {
		t.Fatal(d)
	}
	g.Taint("https://example.com/page")
	for _, e := range []Effect{shellEffect("ls"), fetch("example.com"), shellEffect("go test ./... && ls"), shellEffect("go test ./... > a.txt")} {
		if d := g.Decide(e); d.Verdict != Ask || !strings.Contains(d.Reason, "example.com") && !strings.Contains(d.Reason, "a.txt") {
			t.Errorf("%v: %+v", e, d)
		}
	}
	for _, e := range []Effect{shellEffect("go test ./..."), look("a.txt"), edit("a.txt")} {
		if d := g.Decide(e); d.Verdict != Allow {
			t.Errorf("%v: %+v", e, d)
		}
	}
	g.Untaint()
	if d := g.Decide(shellEffect("ls")); d.Verdict != Allow {
		t.Errorf("after the person spoke: %+v", d)
	}
}

func TestProtectedNamesAskUnderEverySpelling(t *testing.T) {
	w := newWorld(t)
	w.write("ws/docs/rules.md", "x")
	w.link("docs/rules.md", "ws/AGENTS.md")
	w.link(".git", "ws/g")
	w.write("ws/.git/config", "x")
	g := New(Options{Mode: ModeAuto, Roots: w.roots, Rules: rulesOf(t, Allow, "edit(**)", "edit")})
	for _, name := range []string{"AGENTS.md", "agents.md", "dir/CLAUDE.md", ".git/config", ".git/hooks/x", "dir/.git/x", "g/config", ".GIT/config", ".espy/config.toml", ".vscode/tasks.json", ".envrc", ".bashrc", ".idea/x", "x.code-workspace",
		"dir/../AGENTS.md", "docs/rules.md", w.path("ws/AGENTS.md"), ".husky/pre-commit", ".exrc", ".git"} {
		if d := g.Decide(edit(name)); d.Verdict == Allow || len(d.Offer) > 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestToolsOfServersAreDecidedByTheirNamesAndAreNoCommands(t *testing.T) {
	w := newWorld(t)
	program := func(tool string) Effect {
		return Effect{Tool: "mcp__git__" + tool, Kind: KindExec, Summary: "git: " + tool}
	}
	host := Effect{Tool: "mcp__docs__search", Kind: KindNet, Host: "docs.example.org"}
	rules := append(rulesOf(t, Deny, "mcp__git__push", "shell"), rulesOf(t, Allow, "mcp__git__log", "mcp__docs__*(docs.example.org)")...)
	for _, c := range []struct {
		mode Mode
		e    Effect
		want Verdict
	}{
		{ModeAuto, program("push"), Deny}, {ModeFull, program("push"), Deny}, {ModeAuto, program("commit"), Ask}, {ModeFull, program("commit"), Allow},
		{ModePlan, program("commit"), Deny}, {ModeAsk, program("log"), Allow}, {ModePlan, program("log"), Deny}, {ModeAsk, host, Allow},
	} {
		if d := New(Options{Mode: c.mode, Roots: w.roots, Rules: rules}).Decide(c.e); d.Verdict != c.want {
			t.Errorf("%s in %s: %+v, want %s", c.e.Tool, c.mode, d, c.want)
		}
	}
	g := New(Options{Mode: ModeAuto, Roots: w.roots, Rules: rules})
	g.Taint("the MCP server git")
	if d := g.Decide(program("commit")); d.Verdict != Ask || !strings.Contains(d.Reason, "the MCP server git") || len(d.Offer) != 1 || d.Offer[0] != "mcp__git__commit" {
		t.Errorf("after untrusted output: %+v", d)
	}
	if d := g.Decide(program("log")); d.Verdict != Allow {
		t.Errorf("the person's own rule does not hold: %+v", d)
	}
	if _, err := ParseRule("mcp__any__thing", "shell"); err != nil {
		t.Errorf("a rule for a server that is not there yet: %v", err)
	}
}
