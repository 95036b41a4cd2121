package config

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The test binary is also the second process of these tests: it adds the rules and paths it is told to.
const childVar = "ESPY_CONFIG_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childVar); args != "" {
		if err := playChild(strings.Split(args, "\n")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// playChild adds 40 rules and trusted paths under its own name once standard input ends.
func playChild(args []string) error {
	dirs, name, work := Dirs{args[0], args[1]}, args[2], args[3]
	bufio.NewReader(os.Stdin).ReadString('\n')
	for i := range 40 {
		if err := AddAllowRule(context.Background(), dirs, fmt.Sprintf("shell(%s %d)", name, i)); err != nil {
			return err
		}
		path := filepath.Join(work, fmt.Sprint(name, i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		if _, err := OpenTrust(dirs).AddPath(context.Background(), work, path); err != nil {
			return err
		}
	}
	return nil
}

func TestTwoProcessesThatSaveRulesAndTrustAtOnceLoseNothing(t *testing.T) {
	h, work := newHome(t), t.TempDir()
	var children []*exec.Cmd
	for i := range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childVar+"="+strings.Join([]string{h.Dirs.Config, h.Dirs.State, fmt.Sprint("p", i), work}, "\n"))
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		children = append(children, c)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	c, problems := Load(h.Options)
	if len(c.Permissions.Allow) != 120 || len(problems) > 0 {
		t.Errorf("%d rules, %v", len(c.Permissions.Allow), problems)
	}
	w, err := OpenTrust(h.Dirs).Workspace(work)
	if err != nil || len(w.Paths) != 120 {
		t.Errorf("%d paths, %v", len(w.Paths), err)
	}
}

func TestASavedRuleLeavesConfigTomlAlone(t *testing.T) {
	h := newHome(t)
	mine := "# my notes\n[permissions]\nallow = [\"x(a)\"] # why\n"
	h.user(mine)
	odd := "shell(echo \"a\\b\"\t'c')"
	for range 2 {
		if err := AddAllowRule(t.Context(), h.Dirs, odd); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := os.ReadFile(h.Dirs.ConfigFile()); string(text) != mine {
		t.Errorf("it became %s", text)
	}
	c, problems := Load(h.Options)
	if !slices.Equal(c.Permissions.Allow, []string{"x(a)", odd}) || len(problems) > 0 {
		t.Errorf("%q, %v", c.Permissions.Allow, problems)
	}
	if info, _ := os.Stat(h.Dirs.PermissionsFile()); runtime.GOOS != "windows" && info.Mode().Perm() != fileMode {
		t.Errorf("its mode is %v", info.Mode())
	}
}

func TestARuleIsNotSavedOverAFileThatCannotBeRead(t *testing.T) {
	h := newHome(t)
	for _, broken := range []string{"[permissions\ndeny = [\"x(a)\"]", "other = 1", "\x00"} {
		h.write(h.Dirs.PermissionsFile(), broken)
		if err := AddAllowRule(t.Context(), h.Dirs, "x(b)"); err == nil || !strings.Contains(err.Error(), h.Dirs.PermissionsFile()) {
			t.Errorf("the answer is %v", err)
		}
		if text, _ := os.ReadFile(h.Dirs.PermissionsFile()); string(text) != broken {
			t.Errorf("%q became %q", broken, text)
		}
	}
}

func TestDenyRulesBesideSavedOnesStay(t *testing.T) {
	h := newHome(t)
	h.write(h.Dirs.PermissionsFile(), "[permissions]\ndeny = [\"x(a)\"]\nask = [\"x(b)\"]\n")
	if err := AddAllowRule(t.Context(), h.Dirs, "x(c)"); err != nil {
		t.Fatal(err)
	}
	c, problems := Load(h.Options)
	if p := c.Permissions; len(p.Deny) != 1 || len(p.Ask) != 1 || len(p.Allow) != 1 || len(problems) > 0 {
		t.Errorf("%+v, %v", p, problems)
	}
	h.write(h.Dirs.PermissionsFile(), "model = \"a/b\"")
	if c, problems := Load(h.Options); c.Model != "" || len(problems) != 1 {
		t.Errorf("a model there: %q, %v", c.Model, problems)
	}
}

func TestTheLastModelIsUsedWhereNoneIsConfigured(t *testing.T) {
	h := newHome(t)
	if err := SaveChoice(t.Context(), h.Dirs, "a/chosen"); err != nil {
		t.Fatal(err)
	}
	if c, _ := Load(h.Options); c.Model != "a/chosen" {
		t.Errorf("it is %q", c.Model)
	}
	h.user("model = \"a/configured\"")
	if c, _ := Load(h.Options); c.Model != "a/configured" {
		t.Errorf("it is %q", c.Model)
	}
	if err := SaveChoice(t.Context(), h.Dirs, "nonsense"); err == nil {
		t.Error("a choice that is no model was saved")
	}
	h.user("")
	h.write(filepath.Join(h.Dirs.State, choiceName), "model = [")
	if c, problems := Load(h.Options); c.Model != "" || len(problems) > 0 {
		t.Errorf("a broken choice: %q, %v", c.Model, problems)
	}
}

func TestAcceptanceIsOfTheFilesThatWereShown(t *testing.T) {
	h, work := newHome(t), t.TempDir()
	trust := OpenTrust(h.Dirs)
	if w, err := trust.Workspace(work); err != nil || w.Digest != "" {
		t.Errorf("before: %+v, %v", w, err)
	}
	if err := trust.Accept(t.Context(), work, "d1"); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(work, link); err != nil {
		link = work
	}
	if w, err := trust.Workspace(link); err != nil || w.Digest != "d1" || w.Accepted.IsZero() {
		t.Errorf("accepted: %+v, %v", w, err)
	}
	if err := trust.Forget(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	if all, err := trust.Load(); err != nil || len(all) > 0 {
		t.Errorf("forgotten: %+v, %v", all, err)
	}
}

func TestATrustedPathIsTheFileItWasAndNoOther(t *testing.T) {
	h, work, outside := newHome(t), t.TempDir(), t.TempDir()
	trust := OpenTrust(h.Dirs)
	path := filepath.Join(outside, "a")
	h.write(path, "x")
	kept, err := trust.AddPath(t.Context(), work, path)
	if err != nil || !kept.Holds() {
		t.Fatalf("%+v, %v", kept, err)
	}
	if _, err := trust.AddPath(t.Context(), work, path); err != nil {
		t.Fatal(err)
	}
	w, err := trust.Workspace(work)
	if err != nil || len(w.Paths) != 1 || w.Paths[0] != kept {
		t.Errorf("%+v, %v", w, err)
	}
	other := filepath.Join(outside, "b")
	h.write(other, "other")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if kept.Holds() {
		t.Error("another file in its place is trusted")
	}
	os.Remove(path)
	if removed, err := trust.RemovePath(t.Context(), work, path); !removed || err != nil {
		t.Errorf("taking back a path that is gone: %v, %v", removed, err)
	}
	if removed, err := trust.RemovePath(t.Context(), work, path); removed || err != nil {
		t.Errorf("taking it back twice: %v, %v", removed, err)
	}
	if _, err := trust.AddPath(t.Context(), work, path); err == nil {
		t.Error("a path that is not there was trusted")
	}
}

func TestALinkPutInPlaceOfATrustedFolderIsNotTrusted(t *testing.T) {
	h, work, outside := newHome(t), t.TempDir(), t.TempDir()
	real := filepath.Join(outside, "real")
	os.Mkdir(real, 0o700)
	kept, err := OpenTrust(h.Dirs).AddPath(t.Context(), work, real)
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(outside, "moved")
	if os.Rename(real, moved) != nil || os.Symlink(moved, real) != nil {
		t.Skip("links cannot be made here")
	}
	if kept.Holds() {
		t.Error("a link to the same folder is trusted")
	}
}

func TestABrokenTrustFileTrustsNothingAndStays(t *testing.T) {
	h, work := newHome(t), t.TempDir()
	h.write(h.Dirs.TrustFile(), "[[workspace]\npath = 3")
	if all, err := OpenTrust(h.Dirs).Load(); err == nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := OpenTrust(h.Dirs).Accept(t.Context(), work, "d"); err == nil {
		t.Error("it was written over")
	}
}

func TestTheTemplateAndTheDocumentedExampleLoadWithoutAProblem(t *testing.T) {
	taken := regexp.MustCompile(`(?m)^# ((?:\[|[a-z_]+ = ).*)$`).ReplaceAllString(Template, "$1")
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) == 0 || !strings.Contains(taken, "\nsend = ") {
		t.Fatal("there is no example")
	}
	files := map[string]string{"template as it is": Template, "template": taken}
	for i, e := range examples {
		files[fmt.Sprint("example ", i+1)] = string(e[1])
	}
	for name, text := range files {
		h := newHome(t)
		h.env["LOCAL_KEY"] = "x"
		h.user(text)
		c, problems := Load(h.Options)
		if len(problems) > 0 {
			t.Errorf("%s: %v", name, told(problems))
		}
		if name != "template as it is" && len(c.Sources) == 0 {
			t.Errorf("%s sets nothing", name)
		}
	}
}

func TestThePageHoldsTheTableOfAllKeys(t *testing.T) {
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), KeyTable()) {
		t.Errorf("docs/configuration.md lacks this table:\n%s", KeyTable())
	}
}
