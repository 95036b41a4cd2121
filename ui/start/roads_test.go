package start

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"espy/agent"
	"espy/agent/message"
)

// Whatever road a picture comes by, the model is given the same four fields.
func TestAPictureOfEveryToolReachesTheModelAsTheSameFourFields(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 33, 22))); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture.Bytes())
	}))
	defer server.Close()
	home, folder := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	dir := filepath.Join(home, "config", "espy")
	host := strings.TrimPrefix(server.URL, "http://")
	put(t, filepath.Join(dir, "config.toml"), fmt.Sprintf("[tools]\nprivate_hosts = [%q]\n", host), pinned())
	put(t, filepath.Join(dir, "tools", "shoot.toml"), "kind = \"command\"\nname = \"shoot\"\ndescription = \"d\"\nargv = [\"printf\", '{\"text\":\"shot\",\"images\":[{\"path\":\"shot.png\"}]}']\noutput = \"envelope\"\n", pinned())
	put(t, filepath.Join(dir, "tools", "chart.toml"), "kind = \"http\"\nname = \"chart\"\ndescription = \"d\"\nurl = \""+server.URL+"/chart.png\"\noutput = \"picture\"\n", pinned())
	put(t, filepath.Join(folder, "shot.png"), picture.String(), pinned())
	s, err := Load(t.Context(), "test", Flags{Folder: folder, Model: "fake/echo", Mode: "full"})
	if err != nil || len(s.Problems) > 0 {
		t.Fatal(err, s.Problems)
	}
	screen, err := NewScreen(t.Context(), s, Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	a := screen.current().Agent
	for _, call := range []string{`read {"path":"shot.png"}`, `read_media {"path":"shot.png"}`, `load_tools {"name":"read_media","args":{"path":"shot.png"}}`, `shoot {}`, `chart {}`, `fetch {"url":"` + server.URL + `/a.png"}`} {
		a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "call " + call}}}})
		if end := await[agent.TurnEnded](t, a); end.Reason != agent.EndDone {
			t.Fatalf("%s: the turn ended as %s: %v", call, end.Reason, end.Err)
		}
		messages := a.Messages()
		said := messages[len(messages)-1].PlainText()
		if found := regexp.MustCompile(`(?m)^- image: image/png, 33x22, blobs/[0-9a-f]{64}\.png$`).FindAllString(said, -1); len(found) != 1 {
			t.Errorf("after %s the model was given\n%s", call, said)
		}
	}
}
