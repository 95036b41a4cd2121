package tools

import (
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Weights of the places a word is found in. A name is chosen to be looked for, a keyword to be found by, and a
// description mentions many things in passing.
const (
	inName     = 4
	inKeywords = 3
	inAbout    = 1
)

// find looks tools up by a name or by words, best first. A name that only differs in case, dashes or spaces is that
// tool alone; else those that come near the best match. A name with one misspelling is left to Nearest.
func (r *Registry) find(words string) []Tool {
	all := r.All()
	folded := fold(words)
	for _, t := range all {
		if fold(t.Spec.Name) == folded {
			return []Tool{t}
		}
	}
	type scored struct {
		Tool
		score int
	}
	var matches []scored
	for _, t := range all {
		if s := t.score(split(words)); s > 0 {
			matches = append(matches, scored{t, s})
		}
	}
	sort.SliceStable(matches, func(i, j int) bool { return matches[i].score > matches[j].score })
	var found []Tool
	for _, m := range matches[:min(len(matches), maxFound)] {
		if m.score*2 > matches[0].score {
			found = append(found, m.Tool)
		}
	}
	return found
}

// score is how well a tool fits words. A word that is found nowhere counts against it only by not counting.
func (t Tool) score(words []string) (sum int) {
	name, keywords, about := split(t.Spec.Name), split(strings.Join(t.Keywords, " ")), split(t.Spec.Description)
	for _, w := range words {
		switch {
		case slices.ContainsFunc(name, alike(w)):
			sum += inName
		case slices.ContainsFunc(keywords, alike(w)):
			sum += inKeywords
		case slices.ContainsFunc(about, alike(w)):
			sum += inAbout
		}
	}
	return sum
}

// alike tells a word and its forms from others: screenshot and screenshots, read and reading.
func alike(w string) func(string) bool {
	return func(other string) bool {
		if w == other {
			return true
		}
		short, long := w, other
		if len(short) > len(long) {
			short, long = long, short
		}
		return len(short) >= 4 && strings.HasPrefix(long, short) && len(long)-len(short) <= 3
	}
}

// split is a text as lower-case words, without those that say nothing.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 2 || slices.Contains([]string{"an", "at", "the", "to", "of", "in", "on", "for", "with", "and", "or", "is", "it", "tool", "tools", "use"}, w)
	})
}

// fold is a name without what models write differently.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
