package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
	"espy/media/clipboard"
	"espy/store"
)

// Pasted is what a paste, a drop or a look at the clipboard came to.
type Pasted struct {
	Attachments []Attachment
	Text        string   // what belongs into the composer as text, byte for byte
	Notes       []string // sentences about what was found and could not be attached
}

// Intake takes pictures and files in on the person's behalf. Bytes are copied when a path arrives, so that
// what is sent is what was dropped even if the file is then deleted or replaced. Attached pictures lie in the
// session's draft until they are sent; nothing is sent, described or analysed here. It is safe from any
// goroutine, and everything it does may take as long as a disk, a clipboard or a decode does.
type Intake struct {
	agent   *Agent
	store   *store.Store
	roots   *guard.Roots
	secrets *guard.Secrets
	env     clipboard.Env
	finder  *clipboard.Finder
	files   fileList

	mu      sync.Mutex // guards what follows
	unsaved string     // why the draft could not be saved the last time, "" when it was
}

// NewIntake returns the agent's intake. sessions is where pictures of earlier prompts are; env is how the
// clipboard is reached.
func NewIntake(a *Agent, sessions *store.Store, secrets *guard.Secrets, env clipboard.Env) *Intake {
	env.Prove = func(b []byte) error {
		_, err := media.Probe(bytesAt(b), int64(len(b)))
		return err
	}
	return &Intake{agent: a, store: sessions, roots: a.opt.Env.Roots, secrets: secrets, env: env, finder: clipboard.NewFinder(env),
		files: fileList{folder: a.opt.Folder, roots: a.opt.Env.Roots}}
}

// Paste looks at the clipboard: a copied picture file first, then an image, then text.
func (in *Intake) Paste(ctx context.Context) (Pasted, error) {
	content, err := clipboard.Read(ctx, in.env)
	if err != nil {
		return Pasted{}, err
	}
	var p Pasted
	if content.Note != "" {
		p.Notes = append(p.Notes, content.Note)
	}
	switch {
	case len(content.Files) > 0:
		for _, name := range content.Files {
			p.take(in.attachOwn(ctx, name))
		}
		if len(p.Attachments) == 0 {
			return p, errors.New(p.lastNote())
		}
	case len(content.Image) > 0:
		source := media.Source{Name: "clipboard", Bytes: bytesAt(content.Image), Size: int64(len(content.Image)), Clipboard: true}
		at, err := in.ingest(ctx, source, media.Options{})
		if err != nil {
			return p, err
		}
		p.Attachments = append(p.Attachments, at)
	default:
		p.Text = content.Text
	}
	return p, nil
}

func (p *Pasted) take(at Attachment, err error) {
	if err != nil {
		p.Notes = append(p.Notes, err.Error())
		return
	}
	p.Attachments = append(p.Attachments, at)
}

func (p *Pasted) lastNote() string {
	if len(p.Notes) == 0 {
		return "nothing on the clipboard could be attached"
	}
	return p.Notes[len(p.Notes)-1]
}

// PastedBytes attaches a picture that a terminal handed over.
func (in *Intake) PastedBytes(ctx context.Context, picture []byte) (Pasted, error) {
	source := media.Source{Name: "clipboard", Bytes: bytesAt(picture), Size: int64(len(picture)), Clipboard: true}
	at, err := in.ingest(ctx, source, media.Options{})
	if err != nil {
		return Pasted{}, err
	}
	return Pasted{Attachments: []Attachment{at}}, nil
}

// PastedText attaches the pictures that a pasted or dropped list of paths names. Anything else is text, byte
// for byte: also a list of which one name is no picture, or could not be attached; a note then says why.
func (in *Intake) PastedText(ctx context.Context, text string) (Pasted, error) {
	found := in.finder.Paths(text)
	if len(found) == 0 {
		return Pasted{Text: text}, nil
	}
	p := Pasted{}
	for _, f := range found {
		at, err := in.attachOwn(ctx, f.Path)
		if ctx.Err() != nil {
			p.Text = text
			return p, ctx.Err()
		}
		if err != nil && !isPicturePath(f.Path) && notPicture(err) {
			in.discardAll(p.Attachments)
			return Pasted{Text: text}, nil // a path to something else was pasted as text
		}
		p.take(at, err)
	}
	if len(p.Notes) > 0 {
		in.discardAll(p.Attachments)
		p.Attachments, p.Text = nil, text
	}
	return p, nil
}

