package start

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
)

// pinned is the time stamp every file of these tests has: content alone may count.
func pinned() time.Time { return time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) }

// put writes a file with a time stamp.
func put(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func toolFile(about string) string {
	return "kind = \"command\"\nname = \"lint\"\ndescription = \"" + about + "\"\nargv = [\"true\"]\n"
}

// about is what a session's tool says of itself; "" where there is none.
func about(f *Screen, tool string) string {
	t, _ := f.current().tools.Lookup(tool)
	return t.Spec.Description
}

func TestContentAloneDecidesWhetherAFileIsReadAgain(t *testing.T) {
	screen, home, _ := screenIn(t)
	file := filepath.Join(home, "config", "espy", "tools", "lint.toml")
	for _, step := range []struct {
		what, text string
		at         time.Time
		told, want string
	}{
		{"a new file", toolFile("One."), pinned(), "Read again and in force: tools (lint).", "One."},
		{"another content with the same time stamp", toolFile("Two."), pinned(), "Read again and in force: tools (lint).", "Two."},
		{"another content with an older time stamp", toolFile("Three."), pinned().Add(-time.Hour), "Read again and in force: tools (lint).", "Three."},
		{"an identical rewrite", toolFile("Three."), pinned(), "", "Three."},
		{"an identical rewrite with a newer time stamp", toolFile("Three."), pinned().Add(time.Hour), "", "Three."},
		{"a comment", toolFile("Three.") + "# no more\n", pinned(), "Read again and in force: the declaring files.", "Three."},
	} {
		put(t, file, step.text, step.at)
		if told := strings.Join(screen.refresh(t.Context()), "\n"); told != step.told {
			t.Errorf("%s: told %q, want %q", step.what, told, step.told)
		}
		if got := about(screen, "lint"); got != step.want {
			t.Errorf("%s: the tool says %q, want %q", step.what, got, step.want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if told := screen.refresh(t.Context()); len(told) != 1 || about(screen, "lint") != "" {
		t.Errorf("a removed file leaves its tool: %v", told)
	}
}

func TestABrokenEditKeepsTheLastGoodAndSaysSoOnce(t *testing.T) {
	screen, home, _ := screenIn(t)
	dir := filepath.Join(home, "config", "espy")
	file, other := filepath.Join(dir, "tools", "lint.toml"), filepath.Join(dir, "tools", "other.toml")
	put(t, file, toolFile("Good."), pinned())
	screen.refresh(t.Context())
	put(t, file, toolFile("Good.")+"argv = [", pinned())
	told := strings.Join(screen.refresh(t.Context()), "\n")
	if !strings.Contains(told, "lint.toml: ") || !strings.Contains(told, "What it said before stays in force.") || about(screen, "lint") != "Good." {
		t.Errorf("told %q, and the tool says %q", told, about(screen, "lint"))
	}
	put(t, other, strings.ReplaceAll(toolFile("Another."), "lint", "other"), pinned())
	told = strings.Join(screen.refresh(t.Context()), "\n")
	if strings.Contains(told, "lint") || about(screen, "other") != "Another." || about(screen, "lint") != "Good." {
		t.Errorf("the fault is told again, or keeps another file out: %q", told)
	}
	put(t, file, toolFile("Bad again.")+"argv = [[", pinned())
	if told := strings.Join(screen.refresh(t.Context()), "\n"); !strings.Contains(told, "What it said before stays in force.") {
		t.Errorf("another fault is not told: %q", told)
	}
	put(t, file, toolFile("Mended."), pinned())
	if told := screen.refresh(t.Context()); about(screen, "lint") != "Mended." || len(told) != 1 {
		t.Errorf("the mended tool says %q; told %q", about(screen, "lint"), told)
	}
}

func TestSettingsAreTakenUpWhereTheyCanBeAndElseSaidToWait(t *testing.T) {
	screen, home, _ := screenIn(t)
	file := filepath.Join(home, "config", "espy", "config.toml")
	settings := "mode = \"plan\"\n[permissions]\ndeny = [\"shell(rm *)\"]\nsandbox = \"off\"\n[keys]\nsend = \"ctrl+s\"\n[ui]\nmouse = false\ntheme = \"dark\"\n[tools]\nalways_load = [\"read_media\"]\n[history]\nmax_images = 3\n[[models]]\nid = \"fake/echo\"\ncontext_window = 4321\n"
	put(t, file, settings, pinned())
	told := strings.Join(screen.refresh(t.Context()), "\n")
	for _, want := range []string{"Read again and in force: models, tools, history, ui, keys, permissions.", "Changed and in force from the next session on: mode, permissions.sandbox.", "Changed and in force when espy is started again: ui.mouse."} {
		if !strings.Contains(told, want) {
			t.Errorf("told\n%s\nwithout %q", told, want)
		}
	}
	room := screen.current()
	if rules := room.Guard.Rules(); len(rules) != 1 || rules[0].Rule.String() != "shell(rm *)" {
		t.Errorf("the rules in force are %v", rules)
	}
	if live := screen.Options().Fresh(); live.Theme != "dark" || !slices.Equal(live.Keys["send"], []string{"ctrl+s"}) {
		t.Errorf("the screen is given %+v", live)
	}
	if !room.tools.Offer().Declares(tools.ReadMedia) || room.Agent.Route().Model.ContextWindow != 4321 || room.Guard.Mode() != guard.ModeAsk {
		t.Errorf("tools, model and mode are %v, %d, %s", room.tools.Offer().Declares(tools.ReadMedia), room.Agent.Route().Model.ContextWindow, room.Guard.Mode())
	}
	put(t, file, settings+"max_image = 3\n", pinned())
	told = strings.Join(screen.refresh(t.Context()), "\n")
	if !strings.Contains(told, "config.toml:17:1: ") || !strings.HasSuffix(told, "The settings in force stay.") || len(room.Guard.Rules()) != 1 {
		t.Errorf("a fault is told as %q", told)
	}
	put(t, file, "[permissions]\ndney = [\"shell(rm *)\"]\n", pinned())
	if told = strings.Join(screen.refresh(t.Context()), "\n"); !strings.HasSuffix(told, "The settings in force stay.") || len(room.Guard.Rules()) != 1 {
		t.Errorf("a fault that loses a restriction is told as %q, and the rules are %v", told, room.Guard.Rules())
	}
	put(t, file, settings, pinned())
	if told := screen.refresh(t.Context()); len(told) > 0 {
		t.Errorf("what is in force again is told as %q", told)
	}
}

func TestAFaultThatWasThereAtTheStartKeepsNothingBack(t *testing.T) {
	screen, home, _ := screenIn(t)
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "config", "espy", "config.toml")
	put(t, file, "modle = \"x\"\n", pinned())
	s, err := Load(t.Context(), "test", Flags{Folder: screen.settings.Folder, Model: "fake/echo"})
	if err != nil {
		t.Fatal(err)
	}
	screen, err = NewScreen(t.Context(), s, Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	put(t, file, "modle = \"x\"\n[ui]\ntheme = \"light\"\n", pinned())
	if told := screen.refresh(t.Context()); !slices.Equal(told, []string{"Read again and in force: ui."}) {
		t.Errorf("told %q", told)
	}
}

func TestARuleThatIsSavedHereIsNoNews(t *testing.T) {
	screen, _, _ := screenIn(t)
	if _, err := screen.Options().Rules.Add(guard.Allow, "shell(go test *)"); err != nil {
		t.Fatal(err)
	}
	if told := screen.refresh(t.Context()); len(told) > 0 {
		t.Errorf("told %q", told)
	}
	if rules := screen.current().Guard.Rules(); len(rules) != 1 {
		t.Errorf("the rules are %v", rules)
	}
}

// projectWith is a workspace whose .espy and AGENTS.md were accepted at the start.
func projectWith(t *testing.T) (screen *Screen, folder string) {
	t.Helper()
	folder = t.TempDir()
	put(t, filepath.Join(folder, "AGENTS.md"), "Say moo.\n", pinned())
	put(t, filepath.Join(folder, ".espy", "tools", "lint.toml"), toolFile("Ours."), pinned())
	put(t, filepath.Join(folder, ".espy", "config.toml"), "[permissions]\ndeny = [\"shell(rm *)\"]\n", pinned())
	put(t, filepath.Join(folder, ".espy", "extensions", "watch", "hooks.toml"), "[[hook]]\nevent = \"pre_tool\"\ntools = [\"glob\"]\nargv = [\"./run\"]\n", pinned())
	put(t, filepath.Join(folder, ".espy", "extensions", "watch", "run"), "#!/bin/sh\necho '{\"decision\":\"allow\"}'\n", pinned())
	screen, _ = screenOf(t, folder)
	if _, err := screen.Options().Trust.Accept(); err != nil {
		t.Fatal(err)
	}
	await[agent.Reloaded](t, screen.current().Agent)
	return screen, folder
}

func TestWhatIsAcceptedIsUsedAtOnceByTheSessionThatIsOpen(t *testing.T) {
	screen, _ := projectWith(t)
	if about(screen, "lint") != "Ours." || len(screen.current().Guard.Rules()) != 1 {
		t.Errorf("the accepted tool says %q, the rules are %v", about(screen, "lint"), screen.current().Guard.Rules())
	}
}

func TestAChangedProjectIsInertUntilAcceptedAgainAndLoosensNothing(t *testing.T) {
	screen, folder := projectWith(t)
	run := filepath.Join(folder, ".espy", "extensions", "watch", "run")
	good, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	put(t, run, "#!/bin/sh\ntouch "+filepath.Join(folder, "ran")+"\necho '{\"decision\":\"allow\"}'\n", pinned())
	told := strings.Join(screen.refresh(t.Context()), "\n")
	if !strings.Contains(told, "(.espy/extensions/watch/run): what they declare is inert until you accept them again with /trust accept.") {
		t.Errorf("told %q", told)
	}
	if about(screen, "lint") != "" {
		t.Error("the project's tool is still there")
	}
	if rules := screen.current().Guard.Rules(); len(rules) != 1 || rules[0].Rule.String() != "shell(rm *)" {
		t.Errorf("the project's restriction is gone: %v", rules)
	}
	a := screen.current().Agent
	a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "call glob {\"pattern\":\"*\"}"}}}})
	asked := await[agent.PermissionAsked](t, a)
	if !strings.Contains(asked.Decision.Reason, "its files changed and were not accepted") {
		t.Errorf("asked because %s", asked.Decision.Reason)
	}
	a.Send(agent.Answer{ID: asked.ID, Choice: guard.ChoiceDeny})
	await[agent.TurnEnded](t, a)
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("a changed hook ran before it was accepted")
	}
	put(t, run, string(good), pinned())
	screen.refresh(t.Context())
	if about(screen, "lint") != "Ours." {
		t.Error("what was accepted is not in force although it is back")
	}
}

