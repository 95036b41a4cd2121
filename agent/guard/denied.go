package guard

// denyReads are the deny rules for reading, which hold for every file a tool opens, also where the call
// itself named only a folder.
type denyReads struct{ rules []Rule }

// match returns the rule that names a file, under its resolved or its written name, or "".
func (d *denyReads) match(r *Roots, abs, written string) string {
	for _, rule := range d.rules {
		if rule.matchesPath(r, abs) || rule.matchesPath(r, written) {
			return rule.String()
		}
	}
	return ""
}
