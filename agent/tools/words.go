package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// thousands writes 48213 as 48,213.
func thousands[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// plural writes "1 line" and "12 lines".
func plural[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	many := one + "s"
	if strings.HasSuffix(one, "ch") {
		many = one + "es"
	}
	return thousands(n) + " " + many
}

// clip shortens text to at most n bytes and an ellipsis, never inside a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:charStart(text, n)] + "…"
}

// charStart is the largest index not above i at which a character of text starts.
func charStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// nearest returns the candidate most like word: few letters to change, and more likely one that begins alike.
func nearest(word string, candidates []string) string {
	if word == "" || len(word) > 100 {
		return ""
	}
	best, least := "", len(word)/2+1
	for _, c := range candidates {
		a, b := strings.ToLower(word), strings.ToLower(c)
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		if d := max(distance(a, b)-same/2, 0); d < least && (same > 0 || d <= len(word)/3) {
			best, least = c, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or change to make one word the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal, row[j] = row[j], min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// size writes bytes for people: "812 bytes", "1.4 MB".
func size(n int64) string {
	switch {
	case n < 10_000:
		return plural(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
