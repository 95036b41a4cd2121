package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hostileNames would say something in the profile's language if they stood in it.
var hostileNames = []string{
	`/Users/u/") (allow file-write* (subpath "/`, "/Users/u/a b", "/Users/u/\n(allow default)\n", `/Users/u/\"`, "/Users/u/(param \"WRITE_0\")", "/Users/u/;", "/Users/u/é\u202e", `/Users/u/WRITE_0=/`,
}

func TestAProfileNamesPathsOnlyAsParameters(t *testing.T) {
	text, parameters := profile(Policy{Write: hostileNames, Hide: hostileNames, Keep: hostileNames, Shut: hostileNames})
	if strings.Contains(text, "Users") {
		t.Errorf("the profile holds a name: %s", text)
	}
	for i, name := range hostileNames {
		for _, kind := range []string{"WRITE", "HIDE", "KEEP", "SHUT"} {
			at := slices.Index(parameters, fmt.Sprintf("%s_%d=%s", kind, i, name))
			if at < 1 || parameters[at-1] != "-D" {
				t.Errorf("%q is no parameter of its own", name)
			}
		}
	}
	if strings.Count(text, "(") != strings.Count(text, ")") || strings.Count(text, `"`)%2 != 0 {
		t.Errorf("the profile is not well-formed: %s", text)
	}
	defined := make(map[string]bool)
	for i := 1; i < len(parameters); i += 2 {
		name, _, _ := strings.Cut(parameters[i], "=")
		if defined[name] {
			t.Errorf("%s is defined twice", name)
		}
		defined[name] = true
	}
	for _, used := range regexp.MustCompile(`\(param "([^"]*)"\)`).FindAllStringSubmatch(text, -1) {
		if !defined[used[1]] {
			t.Errorf("%s is used and not defined", used[1])
		}
	}
}

func TestInAProfileTheLastRuleThatMatchesIsTheStricter(t *testing.T) {
	text, _ := profile(Policy{Write: []string{"/w"}, Hide: []string{"/h"}, Keep: []string{"/w/.git/hooks"}, Shut: []string{"/w/.env"}})
	last := -1
	for _, rule := range []string{
		"(allow default)", "(deny file-write*)\n", `(deny file-read-data (subpath (param "HIDE_0")))`, `(allow file-write* file-read-data (subpath (param "WRITE_0")))`,
		`(deny file-write* (subpath (param "KEEP_0")))`, `(deny file-write-unlink (literal (param "KEEP_IN_0")))`, `(deny file-read-data file-write* (subpath (param "SHUT_0")))`,
	} {
		at := strings.Index(text, rule)
		if at <= last {
			t.Errorf("%s is missing or too early in %s", rule, text)
		}
		last = at
	}
	for _, rule := range []string{"(deny network-outbound (remote ip", "(deny network-inbound (local ip", "(deny network-bind (local ip", "mDNSResponder"} {
		if !strings.Contains(text, rule) {
			t.Errorf("the network is open: %s is missing in %s", rule, text)
		}
	}
	if open, _ := profile(Policy{Network: true}); strings.Contains(open, "network") {
		t.Errorf("the network is closed although it may be open: %s", open)
	}
}
