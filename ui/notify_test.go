package ui

import (
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

func TestANotificationIsOneTheTerminalKnows(t *testing.T) {
	for _, c := range []struct{ how, terminal, want string }{
		{"auto", "kitty", "\x1b]9;espy: it, is done\x1b\\"},
		{"auto", "ghostty", "\x1b]9;espy: it, is done\x1b\\"},
		{"auto", "foot", "\x1b]777;notify;espy;it, is done\x1b\\"},
		{"auto", "tmux", "\a"}, {"auto", "", "\a"}, {"bell", "kitty", "\a"},
	} {
		if got := notification(c.how, c.terminal, "espy", "it; is\x1b]0;x\a done"); got != c.want {
			t.Errorf("%s in %s is told by %q, want %q", c.how, c.terminal, got, c.want)
		}
	}
}

func TestTheTitleSaysWhatIsGoingOn(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	if got := d.m.titleText(); got != "espy: shop" {
		t.Errorf("idle it is %q", got)
	}
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "go"}}}})
	d.until("it is busy", func() bool { return d.m.titleText() == "… espy: shop" })
	d.push(asks("q"))
	d.until("it asks", func() bool { return d.m.titleText() == "? espy: shop" })
}

func TestOnlyWhoHasTurnedAwayIsNotified(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.key("a")
	if d.m.notify("now") != nil && d.m.out != nil {
		t.Error("someone who just typed is notified")
	}
	d.now = d.now.Add(time.Minute)
	if strings.TrimSpace(d.m.lastWords()) != "" {
		t.Error("there are last words without an answer")
	}
}