// notPicture tells a file that is no picture at all from a picture that may not pass.
func notPicture(err error) bool {
	var refusal *media.Refusal
	if !errors.As(err, &refusal) {
		return false
	}
	return refusal.Fault == media.FaultNotPicture || refusal.Fault == media.FaultEmpty || refusal.Fault == media.FaultUnsupported
}

// isPicturePath reports whether a name promises a picture. It decides only whether a refusal is worth a word.
func isPicturePath(name string) bool {
	switch filepath.Ext(name) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".PNG", ".JPG", ".JPEG", ".GIF", ".WEBP",
		".bmp", ".tiff", ".tif", ".heic", ".avif", ".svg":
		return true
	}
	return false
}

// AttachPaths attaches the files of an /attach line, which may lie anywhere the person can read. What could be
// attached is returned beside the error about the rest.
func (in *Intake) AttachPaths(ctx context.Context, args string) ([]Attachment, error) {
	found, missing, err := in.finder.Args(args, in.agent.opt.Folder)
	if err != nil {
		return nil, err
	}
	var attached []Attachment
	var faults []error
	for _, name := range missing {
		faults = append(faults, in.refusal(name))
	}
	for _, f := range found {
		at, err := in.attachOwn(ctx, f.Path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		attached = append(attached, at)
	}
	if len(found)+len(missing) == 0 {
		return nil, errors.New("name one or more pictures: /attach PATH…")
	}
	return attached, errors.Join(faults...)
}

// AttachFile attaches one file by its name, taken as it stands: --attach passes what the shell already split.
func (in *Intake) AttachFile(ctx context.Context, name string) (Attachment, error) {
	if found, err := clipboard.ResolveName(name, clipboard.Disk{}); err == nil {
		name = found.Path
	}
	return in.attachOwn(ctx, name)
}

// refusal says why a name that is no file cannot be attached: opening it finds the true reason.
func (in *Intake) refusal(name string) error {
	abs := name
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(in.agent.opt.Folder, name)
	}
	f, _, err := guard.OpenOwn(abs, in.secrets)
	if err == nil {
		f.Close()
		return guard.Refuse(guard.FaultMissing, name)
	}
	return err
}

// attachOwn attaches a file the person named.
func (in *Intake) attachOwn(ctx context.Context, name string) (Attachment, error) {
	f, path, err := guard.OpenOwn(name, in.secrets)
	if err != nil {
		return Attachment{}, err
	}
	defer f.Close()
	return in.attachFile(ctx, f, path.Abs)
}

// attachFile takes the bytes of an open file now and puts them through the gate.
func (in *Intake) attachFile(ctx context.Context, f *os.File, path string) (Attachment, error) {
	info, err := f.Stat()
	if err != nil {
		return Attachment{}, err
	}
	source := media.Source{Name: filepath.Base(path), Path: path, Bytes: f, Size: info.Size()}
	if info.Size() <= media.MaxSourceImageBytes {
		copied, err := in.spool(f, info.Size())
		if err != nil {
			return Attachment{}, err
		}
		defer copied.Close()
		source.Bytes, source.Size = copied, copied.size
	}
	return in.ingest(ctx, source, media.Options{})
}

func (in *Intake) ingest(ctx context.Context, source media.Source, opt media.Options) (Attachment, error) {
	return in.ingestAs(ctx, source, opt, in.agent.numberFor)
}

