package tools

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Bounds of the search for what a model may have meant.
const (
	maxNearPlaces  = 5       // places named of a text that occurs more than once
	maxNearLines   = 3       // lines shown
	maxNearBytes   = 300     // of each line shown
	maxCompareLine = 200     // bytes of a line that are compared
	maxCompared    = 100_000 // lines compared
	minLikeness    = 0.5     // shared pairs of letters from which a line counts as near
)

// notUnique says where a text that must occur once occurs.
func notUnique(text unified, old string) error {
	hits := text.find(old, true)
	if len(hits) == 1 { // it overlaps itself
		hits = text.find(old, false)
	}
	var lines []string
	for _, h := range hits[:min(len(hits), maxNearPlaces)] {
		lines = append(lines, fmt.Sprint(1+strings.Count(text.plain[:h], "\n")))
	}
	more := ""
	if len(hits) > len(lines) {
		more = fmt.Sprintf(" and %d more", len(hits)-len(lines))
	}
	return fmt.Errorf("old_text occurs %d times (lines %s%s); give more of the text around the one you mean, or set replace_all", len(hits), strings.Join(lines, ", "), more)
}

// notFound shows what comes nearest to a text that is not there.
func notFound(plain, old string) error {
	lines := strings.SplitN(plain, "\n", maxCompared+1)
	wanted := strings.Split(strings.Trim(old, "\n"), "\n")
	if first, ok := sameButSpace(lines, wanted); ok {
		return fmt.Errorf("old_text was not found, but from line %d it differs only in white space. The file has:\n%s", first+1, numbered(lines, first, min(len(wanted), maxNearLines*4)))
	}
	near := nearLines(lines, significant(wanted))
	if len(near) == 0 {
		return fmt.Errorf("old_text was not found, and no line is like it; read the file again")
	}
	var b strings.Builder
	for _, i := range near {
		b.WriteString(numbered(lines, i, 1))
	}
	return fmt.Errorf("old_text was not found. The nearest lines are:\n%s", strings.TrimSuffix(b.String(), "\n"))
}

func numbered(lines []string, first, count int) string {
	var b strings.Builder
	for i := first; i < min(first+count, len(lines)); i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, clip(lines[i], maxNearBytes))
	}
	return b.String()
}

// sameButSpace finds where the wanted lines stand but for spaces and tabs.
func sameButSpace(lines, wanted []string) (int, bool) {
	lines, wanted = squeeze(lines), squeeze(wanted)
	if strings.Join(wanted, "") == "" {
		return 0, false
	}
	for start := 0; start+len(wanted) <= len(lines); start++ {
		if slices.Equal(lines[start:start+len(wanted)], wanted) {
			return start, true
		}
	}
	return 0, false
}

func squeeze(lines []string) []string {
	squeezed := make([]string, len(lines))
	for i, l := range lines {
		squeezed[i] = strings.Join(strings.Fields(l), " ")
	}
	return squeezed
}

// significant is the first line that says something.
func significant(lines []string) string {
	best := ""
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if len(l) > 8 {
			return l
		}
		if len(l) > len(best) {
			best = l
		}
	}
	return best
}

// nearLines returns the numbers of the lines most like the wanted one, in file order.
func nearLines(lines []string, wanted string) []int {
	type scored struct {
		line  int
		score float64
	}
	pairs := letterPairs(wanted)
	var best []scored
	for i, l := range lines[:min(len(lines), maxCompared)] {
		if score := likeness(pairs, letterPairs(strings.TrimSpace(l))); score >= minLikeness {
			best = append(best, scored{i, score})
		}
	}
	sort.SliceStable(best, func(i, j int) bool { return best[i].score > best[j].score })
	best = best[:min(len(best), maxNearLines)]
	found := make([]int, len(best))
	for i, b := range best {
		found[i] = b.line
	}
	sort.Ints(found)
	return found
}

func letterPairs(line string) map[[2]byte]int {
	line = line[:min(len(line), maxCompareLine)]
	pairs := make(map[[2]byte]int, len(line))
	for i := 0; i+1 < len(line); i++ {
		pairs[[2]byte{line[i], line[i+1]}]++
	}
	return pairs
}

// likeness is Dice's coefficient of two lines' letter pairs: 1 for equal lines, 0 for none in common.
func likeness(a, b map[[2]byte]int) float64 {
	total, shared := 0, 0
	for pair, n := range a {
		total += n
		shared += min(n, b[pair])
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(total)
}
