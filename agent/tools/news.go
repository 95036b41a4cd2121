package tools

import (
	"strings"
	"time"
)

// news tells what a running command printed last: its newest lines, no more often than a person reads, and what came
// in between a little later, so that the last lines before a silence are told too. Its owner calls it under a lock,
// and takes that lock before due.
type news struct {
	tell  func(lines string) // nil tells nobody
	again func()             // called by the timer

	recent []string // the newest whole lines
	changed,
	ended bool
	last  time.Time
	timer *time.Timer // runs while something waits to be told
}

// line takes in a whole line, or a piece of one too long to hold.
func (n *news) line(text string) {
	if n.tell == nil || strings.TrimSpace(text) == "" {
		return
	}
	if len(n.recent) == progressLines {
		copy(n.recent, n.recent[1:])
		n.recent = n.recent[:progressLines-1]
	}
	n.recent = append(n.recent, clip(text, maxProgressBytes))
}

// came says that output came. Open is the line that has not ended: a question, or a progress bar.
func (n *news) came(open []byte) {
	if n.tell == nil || n.ended {
		return
	}
	n.changed = true
	if n.timer != nil {
		return
	}
	if rest := progressEvery - time.Since(n.last); rest > 0 {
		n.timer = time.AfterFunc(rest, n.again)
		return
	}
	n.say(open)
}

// due is what the timer does.
func (n *news) due(open []byte) {
	n.timer = nil
	if n.changed && !n.ended {
		n.say(open)
	}
}

func (n *news) say(open []byte) {
	n.changed, n.last = false, time.Now()
	lines := n.recent
	if text := cleanLine(open[:min(len(open), 4*maxProgressBytes)]); strings.TrimSpace(text) != "" {
		lines = append(lines[max(0, len(lines)+1-progressLines):len(lines):len(lines)], clip(text, maxProgressBytes))
	}
	if len(lines) > 0 {
		n.tell(strings.Join(lines, "\n"))
	}
}

// end stops the telling for good.
func (n *news) end() {
	n.ended = true
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
}
