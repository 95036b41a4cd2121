//go:build unix

package clipboard

import (
	"context"
	"strings"
	"testing"

	"espy/media/clipboard/desktop"
)

// BenchmarkRead measures a paste, from the key to the bytes.
func BenchmarkRead(b *testing.B) {
	for name, side := range map[string]int{"small": 16, "10MB": 1860} {
		data := pngOf(b, side)
		b.Run("X11/"+name, func(b *testing.B) {
			display := desktop.X11(b)
			desktop.OfferImage(b, display, data)
			benchRead(b, session("DISPLAY="+display), len(data))
		})
		b.Run("Wayland/"+name, func(b *testing.B) {
			wayland := desktop.Wayland(b)
			desktop.OfferWayland(b, wayland, "image/png", data)
			benchRead(b, session(wayland...), len(data))
		})
	}
}

func benchRead(b *testing.B, env Env, size int) {
	env.Prove = nil
	b.SetBytes(int64(size))
	for b.Loop() {
		content, err := Read(context.Background(), env)
		if err != nil || len(content.Image) != size {
			b.Fatalf("%d bytes, %v", len(content.Image), err)
		}
	}
}

// BenchmarkParsePaths measures what every paste pays: text that begins like a path and is none.
func BenchmarkParsePaths(b *testing.B) {
	text := "/usr/bin/env is where scripts begin.\n" + strings.Repeat("and words follow it\n", 500)
	for b.Loop() {
		if found := ParsePaths(text, Disk{}); found != nil {
			b.Fatal("prose was read as paths")
		}
	}
}
