package agent

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

// heavyPictures and heavyBytes are the largest request that is planned for.
const (
	heavyPictures = 20
	heavyBytes    = 5 << 20
)

// gauge samples the live heap until it is stopped and returns its highest point.
func gauge() (stop func() uint64) {
	done, ended := make(chan struct{}), sync.WaitGroup{}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var peak uint64
	ended.Add(1)
	go func() {
		defer ended.Done()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 { close(done); ended.Wait(); return peak }
}

// BenchmarkARequestOf20PicturesOf5MiB decides, selects, builds, translates and sends a request on each protocol.
// heap-peak is the highest live heap, of the client and the receiving server together.
func BenchmarkARequestOf20PicturesOf5MiB(b *testing.B) {
	for _, tongue := range tongues() {
		answer := map[string]func(strict.Turn) string{"chat": strict.Turn.Chat, "anthropic": strict.Turn.Messages, "responses": strict.Turn.Responses}[tongue.name]
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
				b.Errorf("%d bytes arrived of %d: %v", n, r.ContentLength, err)
			}
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, answer(strict.Turn{Text: "ok"}))
		}))
		route := sees(providers.Supported)
		route.Server.Protocol, route.Server.BaseURL = tongue.name, server.URL
		h := newHouseFor(b, guard.ModeAsk)
		client := providers.NewClient(providers.Timeouts{})
		provider := tongue.connect(route, h.session, client)
		blocks := make([]message.Block, heavyPictures)
		for i := range blocks {
			data := bytes.Repeat([]byte{byte(i), 1, 2, 3}, heavyBytes/4)
			ref, err := h.session.PutBlob(b.Context(), "png", bytes.NewReader(data))
			if err != nil {
				b.Fatal(err)
			}
			blocks[i] = message.Image{Ref: ref, MediaType: "image/png", Width: 2000, Height: 2000}
		}
		if _, err := h.agent.writeMessage(message.Message{Role: message.RoleUser, Blocks: blocks}); err != nil {
			b.Fatal(err)
		}
		b.Run(tongue.name+"/build", func(b *testing.B) {
			b.ReportAllocs()
			stop := gauge()
			for b.Loop() {
				if _, err := h.agent.project(context.Background(), route); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(stop()), "heap-peak-B")
		})
		b.Run(tongue.name+"/send", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(heavyPictures * heavyBytes)
			stop := gauge()
			for b.Loop() {
				request, err := h.agent.project(context.Background(), route)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := provider.Stream(context.Background(), request, func(providers.Delta) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(stop()), "heap-peak-B")
		})
		client.CloseIdle()
		server.Close()
	}
}