func TestChangedInstructionsAloneLeaveWhatEspyDeclares(t *testing.T) {
	screen, folder := projectWith(t)
	put(t, filepath.Join(folder, "AGENTS.md"), "Say something else.\n", pinned())
	told := screen.refresh(t.Context())
	if len(told) != 1 || !strings.Contains(told[0], "(AGENTS.md): this session goes on with those it began with") || about(screen, "lint") != "Ours." {
		t.Errorf("told %q, and the tool says %q", told, about(screen, "lint"))
	}
	if told := screen.refresh(t.Context()); len(told) > 0 {
		t.Errorf("told again %q", told)
	}
	next, err := screen.Options().New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if next.First == nil || !slices.Contains(next.First.NotAccepted, "AGENTS.md") {
		t.Errorf("the next session should do without the changed text: %+v", next.First)
	}
}

func TestWhatIsAcceptedIsWhatWasShown(t *testing.T) {
	screen, folder := projectWith(t)
	trust := screen.Options().Trust
	file := filepath.Join(folder, ".espy", "tools", "lint.toml")
	put(t, file, toolFile("Shown."), pinned())
	screen.refresh(t.Context())
	if files := trust.Review(); len(files) == 0 {
		t.Fatal("nothing is shown")
	}
	put(t, file, toolFile("Slipped in."), pinned())
	screen.refresh(t.Context())
	if said, err := trust.Accept(); err == nil {
		t.Errorf("what nobody was shown was accepted: %s", said)
	}
	trust.Review()
	if _, err := trust.Accept(); err != nil {
		t.Error(err)
	}
}

