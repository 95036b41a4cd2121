package guard

import (
	"os"
	"path/filepath"
	"testing"
)

// asked is what the guard would ask to open for a look at a name.
func asked(w *world, name string) Decision {
	return New(Options{Roots: w.roots}).Decide(Effect{Tool: "read", Kind: KindRead, Paths: []string{name}, Summary: "read " + name})
}

func TestAPathOutsideIsOfferedWithItsFolderAndCredentialsAreNot(t *testing.T) {
	w := newWorld(t)
	w.write("home/notes.txt", w.forbidden)
	w.write("home/docs/plan.md", w.forbidden)
	w.write("out/.env", w.forbidden)
	w.link(w.path("out/secret.txt"), "ws/link")
	w.link(w.path("out/secret.txt"), "out/other-name")
	w.link(w.path("home/.ssh/id_rsa"), "ws/key")
	w.link(w.path("home/.ssh/id_rsa"), "out/id_rsa_link")
	w.link(w.path("home"), "out/house")
	for name, want := range map[string]Opening{
		w.path("out/secret.txt"):              {Path: w.path("out/secret.txt"), Folder: w.path("out")},
		"../out/secret.txt":                   {Path: w.path("out/secret.txt"), Folder: w.path("out")},
		"link":                                {Path: w.path("out/secret.txt"), Folder: w.path("out")},
		w.path("out"):                         {Path: w.path("out"), Folder: w.path("out")},
		w.path("out/new.txt"):                 {Path: w.path("out/new.txt"), Folder: w.path("out")},
		"~/notes.txt":                         {Path: w.path("home/notes.txt"), Folder: w.path("home/notes.txt")},
		"~/docs/plan.md":                      {Path: w.path("home/docs/plan.md"), Folder: w.path("home/docs")},
		w.path("out/house") + "/docs/plan.md": {Path: w.path("home/docs/plan.md"), Folder: w.path("home/docs")},
		"/etc/passwd":                         {Path: "/etc/passwd", Folder: "/etc/passwd"},
	} {
		d := asked(w, name)
		if d.Verdict != Ask || d.Opening.Path != want.Path || d.Opening.Folder != want.Folder || len(d.Offer) > 0 {
			t.Errorf("%s: %+v, want to be asked for %+v", name, d, want)
		}
	}
	for _, name := range []string{"~", "..", "/", w.path(""), "~/.ssh/id_rsa", "~/.ssh", "key", w.path("out/id_rsa_link"), w.path("out/.env"), w.path("out/house"), w.path("out/other-name"), "/proc/self/environ", "/dev/zero",
		w.path("out/house") + "/.ssh/id_rsa", w.path("state/trust.toml"), w.path("nowhere/at/all.txt")} {
		if d := asked(w, name); d.Verdict != Deny || d.Opening.Path != "" {
			t.Errorf("%s: %+v, want it refused", name, d)
		}
	}
}

func TestWhatIsOpenedOnceIsThatPathAndClosesAgain(t *testing.T) {
	w := newWorld(t)
	w.write("out/beside.txt", w.forbidden)
	for _, name := range []string{w.path("out/secret.txt"), "../out/secret.txt"} {
		release, err := w.roots.Grant(asked(w, name).Opening)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := w.read(name); err != nil || text != w.forbidden {
			t.Errorf("%s was opened and reads %q, %v", name, text, err)
		}
		for _, other := range []string{w.path("out/beside.txt"), w.path("out"), w.path("out/dir/deep.txt")} {
			if _, _, err := w.read(other); fault(err) != FaultOutside {
				t.Errorf("with %s open, %s gives %v", name, other, err)
			}
		}
		if trusted := w.roots.Trusted(); len(trusted) > 0 {
			t.Errorf("it is trusted: %v", trusted)
		}
		release()
		release()
		if _, _, err := w.read(name); fault(err) != FaultOutside {
			t.Errorf("%s stayed open: %v", name, err)
		}
	}
}

func TestANewFileOutsideCanBeWrittenWhereItWasOpenedAndNowhereElse(t *testing.T) {
	w := newWorld(t)
	name := w.path("out/new.txt")
	release, err := w.roots.Grant(asked(w, name).Opening)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := w.roots.WriteFile(name, []byte("made")); err != nil {
		t.Error(err)
	}
	if _, err := w.roots.WriteFile(w.path("out/newer.txt"), []byte("made")); err == nil {
		t.Error("a neighbour was written")
	}
}

func TestAPathSwappedBetweenQuestionAndOpeningStaysClosed(t *testing.T) {
	w := newWorld(t)
	name := w.path("out/secret.txt")
	opening := asked(w, name).Opening
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	w.link(filepath.Join(w.home, ".ssh", "id_rsa"), "out/secret.txt")
	if _, err := w.roots.Grant(opening); err == nil {
		t.Error("what the link leads to was opened")
	}
	if _, _, err := w.read(name); err == nil {
		t.Error("the key was read")
	}
}

func TestDenyRulesAndPlanModeComeBeforeTheQuestionAboutAPathOutside(t *testing.T) {
	w := newWorld(t)
	g := New(Options{Roots: w.roots, Rules: rulesOf(t, Deny, "read("+w.path("out")+"/**)")})
	if d := g.Decide(look(w.path("out/secret.txt"))); d.Verdict != Deny || d.Rule == "" {
		t.Errorf("%+v, want the rule's refusal", d)
	}
	g = New(Options{Roots: w.roots, Mode: ModePlan})
	if d := g.Decide(edit(w.path("out/secret.txt"))); d.Verdict != Deny {
		t.Errorf("%+v, want plan mode's refusal", d)
	}
}
