package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// KeyFault is what is wrong with the keys of an action in the settings.
type KeyFault struct {
	Action   string
	Sentence string
}

// KeyFaults finds what the settings of keys bring about that nobody can have meant: two actions with one key, a key that
// never arrives, a letter that can no longer be typed, an action without a key.
func KeyFaults(settings map[string][]string) []KeyFault {
	f := faultFinder{settings: settings, given: map[placedKey][]action{}}
	table := newKeymap(settings).table
	for _, b := range table {
		for _, key := range canonical(settings[string(b.action)]) {
			f.given[placedKey{b.in, key}] = append(f.given[placedKey{b.in, key}], b.action)
		}
	}
	for i, b := range table {
		if _, ok := settings[string(b.action)]; ok {
			f.configured(b, table)
		} else {
			f.inherited(b, bindings()[i].keys)
		}
	}
	return f.faults
}

type faultFinder struct {
	settings map[string][]string
	given    map[placedKey][]action // by the settings
	faults   []KeyFault
}

func (f *faultFinder) add(a action, format string, args ...any) {
	f.faults = append(f.faults, KeyFault{string(a), fmt.Sprintf(format, args...)})
}

// configured judges an action that the settings speak of.
func (f *faultFinder) configured(b binding, table []binding) {
	for _, key := range canonical(f.settings[string(b.action)]) {
		others := f.given[placedKey{b.in, key}]
		if i := slices.Index(others, b.action); i > 0 {
			f.add(b.action, "%s is also given to %s (%s); it does %s", keyName(key), others[0], b.in, others[len(others)-1])
		}
		if (b.in == inComposer || b.in == inAll || b.in == inVim) && isLetter(key) {
			f.add(b.action, "%s is a character; given to %s it can no longer be typed", keyName(key), b.action)
		}
		if b.in != inComposer {
			continue
		}
		for _, all := range table {
			if all.in == inAll && slices.Contains(all.keys, key) {
				f.add(b.action, "%s does %s everywhere, so that it never reaches %s", keyName(key), all.action, b.action)
			}
		}
	}
	if len(canonical(f.settings[string(b.action)])) == 0 && leaves(b.action) {
		f.add(b.action, "%s has no key and nothing else leaves there, so it keeps %s", b.action, lastResort)
	}
}

// inherited judges an action whose usual keys may have gone to others.
func (f *faultFinder) inherited(b binding, usual []string) {
	if len(usual) == 0 || len(b.keys) > 0 && !slices.Equal(b.keys, []string{lastResort}) {
		return
	}
	if slices.Equal(b.keys, usual) {
		return
	}
	taken := takenKeys(f.settings)
	var lost []string
	var to action
	for _, key := range usual {
		if owner, ok := taken[placedKey{b.in, key}]; ok {
			lost, to = append(lost, keyName(key)), owner
		}
	}
	if len(lost) > 0 {
		f.add(to, "%s takes the last key of %s (%s); give that another one", to, b.action, strings.Join(lost, ", "))
	}
}

// isLetter reports whether a key is a character that people type.
func isLetter(key string) bool { return utf8.RuneCountInString(key) == 1 || key == "space" }

// KeyRow is an action with its keys as they hold.
type KeyRow struct {
	Action string
	Where  string
	Keys   []string // as a person writes them in the settings
	About  string
}

// KeyTable is every action with its keys under some settings, in the order of the page of keys.
func KeyTable(settings map[string][]string) []KeyRow {
	var rows []KeyRow
	table := newKeymap(settings).table
	for _, in := range places() {
		for _, b := range table {
			if b.in == in {
				rows = append(rows, KeyRow{string(b.action), string(b.in), b.keys, b.about})
			}
		}
	}
	return rows
}
