package tools

import (
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff is the difference of two texts as people read it. The library's own search gives up after about a
// hundred differences and then calls everything between the first and the last changed, which a replace_all
// reaches at once. So the texts are first divided at lines that occur once in both (patience diff), and the
// library compares only what lies between.
func unifiedDiff(from, to, before, after string) string {
	d := lineDiff{a: splitLines(before), b: splitLines(after)}
	d.offsets = make([]int, len(d.a)+1)
	for i, line := range d.a {
		d.offsets[i+1] = d.offsets[i] + len(line)
	}
	d.compare(0, len(d.a), 0, len(d.b))
	text, err := udiff.ToUnified(from, to, before, d.edits, udiff.DefaultContextLines)
	if err != nil {
		return udiff.Unified(from, to, before, after)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

type lineDiff struct {
	a, b    []string
	offsets []int // where each line of a starts, in bytes
	edits   []udiff.Edit
}

// compare finds the edits that turn lines aLo to aHi of a into lines bLo to bHi of b.
func (d *lineDiff) compare(aLo, aHi, bLo, bHi int) {
	for aLo < aHi && bLo < bHi && d.a[aLo] == d.b[bLo] {
		aLo, bLo = aLo+1, bLo+1
	}
	for aLo < aHi && bLo < bHi && d.a[aHi-1] == d.b[bHi-1] {
		aHi, bHi = aHi-1, bHi-1
	}
	if aLo == aHi || bLo == bHi {
		if aLo < aHi || bLo < bHi {
			d.edits = append(d.edits, udiff.Edit{Start: d.offsets[aLo], End: d.offsets[aHi], New: strings.Join(d.b[bLo:bHi], "")})
		}
		return
	}
	anchors := rising(d.common(aLo, aHi, bLo, bHi))
	if len(anchors) == 0 {
		d.search(aLo, aHi, bLo, bHi)
		return
	}
	for _, p := range anchors {
		d.compare(aLo, p.a, bLo, p.b)
		aLo, bLo = p.a+1, p.b+1
	}
	d.compare(aLo, aHi, bLo, bHi)
}

// search lets the library compare a part.
func (d *lineDiff) search(aLo, aHi, bLo, bHi int) {
	for _, e := range udiff.Lines(strings.Join(d.a[aLo:aHi], ""), strings.Join(d.b[bLo:bHi], "")) {
		e.Start, e.End = e.Start+d.offsets[aLo], e.End+d.offsets[aLo]
		d.edits = append(d.edits, e)
	}
}

// linePair is a line that stands at a in one text and at b in the other.
type linePair struct{ a, b int }

// common finds the lines that occur exactly once on each side, in a's order.
func (d *lineDiff) common(aLo, aHi, bLo, bHi int) []linePair {
	const many = -1
	places := make(map[string]int, bHi-bLo)
	for i := bLo; i < bHi; i++ {
		if _, twice := places[d.b[i]]; twice {
			places[d.b[i]] = many
		} else {
			places[d.b[i]] = i
		}
	}
	seen := make(map[string]int, aHi-aLo)
	for _, line := range d.a[aLo:aHi] {
		seen[line]++
	}
	var pairs []linePair
	for i := aLo; i < aHi; i++ {
		if at, ok := places[d.a[i]]; ok && at != many && seen[d.a[i]] == 1 {
			pairs = append(pairs, linePair{i, at})
		}
	}
	return pairs
}

// rising picks the longest run of pairs that are in order in both texts.
func rising(pairs []linePair) []linePair {
	var tops []int // for each length, the pair that ends the run of it with the smallest b
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tops), func(n int) bool { return pairs[tops[n]].b >= p.b })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	run := make([]linePair, len(tops))
	for i, at := len(tops)-1, tops[len(tops)-1]; i >= 0; i, at = i-1, before[at] {
		run[i] = pairs[at]
	}
	return run
}
