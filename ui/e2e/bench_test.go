//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// The benchmarks run the program in a pseudo-terminal of 120 by 40 and report the median in milliseconds,
// emulator included. BenchmarkIdleMemory reports resident mebibytes.
const benchCols, benchRows = 120, 40

// medians collects what an iteration took and reports the middle of it.
type medians []float64

func (m *medians) since(start time.Time) {
	*m = append(*m, float64(time.Since(start).Microseconds())/1000)
}

func (m medians) report(b *testing.B, unit string) {
	slices.Sort(m)
	b.ReportMetric(m[len(m)/2], unit)
	b.ReportMetric(0, "ns/op") // the mean of everything an iteration does says nothing
}

func (w *world) bench(silent bool, args ...string) *terminal.Terminal {
	p := w.program(args...)
	p.Cols, p.Rows, p.Silent = benchCols, benchRows, silent
	return terminal.Start(w.t, p)
}

func BenchmarkStartToFirstFrame(b *testing.B) {
	for name, silent := range map[string]bool{"terminal that answers": false, "mute terminal": true} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			program(b)
			var took medians
			for b.Loop() {
				start := time.Now()
				term := w.bench(silent)
				term.WaitFor(ready)
				took.since(start)
				term.Close()
			}
			took.report(b, "p50-ms")
		})
	}
}

func BenchmarkVersion(b *testing.B) {
	w := newWorld(b)
	program(b)
	var took medians
	for b.Loop() {
		start := time.Now()
		w.run("--version")
		took.since(start)
	}
	took.report(b, "p50-ms")
}

func BenchmarkIdleMemory(b *testing.B) {
	w := newWorld(b)
	var sizes medians
	for b.Loop() {
		term := w.bench(false)
		term.Until("an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
		size, err := resident(term.Pid())
		if err != nil {
			b.Skip(err)
		}
		sizes = append(sizes, size)
		term.Close()
	}
	sizes.report(b, "p50-RSS-MiB")
}

// resident is a process's resident memory in MiB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kib / 1024, err
}

func BenchmarkKeyToFrame(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("%d messages", messages), func(b *testing.B) {
			w := newWorld(b)
			w.converse(messages / 2)
			term := w.bench(false, "--continue")
			term.WaitFor(fmt.Sprintf("request %d ", messages/2))
			term.WaitFor(ready)
			var took medians
			for i := 0; b.Loop(); i++ {
				key := string(rune('a' + i%26))
				start := time.Now()
				term.Send(key)
				term.Until("the key", func(s terminal.Screen) bool { return strings.HasPrefix(s.Lines[benchRows-2], "› "+key) })
				took.since(start)
				term.Send("\x15") // ctrl+u
				term.WaitFor(ready)
			}
			took.report(b, "p50-ms")
		})
	}
}

func BenchmarkFirstScrollAfterResuming2000Turns(b *testing.B) {
	w := newWorld(b)
	w.converse(2000)
	var opened, scrolled medians
	for b.Loop() {
		start := time.Now()
		term := w.bench(false, "--continue")
		term.WaitFor("request 2000 ")
		opened.since(start)
		term.WaitFor(ready)
		start = time.Now()
		term.Send(terminal.PageUp)
		term.Until("older turns", func(s terminal.Screen) bool { return !s.Contains("request 2000 ") })
		scrolled.since(start)
		term.Close()
	}
	opened.report(b, "p50-resume-ms")
	scrolled.report(b, "p50-scroll-ms")
}

// converse leaves a session of so many turns, made from one real turn.
func (w *world) converse(turns int) {
	w.t.Helper()
	w.ask("request 0 of a long conversation")
	name := filepath.Join(w.session(), "transcript.jsonl")
	log := strings.TrimRight(w.transcript(), "\n")
	lines := strings.Split(log, "\n")
	pair := lines[len(lines)-2:]
	var out strings.Builder
	out.WriteString(log + "\n")
	parent := recordID(w.t, pair[1])
	for i := 1; i <= turns; i++ {
		for j, line := range pair {
			var record map[string]any
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				w.t.Fatal(err)
			}
			id := fmt.Sprintf("01ZZZZZZZZ%016d", 2*i+j)
			record["id"], record["parent"], parent = id, parent, id
			encoded, err := json.Marshal(record)
			if err != nil {
				w.t.Fatal(err)
			}
			out.WriteString(strings.ReplaceAll(string(encoded), "request 0 of", fmt.Sprintf("request %d of", i)) + "\n")
		}
	}
	w.write(name, []byte(out.String()))
	_ = os.Remove(filepath.Join(w.session(), "meta.json")) // made anew from the log
}

func recordID(t testing.TB, line string) string {
	t.Helper()
	var record struct{ ID string }
	if err := json.Unmarshal([]byte(line), &record); err != nil || record.ID == "" {
		t.Fatalf("a line of the log is no record: %v", err)
	}
	return record.ID
}

func BenchmarkPasteToRowOf3840x2160(b *testing.B) {
	b.Run("dropped path", func(b *testing.B) {
		w := newWorld(b)
		path := w.write("shot.png", shot(b, 3840, 2160, 1))
		pasting(b, w, func(term *terminal.Terminal) { term.Paste(path) })
	})
	b.Run("X11 clipboard", func(b *testing.B) {
		display := desktop.X11(b)
		desktop.OfferImage(b, display, shot(b, 3840, 2160, 1))
		pasting(b, newWorld(b).with("DISPLAY="+display), func(term *terminal.Terminal) { term.Send(terminal.CtrlV) })
	})
}

// pasting reports the time on the clock and beside it the processor time the program took, which other programs do not
// lengthen much: two processors share it.
func pasting(b *testing.B, w *world, paste func(*terminal.Terminal)) {
	var took, worked medians
	for b.Loop() {
		term := w.bench(false)
		term.Until("an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
		before := processorTime(term.Pid())
		start := time.Now()
		paste(term)
		term.WaitFor("2048x1152")
		took.since(start)
		worked = append(worked, processorTime(term.Pid())-before)
		term.Close()
	}
	took.report(b, "p50-ms")
	worked.report(b, "cpu-p50-ms")
}

// processorTime is how long the threads of a process have run, in milliseconds; 0 where the system does not say.
func processorTime(pid int) (ms float64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range threads {
		stat, _ := os.ReadFile(name)
		if fields := strings.Fields(string(stat)); len(fields) > 0 {
			ns, _ := strconv.ParseFloat(fields[0], 64)
			ms += ns / 1e6
		}
	}
	return ms
}
