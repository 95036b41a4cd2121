package ui

import (
	"slices"
	"strings"

	"espy/ui/input"
)

// keymap finds the action of a key. It is made once, from the table and the settings.
type keymap struct {
	table  []binding
	lookup map[place]map[string]action
}

// newKeymap applies the settings: an action named there has exactly the keys given there, and a key taken
// over in a place is lost by the action that had it.
func newKeymap(settings map[string][]string) keymap {
	k := keymap{lookup: map[place]map[string]action{}}
	taken := takenKeys(settings)
	for _, b := range bindings() {
		if keys, ok := settings[string(b.action)]; ok {
			b.keys = canonical(keys)
		}
		b.keys = slices.DeleteFunc(slices.Clone(b.keys), func(key string) bool {
			owner, ok := taken[placedKey{b.in, key}]
			return ok && owner != b.action
		})
		if len(b.keys) == 0 && leaves(b.action) {
			b.keys = []string{lastResort}
		}
		k.table = append(k.table, b)
		if k.lookup[b.in] == nil {
			k.lookup[b.in] = map[string]action{}
		}
		for _, key := range b.keys {
			k.lookup[b.in][key] = b.action
		}
	}
	return k
}

// placedKey is a key where it holds.
type placedKey struct {
	in  place
	key string
}

// takenKeys are the keys that the settings give to an action. What holds everywhere is asked before the composer, so a
// key given to it is taken there too.
func takenKeys(settings map[string][]string) map[placedKey]action {
	taken := map[placedKey]action{}
	for _, b := range bindings() {
		for _, key := range canonical(settings[string(b.action)]) {
			taken[placedKey{b.in, key}] = b.action
		}
	}
	for at, owner := range taken {
		if at.in == inAll {
			taken[placedKey{inComposer, at.key}] = owner
		}
	}
	return taken
}

// lastResort is the key of an action that leaves a place when the settings leave it none: nobody is to be locked in.
const lastResort = "ctrl+c"

// leaves reports whether an action is the only way out of a place.
func leaves(a action) bool {
	return a == actDismiss || a == actRowLeave || a == actViewLeave || a == actItemLeave || a == actCancel
}

// canonical writes keys as the input names them; what is no key is left out, the settings have said so.
func canonical(keys []string) []string {
	var out []string
	for _, key := range keys {
		if name, err := input.Canonical(key); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// find returns the action of a key in a place, "" where it has none.
func (k keymap) find(in place, key string) action { return k.lookup[in][key] }

// key is the first key of an action, for hints on the screen; "" where it has none.
func (k keymap) key(a action) string {
	for _, b := range k.table {
		if b.action == a && len(b.keys) > 0 {
			return keyName(b.keys[0])
		}
	}
	return ""
}

// keysOf are all keys of an action.
func (k keymap) keysOf(a action) []string {
	for _, b := range k.table {
		if b.action == a {
			return b.keys
		}
	}
	return nil
}

// keyName writes a key for people: arrows as arrows.
func keyName(key string) string {
	head, last := "", key
	if i := strings.LastIndexByte(key[:max(len(key)-1, 0)], '+'); i >= 0 {
		head, last = key[:i+1], key[i+1:]
	}
	switch last {
	case "up":
		last = "↑"
	case "down":
		last = "↓"
	case "left":
		last = "←"
	case "right":
		last = "→"
	}
	return head + last
}
