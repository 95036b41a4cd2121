package agent

import (
	"context"
	"fmt"
	"path"
	"strings"

	"espy/agent/message"
	"espy/media"
)

// Recut renders an attachment again with another crop and with areas blacked out. Rectangles are in upright pixels of
// the picture's original, or of the picture itself where the original is gone because something was hidden before. A nil
// crop is all of it. The attachment keeps its number.
//
// What is blacked out is gone: the original and every earlier rendition are erased before Recut returns, the model is
// told only what is left, and the reading tools refuse the file it came from and any file with equal bytes for the rest
// of the session. Where erasing fails, the error says so and the attachment must not be sent.
func (in *Intake) Recut(ctx context.Context, at Attachment, crop *message.Rect, redact []message.Rect) (Attachment, error) {
	base := at.Record.Original
	if base == "" {
		base = at.Image.Ref
	}
	again, err := in.rerender(ctx, at, base, media.Options{Detail: media.Detail(at.Record.Detail), Crop: crop, Redact: redact})
	if err != nil {
		return at, err
	}
	hidden := len(at.Record.Redacted) > 0
	if len(redact) == 0 && !hidden {
		in.supersede(at, again)
		return again, nil
	}
	again.Record.Original = ""
	again.Record.Redacted = append(append([]message.Rect(nil), at.Record.Redacted...), redact...)
	if again.Record.Hidden = at.Record.Hidden; again.Record.Hidden == "" {
		again.Record.Hidden = blobHash(base)
	}
	in.agent.hide(again.Record)
	if err := in.erase(at, again.Image.Ref, base); err != nil {
		return at, fmt.Errorf("the unredacted %s could not be deleted: %w", at.Record.Name, err)
	}
	return again, nil
}

// rerender puts a stored picture through the gate once more.
func (in *Intake) rerender(ctx context.Context, at Attachment, base string, opt media.Options) (Attachment, error) {
	f, err := in.agent.opt.Session.OpenBlob(base)
	if err != nil {
		return at, err
	}
	defer f.Close()
	source, err := blobSource(base, f)
	if err != nil {
		return at, err
	}
	source.Name, source.Path = at.Record.Name, at.Record.Source
	source.Clipboard = true // a clipboard's BMP was kept as it came
	again, err := in.ingestAs(ctx, source, opt, func(string) int { return at.Record.Number })
	if err != nil {
		return at, err
	}
	in.agent.rendered(base, again.Image.Ref)
	return again, nil
}

// supersede lets go of a rendition that another took the place of.
func (in *Intake) supersede(old, with Attachment) {
	if old.Image.Ref != with.Image.Ref && old.Image.Ref != with.Record.Original {
		_ = in.agent.opt.Session.Draft().Discard(old.Image.Ref) // what stays goes with the draft
	}
}

// erase removes everything that shows what was hidden, except the picture it was hidden in.
func (in *Intake) erase(at Attachment, keep, base string) error {
	var gone []string
	for _, ref := range append(in.agent.renditions(base), at.Image.Ref, at.Record.Original, base) {
		if ref != "" && ref != keep {
			gone = append(gone, ref)
		}
	}
	return in.agent.opt.Session.Draft().Erase(gone...)
}

// rendered remembers which pictures were made of an original, so that a redaction finds them all.
func (a *Agent) rendered(original, ref string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made[original] = append(a.made[original], ref)
}

func (a *Agent) renditions(original string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.made[original]...)
}

// hide keeps the reading tools from the file a redacted picture came from, and from its like.
func (a *Agent) hide(r message.PictureRecord) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hidden = append(a.hidden, r)
}

// redacted reports whether a file, by its absolute path or the hex SHA-256 of its bytes, holds a picture the person hid
// parts of: in the log, or on the row.
func (a *Agent) redacted(abs, hash string) bool {
	holds := func(r message.PictureRecord) bool {
		return len(r.Redacted) > 0 && (r.Source != "" && r.Source == abs || r.Hidden != "" && r.Hidden == hash)
	}
	for _, r := range a.pictures() {
		if holds(r) {
			return true
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.hidden {
		if holds(r) {
			return true
		}
	}
	return false
}

// blobHash is the hash a Ref is named for.
func blobHash(ref string) string {
	name, _, _ := strings.Cut(path.Base(ref), ".")
	return name
}
