package start

import (
	"slices"
	"strings"
	"testing"

	"espy/agent/tools"
)

func TestANameOfAToolThatMatchesNothingIsAFaultWithItsPlaceAndTheNearest(t *testing.T) {
	s := faultySettingsIn(t, "[tools]\nalways_load = [\"read_medai\", \"grep\", \"mcp__web__open\"]\ndefer = [\"gl*\", \"zz*\"]\n[mcp.wob]\ncommand = [\"true\"]\n")
	all := strings.Join(s.Problems, "\n")
	for _, want := range []string{`config.toml:2: tools.always_load: "mcp__web__open" names an MCP server that is not configured; did you mean "wob"?`, `config.toml:2:16: "read_medai" is no tool: did you mean "read_media"?`, `config.toml:3:17: "zz*" is no tool: there are read, `} {
		if !strings.Contains(all, want) {
			t.Errorf("the problems do not have %s:\n%s", want, all)
		}
	}
	if !slices.Equal(s.Config.Tools.AlwaysLoad, []string{"grep", "mcp__web__open"}) || !slices.Equal(s.Config.Tools.Defer, []string{"gl*"}) {
		t.Errorf("what is right should be used: %+v", s.Config.Tools)
	}
}

func TestASessionDefersAndLoadsAsTheSettingsSay(t *testing.T) {
	for settings, front := range map[string]bool{"": false, "[tools]\nalways_load = [\"read_media\"]\n": true} {
		s := settingsIn(t, settings)
		offer := s.registry().Offer()
		if offer.Declares(tools.ReadMedia) != front {
			t.Errorf("with %q read_media is declared: %v", settings, !front)
		}
	}
}