// ingestAs puts a picture through the gate; number is asked only for one that passed.
func (in *Intake) ingestAs(ctx context.Context, source media.Source, opt media.Options, number func(ref string) int) (Attachment, error) {
	picture, err := in.agent.gate.Ingest(ctx, in.agent.opt.Session.Draft(), source, opt)
	if err != nil {
		return Attachment{}, err
	}
	if picture.Original != "" {
		in.agent.rendered(picture.Original, picture.Image.Ref)
	}
	r := picture.Receipt
	return Attachment{
		Image:   picture.Image,
		Receipt: r,
		Record: message.PictureRecord{
			Ref: picture.Image.Ref, Number: number(picture.Image.Ref), Name: source.Name, Source: source.Path, Original: picture.Original,
			Detail: string(detailOr(opt.Detail)), Width: r.Source.Width, Height: r.Source.Height, Crop: r.Crop, Redacted: opt.Redact,
			MediaType: picture.Image.MediaType,
		},
	}, nil
}

func detailOr(d media.Detail) media.Detail {
	if d == "" {
		return media.DetailAuto
	}
	return d
}

// numberFor hands out the next picture number. A picture the conversation already knows keeps its own, and so
// does one that was attached before and not sent: attaching the same twice leaves no gap.
func (a *Agent) numberFor(ref string) int {
	if p, ok := a.Picture(ref); ok && p.Number > 0 {
		return p.Number
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n, ok := a.numbered[ref]; ok {
		return n
	}
	a.number++
	a.numbered[ref] = a.number
	return a.number
}

// Adopt tells the intake of pictures that a saved draft brought back, so that their numbers are not given to
// others. Pictures whose bytes are gone are left out and named in the error.
func (in *Intake) Adopt(attachments []Attachment) ([]Attachment, error) {
	var kept []Attachment
	var faults []error
	for _, at := range attachments {
		if _, err := in.agent.opt.Session.StatBlob(at.Image.Ref); err != nil {
			faults = append(faults, fmt.Errorf("%s is gone from the draft: %w", at.Record.Name, err))
			continue
		}
		in.agent.mu.Lock()
		in.agent.number = max(in.agent.number, at.Record.Number)
		in.agent.numbered[at.Image.Ref] = at.Record.Number
		in.agent.mu.Unlock()
		if len(at.Record.Redacted) > 0 {
			in.agent.hide(at.Record)
		} else {
			in.agent.rendered(at.Record.Original, at.Image.Ref)
		}
		kept = append(kept, at)
	}
	return kept, errors.Join(faults...)
}

// Redetail renders an attachment again at another detail: from its original, or where something was hidden from what
// is left. It keeps its number.
func (in *Intake) Redetail(ctx context.Context, at Attachment, detail media.Detail) (Attachment, error) {
	if at.Record.Original == "" {
		return in.recutHidden(ctx, at, detail)
	}
	again, err := in.rerender(ctx, at, at.Record.Original, media.Options{Detail: detail, Crop: at.Record.Crop})
	if err != nil {
		return at, err
	}
	in.supersede(at, again)
	return again, nil
}

// recutHidden sizes a redacted picture anew. It is never larger than it is.
func (in *Intake) recutHidden(ctx context.Context, at Attachment, detail media.Detail) (Attachment, error) {
	at.Record.Detail = string(detail)
	return in.Recut(ctx, at, nil, nil)
}

// Discard forgets an attachment that was taken off the row. A failure leaves a file that goes with the draft.
func (in *Intake) Discard(at Attachment) { in.discardAll([]Attachment{at}) }

func (in *Intake) discardAll(attachments []Attachment) {
	for _, at := range attachments {
		_ = in.agent.opt.Session.Draft().Discard(at.Image.Ref, at.Record.Original)
	}
}

// SaveDraft keeps the face's unsent state. Drafts are saved with every pause in writing, so that a failure is
// told once, and again only after one was saved or for another reason.
func (in *Intake) SaveDraft(state []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	fault := ""
	if err := in.agent.opt.Session.Draft().Save(state); err != nil {
		fault = err.Error()
	}
	if fault != "" && fault != in.unsaved {
		in.agent.notice(NoticeError, "The draft could not be saved: "+fault)
	}
	in.unsaved = fault
}

// LoadDraft returns what SaveDraft kept, nil where there is nothing.
func (in *Intake) LoadDraft() []byte {
	state, err := in.agent.opt.Session.Draft().Load()
	if err != nil {
		in.agent.notice(NoticeError, "The draft could not be read: "+err.Error())
	}
	return state
}
