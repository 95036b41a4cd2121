package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestAProfileNamesPathsOnlyAsParameters(t *testing.T) {
	hostile := `/Users/u/") (allow file-write* (subpath "/`
	text, parameters := profile(Policy{Write: []string{hostile, "/private/tmp"}, Hide: []string{"/Users/u/.ssh"}})
	if strings.Contains(text, "Users") || !slices.Contains(parameters, "WRITE_0="+hostile) || !slices.Contains(parameters, "HIDE_0=/Users/u/.ssh") {
		t.Errorf("the profile is %s with %q", text, parameters)
	}
	if i, j := strings.Index(text, "(deny file-write*)"), strings.Index(text, `(param "WRITE_1")`); i < 0 || j < i {
		t.Errorf("writing is not closed before it is opened for some: %s", text)
	}
	if !strings.Contains(text, "(deny network-outbound") {
		t.Errorf("the network is open: %s", text)
	}
	if open, _ := profile(Policy{Network: true}); strings.Contains(open, "network") {
		t.Errorf("the network is closed although it may be open: %s", open)
	}
}
