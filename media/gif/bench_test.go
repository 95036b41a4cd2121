package gif

import (
	"bytes"
	"context"
	stdgif "image/gif"
	"testing"

	"espy/media/rows"
)

// nowhere takes rows and forgets them.
type nowhere struct{}

func (nowhere) Begin(rows.Header) error { return nil }
func (nowhere) Row(int, []byte) error   { return nil }

// BenchmarkDecode reads 8192x4096 pixels with this decoder and the library's.
func BenchmarkDecode(b *testing.B) {
	m := drawing(8192, 4096, 64)
	for y := range m.Rect.Dy() {
		if y%3 > 0 {
			copy(m.Pix[y*m.Stride:(y+1)*m.Stride], bytes.Repeat([]byte{byte(y % 64)}, 4096))
		}
	}
	for kind, data := range map[string][]byte{"plain": encoded(b, m), "interlaced": interlaced(b, m)} {
		b.Run(kind+"/rows", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(8192 * 4096)
			for b.Loop() {
				if _, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(kind+"/library", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(8192 * 4096)
			for b.Loop() {
				m, err := stdgif.Decode(bytes.NewReader(data))
				if err != nil || m.Bounds().Empty() {
					b.Fatal(err)
				}
			}
		})
	}
}
