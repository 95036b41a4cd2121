package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
)

// draftFiles are the pictures in the session's draft.
func (h *house) draftFiles() []string {
	h.t.Helper()
	entries, err := os.ReadDir(filepath.Join(h.session.Dir(), "draft"))
	if err != nil {
		h.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".png") || strings.HasSuffix(e.Name(), ".jpg") {
			names = append(names, e.Name())
		}
	}
	return names
}

func (h *house) recut(at Attachment, crop *message.Rect, redact ...message.Rect) Attachment {
	h.t.Helper()
	again, err := h.intake.Recut(context.Background(), at, crop, redact)
	if err != nil {
		h.t.Fatal(err)
	}
	return again
}

func TestACropShowsLessAndKeepsTheOriginal(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	at := h.attach(h.picture("shot.png", 300, 200))
	cropped := h.recut(at, &message.Rect{X: 10, Y: 20, Width: 100, Height: 50})
	if cropped.Image.Width != 100 || cropped.Image.Height != 50 || cropped.Record.Original != at.Record.Original || cropped.Record.Number != at.Record.Number {
		t.Errorf("the crop is %+v of %+v", cropped.Image, cropped.Record)
	}
	whole := h.recut(cropped, nil)
	if whole.Image.Ref != at.Image.Ref || whole.Record.Crop != nil {
		t.Errorf("without a crop it is %+v, was %+v", whole.Image, at.Image)
	}
}

func TestWhatIsBlackedOutIsNowhereOnDiskAndItsFileIsRefusedToTheTools(t *testing.T) {
	call := callOf("c1", "read_media", `{"path":"shot.png"}`)
	twin := callOf("c2", "read", `{"path":"copy of it.png"}`)
	h := newHouse(t, guard.ModeFull, want(call, twin), say("done"), want(call), say("done again"))
	path := h.picture("shot.png", 300, 200)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "copy of it.png"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	at := h.attach(path)
	small, err := h.intake.Redetail(context.Background(), at, media.DetailLow)
	if err != nil {
		t.Fatal(err)
	}
	hidden := h.recut(small, &message.Rect{Width: 200, Height: 200}, message.Rect{X: 50, Y: 60, Width: 70, Height: 80})
	if files := h.draftFiles(); len(files) != 1 || "blobs/"+files[0] != hidden.Image.Ref {
		t.Errorf("the draft holds %v, want only %s", files, hidden.Image.Ref)
	}
	if hidden.Record.Original != "" || len(hidden.Record.Redacted) != 1 {
		t.Errorf("the record is %+v", hidden.Record)
	}
	h.send("look", hidden)
	h.end()
	for _, words := range []string{sent(h.stage.request(0)), sent(h.stage.request(1))} {
		if strings.Contains(words, path) || strings.Contains(words, message.BlobName(at.Record.Original)) {
			t.Errorf("the model is told where the original is: %s", words)
		}
	}
	if words := sent(h.stage.request(1)); strings.Count(words, "hid parts") != 2 {
		t.Errorf("the tools were not refused the file and its copy: %s", words)
	}
	h.again(guard.ModeFull, sees("supported"))
	h.send("look again")
	h.end()
	if words := sent(h.stage.request(3)); strings.Count(words, "hid parts") < 3 {
		t.Errorf("after a resume the tools were not refused: %s", words)
	}
}

func TestARedactedPictureCanBeCutAndHiddenFurther(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	at := h.attach(h.picture("shot.png", 300, 200))
	once := h.recut(at, nil, message.Rect{Width: 30, Height: 30})
	twice := h.recut(once, &message.Rect{X: 0, Y: 0, Width: 150, Height: 100}, message.Rect{X: 40, Y: 40, Width: 30, Height: 30})
	if twice.Image.Width != 150 || len(twice.Record.Redacted) != 2 || twice.Record.Hidden != once.Record.Hidden {
		t.Errorf("the second time it is %+v, %+v", twice.Image, twice.Record)
	}
	lower, err := h.intake.Redetail(context.Background(), twice, media.DetailLow)
	if err != nil || len(lower.Record.Redacted) != 2 || lower.Record.Original != "" {
		t.Errorf("at another detail it is %+v, %v", lower.Record, err)
	}
	if files := h.draftFiles(); len(files) != 1 {
		t.Errorf("the draft holds %v, want one picture", files)
	}
}
