package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"espy/agent/extend/mcp/mcptest"
)

func TestNonsenseCostsTheNonsenseOnly(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"chatty": "fine", "other": "fine", "batch": "fine", "asks": "fine", "shouts": "fine",
		"strange": "first\n[content of the kind \"video\" was left out: espy does not know it]\n[a content that is no object was left out]\n[image (image/png) was left out: its data is no base64]\n[a text that is none was left out]\nlast",
	} {
		t.Run(kind, func(t *testing.T) {
			s := play(t, standin(t, kind))
			if out := s.call("go", `{}`); out.Result.IsError || out.Result.Text != want {
				t.Errorf("the answer is %q", out.Result.Text)
			}
			if got := s.Status()[0]; got.State != Ready {
				t.Errorf("afterwards it is %+v", got)
			}
		})
	}
}

func TestAFaultOfACallIsTheCallsAlone(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"error": "it broke", "huge": "a message of more than", "silent": "did not answer within 2s", "floods": "messages a second that nobody asked for"} {
		t.Run(kind, func(t *testing.T) {
			c := standin(t, kind)
			if kind == "silent" {
				c.Timeout = 2 * time.Second
			}
			s := play(t, c)
			out := s.call("go", `{}`)
			if !out.Result.IsError || !strings.Contains(out.Result.Text, want) || strings.IndexFunc(out.Result.Text, controls) >= 0 {
				t.Errorf("the answer is %q", out.Result.Text)
			}
		})
	}
}

func TestAServerThatCannotBeUsedIsFailedAndSaysWhy(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"quits": "exit status 3", "mute": "was not ready within 2s", "deaf": "was not ready within 2s", "babble": "does not speak MCP", "wrong": "its tools cannot be listed",
	} {
		t.Run(kind, func(t *testing.T) {
			c := standin(t, kind)
			if kind == "mute" || kind == "deaf" {
				c.Timeout = 2 * time.Second
			}
			s := play(t, c)
			got := s.Status()[0]
			if got.State != Failed || !strings.Contains(got.Error, want) || strings.IndexFunc(got.Error, controls) >= 0 {
				t.Errorf("it is %s: %q", got.State, got.Error)
			}
			if kind == "quits" && !strings.Contains(got.Error, "no licence found") {
				t.Errorf("what it printed is not in %q", got.Error)
			}
		})
	}
	for what, c := range map[string]Config{
		"no such program": {Name: "box", Command: []string{"espy-no-such-program"}}, "no such folder": {Name: "box", Command: []string{"cat"}, Cwd: "nowhere"},
		"no such host": {Name: "box", URL: "http://127.0.0.1:1/mcp"}, "no such variable": {Name: "box", Command: []string{"cat"}, Env: map[string]string{"A": "${env:ESPY_NO_SUCH}"}},
		"a provider's key for a project": {Name: "box", Project: true, Command: []string{"cat"}, Pass: []string{"PROVIDER_KEY"}},
	} {
		s := play(t, c)
		if got := s.Status()[0]; got.State != Failed || got.Error == "" {
			t.Errorf("%s: it is %+v", what, got)
		}
	}
}

func TestADeafServerDoesNotHoldACallOrTheEnd(t *testing.T) {
	c := standin(t, "deaf")
	c.Timeout = time.Second
	s := play(t, c) // a request larger than a pipe would block in writing
	if got := s.Status()[0].State; got != Failed {
		t.Errorf("it is %s", got)
	}
}

