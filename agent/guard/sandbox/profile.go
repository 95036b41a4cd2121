package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// profile writes a policy in the language of macOS's sandbox-exec. Paths are parameters, so that no name can say
// anything in it. In that language the last rule that matches decides.
func profile(p Policy) (text string, parameters []string) {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	path := func(rule, filter, name, value string) {
		fmt.Fprintf(&b, "(%s (%s (param %q)))\n", rule, filter, name)
		parameters = append(parameters, "-D", name+"="+value)
	}
	b.WriteString("(allow file-write* (subpath \"/dev\"))\n")
	for i, name := range p.Hide {
		path("deny file-read-data", "subpath", fmt.Sprintf("HIDE_%d", i), name)
	}
	for i, name := range p.Write {
		path("allow file-write* file-read-data", "subpath", fmt.Sprintf("WRITE_%d", i), name)
	}
	for i, name := range p.Keep {
		path("deny file-write*", "subpath", fmt.Sprintf("KEEP_%d", i), name)
	}
	for i, name := range parentsOf(p.Keep) { // which are not moved away to make room for others
		path("deny file-write-unlink", "literal", fmt.Sprintf("KEEP_IN_%d", i), name)
	}
	for i, name := range p.Shut {
		path("deny file-read-data file-write*", "subpath", fmt.Sprintf("SHUT_%d", i), name)
	}
	if !p.Network {
		b.WriteString("(deny network-outbound (remote ip \"*:*\"))\n(deny network-inbound (local ip \"*:*\"))\n(deny network-bind (local ip \"*:*\"))\n" +
			"(deny network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	}
	return b.String(), parameters
}

// parentsOf are the folders that things to keep lie in.
func parentsOf(names []string) []string {
	var parents []string
	seen := make(map[string]bool)
	for _, name := range names {
		if parent := filepath.Dir(name); !seen[parent] {
			seen[parent] = true
			parents = append(parents, parent)
		}
	}
	return parents
}
