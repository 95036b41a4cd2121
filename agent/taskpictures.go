package agent

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/store"
)

// handOver gives pictures to a task. One of the conversation goes by reference: its file is linked into the task's
// folder, and its four fields and its number are the same there. A path passes the roots and the gate as any other.
func (a *Agent) handOver(ctx context.Context, to *store.Session, names []string) ([]Attachment, error) {
	var given []Attachment
	for _, name := range names {
		at, known, err := a.ownPicture(ctx, to, name)
		if err == nil && !known {
			at, err = a.takePicture(ctx, to, name)
		}
		if err != nil {
			return nil, err
		}
		given = append(given, at)
	}
	return eachOnce(given), nil
}

// ownPicture links a picture that the conversation shows.
func (a *Agent) ownPicture(ctx context.Context, to *store.Session, name string) (at Attachment, known bool, err error) {
	if !strings.HasPrefix(name, "blob:") {
		return at, false, nil
	}
	ref, ok := a.opt.Session.FindBlob(name)
	if !ok {
		return at, false, nil
	}
	if at.Image, known = a.shown(ref); !known {
		return at, false, nil
	}
	at.Record, _ = a.Picture(ref)
	at.Record.Head, at.Record.Ref, at.Record.Call = message.Head{}, ref, ""
	if len(at.Record.Redacted) == 0 && a.redacted(at.Record.Source, blobHash(orRef(at.Record.Original, ref))) {
		return at, true, tools.Mistake("task: the person hid parts of " + name + "; hand over the redacted blob: they sent instead")
	}
	return at, true, linkPicture(ctx, a.opt.Session, to, at.Image.Ref, at.Record.Original)
}

func orRef(original, ref string) string {
	if original != "" {
		return original
	}
	return ref
}

// linkPicture links a picture and, where it is still there, what it was made of.
func linkPicture(ctx context.Context, from, to *store.Session, ref, original string) error {
	err := to.LinkFrom(ctx, from, ref)
	if errors.As(err, new(*store.BlobError)) {
		return tools.Mistake("task: " + err.Error())
	}
	if err != nil || original == "" {
		return err
	}
	if err = to.LinkFrom(ctx, from, original); errors.As(err, new(*store.BlobError)) {
		return nil
	}
	return err
}

// takePicture puts a file, or a stored picture that no message shows, through the gate into the task's folder.
func (a *Agent) takePicture(ctx context.Context, to *store.Session, name string) (Attachment, error) {
	pic, record, err := tools.TakePicture(ctx, a.env, to, name)
	return Attachment{Image: pic.Image, Record: record, Receipt: pic.Receipt}, err
}

// shown is the picture with this Ref as the conversation has it.
func (a *Agent) shown(ref string) (image message.Image, ok bool) {
	for _, i := range a.ownImages() {
		if i.Ref == ref {
			return i, true
		}
	}
	return image, false
}

// returned is what comes back of a task's pictures.
type returned struct {
	images  []message.Image         // that its answer named
	records []message.PictureRecord // of all that were linked
	listed  []message.Image         // that it saw or made and did not name
}

// blobNames finds pictures named in an answer, as blob:NAME or by their whole reference.
var blobNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bblob:[0-9a-f]{6,64}\b|\bblobs/[0-9a-f]{64}\.[a-z]+\b`)
})

// handBack links what the task saw or made, the newest first, into the session: what its answer names comes back into
// the context, the rest is only named. What the session handed over is there already.
func (t *task) handBack(ctx context.Context, words string) (back returned, err error) {
	var named []string
	for _, name := range blobNames().FindAllString(words, -1) {
		if ref, ok := t.agent.opt.Session.FindBlob("blob:" + strings.TrimPrefix(strings.TrimPrefix(strings.Split(name, ".")[0], "blobs/"), "blob:")); ok {
			named = append(named, t.agent.pictured(ref))
		}
	}
	all, there := t.agent.ownImages(), t.outer.ownImages()
	slices.Reverse(all)
	for _, i := range all {
		here := hasRef(there, i.Ref)
		wanted := slices.Contains(named, i.Ref)
		switch {
		case here:
			back.listed = append(back.listed, i)
			continue
		case wanted && len(back.images) < mostTaskReturned:
			back.images = append(back.images, i)
		case len(back.listed) < mostTaskListed:
			back.listed = append(back.listed, i)
		default:
			continue
		}
		record, _ := t.agent.Picture(i.Ref)
		if err := linkPicture(ctx, t.agent.opt.Session, t.outer.opt.Session, i.Ref, record.Original); err != nil {
			return back, err
		}
		record.Head, record.Ref, record.Call, record.Number = message.Head{}, i.Ref, t.call.ID, 0
		back.records = append(back.records, record)
	}
	slices.Reverse(back.images)
	slices.Reverse(back.listed)
	return back, nil
}

// ownImages are the pictures of the conversation, each once.
func (a *Agent) ownImages() (all []message.Image) {
	for _, m := range a.Messages() {
		for _, i := range m.Images() {
			if !hasRef(all, i.Ref) {
				all = append(all, i)
			}
		}
	}
	return all
}

func hasRef(images []message.Image, ref string) bool {
	return slices.ContainsFunc(images, func(i message.Image) bool { return i.Ref == ref })
}

// pictured is the picture that a stored file is shown as: itself, or the newest one made of it.
func (a *Agent) pictured(ref string) string {
	shown := ref
	for _, i := range a.ownImages() {
		if record, _ := a.Picture(i.Ref); record.Original == ref && shown == ref {
			shown = i.Ref
		}
	}
	return shown
}

// words names the pictures that do not come along.
func (b returned) words() string {
	var s strings.Builder
	for _, i := range b.listed {
		s.WriteString("\n" + i.StandIn() + " " + message.BlobName(i.Ref))
	}
	if s.Len() == 0 {
		return ""
	}
	return "\n\nPictures it saw or made; read_media shows them by their blob: names:" + s.String()
}