func TestListsAreBoundedAndNamesMadeFitForServices(t *testing.T) {
	s := play(t, standin(t, "names"))
	st := s.Status()[0]
	seen := map[string]bool{}
	for _, tool := range s.tools("box") {
		name := tool.Spec.Name
		if seen[name] || len(name) > mostName || plain(name) != name || !strings.HasPrefix(name, "mcp__box__") {
			t.Errorf("the name %q", name)
		}
		seen[name] = true
		if len(tool.Spec.Description) > mostDescription+4 || strings.IndexFunc(tool.Spec.Description, controls) >= 0 {
			t.Errorf("%s is described as %q", name, tool.Spec.Description)
		}
		if !json.Valid([]byte(tool.Spec.Schema)) {
			t.Errorf("%s has the schema %s", name, tool.Spec.Schema)
		}
	}
	notes := strings.Join(st.Notes, "\n")
	for _, want := range []string{"a.b and a/b would both be called mcp__box__a_b", "a.b is listed twice", "heavy was left out: the schema"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in\n%s", want, notes)
		}
	}
	if !seen["mcp__box__a_b"] || len(seen) != 6 {
		t.Errorf("the tools are %v", seen)
	}
	for _, tool := range st.Tools {
		if oneLine(tool.Title, 1000) != tool.Title {
			t.Errorf("a title is %q", tool.Title)
		}
	}

	many := play(t, standin(t, "many"))
	if n := len(many.tools("box")); n != mostTools {
		t.Errorf("%d tools", n)
	}
	endless := play(t, standin(t, "endless"))
	if n := len(endless.tools("box")); n != 1 || endless.Status()[0].State != Ready {
		t.Errorf("%d tools of a list without an end", n)
	}
}

func TestAProgramEndsWithTheSessionAndAllItStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("process groups are POSIX")
	}
	s := play(t, standin(t, "sdk"))
	pid := strings.TrimSpace(s.call("spawn", `{}`).Result.Text)
	if !alive(pid) {
		t.Fatalf("the program %q does not run", pid)
	}
	s.Close()
	mcptest.Eventually(t, "the program it started to end", func() bool { return !alive(pid) })

	s = play(t, standin(t, "sdk"))
	pid = strings.TrimSpace(s.call("spawn", `{}`).Result.Text)
	s.call("die", `{}`)
	mcptest.Eventually(t, "what a dead server left running to end", func() bool { return !alive(pid) })
	mute := standin(t, "mute")
	mute.Timeout = time.Second
	play(t, mute).Close()
}

// alive reports whether a process runs; a zombie does not, where that can be told.
func alive(pid string) bool {
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
		return !strings.Contains(string(stat), ") Z")
	}
	number, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	process, err := os.FindProcess(number)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

func TestAProgramGetsNoVariablesButTheUsualAndTheNamed(t *testing.T) {
	t.Setenv("PROVIDER_KEY", "provider-secret")
	t.Setenv("ESPY_OTHER", "other-secret")
	t.Setenv("ESPY_GIVEN", "given-value")
	c := standin(t, "sdk")
	c.Pass = []string{"ESPY_GIVEN"}
	c.Env["RENAMED"] = "x${env:ESPY_GIVEN}y"
	c.Cwd = "."
	s := play(t, c)
	text := s.call("environment", `{}`).Result.Text
	for _, secret := range []string{"provider-secret", "other-secret", "given-value"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in %q", secret, text)
		}
	}
	for _, want := range []string{"PATH=", "ESPY_GIVEN=[secret]", "RENAMED=[secret]", "CWD=" + s.env.Workspace} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %q", want, text)
		}
	}
}

