package config

import (
	"strings"
	"testing"
)

// BenchmarkLoadingTheWorstFiles reads files of the largest size that is read, each full of one fault.
func BenchmarkLoadingTheWorstFiles(b *testing.B) {
	for name, line := range map[string]string{
		"not TOML": "x\n", "open lists": "a = [\n", "unknown keys": "key%d.b = 1\n", "headers": "[[models]]\n",
		"nested": strings.Repeat("[", 3000) + "\n", "one key again": "mode = \"ask\"\n", "inline": "a = {b={c={d=1}}}\n",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(line, maxFileBytes/len(line)))
			h := newHome(b)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				l := &loader{options: h.Options, valid: h.Validators, config: Default()}
				l.file(source{userLayer, "f", text, nil})
			}
		})
	}
}
