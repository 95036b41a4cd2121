package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/store"
)

// peak is the most memory this process has held since it was last asked, in MiB; 0 where the system does not say.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // begin anew
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _ := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kib) / 1024
}

// longLog writes a log of 100 MB: 10,000 messages, of which 1,000 show a picture.
func longLog(b *testing.B) (*store.Store, string) {
	b.Helper()
	s := store.Open(b.TempDir())
	session, err := s.Create(context.Background(), "/work", "test")
	if err != nil {
		b.Fatal(err)
	}
	parent := ""
	records := []message.Record{session.Opening(time.Now())}
	write := func() {
		if err := session.Append(records...); err != nil {
			b.Fatal(err)
		}
		records = records[:0]
	}
	for i := range 10_000 {
		m := message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: fmt.Sprint(i, strings.Repeat(" words of a message,\n\tand \"more\"", 290))}}}
		if i%2 == 1 {
			m.Role, m.Model = message.RoleAssistant, "any"
		}
		if i%20 == 0 {
			ref, err := session.PutBlob(context.Background(), "png", strings.NewReader(fmt.Sprint("picture ", i)))
			if err != nil {
				b.Fatal(err)
			}
			second, err := session.PutBlob(context.Background(), "png", strings.NewReader(fmt.Sprint("second ", i)))
			if err != nil {
				b.Fatal(err)
			}
			m.Blocks = append(m.Blocks, message.Image{Ref: ref, MediaType: "image/png", Width: 10, Height: 10}, message.Image{Ref: second, MediaType: "image/png", Width: 10, Height: 10})
		}
		head := message.NewHead(message.KindMessage, store.NewID(), parent, time.Now())
		parent = head.ID
		if records = append(records, message.MessageRecord{Head: head, Message: m}); len(records) == 100 {
			write()
		}
	}
	write()
	if err := session.Close(); err != nil {
		b.Fatal(err)
	}
	return s, session.ID()
}

func BenchmarkResumingA100MegabyteSession(b *testing.B) {
	s, id := longLog(b)
	info, err := os.Stat(filepath.Join(s.Dir(id), "transcript.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	debug.FreeOSMemory()
	peak() // from here on
	for b.Loop() {
		session, loaded, err := s.Resume(context.Background(), id)
		if err != nil {
			b.Fatal(err)
		}
		messages := projection.NewHistory(loaded.Records).Conversation().Messages
		pictures := 0
		for _, m := range messages {
			pictures += len(m.Images())
		}
		if len(messages) != 10_000 || pictures != 1000 {
			b.Fatal(len(messages), pictures)
		}
		if err := session.Close(); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		session, loaded, messages = nil, store.Loaded{}, nil
		debug.FreeOSMemory() // the next one begins with nothing of this one
		b.StartTimer()
	}
	b.ReportMetric(peak(), "peak-MiB")
}
