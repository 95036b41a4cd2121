package fake

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

type noBlobs struct{ t *testing.T }

func (n noBlobs) OpenBlob(ref string) (io.ReadSeekCloser, error) {
	n.t.Errorf("%s was opened", ref)
	return nil, os.ErrNotExist
}

func user(blocks ...message.Block) providers.Message {
	return providers.Message{Role: message.RoleUser, Blocks: blocks}
}

func textOf(r providers.Response) string {
	for _, b := range r.Blocks {
		if t, ok := b.(message.Text); ok {
			return t.Text
		}
	}
	return ""
}

func TestEchoSaysWhatItReceivedWordForWord(t *testing.T) {
	img := message.Image{Ref: "blobs/aa.png", MediaType: "image/png", Width: 30, Height: 20}
	old := message.Image{Ref: "blobs/bb.png", MediaType: "image/jpeg", Width: 3, Height: 2}
	req := providers.Request{System: []string{"s"}, Messages: []providers.Message{
		user(old), {Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: "fine"}}},
		user(message.Text{Text: "[Image 1: shot.png]", Origin: message.OriginEspy}, img, message.Text{Text: "wäs?"}),
	}}
	var shown strings.Builder
	resp, err := New(providers.Route{}, noBlobs{t}, nil).Stream(t.Context(), req, func(d providers.Delta) { shown.WriteString(d.Text) })
	want := "I received:\n- words: [Image 1: shot.png]\n- image: image/png, 30x20, blobs/aa.png\n- text: 4 characters\n" +
		"- earlier image: image/jpeg, 3x2, blobs/bb.png\n- request: 3 messages, 1 system text, 0 tools"
	if err != nil || textOf(resp) != want || shown.String() != want || resp.Stop != message.StopEnd {
		t.Errorf("it said %q (%v), streamed %q\nwant %q", textOf(resp), err, shown.String(), want)
	}
}

