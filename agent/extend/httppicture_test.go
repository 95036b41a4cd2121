package extend

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/agent/tools/toolstest"
)

func TestAnHTTPToolShowsPicturesOnlyWhereItsFileSaysSo(t *testing.T) {
	t.Setenv("ESPY_TEST_KEY", "s3cr3t")
	picture := testPNG(40, 30)
	envelope := fmt.Sprintf(`{"text":"a chart s3cr3t","images":[{"base64":%q,"name":"s3cr3t.png"},{"path":"shot.png"}]}`, base64.StdEncoding.EncodeToString(picture))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/chart.png":
			_, _ = w.Write(picture)
		case "/broken":
			_, _ = w.Write(picture[:40])
		case "/gone":
			http.Error(w, "no such chart", http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(envelope))
		}
	}))
	defer server.Close()
	world := toolstest.New(t)
	world.Write("shot.png", string(testPNG(8, 8)))
	call := func(path, output string) message.ToolResult {
		t.Helper()
		tool := parseOne(t, fmt.Sprintf("kind = \"http\"\nname = \"chart\"\ndescription = \"d\"\nurl = \"%s%s\"\nheaders = { X-Key = \"${env:ESPY_TEST_KEY}\" }\n%s\n", server.URL, path, output))
		out := run(t, world.Env, tool, `{}`)
		for _, p := range out.Pictures {
			if strings.Contains(p.Name, "s3cr3t") {
				t.Errorf("%s: the key is in the name %q", path, p.Name)
			}
		}
		if out.Result.Meta[message.MetaTaint] == "" {
			t.Errorf("%s: what came is not marked as untrusted", path)
		}
		return out.Result
	}
	four := func(r message.ToolResult) bool {
		return len(r.Images) == 1 && strings.HasPrefix(r.Images[0].Ref, "blobs/") && r.Images[0].MediaType == "image/png" && r.Images[0].Width == 40 && r.Images[0].Height == 30
	}
	if got := call("/chart.png", `output = "picture"`); !four(got) || got.IsError {
		t.Errorf("a picture came as %+v", got)
	}
	got := call("/envelope", `output = "envelope"`)
	if !four(got) || !strings.HasPrefix(got.Text, "a chart [secret]") || !strings.Contains(got.Text, "picture 2 was not taken: a server's answer") {
		t.Errorf("an envelope came as %+v", got)
	}
	if got := call("/chart.png", ""); len(got.Images) > 0 {
		t.Error("an answer that is declared as text became a picture")
	}
	if got := call("/broken", `output = "picture"`); len(got.Images) > 0 || !got.IsError || !strings.Contains(got.Text, "was not taken") {
		t.Errorf("a broken picture came as %+v", got)
	}
	if got := call("/gone", `output = "picture"`); !got.IsError || !strings.Contains(got.Text, "no such chart") {
		t.Errorf("an error came as %+v", got)
	}
	for _, bad := range []string{`output = "image"`, "output = \"picture\"\nfields = [\"a\"]"} {
		if s := Parse([]File{{Path: "tools/x.toml", Data: []byte("kind = \"http\"\nname = \"x\"\ndescription = \"d\"\nurl = \"https://example.org\"\n" + bad)}}); len(s.Problems) != 1 {
			t.Errorf("%s passed", bad)
		}
	}
}
