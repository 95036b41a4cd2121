package ui

import (
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
)

func TestTheWaitBeforeARetryCountsDownAndEscEndsIt(t *testing.T) {
	d := drive(t, 100, 24, nil, agent.Opened{Session: "s", Mode: "ask"})
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "hello"}}}},
		agent.Notice{Kind: agent.NoticeRetried, Sentence: "engine overloaded; trying again in 30s (attempt 2 of 5).", Wait: 30 * time.Second})
	d.shows("tries again in 30")
	d.now = d.now.Add(10 * time.Second)
	d.shows("tries again in 20")
	d.key("esc")
	d.until("the loop is interrupted", func() bool { return d.loop.Interrupts() > 0 })
	d.now = d.now.Add(30 * time.Second)
	d.until("the countdown is over", func() bool { return d.m.talk.retry.Before(d.now) })
}