func TestAKeyIsInNothingThatComesBack(t *testing.T) {
	const key = "k3y/with+odd&letters"
	t.Setenv("ESPY_MCP_KEY", key)
	quits := standin(t, "quits")
	quits.Pass = []string{"ESPY_MCP_KEY"}
	if got := play(t, quits).Status()[0].Error; strings.Contains(got, key) || !strings.Contains(got, "[secret]") {
		t.Errorf("the fault is %q", got)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		said, _ := json.Marshal(r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		reply := func(result string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result) }
		switch q.Method {
		case "initialize":
			reply(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
		case "tools/list":
			reply(fmt.Sprintf(`{"tools":[{"name":"go","description":%s,"inputSchema":{"type":"object","description":%s}},{"name":%s,"inputSchema":{"type":"object"}}]}`, said, said, said))
		case "tools/call":
			reply(fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, said))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	s := play(t, Config{Name: "box", URL: server.URL, Headers: map[string]string{"Authorization": "Bearer ${env:ESPY_MCP_KEY}"}, Timeout: 20 * time.Second})
	out := s.call("go", `{}`)
	if out.Result.Text != "[secret]" {
		t.Errorf("the answer is %q", out.Result.Text)
	}
	tool, _ := s.tool("mcp__box__go")
	if all := fmt.Sprintf("%+v %+v", tool.Spec, s.Status()); strings.Contains(all, key) || strings.Contains(all, plain(key)) {
		t.Errorf("the key is in %s", all)
	}
}

func TestHeadersGoToTheConfiguredHostAlone(t *testing.T) {
	t.Setenv("ESPY_MCP_KEY", "k3y-of-the-server")
	reached := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.Header.Get("X-Key") }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	s := play(t, Config{Name: "box", URL: server.URL, Headers: map[string]string{"X-Key": "${env:ESPY_MCP_KEY}"}, Timeout: 20 * time.Second})
	if got := s.Status()[0]; got.State != Failed || !strings.Contains(got.Error, "redirects to") {
		t.Errorf("it is %+v", got)
	}
	if len(reached) > 0 {
		t.Errorf("the other host was reached with %q", <-reached)
	}
}

func TestFaultsOfHTTPAreTold(t *testing.T) {
	for what, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"unauthorized": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "it wants a key"},
		"nonsense": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "no json")
		}, ""},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello</html>") }, ""},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			part := []byte(strings.Repeat(" ", 1<<20))
			for range 64 {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, "more than"},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // the end of the connection is seen only then
			<-r.Context().Done()
		}, "was not ready within 2s"},
	} {
		t.Run(what, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			s := play(t, Config{Name: "box", URL: server.URL, Timeout: 2 * time.Second})
			if got := s.Status()[0]; got.State != Failed || !strings.Contains(got.Error, c.want) {
				t.Errorf("it is %s: %q", got.State, got.Error)
			}
		})
	}
}

func TestAServerWithoutAStreamOfItsOwnIsUsedAllTheSame(t *testing.T) {
	t.Parallel()
	inner := mcptest.Handler(mcptest.Server())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done() // accepted and never answered
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s := play(t, Config{Name: "box", URL: server.URL, Timeout: 30 * time.Second})
	if out := s.call("echo", `{"text":"x"}`); out.Result.Text != "x" {
		t.Errorf("it gives %q", out.Result.Text)
	}
}

func TestSlowServersHoldNoOthersUp(t *testing.T) {
	slow, quick := standin(t, "mute"), standin(t, "sdk")
	slow.Name = "slow"
	s := prepare(t, slow, quick)
	s.Start()
	s.state(Ready) // "box" comes first
	if out := s.call("echo", `{"text":"x"}`); out.Result.Text != "x" {
		t.Errorf("it gives %q", out.Result.Text)
	}
	if got := s.Status()[1].State; got != Connecting {
		t.Errorf("the slow one is %s", got)
	}
	s.Close() // while it still connects
}

func FuzzSieve(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`, `[{"id":1,"result":{}}]`, "{", `{"id":{},"method":"x"}`, `{"result":{"contents":[{"blob":"_-"}]}}`, `{"result":{"content":[{"type":"image","data":"data:image/png;base64,AA"}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		j := judge{now: time.Now}
		out, err := j.line(line)
		if err != nil || len(out) == 0 {
			return
		}
		for _, one := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			if !json.Valid([]byte(one)) {
				t.Errorf("%q became %q", line, one)
			}
		}
	})
}

func TestTextsAreValidAndBounded(t *testing.T) {
	s := newServer(t.Context(), Config{Name: "x"}, &Options{}, nil)
	for in, want := range map[string]string{"a\xffb": "a\uFFFDb", "a\r\nb": "a\nb", "\x1b[31mred\x1b[0m": "red", "a\tb": "a\tb", "\x00": ""} {
		if got := s.harmless(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := s.line(strings.Repeat("ä ", 1000)); len([]rune(got)) > mostSaid {
		t.Errorf("a line has %d characters", len([]rune(got)))
	}
	if got := s.harmless(strings.Repeat("x", mostText+10)); len(got) > mostText+100 {
		t.Errorf("%d bytes stay", len(got))
	}
}
