// Package adaptertest holds what the tests of the protocols' adapters share: a strict server with a route to it,
// messages in a few letters, and what must hold of every adapter. It must not know a protocol.
package adaptertest

import (
	"context"
	"reflect"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

// Bench is an adapter that talks to a strict server, and the pictures a request may hold.
type Bench[A providers.Provider] struct {
	Adapter A
	Server  *strict.Server
	Blobs   *strict.Blobs
}

// New starts a server, whose API is below path, and makes an adapter of a route to it.
func New[A providers.Provider](t testing.TB, protocol, path string, rules strict.Rules, quirks providers.Quirks, adapter func(providers.Route, providers.Blobs, *providers.Client) A) Bench[A] {
	t.Helper()
	server, blobs := strict.New(t, rules), strict.NewBlobs(t)
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	route := providers.Route{
		Server: providers.Server{Name: "local", Protocol: protocol, BaseURL: server.URL + path, Key: rules.Key},
		Model:  providers.Model{ID: "strict-1", Quirks: quirks},
	}
	return Bench[A]{Adapter: adapter(route, blobs, client), Server: server, Blobs: blobs}
}

// Stream is the adapter's.
func (b Bench[A]) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	return b.Adapter.Stream(ctx, req, emit)
}

// Run sends a request that must go well.
func (b Bench[A]) Run(t testing.TB, req providers.Request) providers.Response {
	t.Helper()
	resp, err := b.Stream(t.Context(), req, func(providers.Delta) {})
	if err != nil {
		t.Fatalf("the request was refused: %v\n%s", err, b.Server.Refusals())
	}
	return resp
}

// CutAtEveryByte cuts an answer, which is whole in bytes, at every byte: what comes of it is the same response or an
// error of a cut. It returns how many cuts gave the response.
func (b Bench[A]) CutAtEveryByte(t testing.TB, turn strict.Turn, whole string, req providers.Request) (complete int) {
	t.Helper()
	b.Server.SayTurn(turn)
	want := b.Run(t, req)
	for cut := 1; cut < len(whole); cut++ {
		b.Server.Say(strict.Answer{Turn: &turn, Cut: cut, Abort: cut%2 == 1})
		resp, err := b.Stream(t.Context(), req, nil)
		switch {
		case err == nil && reflect.DeepEqual(resp.Blocks, want.Blocks) && resp.Stop == want.Stop:
			complete++
		case err == nil:
			t.Fatalf("cut after %d bytes a different answer was taken as whole: %+v", cut, resp)
		case providers.ClassOf(err) != providers.ClassTruncated && providers.ClassOf(err) != providers.ClassNetwork:
			t.Fatalf("cut after %d bytes gave %v", cut, err)
		}
	}
	return complete
}

// Fuzz feeds the adapter whatever a server may send: the answer is an error of a class, or something the loop can
// keep. write makes a stream of a turn that the adapter understands.
func (b Bench[A]) Fuzz(f *testing.F, write func(strict.Turn) string) {
	f.Add(write(strict.Turn{Thinking: "hm", Signature: "s", Text: "hi", Calls: []strict.Call{{ID: "a", Name: "read", Args: "{}"}}}))
	f.Add("data: {\"error\":null}\n\n")
	f.Add("{\"choices\":[{\"message\":{\"content\":[]}}]}")
	f.Fuzz(func(t *testing.T, stream string) {
		b.Server.Say(strict.Answer{Body: stream})
		resp, err := b.Stream(t.Context(), providers.Request{Messages: []providers.Message{User(Say("hi"))}}, func(providers.Delta) {})
		if err != nil {
			if providers.ClassOf(err) == "" {
				t.Fatalf("%q gave an error without a class: %v", stream, err)
			}
			return
		}
		keepable(t, stream, resp)
	})
}

// User is a message of the person.
func User(blocks ...message.Block) providers.Message {
	return providers.Message{Role: message.RoleUser, Blocks: blocks}
}

// Assistant is a message of the model.
func Assistant(blocks ...message.Block) providers.Message {
	return providers.Message{Role: message.RoleAssistant, Blocks: blocks}
}

// Results are the results of calls.
func Results(r ...providers.Result) providers.Message {
	return providers.Message{Role: message.RoleTool, Results: r}
}

// Say is a text block.
func Say(text string) message.Text { return message.Text{Text: text} }

func keepable(t *testing.T, stream string, resp providers.Response) {
	t.Helper()
	ids := map[string]bool{}
	for _, block := range resp.Blocks {
		switch c := block.(type) {
		case message.ToolCall:
			if c.ID == "" || c.Name == "" || ids[c.ID] {
				t.Fatalf("%q gave a call without a name or an id of its own: %+v", stream, c)
			}
			ids[c.ID] = true
		case message.Text:
			if c.Text == "" {
				t.Fatalf("%q gave an empty text", stream)
			}
		}
	}
}
