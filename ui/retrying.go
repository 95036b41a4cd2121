package ui

import (
	"fmt"
	"time"

	"espy/agent"
)

// retrying is a request that failed and is tried again: one entry however often it fails, which counts down to
// the next attempt.
type retrying struct {
	notice agent.Notice
	due    time.Time
	left   time.Duration // shown, in whole seconds; 0 once the attempt was made
	ended  bool          // the turn ended before it
}

func (r *retrying) draw(width int, l look) []string {
	return (&told{kind: agent.NoticeRetried, sentence: r.plain()}).draw(width, l)
}

func (r *retrying) plain() string {
	if r.notice.Cause == "" {
		return r.notice.Sentence
	}
	what := "trying again in " + wholeSeconds(r.left)
	switch {
	case r.ended:
		what = "not tried again"
	case r.left <= 0:
		what = "tried again"
	}
	return fmt.Sprintf("%s; %s (attempt %d of %d)", r.notice.Cause, what, r.notice.Attempt, r.notice.Most)
}

// wholeSeconds is "5 s": tenths would only flicker.
func wholeSeconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return duration(d)
}

// count moves the countdown and reports whether what is shown changed.
func (r *retrying) count(now time.Time) bool {
	left := max(r.due.Sub(now), 0)
	left = (left + time.Second - 1).Truncate(time.Second)
	changed := left != r.left
	r.left = left
	return changed
}

// tried puts a failed attempt into the entry of the attempts before it.
func (s *session) tried(e agent.Notice, now time.Time) {
	s.retry = now.Add(e.Wait)
	next := &retrying{notice: e, due: s.retry}
	next.count(now)
	if s.retries < 0 {
		s.retries = s.list.add(next)
		return
	}
	s.list.slots[s.retries].entry = next
	s.list.changed(s.retries)
}

// count moves the countdown of a request that is tried again, and the time of running calls.
func (s *session) count(now time.Time) {
	for _, id := range s.turn.running {
		if c, i := s.call(id); c != nil && c.count(now) {
			s.list.changed(i)
		}
	}
	if s.retries >= 0 && s.list.slots[s.retries].entry.(*retrying).count(now) {
		s.list.changed(s.retries)
	}
}

// settled says that the request went through, or that its turn ended.
func (s *session) settled(ended bool) {
	if s.retries >= 0 {
		r := s.list.slots[s.retries].entry.(*retrying)
		r.ended, r.left = ended && r.left > 0, 0
		s.list.changed(s.retries)
	}
	s.retry, s.retries = time.Time{}, -1
}