func TestTypedLinesCallToolsAndFilesCannot(t *testing.T) {
	req := providers.Request{Messages: []providers.Message{user(
		message.Text{Text: "please\ncall read {\"path\": \"a b\"}\n  call list\ncall broken {"},
		message.Text{Text: "call shell {}", Origin: message.OriginFile},
	)}}
	resp, err := New(providers.Route{}, noBlobs{t}, nil).Stream(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	var calls []message.ToolCall
	for _, b := range resp.Blocks {
		if c, ok := b.(message.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	want := []message.ToolCall{{ID: "call_1", Name: "read", Args: `{"path": "a b"}`}, {ID: "call_2", Name: "list", Args: "{}"}, {ID: "call_3", Name: "broken", Args: "{"}}
	if len(calls) != 3 || calls[0] != want[0] || calls[1] != want[1] || calls[2] != want[2] || resp.Stop != message.StopTools {
		t.Errorf("it asked for %+v, want %+v", calls, want)
	}
}

func TestResultsAreReportedAndEndTheTurn(t *testing.T) {
	req := providers.Request{Messages: []providers.Message{
		user(message.Text{Text: "call read {}"}),
		{Role: message.RoleAssistant, Blocks: []message.Block{message.ToolCall{ID: "call_1", Name: "read"}, message.ToolCall{ID: "call_2", Name: "shell"}}},
		{Role: message.RoleTool, Results: []providers.Result{
			{CallID: "call_1", Name: "read", Text: "four", Pictures: []providers.Picture{{Intro: "[from call_1]", Image: message.Image{Ref: "blobs/aa.png", MediaType: "image/png", Width: 1, Height: 2}}}},
			{CallID: "call_2", Name: "shell", Text: "x", IsError: true}}},
	}}
	resp, err := New(providers.Route{}, noBlobs{t}, nil).Stream(t.Context(), req, nil)
	want := "I received:\n- result of read (call_1): 4 characters\n- words: [from call_1]\n- image: image/png, 1x2, blobs/aa.png\n- error of shell (call_2): 1 character\n"
	if err != nil || !strings.HasPrefix(textOf(resp), want) || resp.Stop != message.StopEnd || len(resp.Blocks) != 1 {
		t.Errorf("it said %q (%v), want it to start %q", textOf(resp), err, want)
	}
}

func TestCheckBlobsProvesThatBytesExist(t *testing.T) {
	blobs := strict.NewBlobs(t)
	img, gone := blobs.Picture("jpeg", 10, 10), blobs.Picture("png", 10, 10)
	blobs.Remove(gone)
	text := blobs.Put([]byte("hello"), "png", 1, 1)
	resp, err := New(providers.Route{}, blobs, nil).Stream(t.Context(), providers.Request{Messages: []providers.Message{user(message.Text{Text: "check blobs"}, img, gone, text)}}, nil)
	said := textOf(resp)
	if err != nil || !strings.Contains(said, "bytes, image/jpeg") || !strings.Contains(said, gone.Ref+": cannot be opened") || !strings.Contains(said, "5 bytes, no picture") {
		t.Errorf("it said %q (%v)", said, err)
	}
}

func TestAScriptPlaysExactStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.toml")
	script := `
[[answer]]
when = "first"
steps = [ { thinking = "hm" }, { text = "abcdef", piece = 2, delay_ms = 1 }, { call = "read", args = "{}" }, { call = "read", args = "{" }, { usage = { input = 9, output = 2, cache_read = 5 } } ]
[[answer]]
steps = [ { text = "half" }, { cut = true } ]
[[answer]]
steps = [ { error = "picture", status = 400, picture = 1 } ]
[[answer]]
repeat = -1
steps = [ { text = "for ever" }, { stop = "length" } ]
`
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	m := New(providers.Route{Server: providers.Server{Script: path}}, nil, nil)
	ask := func(text string) (providers.Response, []string, error) {
		var pieces []string
		resp, err := m.Stream(t.Context(), providers.Request{Messages: []providers.Message{user(message.Text{Text: text})}}, func(d providers.Delta) {
			if d.Text != "" {
				pieces = append(pieces, d.Text)
			}
		})
		return resp, pieces, err
	}
	_, _, err := ask("other") // the first answer does not fit
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.ClassTruncated || !e.Partial {
		t.Errorf("the cut gave %#v", err)
	}
	resp, pieces, err := ask("first")
	if err != nil || len(resp.Blocks) != 4 || resp.Stop != message.StopTools || len(pieces) != 3 || *resp.Usage != (message.Usage{Input: 9, Output: 2, CacheRead: 5}) {
		t.Errorf("the first answer gave %+v, pieces %q, %v", resp, pieces, err)
	}
	if _, _, err = ask("first"); !errors.As(err, &e) || e.Class != providers.ClassPicture || e.Picture != 1 {
		t.Errorf("the error gave %#v", err)
	}
	for range 3 {
		if resp, _, err := ask("first"); err != nil || resp.Stop != message.StopLength {
			t.Errorf("the endless answer gave %+v, %v", resp, err)
		}
	}
}

func TestAnInterruptEndsAScriptedDelay(t *testing.T) {
	script, err := Parse([]byte("[[answer]]\nsteps = [ { text = \"a\" }, { delay_ms = 3600000 } ]"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Play(script, nil).Stream(ctx, providers.Request{}, func(providers.Delta) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestAScriptThatMeansNothingIsRefusedInWords(t *testing.T) {
	for _, bad := range []string{"[[answer]]\nstep = []", "[[answer]]\nsteps = [ { error = \"odd\" } ]", "[[answer]]\nsteps = [ { stop = \"odd\" } ]", "nonsense"} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
	_, err := New(providers.Route{Server: providers.Server{Script: "/no/such/script"}}, nil, nil).Stream(t.Context(), providers.Request{}, nil)
	if providers.ClassOf(err) != providers.ClassBadRequest || !strings.Contains(err.Error(), "/no/such/script") {
		t.Errorf("a missing script gave %v", err)
	}
}
