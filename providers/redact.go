package providers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// minSecret is the shortest text that is taken out as a secret, in bytes; shorter ones would take ordinary words
// with them.
const minSecret = 8

// payload finds a picture written as base64: by the label of a data URL, or by how the four formats begin. JSON
// may write a slash as "\/". The shortest has as many characters as the smallest real picture of its format needs.
var payload = sync.OnceValue(func() *regexp.Regexp {
	const run = `(?:[A-Za-z0-9+/_-]|\\/)`
	return regexp.MustCompile(`(data:image\\?/[a-z.+-]+;base64,)(` + run + `+=*)|(^|[^A-Za-z0-9+/=_-])((?:iVBORw0KGg|R0lGOD[dl]h|UklGR|\\?/9j\\?/)` + run + `{40,}=*)`)
})

// payloadBegun finds the beginning of a picture at the end of a text that breaks off there.
var payloadBegun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9+/=_-])((?:iVBORw0KGg|R0lGOD[dl]h|UklGR|/9j/)[A-Za-z0-9+/_-]*=*)$`)
})

// Redact makes text fit to be shown or kept: every secret becomes "[key]", also in its JSON spelling, and every
// picture in base64 its type and size, "[image/png, 12034 bytes]". It is the one function for errors, traces and
// crash reports. Text without either comes back as it is.
func Redact(text string, secrets []string) string {
	for _, s := range spellings(secrets) {
		text = strings.ReplaceAll(text, s, "[key]")
	}
	if !strings.Contains(text, "base64,") && !mayHoldPicture(text) {
		return text
	}
	return payload().ReplaceAllStringFunc(text, func(found string) string {
		parts := payload().FindStringSubmatch(found)
		if parts[1] != "" {
			kind := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(parts[1], `\`, ""), "data:"), ";base64,")
			return parts[1] + imageNote(kind, parts[2])
		}
		return parts[3] + imageNote(kindOf(parts[4]), parts[4])
	})
}

func mayHoldPicture(text string) bool {
	for _, begin := range []string{"iVBORw0KGg", "R0lGOD", "UklGR", "/9j"} {
		if strings.Contains(text, begin) {
			return true
		}
	}
	return false
}

func kindOf(encoded string) string {
	switch encoded[0] {
	case 'i':
		return "image/png"
	case 'R':
		return "image/gif"
	case 'U':
		return "image/webp"
	}
	return "image/jpeg"
}

func imageNote(kind, encoded string) string {
	encoded = strings.TrimRight(strings.ReplaceAll(encoded, `\`, ""), "=")
	return fmt.Sprintf("[%s, %d bytes]", kind, len(encoded)*3/4)
}

// spellings are the secrets worth looking for, as they are and as JSON writes them, the longest first, so that one
// inside another does not leave its rest.
func spellings(secrets []string) []string {
	var list []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		list = append(list, s)
		if text, err := json.Marshal(s); err == nil {
			if quoted := strings.Trim(string(text), `"`); quoted != s {
				list = append(list, quoted)
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(list)
}
