package headless

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/store"
	"espy/ui/screen"
)

// listed is how many sessions `espy sessions list` shows unless --all is given.
const listed = 50

// ListSessions prints the newest sessions, of one folder or of all ("").
func ListSessions(ctx context.Context, s *store.Store, folder string, all bool, out Output) error {
	most := listed
	if all {
		most = 0
	}
	summaries, err := s.List(ctx, folder, most)
	if err != nil {
		return err
	}
	if len(summaries) == 0 {
		fmt.Fprintln(out.Err, "espy: there are no sessions yet")
		return nil
	}
	w := tabwriter.NewWriter(out.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUPDATED\tMESSAGES\tPICTURES\tSIZE\tFOLDER\tTITLE")
	for _, m := range summaries {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", m.ID, m.Updated.Local().Format("2006-01-02 15:04"), m.Messages, m.Pictures,
			Bytes(m.Bytes), oneLine(m.Folder), oneLine(m.Title))
	}
	return w.Flush()
}

// Bytes writes a size for people, in powers of 1024.
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// ShowSession prints a session's conversation as text. Pictures stand as their sentence.
func ShowSession(ctx context.Context, s *store.Store, id string, out Output) error {
	loaded, err := s.Read(ctx, id)
	if err != nil {
		return err
	}
	if loaded.Damaged > 0 {
		fmt.Fprintf(out.Err, "espy: skipped what is damaged in this session's log: %d of its lines\n", loaded.Damaged)
	}
	WriteTranscript(out.Out, projection.NewHistory(loaded.Records).Conversation().Messages)
	return nil
}

// WriteTranscript prints messages for reading: who, when, and the words.
func WriteTranscript(w io.Writer, messages []message.Message) {
	for _, m := range messages {
		fmt.Fprintf(w, "── %s %s\n", m.Role, m.Time.Local().Format(time.DateTime))
		for _, c := range m.Calls() {
			fmt.Fprintf(w, "[call %s %s %s]\n", oneLine(c.ID), oneLine(c.Name), oneLine(c.Args))
		}
		if text := strings.TrimRight(m.PlainText(), "\n"); text != "" {
			fmt.Fprintln(w, terminalText(text))
		}
		fmt.Fprintln(w)
	}
}

// terminalText is outside text that may be printed: no byte of it can steer a terminal.
func terminalText(s string) string { return screen.Safe(s) }

// RemoveSessions deletes sessions and says which.
func RemoveSessions(ctx context.Context, s *store.Store, ids []string, out Output) error {
	for _, id := range ids {
		if err := s.Remove(ctx, id); err != nil {
			return err
		}
		fmt.Fprintln(out.Out, "removed "+oneLine(id))
	}
	return nil
}
