package chat

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

// heavy is a request with 20 pictures of 5 MiB each: 133 MiB on the wire.
func heavy(blobs *strict.Blobs) providers.Request {
	var blocks []message.Block
	for i := range 20 {
		data := make([]byte, 5<<20)
		data[0] = byte(i)
		blocks = append(blocks, say("[Image]"), blobs.Put(data, "png", 4096, 4096))
	}
	return ask(user(blocks...))
}

func discard(t testing.TB) *Adapter {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
			t.Errorf("%d bytes arrived of %d: %v", n, r.ContentLength, err)
		}
		io.WriteString(w, chunk(`{"content":"ok"}`)+finished)
	}))
	t.Cleanup(server.Close)
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	return New(providers.Route{Server: providers.Server{BaseURL: server.URL + "/v1"}}, strict.NewBlobs(t), client)
}

func TestPicturesAreNeverHeldInMemoryWhileTheyAreSent(t *testing.T) {
	a := discard(t)
	req := heavy(a.Blobs.(*strict.Blobs))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := a.Stream(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	const most = 4 << 20 // bytes, client and server together: less than one of the pictures
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("sending 100 MiB of pictures allocated %d bytes, want at most %d", used, most)
	}
}

func BenchmarkBuildingARequestOf20PicturesOf5MiB(b *testing.B) {
	a := discard(b)
	req := heavy(a.Blobs.(*strict.Blobs))
	b.ReportAllocs()
	for b.Loop() {
		body := providers.NewBody(a.Blobs)
		wire, err := translate(a.Route, req, lesson{}, body)
		if err != nil {
			b.Fatal(err)
		}
		if err := body.Encode(wire); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSendingARequestOf20PicturesOf5MiB(b *testing.B) {
	a := discard(b)
	req := heavy(a.Blobs.(*strict.Blobs))
	b.SetBytes(20 * 5 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Stream(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
