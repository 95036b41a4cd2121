package anthropic

import (
	"testing"

	"espy/providers"
	"espy/providers/adaptertest"
	"espy/providers/strict"
)

// Messages in a few letters.
var user, assistant, results, say = adaptertest.User, adaptertest.Assistant, adaptertest.Results, adaptertest.Say

// bench is the adapter and the strict server it talks to.
type bench struct{ adaptertest.Bench[*Adapter] }

func setUp(t testing.TB, rules strict.Rules, quirks providers.Quirks) bench {
	t.Helper()
	return bench{adaptertest.New(t, "anthropic", "", rules, quirks, New)}
}

func FuzzStream(f *testing.F) {
	setUp(f, strict.Rules{}, providers.Quirks{}).Fuzz(f, strict.Turn.Messages)
}