func TestFilesAreReadBetweenTurnsAndTheModelIsToldOfNewTools(t *testing.T) {
	screen, home, _ := screenIn(t)
	a := screen.current().Agent
	send := func(text string) {
		a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: text}}}})
	}
	send("hello")
	await[agent.TurnEnded](t, a)
	put(t, filepath.Join(home, "config", "espy", "tools", "lint.toml"), toolFile("Checks."), pinned())
	send("call load_tools {\"name\":\"lint\",\"args\":{}}")
	if done := await[agent.CallFinished](t, a); done.Result.IsError || done.Call.Name != "lint" {
		t.Errorf("the new tool came to %+v", done)
	}
	await[agent.TurnEnded](t, a)
	notes := 0
	for _, m := range a.Messages() {
		if m.Role == message.RoleNote && strings.Contains(m.PlainText(), "- lint {}: Checks.") {
			notes++
		}
	}
	if notes != 1 {
		t.Errorf("the model was told of the tool %d times", notes)
	}
}

func TestAVariableThatHoldsAKeyFromNowOnReachesNoCommand(t *testing.T) {
	t.Setenv("OUR_SERVICE_WORD", "hush-hush")
	screen, home, _ := screenIn(t)
	a := screen.current().Agent
	a.Send(agent.SetMode{Mode: guard.ModeFull})
	printed := func() string {
		a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "call shell {\"command\":\"printenv OUR_SERVICE_WORD\"}"}}}})
		done := await[agent.CallFinished](t, a)
		await[agent.TurnEnded](t, a)
		return done.Result.Text
	}
	if got := printed(); !strings.Contains(got, "hush-hush") {
		t.Fatalf("before, the command printed %q", got)
	}
	put(t, filepath.Join(home, "config", "espy", "config.toml"), "[providers.own]\nprotocol = \"chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\napi_key = \"${env:OUR_SERVICE_WORD}\"\n", pinned())
	if got := printed(); strings.Contains(got, "hush-hush") {
		t.Errorf("the command printed the key: %q", got)
	}
}

// BenchmarkLookingAgain is what every turn pays to find that nothing changed: 20 files of the person's, 20 of the project's.
func BenchmarkLookingAgain(b *testing.B) {
	home, folder := b.TempDir(), b.TempDir()
	b.Setenv("HOME", home)
	b.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	b.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	for i := range 20 {
		for _, dir := range []string{filepath.Join(home, "config", "espy"), filepath.Join(folder, ".espy")} {
			name := filepath.Join(dir, "skills", string(rune('a'+i)), "SKILL.md")
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(name, []byte("---\ndescription: d\n---\n"+strings.Repeat("words\n", 500)), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	s, err := Load(context.Background(), "test", Flags{Folder: folder, Model: "fake/echo"})
	if err != nil {
		b.Fatal(err)
	}
	w := newWatch(s)
	for b.Loop() {
		if next, _ := w.again(context.Background(), s); next != nil {
			b.Fatal("something changed")
		}
	}
}
