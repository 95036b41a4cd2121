package guard

import (
	"path/filepath"
	"runtime"
	"strings"
)

// foldNames says whether names that differ in case are the same name everywhere on this system.
const foldNames = runtime.GOOS == "windows"

// foldPatterns says whether the patterns of rules ignore case: where most disks do, a rule for `private`
// must hold for `Private`.
const foldPatterns = foldNames || runtime.GOOS == "darwin"

// spelling brings a name into the form in which the tables of credentials and protected names are written:
// lower case, with slashes, and without what some file systems ignore in a name.
func spelling(abs string) string {
	name := strings.ToLower(filepath.ToSlash(abs))
	if strings.ContainsFunc(name, ignoredInNames) {
		name = strings.Map(func(r rune) rune {
			if ignoredInNames(r) {
				return -1
			}
			return r
		}, name)
	}
	if foldNames {
		name = windowsSpelling(name)
	}
	return name
}

// ignoredInNames are characters that HFS+ leaves out when it compares names.
func ignoredInNames(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

// windowsSpelling drops the stream of a name (`.env::$DATA`) and the dots and spaces that Windows drops at
// the end of each element.
func windowsSpelling(name string) string {
	volume := len(filepath.VolumeName(filepath.FromSlash(name)))
	elements := strings.Split(name[volume:], "/")
	for i, element := range elements {
		element, _, _ = strings.Cut(element, ":")
		if trimmed := strings.TrimRight(element, ". "); trimmed != "" {
			element = trimmed
		}
		elements[i] = element
	}
	return name[:volume] + strings.Join(elements, "/")
}
