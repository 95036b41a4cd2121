package ui

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"espy/ui/input"
	"espy/ui/internal/script"
)

func nowAlways() time.Time { return d0 }

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// tells sends pieces of a clipboard as a terminal does.
func (d *driver) tells(pieces ...string) {
	for _, p := range pieces {
		d.send(input.ReplyMsg{Kind: input.Paste, Data: p})
	}
}

func pasted(d *driver, types string) {
	d.tells("type=read:status=OK:pw="+b64("secret"), "type=read:status=DATA:mime="+b64(".")+";"+b64(types), "type=read:status=DONE")
}

func TestAPasteThroughTheTerminalBringsItsPicture(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	pasted(d, "text/plain image/png")
	d.shows("fetching the clipboard")
	if d.m.clip.asked != "image/png" {
		t.Errorf("%q was asked for, want the picture", d.m.clip.asked)
	}
	data := strings.Repeat("picture bytes ", 1000)
	d.tells("type=read:status=OK:id=espy")
	for i := 0; i < len(data); i += 3000 {
		d.tells("type=read:status=DATA:id=espy:mime=" + b64("image/png") + ";" + b64(data[i:min(i+3000, len(data))]))
	}
	d.tells("type=read:status=DONE:id=espy")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	if got := d.intake.Bytes(); got != data {
		t.Errorf("%d bytes came through, want %d", len(got), len(data))
	}
}

func TestAPasteThroughTheTerminalBringsTextByteForByte(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	pasted(d, "text/html text/plain")
	d.tells("type=read:status=OK:id=espy", "type=read:status=DATA:id=espy:mime="+b64("text/plain")+";"+b64("héllo\r\nworld"), "type=read:status=DONE:id=espy")
	d.until("the text is there", func() bool { return d.m.comp.buf.text() == "héllo\nworld" && len(d.m.jobs) == 0 })
}

func TestAClipboardThatCannotBeReadThroughTheTerminalSaysWhy(t *testing.T) {
	for name, pieces := range map[string][]string{
		"does not allow":     {"type=read:status=EPERM:id=espy"},
		"no base64":          {"type=read:status=DATA:id=espy:mime=%%;%%"},
		"EIO":                {"type=read:status=EIO:id=espy"},
		"larger than 20 MiB": {"type=read:status=OK:id=espy", "type=read:status=DATA:id=espy:mime=" + b64("image/png") + ";" + b64(strings.Repeat("x", mostClipBytes+1)), "type=read:status=DONE:id=espy"},
	} {
		d := drive(t, 100, 24, nil, script.Opened())
		pasted(d, "image/png")
		d.tells(pieces...)
		d.shows(name)
		if len(d.m.jobs) != 0 || !d.m.comp.buf.empty() {
			t.Errorf("%s: something is still waited for", name)
		}
	}
	d := drive(t, 100, 24, nil, script.Opened())
	pasted(d, "application/x-thing")
	d.shows("neither a picture nor text")
}

func TestOverSSHThePasteKeyAsksTheTerminalWhereItCanAnswer(t *testing.T) {
	d := drive(t, 100, 24, func(o *Options) { o.Remote = true }, script.Opened())
	d.send(input.ReplyMsg{Kind: input.Mode, Data: "5522;2"})
	d.key("ctrl+v")
	if d.m.clip.asked != "." {
		t.Fatalf("%q was asked for, want the list", d.m.clip.asked)
	}
	d.tells("type=read:status=OK:id=espy", "type=read:status=DATA:id=espy:mime="+b64(".")+";"+b64("image/png"), "type=read:status=DONE:id=espy")
	if d.m.clip.asked != "image/png" {
		t.Errorf("then %q was asked for", d.m.clip.asked)
	}
}

func FuzzClipboardEvents(f *testing.F) {
	f.Add("type=read:status=DATA:mime=Lg==;aW1hZ2UvcG5n")
	f.Add("status=DONE:id=espy;;;")
	f.Fuzz(func(t *testing.T, reply string) {
		m := newModel(Options{Conversation: Conversation{Loop: script.NewLoop(), Intake: &script.Intake{}}, Clock: nowAlways}, newTheme("none", true, true, 0), newWorks(t.Context()))
		for range 3 {
			m.onClipEvent(reply)
			m.onClipEvent("type=read:status=DONE:id=espy")
		}
	})
}
