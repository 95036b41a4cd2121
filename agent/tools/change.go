package tools

import (
	"fmt"
	"io"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

// change is what a write or an edit would do to one file. It is planned twice, for the question to the person
// and again right before writing, and the ledger's rule is checked both times, so that what was shown is what
// is done or nothing is.
type change struct {
	guard.Path
	name   string // to give to Roots
	note   string // says the true name, where the name was only almost right
	before string
	after  string
	isNew  bool
}

// current reads a file that is to be changed, whole, and refuses it unless it is as the model last read it.
func current(env *Env, tool string, at found) (string, error) {
	shown := quoteName(at.Display)
	switch {
	case at.info.IsDir():
		return "", mistakef("%s: %s is a folder", tool, shown)
	case at.info.Size() > maxSource(env):
		return "", mistakef("%s: %s has %s; files over %s are changed with a shell command", tool, shown, size(at.info.Size()), size(maxSource(env)))
	}
	f, path, err := env.Roots.Open(at.name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", mistakef("%s: %s cannot be read: %v", tool, shown, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSource(env)+1))
	if err != nil {
		return "", mistakef("%s: %s cannot be read: %v", tool, shown, err)
	}
	if data == nil {
		data = []byte{}
	}
	switch env.Ledger.judge(path.Abs, stampOf(info, data)) {
	case unread:
		return "", mistakef("%s: %s exists and you have not read it in this session; read it first, then try again", tool, shown)
	case changed:
		return "", mistakef("%s: %s has changed since you read it; read it again, then try again", tool, shown)
	}
	return string(data), nil
}

// diff is the change as a unified diff.
func (c change) diff() string {
	from := "a/" + c.Display
	if c.isNew {
		from = "/dev/null"
	}
	return unifiedDiff(from, "b/"+c.Display, c.before, c.after)
}

func (c change) effect(verb string) guard.Effect {
	return guard.Effect{Kind: guard.KindWrite, Paths: []string{c.name}, Summary: verb + " " + c.Display, Preview: c.diff(), Diff: true}
}

// apply writes the file and remembers it as the model now knows it.
func (c change) apply(env *Env) (Outcome, error) {
	path, err := env.Roots.WriteFile(c.name, []byte(c.after))
	if err != nil {
		if _, ok := mendable(err); ok {
			return Outcome{}, err
		}
		return Outcome{}, fmt.Errorf("writing %s: %w", c.Display, err)
	}
	if info, _, err := env.Roots.Stat(c.name); err == nil {
		env.Ledger.note(path.Abs, stampOf(info, []byte(c.after)))
	}
	diff := c.diff()
	added, removed := countLines(diff)
	text, verb := fmt.Sprintf("wrote %s", quoteName(c.Display)), "wrote"
	if !c.isNew {
		text, verb = fmt.Sprintf("changed %s", quoteName(c.Display)), "changed"
	}
	counts := fmt.Sprintf("+%d -%d lines", added, removed)
	summary := fmt.Sprintf("%s %s (%s)", verb, c.Display, counts)
	return answer(withNote(text+": "+counts, c.note), message.MetaPath, path.Abs, message.MetaDiff, clipDiff(diff), message.MetaSummary, summary), nil
}

// countLines counts what a diff adds and removes.
func countLines(diff string) (added, removed int) {
	inHunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case !inHunk:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// clipDiff bounds the diff that is kept with the result, at a line.
func clipDiff(diff string) string {
	if len(diff) <= maxDiffBytes {
		return diff
	}
	end := strings.LastIndexByte(diff[:maxDiffBytes], '\n') + 1
	return diff[:end] + fmt.Sprintf("[%s of diff left out]\n", size(int64(len(diff)-end)))
}

// guarded reports a name that is the guard's to refuse: the effect is then shown without a preview, so that
// the refusal is the guard's and is recorded as one.
func guarded(err error) bool {
	kind := pathFault(err)
	return kind == guard.FaultOutside || kind == guard.FaultCredential
}
