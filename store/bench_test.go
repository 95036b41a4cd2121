package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/message"
)

func decodeAny(text []byte, into any) error { return json.Unmarshal(text, into) }

// manySessions makes closed sessions without the cost of syncing each.
func manySessions(b testing.TB, s *Store, count int) {
	b.Helper()
	for i := range count {
		id := NewID()
		dir := s.Dir(id)
		if err := os.MkdirAll(dir, dirMode); err != nil {
			b.Fatal(err)
		}
		log, err := encode([]message.Record{
			message.SessionRecord{Head: message.NewHead(message.KindSession, NewID(), "", start()), Folder: "/work"},
			prompt(fmt.Sprint("question ", i)), prompt(strings.Repeat("word ", 400)),
		})
		if err != nil {
			b.Fatal(err)
		}
		overwrite(b, filepath.Join(dir, logName), log)
	}
}

func BenchmarkListing10000SessionsFromMeta(b *testing.B) {
	s := Open(b.TempDir())
	manySessions(b, s, 10000)
	list(b, s, "", 0)
	for b.Loop() {
		if got := list(b, s, "/work", 50); len(got) != 50 {
			b.Fatal(len(got))
		}
	}
}

func BenchmarkListing10000SessionsFromTheirLogs(b *testing.B) {
	s := Open(b.TempDir())
	manySessions(b, s, 10000)
	for b.Loop() {
		b.StopTimer()
		metas, _ := filepath.Glob(filepath.Join(s.dir, "*", metaName))
		for _, m := range metas {
			os.Remove(m)
		}
		b.StartTimer()
		list(b, s, "/work", 50)
	}
}

func BenchmarkResuming10000Messages(b *testing.B) {
	s := Open(b.TempDir())
	session := begin(b, s, "/work")
	var records []message.Record
	for i := range 10_000 {
		text := message.Text{Text: fmt.Sprint(i, strings.Repeat(" word and word", 60))}
		records = append(records, talk(message.RoleUser, i, text, imageOf("blobs/"+hashOf(fmt.Sprint(i))+".png")))
	}
	if err := session.Append(records...); err != nil {
		b.Fatal(err)
	}
	closing(b, session)
	info, _ := os.Stat(filepath.Join(session.Dir(), logName))
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		again, loaded, err := s.Resume(context.Background(), session.ID())
		if err != nil || len(loaded.Records) != 10_001 {
			b.Fatal(len(loaded.Records), err)
		}
		closing(b, again)
	}
}

func BenchmarkAppending(b *testing.B) {
	session := begin(b, Open(b.TempDir()), "/work")
	defer closing(b, session)
	record := prompt(strings.Repeat("word ", 200))
	for b.Loop() {
		if err := session.Append(record); err != nil {
			b.Fatal(err)
		}
	}
}
