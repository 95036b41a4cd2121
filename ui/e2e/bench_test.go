//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	for _, messages := range []int{100, 1_000, 10_000} {
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

// BenchmarkStreamedAnswer is an answer that comes as fast as it is taken, to its last word: the time, the program's
// processor time and what it writes, for each 100 KB of answer.
func BenchmarkStreamedAnswer(b *testing.B) {
	for _, size := range []int{50, 100, 200} {
		b.Run(fmt.Sprintf("%d KB", size), func(b *testing.B) {
			w := newWorld(b)
			w.script("[[answer]]\nrepeat = -1\nsteps = [ { text = \"\"\"" + essay(size*1000) + "\"\"\", piece = 40, delay_ms = 1 }, { text = \"the last word\" } ]\n")
			var took, used, written medians
			for b.Loop() {
				term := w.bench(false)
				term.Until("an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
				send(term, "go on")
				start, from, ticks := time.Now(), len(term.Output()), processorMS(b, term.Pid())
				term.WaitFor("the last word")
				took.since(start)
				used = append(used, (processorMS(b, term.Pid())-ticks)*100/float64(size))
				written = append(written, float64(len(term.Output())-from)/1000*100/float64(size))
				term.Close()
			}
			used.report(b, "p50-cpu-ms/100KB")
			written.report(b, "p50-KB-written/100KB")
			took.report(b, "p50-ms")
		})
	}
}

// essay is text of so many bytes in which no line is like another.
func essay(size int) string {
	random := rand.New(rand.NewPCG(1, uint64(size)))
	words := strings.Fields("some **words** of an answer with `code` in it and enough of them that they wrap on a screen of any width 你好")
	var out strings.Builder
	for out.Len() < size {
		for range 10 + random.IntN(40) {
			out.WriteString(words[random.IntN(len(words))] + " ")
		}
		out.WriteString("\n\n")
	}
	return out.String()
}

// processorMS is the processor time a process has used so far, in milliseconds.
func processorMS(b *testing.B, pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) * 10 // the kernel counts in hundredths of a second
}

// BenchmarkWheel is a notch of the wheel and its frame, in a session of 5,000 messages.
func BenchmarkWheel(b *testing.B) {
	w := newWorld(b)
	w.converse(2500)
	term := w.bench(false, "--continue")
	term.WaitFor("request 2500 ")
	term.WaitFor(ready)
	quiet(b, term)
	var took, written medians
	for b.Loop() {
		from, lines := len(term.Output()), term.Screen().Lines
		start := time.Now()
		term.Wheel(10, 10, 1)
		term.Until("other lines", func(s terminal.Screen) bool { return !slices.Equal(s.Lines, lines) })
		took.since(start)
		written = append(written, float64(len(term.Output())-from))
	}
	written.report(b, "p50-bytes")
	took.report(b, "p50-ms")
}

// BenchmarkIdle is what an idle program does in five seconds: how often its threads run, and what it writes.
func BenchmarkIdle(b *testing.B) {
	w := newWorld(b)
	var woken, written medians
	for b.Loop() {
		term := w.bench(false)
		term.Until("an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
		term.Send("a draft")
		term.WaitFor("› a draft")
		for range 5 {
			quiet(b, term)
		}
		from, before := len(term.Output()), wakeUps(b, term.Pid())
		time.Sleep(5 * time.Second) // idleness can only be seen by letting time pass
		woken = append(woken, float64(wakeUps(b, term.Pid())-before)/5)
		written = append(written, float64(len(term.Output())-from)/5)
		term.Close()
	}
	woken.report(b, "wakeups/s")
	written.report(b, "bytes/s")
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

// wakeUps is how often the threads of a process have given up their processor so far: they ran in between.
func wakeUps(t testing.TB, pid int) int {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(threads) == 0 {
		t.Skipf("the threads of %d cannot be seen here: %v", pid, err)
	}
	sum := 0
	for _, name := range threads {
		status, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
		if words := strings.Fields(rest); len(words) > 0 {
			n, _ := strconv.Atoi(words[0])
			sum += n
		}
	}
	return sum
}
