package guard

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
)

func benchWorld(b *testing.B) *world {
	w := newWorld(b)
	for i := range 2000 {
		w.write(fmt.Sprintf("ws/src/pkg%d/sub/file%d.go", i%40, i), "package x")
	}
	b.ResetTimer()
	return w
}

func BenchmarkOpenAFileFourFoldersDeep(b *testing.B) {
	w := benchWorld(b)
	for b.Loop() {
		f, _, err := w.roots.Open("src/pkg1/sub/file1.go")
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkWalkTwoThousandFiles(b *testing.B) {
	w := benchWorld(b)
	for b.Loop() {
		if err := w.roots.Walk(context.Background(), ".", func(Path, fs.DirEntry) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteFile(b *testing.B) {
	w := benchWorld(b)
	for b.Loop() {
		if _, err := w.roots.WriteFile("src/pkg1/sub/file1.go", []byte("package y")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecideACommand(b *testing.B) {
	w := benchWorld(b)
	g := New(Options{Roots: w.roots, Rules: []SourcedRule{{Rule: Rule{"shell", "go test *"}, Verdict: Allow, Source: SourceUser}}})
	for b.Loop() {
		if d := g.Decide(shellEffect("cd src && go test ./... 2>&1 | tail -5")); d.Verdict != Allow {
			b.Fatal(d)
		}
	}
}

func BenchmarkDecideGitStatus(b *testing.B) {
	w := benchWorld(b)
	g := New(Options{Roots: w.roots})
	for b.Loop() {
		g.Decide(shellEffect("git status"))
	}
}
