package sandbox

import (
	"fmt"
	"strings"
)

// profile writes a policy in the language of macOS's sandbox-exec. Paths are parameters, so that no name can say
// anything in it. In that language the last rule that matches decides.
func profile(p Policy) (text string, parameters []string) {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	path := func(rule, name, value string) {
		fmt.Fprintf(&b, "(%s (subpath (param %q)))\n", rule, name)
		parameters = append(parameters, "-D", name+"="+value)
	}
	b.WriteString("(allow file-write* (subpath \"/dev\"))\n")
	for i, name := range p.Hide {
		path("deny file-read-data", fmt.Sprintf("HIDE_%d", i), name)
	}
	for i, name := range p.Write {
		path("allow file-write* file-read-data", fmt.Sprintf("WRITE_%d", i), name)
	}
	if !p.Network {
		b.WriteString("(deny network-outbound (remote ip \"*:*\"))\n(deny network-inbound (local ip \"*:*\"))\n(deny network-bind (local ip \"*:*\"))\n" +
			"(deny network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	}
	return b.String(), parameters
}
