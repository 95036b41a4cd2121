//go:build unix

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"espy/providers/strict"
	"espy/ui/terminal"
)

// key is a secret that must be seen by the server only.
const key = "sk-test-4f9a1c77d0e2"

// serve sets the world up on a server.
func (w *world) serve(url string) *world {
	w.configure(fmt.Sprintf(`model = "local/strict-1"

[providers.local]
protocol = "chat"
base_url = "%s/v1"
api_key = "${env:LOCAL_SECRET}"

[[models]]
id = "local/strict-1"
image_input = "supported"
context_window = 100000
`, url))
	return w.with("LOCAL_SECRET=" + key)
}

func TestAPastedPictureReachesAChatServerAsTheSamePNG(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key, Model: "strict-1"})
	w := newWorld(t).serve(server.URL)
	server.SayTurn(strict.Turn{Text: "a screenshot of text"})
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "read", Args: `{"path":"notes.txt"}`}}})
	server.SayTurn(strict.Turn{Text: "I read it"})
	w.write("notes.txt", []byte("some notes"))
	term := w.opened()
	term.Paste(w.write("shot.png", shot(t, 640, 400, 1)))
	term.WaitFor("1 shot.png 640x400")
	send(term, "what is this")
	term.WaitFor("a screenshot of text")
	picture := pictureOf(t, server.Last())
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil || decoded.Bounds().Dx() != 640 || decoded.Bounds().Dy() != 400 {
		t.Errorf("what arrived is no PNG of 640x400: %v", err)
	}
	send(term, "and the notes")
	term.WaitFor("I read it")
	if !bytes.Contains(server.Last().Raw, []byte("some notes")) || !bytes.Equal(pictureOf(t, server.Last()), picture) {
		t.Error("the next request lost the picture or the result")
	}
	quit(t, term)
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
	keyIsNowhere(t, w, term)
}

// pictureOf is the first picture of a Chat Completions request.
func pictureOf(t *testing.T, r strict.Request) []byte {
	t.Helper()
	_, rest, ok := bytes.Cut(r.Raw, []byte("data:image/png;base64,"))
	if !ok {
		t.Fatal("the request holds no PNG picture")
	}
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	data, err := base64.StdEncoding.Strict().DecodeString(string(text))
	if err != nil {
		t.Fatalf("the picture is no base64: %v", err)
	}
	return data
}

// keyIsNowhere proves that the key was not written: not to the terminal, where errors go too, and not to disk.
func keyIsNowhere(t *testing.T, w *world, term *terminal.Terminal) {
	t.Helper()
	if bytes.Contains(term.Output(), []byte(key)) {
		t.Error("the key was written to the terminal")
	}
	for name, text := range everything(t, w.root) {
		if strings.Contains(text, key) {
			t.Errorf("the key was written to %s", name)
		}
	}
}

func TestEveryFailureOfAServerIsASentenceAndTheTextCanBeSentAgain(t *testing.T) {
	once := http.Header{"X-Should-Retry": {"false"}}
	broken := func(status int, body string, header http.Header) strict.Answer {
		return strict.Answer{Status: status, Body: body, Header: header}
	}
	for name, c := range map[string]struct {
		answer   strict.Answer
		sentence string
	}{
		"a refused key": {broken(401, `{"error":{"message":"Incorrect API key provided: `+key+`","type":"authentication_error"}}`, nil), "(HTTP 401)"},
		"a missing model": {broken(404, `{"error":{"message":"The model strict-1 does not exist","code":"model_not_found"}}`, nil),
			"The model strict-1 does not exist"},
		"a broken server":   {broken(500, `{"error":{"message":"internal trouble"}}`, once), "internal trouble (HTTP 500)"},
		"an empty account":  {broken(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, nil), "You exceeded your current quota"},
		"a page of a proxy": {broken(200, "<html><body>Please log in</body></html>", http.Header{"Content-Type": {"text/html"}}), "✗"},
	} {
		t.Run(name, func(t *testing.T) {
			server := strict.New(t, strict.Rules{Key: key})
			w := newWorld(t).serve(server.URL)
			server.Say(c.answer)
			term := w.opened()
			send(term, "hello there")
			says(term, c.sentence)
			sentAgain(t, term)
			quit(t, term)
			keyIsNowhere(t, w, term)
			if refused := server.Refusals(); len(refused) > 0 {
				t.Errorf("the service refused what was sent again: %v", refused)
			}
		})
	}
}

