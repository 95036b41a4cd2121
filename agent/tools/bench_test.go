package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

func BenchmarkReadPage(b *testing.B) {
	text := strings.Repeat("a line of ordinary length, as source code has them\n", 50_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := readPage(context.Background(), strings.NewReader(text), 1, maxShownLines, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrepLines(b *testing.B) {
	data := bytes.Repeat([]byte("a line of ordinary length, as source code has them\n"), 50_000)
	s := search{re: regexp.MustCompile(`needle\(`)}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		s.lines(context.Background(), "f", data)
	}
}

// discard is a blob store that keeps nothing.
type discard struct{ Blobs }

func (discard) PutBlob(ctx context.Context, ext string, r io.Reader) (string, error) {
	_, err := io.Copy(io.Discard, r)
	return "blobs/0123456789ab.txt", err
}

func BenchmarkCapture(b *testing.B) {
	data := bytes.Repeat([]byte("\x1b[32mok\x1b[0m  \tespy/agent/tools\t0.123s\n"), 1000)
	b.SetBytes(int64(len(data)))
	c := newCapture(context.Background(), discard{}, nil)
	for b.Loop() {
		if _, err := c.Write(data); err != nil {
			b.Fatal(err)
		}
	}
	if _, _, err := c.finish(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkDiff(b *testing.B) {
	var before, after strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&before, "line %d\n", i)
		fmt.Fprintf(&after, "line %d\n", i*(i%10+1)/(i%10+1)+i%2)
	}
	for b.Loop() {
		unifiedDiff("a", "b", before.String(), after.String())
	}
}
