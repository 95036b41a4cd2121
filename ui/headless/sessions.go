package headless

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/store"
	"espy/ui/screen"
)

// listed is how many sessions `espy sessions list` shows unless --all is given.
const listed = 50

// ListOptions say which sessions are listed.
type ListOptions struct {
	Folder string // "" is all folders
	Search string // words of the title, the folder or the id; "" is all
	All    bool   // no limit to how many
}

// ListSessions prints the newest sessions.
func ListSessions(ctx context.Context, s *store.Store, opt ListOptions, out Output) error {
	summaries, err := s.List(ctx, opt.Folder, 0)
	if err != nil {
		return err
	}
	if len(summaries) == 0 {
		fmt.Fprintln(out.Err, "espy: there are no sessions yet")
		return nil
	}
	summaries = slices.DeleteFunc(summaries, func(m store.Summary) bool { return !fits(m, opt.Search) })
	if len(summaries) == 0 {
		fmt.Fprintf(out.Err, "espy: no session's title, folder or id holds %s\n", oneLine(opt.Search))
		return nil
	}
	if !opt.All && len(summaries) > listed {
		summaries = summaries[:listed]
	}
	w := tabwriter.NewWriter(out.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUPDATED\tMESSAGES\tPICTURES\tSIZE\tFOLDER\tTITLE")
	for _, m := range summaries {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", m.ID, m.Updated.Local().Format("2006-01-02 15:04"), m.Messages, m.Pictures,
			Bytes(m.Bytes), oneLine(m.Folder), oneLine(m.Title))
	}
	return w.Flush()
}

// fits reports whether a session is about every word that is searched for.
func fits(m store.Summary, search string) bool {
	about := strings.ToLower(m.Title + "\n" + m.Folder + "\n" + m.ID)
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(about, word) {
			return false
		}
	}
	return true
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
	writeTasks(out.Out, id, loaded.Records)
	return nil
}

// writeTasks says how to see the conversations that calls held. Those of a fork are named by the fork.
func writeTasks(w io.Writer, id string, records []message.Record) {
	first := "── tasks\n"
	for _, r := range records {
		if r, ok := r.(message.TaskRecord); ok {
			fmt.Fprintf(w, "%sespy sessions show %s/%s  %s\n", first, oneLine(id), oneLine(r.Task), oneLine(r.Title))
			first = ""
		}
	}
}

// WriteTranscript prints messages for reading: who, when, and the words.
func WriteTranscript(w io.Writer, messages []message.Message) {
	for _, m := range messages {
		fmt.Fprintf(w, "── %s %s\n", m.Role, m.Time.Local().Format(time.DateTime))
		for _, c := range m.Calls() {
			c = tools.Meant(c)
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

// ForkSession makes a copy of a session that goes on by itself, up to a message or whole, and prints its id.
func ForkSession(ctx context.Context, s *store.Store, id, upTo string, out Output) error {
	fork, err := s.Fork(ctx, id, upTo)
	if err != nil {
		return err
	}
	fmt.Fprintln(out.Out, fork)
	fmt.Fprintf(out.Err, "espy: go on there with: espy --resume %s\n", fork)
	return nil
}

// PruneSessions removes old sessions, or, in a dry run, says which would go and what that frees.
func PruneSessions(ctx context.Context, s *store.Store, opt store.PruneOptions, out Output) error {
	pruned, err := s.Prune(ctx, opt)
	verb, freed, count := map[bool]string{true: "would remove", false: "removed"}[opt.DryRun], int64(0), 0
	for _, p := range pruned {
		freed += p.Freed
		switch {
		case p.Kept != "":
			fmt.Fprintf(out.Out, "keeping %s: %s\n", p.ID, p.Kept)
		case p.Unnamed > 0:
			fmt.Fprintf(out.Out, "%s %d stored files of %s that nothing names (%s)\n", verb, p.Unnamed, p.ID, Bytes(p.Freed))
		default:
			count++
			fmt.Fprintf(out.Out, "%s %s  %s  %s  %s  %s\n", verb, p.ID, p.Updated.Local().Format("2006-01-02"), Bytes(p.Freed), oneLine(p.Folder), oneLine(p.Title))
		}
	}
	fmt.Fprintf(out.Out, "%s %d sessions, %s freed\n", verb, count, Bytes(freed))
	if opt.DryRun {
		fmt.Fprintln(out.Err, "espy: nothing was removed; --yes does it")
	}
	return err
}

// ParseAge reads an age such as 30d, 2w, 12h or 6mo.
func ParseAge(text string) (time.Duration, error) {
	units := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "mo": 30 * 24 * time.Hour, "y": 365 * 24 * time.Hour}
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.Atoi(strings.TrimSuffix(text, unit))
	size, known := units[unit]
	if err != nil || !known || n > int(100*units["y"]/size) {
		return 0, fmt.Errorf("--older-than %s: expected a number and h, d, w, mo or y, as in 30d", oneLine(text))
	}
	return time.Duration(n) * size, nil
}