// sentAgain fetches the last message back and sends it.
func sentAgain(t *testing.T, term *terminal.Terminal) {
	t.Helper()
	term.WaitFor(ready)
	term.Send(terminal.Up)
	term.Until("the message back in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), "› hello there") })
	term.Send(terminal.Enter)
	term.Until("an answer", func(s terminal.Screen) bool {
		return strings.Count(s.String(), "▌ hello there") == 2 && contains(s, "ok")
	})
	term.WaitFor(ready)
}

// contains says whether a row is exactly the text.
func contains(s terminal.Screen, text string) bool {
	for _, line := range s.Lines {
		if strings.TrimSpace(line) == text {
			return true
		}
	}
	return false
}

func TestAFullRateIsWaitedForWithACountdown(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.Say(strict.Answer{Status: 429, Header: http.Header{"Retry-After": {"5"}}, Body: `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`})
	term := w.opened()
	send(term, "hello there")
	says(term, "(attempt 2 of 5)")
	term.WaitFor("tries again in ")
	term.Until("the answer", func(s terminal.Screen) bool { return contains(s, "ok") })
	if n := len(server.Requests()); n != 2 {
		t.Errorf("%d requests arrived, want 2", n)
	}
	quit(t, term)
}

func TestAWaitForAServerCanBeInterrupted(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.Say(strict.Answer{Status: 503, Header: http.Header{"Retry-After": {"50"}}, Body: `{"error":{"message":"come back later"}}`})
	term := w.opened()
	send(term, "hello there")
	says(term, "come back later (HTTP 503); trying again in ")
	term.Send(terminal.Esc)
	term.WaitFor("interrupted")
	sentAgain(t, term)
	quit(t, term)
}

func TestACutStreamIsAskedForAgainAndNeverSpliced(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	turn := strict.Turn{Text: "The first attempt says one thing and is cut."}
	server.Say(strict.Answer{Turn: &turn, Cut: len(turn.Chat()) / 2, Abort: true})
	server.SayTurn(strict.Turn{Text: "The second is whole."})
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("The second is whole.")
	term.WaitFor(ready)
	if s := term.Screen(); s.Contains("The first attempt says") {
		t.Errorf("what was cut still stands:\n%s", s.Framed())
	}
	says(term, "tried again")
	quit(t, term)
	if strings.Contains(w.transcript(), "The first attempt says") {
		t.Error("the log holds the cut answer")
	}
}

// refusing is an address of this machine that refuses every connection: it is taken, and nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	unix.CloseOnExec(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", bound.(*unix.SockaddrInet4).Port)
}

func TestAServerThatIsDownIsNamedAndTheTextIsKept(t *testing.T) {
	address := refusing(t)
	w := newWorld(t).serve("http://" + address)
	term := w.opened()
	send(term, "hello there")
	says(term, address)
	s := says(term, "gave up after")
	if !s.Contains("✗") {
		t.Errorf("the failure is not marked:\n%s", s.Framed())
	}
	term.WaitFor(ready)
	term.Send(terminal.Up)
	term.Until("the message back in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), "› hello there") })
	quitWith(t, term)
	keyIsNowhere(t, w, term)
}

func TestAHeadlessFailureIsOneLineWithoutTheKey(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: "another"})
	w := newWorld(t).serve(server.URL)
	r := w.run("run", "hello")
	if r.code != 1 || strings.Count(strings.TrimSpace(r.stderr), "\n") > 0 || !strings.Contains(r.stderr, "401") {
		t.Errorf("it ended with %d and said %q", r.code, r.stderr)
	}
	if strings.Contains(r.stderr+r.stdout, key) {
		t.Error("the key was printed")
	}
	for name, text := range everything(t, w.root) {
		if strings.Contains(text, key) {
			t.Errorf("the key was written to %s", name)
		}
	}
	if _, err := os.Stat(w.session()); err != nil {
		t.Error(err)
	}
}
