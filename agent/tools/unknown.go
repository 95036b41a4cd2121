package tools

import (
	"fmt"
	"slices"
	"strings"
)

const (
	misspelt         = 2  // letters by which a name may differ from an argument's and count as meant for it
	maxIgnoredNamed  = 3  // unknown names a note lists
	maxIgnoredLetter = 60 // bytes shown of each
)

// unknownNames are the names of a call that no argument has. Models bring them along from the tools of other
// programs ("description"); they say nothing this tool could do, so the call runs without them.
type unknownNames []string

// unknown finds the names that are none of these, in order. One that looks like a misspelling is an error:
// leaving it out would run another call than the one that was meant.
func (ps params) unknown(at string, fields map[string]any) (unknownNames, error) {
	var found unknownNames
	for key := range fields {
		if ps.find(key) == nil {
			found = append(found, at+key)
		}
	}
	slices.Sort(found)
	for _, name := range found {
		key := strings.ToLower(clip(strings.TrimPrefix(name, at), maxIgnoredLetter))
		for _, p := range ps {
			if distance(key, p.name) <= misspelt {
				return nil, fmt.Errorf("there is no argument %s; did you mean %s", quote(clip(name, maxIgnoredLetter)), quote(p.name))
			}
		}
	}
	return found, nil
}

// missing says that a required argument is not there, and what may have been meant for it.
func (u unknownNames) missing(name string) error {
	if len(u) == 0 {
		return fmt.Errorf("%s is missing", quote(name))
	}
	return fmt.Errorf("%s is missing, and there is no argument %s", quote(name), u.list())
}

func (u unknownNames) list() string {
	shown := make([]string, min(len(u), maxIgnoredNamed))
	for i := range shown {
		shown[i] = quote(clip(u[i], maxIgnoredLetter))
	}
	text := strings.Join(shown, ", ")
	if more := len(u) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// note is the line that goes with the result of a call.
func (u unknownNames) note(tool string) string {
	if len(u) == 0 {
		return ""
	}
	return fmt.Sprintf("Note: %s has no argument %s; it was ignored.", tool, u.list())
}
