package config

import (
	"fmt"
	"strings"
)

// nearest is the name a misspelt one most likely means: the closest by edit distance, at most a third of its
// characters away, case and "-" for "_" not counted. "" where none is near.
func nearest(word string, names []string) string {
	plain := func(s string) []rune {
		return []rune(strings.ReplaceAll(strings.ToLower(s), "-", "_"))
	}
	w := plain(word)
	if len(w) > quotedRunes {
		return ""
	}
	best, least := "", max(1, len(w)/3)+1
	for _, name := range names {
		if d := distance(w, plain(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the Levenshtein distance, two swapped neighbours counting as one edit. It costs len(a) x len(b).
func distance(a, b []rune) int {
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}

// oneOf is the end of a sentence about a bad word: the near spelling, or all there are.
func oneOf(word string, names []string) string {
	if near := nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) > 12 {
		return fmt.Sprintf("there are %d to choose from, such as %s", len(names), strings.Join(names[:6], ", "))
	}
	return "it is one of " + strings.Join(names, ", ")
}

// quoted is a piece of a file in a sentence: escaped and short.
func quoted(text string) string {
	if runes := []rune(text); len(runes) > quotedRunes {
		text = string(runes[:quotedRunes]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
