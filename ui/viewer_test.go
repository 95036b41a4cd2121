package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

// viewing is a program with one picture, open in the viewer.
func viewing(t *testing.T, width, height int) *driver {
	t.Helper()
	d := drive(t, width, height, withPreviews, script.Opened())
	d.truecolour()
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("/tmp/header.png", 2048, 1152)}}
	d.key("ctrl+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 && len(d.m.jobs) == 0 })
	d.key("up", "enter")
	d.until("the picture fills the screen", func() bool { return strings.Count(d.screen(), "▀") > width })
	return d
}

func TestThePictureViewerReadsWellAtEverySize(t *testing.T) {
	for _, size := range []struct{ w, h int }{{40, 10}, {80, 24}, {120, 40}} {
		d := viewing(t, size.w, size.h)
		d.golden(fmt.Sprintf("viewer-%dx%d", size.w, size.h))
		d.key("m", "shift+right", "left")
		d.golden(fmt.Sprintf("viewer-rectangle-%dx%d", size.w, size.h))
	}
}

func TestARectangleIsMovedAndSizedToThePixel(t *testing.T) {
	d := viewing(t, 80, 24)
	d.key("m")
	d.shows("x 1024  y 576  width 2048  height 1152")
	d.key("left", "down", "shift+right", "K")
	d.shows("x 1014  y 586  width 2058  height 1142")
	d.key("tab", "tab", "right", "L") // by 100, then by 1
	d.shows("x 1015  y 586  width 2059  height 1142")
	for range 60 {
		d.key("tab", "tab", "right", "tab") // by 100 and back to 1
	}
	if r := d.m.viewer.rect; r.X+r.Width > 4096 || r.Y+r.Height > 2304 {
		t.Errorf("the rectangle %+v leaves the picture", *r)
	}
}

func TestACropAndABlackeningAreMadeWhenTheViewerIsLeftAndTheRowSaysSo(t *testing.T) {
	d := viewing(t, 80, 24)
	d.key("m", "c")
	d.shows("a crop shows less but hides nothing")
	d.key("m", "x")
	d.shows("hidden for good when you go back")
	d.key("m", "x", "u", "esc") // undone, and its rectangle taken away
	if got := d.m.row.pictures[0]; got.Record.Crop != nil || len(got.Record.Redacted) > 0 {
		t.Error("something was done to the picture before the viewer was left")
	}
	d.key("esc")
	d.until("the picture was cut", func() bool { return len(d.m.jobs) == 0 })
	got := d.m.row.pictures[0]
	if got.Record.Crop == nil || *got.Record.Crop != (message.Rect{X: 1024, Y: 576, Width: 2048, Height: 1152}) || len(got.Record.Redacted) != 1 {
		t.Errorf("the picture is %+v", got.Record)
	}
	d.shows("cropped, 1 area blacked out")
}

func TestAMessageWaitsUntilItsPictureIsBlackedOut(t *testing.T) {
	d := viewing(t, 80, 24)
	d.key("m", "x")
	d.intake.Gate = make(chan struct{})
	d.key("esc", "esc")
	d.types("look")
	d.key("enter")
	if n := len(d.submits()); n != 0 {
		t.Fatalf("%d messages left before the picture was blacked out", n)
	}
	close(d.intake.Gate)
	d.until("the message leaves", func() bool { return len(d.submits()) == 1 })
	if got := d.submits()[0].Prompt.Attachments; len(got) != 1 || len(got[0].Record.Redacted) != 1 {
		t.Errorf("it left with %+v", got)
	}
}

func TestAPictureThatCouldNotBeBlackedOutIsNotSent(t *testing.T) {
	d := viewing(t, 80, 24)
	d.key("m", "x")
	d.intake.Fails = errors.New("the disk is full")
	d.key("esc")
	d.until("it failed", func() bool { return len(d.m.jobs) == 0 })
	if len(d.m.row.pictures) != 0 {
		t.Error("the picture is still on the row")
	}
	d.shows("taken off the row")
}

func TestTheSamePictureTwiceIsNotBlackedOutOnce(t *testing.T) {
	d := viewing(t, 80, 24)
	d.m.viewer.a.Record.Original = "blobs/feed.png"
	twin := d.m.viewer.a
	twin.Image.Ref += "-low"
	d.m.row.pictures[0].Record.Original = "blobs/feed.png"
	d.m.row.add(twin)
	d.key("m", "x")
	d.shows("attached a second time")
	if len(d.m.viewer.edits) != 0 {
		t.Error("it was blacked out all the same")
	}
}

func TestASentPictureIsOnlyLookedAt(t *testing.T) {
	d := viewing(t, 80, 24)
	d.m.viewer.editable = false
	d.key("x")
	d.shows("this picture was sent")
	if d.m.viewer.rect != nil {
		t.Error("a rectangle was put on it")
	}
}

func TestZoomAndPanStayInsideThePicture(t *testing.T) {
	d := viewing(t, 80, 24)
	keys := []string{"+", "left", "+", "up", "right", "+", "down", "+", "+", "+", "+", "+", "+", "down", "right", "-", "0"}
	for range 8 {
		for _, k := range keys {
			d.key(k)
			s := d.m.viewer.shows()
			if s.X < 0 || s.Y < 0 || s.Width < 1 || s.Height < 1 || s.X+s.Width > 4096 || s.Y+s.Height > 2304 {
				t.Fatalf("after %q %+v shows", k, s)
			}
		}
	}
	if s := d.m.viewer.shows(); s.Width != d.m.viewer.w {
		t.Errorf("after 0 not all of it shows: %+v", s)
	}
}

func TestAQuestionWaitsUntilThePictureIsLeft(t *testing.T) {
	d := viewing(t, 80, 24)
	d.push(agent.CallStarted{Call: asks("q").Call}, asks("q"))
	d.shows("a permission question waits")
	d.key("y")
	if len(d.loop.Commands()) != 0 {
		t.Error("a key of the viewer answered the question")
	}
	d.key("esc")
	d.shows("allow")
}

func TestTheViewersPathIsCopiedAndThePictureOpened(t *testing.T) {
	d := viewing(t, 80, 24)
	copied, opened := make(chan string, 1), make(chan string, 1)
	d.m.o.Copy = func(_ context.Context, text string, _ func(string)) (string, error) {
		copied <- text
		return "clipboard", nil
	}
	d.m.o.OpenPicture = func(_ context.Context, ref string) (string, error) { opened <- ref; return "opened", nil }
	d.key("y")
	d.until("it was copied", func() bool { return len(copied) == 1 })
	d.key("o")
	d.shows("opened")
	if path, ref := <-copied, <-opened; path != "/tmp/header.png" || ref != d.m.viewer.a.Image.Ref {
		t.Errorf("copied %q, opened %q", path, ref)
	}
}

func TestAPictureOfTheConversationIsLookedAtFromTheTranscript(t *testing.T) {
	d := drive(t, 100, 30, withPreviews, conversation())
	d.key("ctrl+t", "g")
	d.shows("v looks at the picture")
	d.key("v")
	if d.m.viewer == nil || d.m.viewer.editable || d.m.viewer.a.Record.Name != "shot.png" {
		t.Fatalf("the viewer does not show the picture:\n%s", d.screen())
	}
	d.key("esc")
	if d.m.viewer != nil || d.m.list.picked < 0 {
		t.Error("leaving the viewer does not lead back to the transcript")
	}
	d.key("down")
	d.key("v")
	d.shows("there is no picture in this entry")
}
