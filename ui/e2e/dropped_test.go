//go:build unix

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/ui/terminal"
)

func TestADroppedPathBecomesAPictureHoweverTheTerminalWritesIt(t *testing.T) {
	w := newWorld(t)
	dir := w.root + "/my shots"
	term := w.opened()
	forms := []struct {
		name  string
		write func(path string) string
	}{
		{"plain.png", func(p string) string { return strings.ReplaceAll(p, " ", `\ `) }},
		{"one two.png", func(p string) string { return "'" + p + "'" }},
		{"three four.png", func(p string) string { return `"` + p + `"` }},
		{"five six (1).png", func(p string) string { return strings.NewReplacer(" ", `\ `, "(", `\(`, ")", `\)`).Replace(p) + " " }},
		{"seven eight.png", func(p string) string { return (&url.URL{Scheme: "file", Path: p}).String() }},
		{"shot at 9.41.00\u202fAM.png", func(p string) string { return p }},
		{"shot at 9.42.00\u202fAM.png", func(p string) string { return strings.ReplaceAll(p, " ", `\ `) + "\n" }},
		{"it's.png", func(p string) string { return "'" + strings.ReplaceAll(p, "'", `'\''`) + "'" }},
	}
	for i, form := range forms {
		path := w.write(filepath.Join(dir, form.name), shot(t, 200+i, 100, uint64(i)))
		term.Paste(form.write(path))
		s := term.WaitFor(fmt.Sprintf(" %dx100", 200+i))
		if strings.Contains(composer(s), dir) {
			t.Errorf("%q also left text behind:\n%s", form.write(path), s.Framed())
		}
		term.Send(terminal.Enter)
		term.WaitFor(fmt.Sprintf("image/png, %dx100", 200+i))
	}
	quit(t, term)
}

func TestSeveralDroppedPicturesKeepTheirOrder(t *testing.T) {
	w := newWorld(t)
	one, two := w.write("one.png", shot(t, 210, 100, 1)), w.write("two.png", shot(t, 220, 100, 2))
	term := w.opened()
	term.Paste("'" + one + "' '" + two + "'")
	term.WaitFor("1 one.png 210x100")
	term.WaitFor("2 two.png 220x100")
	term.Send(terminal.Enter)
	s := term.WaitFor("image/png, 220x100").String()
	if strings.Index(s, "image/png, 210x100") > strings.Index(s, "image/png, 220x100") {
		t.Errorf("the second picture came first:\n%s", s)
	}
	quit(t, term)
}

func TestAPathToATextFileStaysTextByteForByte(t *testing.T) {
	w := newWorld(t)
	path := w.write("my notes.txt", []byte("words"))
	for _, text := range []string{path, "'" + path + "' ", strings.ReplaceAll(path, " ", `\ `) + "  ", path + "\nand more", "/etc/hostname:12: error", "https://example.com/shot.png"} {
		term := w.opened()
		term.Paste(text)
		term.Until("the whole text in the composer", func(s terminal.Screen) bool {
			return strings.Contains(strings.Join(strings.Fields(composer(s)), ""), strings.Join(strings.Fields(text), "")) && !s.Contains("◌")
		})
		term.Send(terminal.Enter)
		term.WaitFor(fmt.Sprintf("text: %d characters", len([]rune(text))))
		quit(t, term)
	}
}

func TestADroppedFileIsSentEvenWhenItIsDeletedRightAfter(t *testing.T) {
	w := newWorld(t)
	path := w.write("gone.png", shot(t, 230, 100, 1))
	term := w.opened()
	term.Paste(path)
	term.WaitFor("1 gone.png 230x100")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	send(term, "check blobs")
	s := term.WaitFor("image/png, 230x100")
	ref := refOf(t, s.String())
	term.WaitFor("blob " + ref)
	quit(t, term)
}

func TestAPastedPathThatIsRefusedStaysAsTextBesideASentence(t *testing.T) {
	w := newWorld(t)
	whole := shot(t, 300, 300, 1)
	term := w.opened()
	for name, data := range map[string][]byte{"cut.png": whole[:len(whole)/2], "noise.png": append(append([]byte(nil), whole[:60]...), whole[90:]...)} {
		path := w.write(name, data)
		term.Paste(path)
		s := says(term, name+" is a PNG picture")
		if !strings.Contains(composer(s), path) {
			t.Errorf("the pasted text is gone:\n%s", s.Framed())
		}
		term.Send("\x15") // ctrl+u
		term.Until("an empty composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), ready) })
	}
	quit(t, term)
}

func TestOneBadPictureOfADropTakesNothingAway(t *testing.T) {
	w := newWorld(t)
	good, bad := w.write("good.png", shot(t, 240, 100, 1)), w.write("bad.png", []byte("\x89PNG\r\n\x1a\nnot really"))
	term := w.opened()
	term.Paste(good + " " + bad)
	says(term, "bad.png begins like a PNG picture")
	term.Until("the pasted text, and no picture of it", func(s terminal.Screen) bool {
		c := composer(s)
		return strings.Contains(c, "good.png") && strings.Contains(c, "bad.png") && !strings.Contains(c, "▣")
	})
	quitWith(t, term)
}
