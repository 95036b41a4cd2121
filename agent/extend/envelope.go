package extend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
)

// mostPictures bounds the pictures of one envelope.
const mostPictures = 16

// envelope is what a tool with output = "envelope" prints or answers: words, and pictures as files or as base64.
type envelope struct {
	Text   string            `json:"text"`
	Images []envelopePicture `json:"images"`
}

type envelopePicture struct {
	Path   string `json:"path"`
	Base64 string `json:"base64"`
	Name   string `json:"name"`

	refused string // why it is not even opened; "" where it is
}

// open reads an envelope. Its text stays whole for every observer, its pictures pass the gate, and no base64 is
// stored or shown. A picture that cannot pass is told in the text; the others and the words stand.
func (d *declaration) open(ctx context.Context, env *tools.Env, call message.ToolCall, printed []byte) (tools.Outcome, error) {
	e, err := d.unseal(printed)
	if err != nil {
		return failed(call, err.Error()), nil
	}
	return d.take(ctx, env, call, e)
}

func (d *declaration) unseal(printed []byte) (e envelope, err error) {
	if err := json.NewDecoder(bytes.NewReader(printed)).Decode(&e); err != nil {
		return e, fmt.Errorf("%s did not give the JSON envelope it declares ({\"text\": …, \"images\": […]}): %w", d.Name, err)
	}
	return e, nil
}

// take makes an envelope the outcome of a call.
func (d *declaration) take(ctx context.Context, env *tools.Env, call message.ToolCall, e envelope) (tools.Outcome, error) {
	text, ref, err := tools.Spill(ctx, env, e.Text)
	if err != nil {
		return tools.Outcome{}, err
	}
	out := tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: text, Meta: map[string]string{}}}
	if ref != "" {
		out.Result.Meta[message.MetaBlob] = ref
	}
	if len(e.Images) > mostPictures {
		e.Images = e.Images[:mostPictures]
		out.Result.Text += fmt.Sprintf("\n[only the first %d pictures were taken]", mostPictures)
	}
	for i, p := range e.Images {
		if err := d.addPicture(ctx, env, &out, p, i); err != nil {
			return tools.Outcome{}, err
		}
	}
	out.Result.Meta[message.MetaSummary] = fmt.Sprintf("%s: %d pictures", d.Name, len(out.Result.Images))
	if strings.TrimSpace(out.Result.Text) == "" && len(out.Result.Images) == 0 {
		out.Result.Text = "(no output)"
	}
	return out, nil
}

// addPicture puts one picture through the gate. Only broken machinery is an error.
func (d *declaration) addPicture(ctx context.Context, env *tools.Env, out *tools.Outcome, p envelopePicture, i int) error {
	source, closer, err := p.source(env, i)
	if closer != nil {
		defer closer.Close()
	}
	var told *pictureError
	if errors.As(err, &told) {
		out.Result.Text += fmt.Sprintf("\n[picture %d was not taken: %v]", i+1, err)
		return nil
	}
	if err != nil {
		return err
	}
	return TakePicture(ctx, env, out, source, i+1)
}

// TakePicture puts a picture that came with a result through the gate and beside its text. One that cannot pass
// is told in the text by its number; an error is broken machinery.
func TakePicture(ctx context.Context, env *tools.Env, out *tools.Outcome, source media.Source, number int) error {
	if hidden(env, source) {
		out.Result.Text += fmt.Sprintf("\n[picture %d was not taken: the person hid parts of it; look at the redacted blob: they sent instead]", number)
		return nil
	}
	picture, err := env.Gate.Ingest(ctx, env.Blobs, source, media.Options{})
	var refusal *media.Refusal
	if errors.As(err, &refusal) {
		out.Result.Text += fmt.Sprintf("\n[picture %d was not taken: %v]", number, err)
		return nil
	}
	if err != nil {
		return err
	}
	r := picture.Receipt
	out.Result.Images = append(out.Result.Images, picture.Image)
	out.Pictures = append(out.Pictures, message.PictureRecord{Ref: picture.Image.Ref, Call: out.Result.CallID, Name: source.Name, Source: source.Path,
		Original: picture.Original, Detail: string(media.DetailAuto), Width: r.Source.Width, Height: r.Source.Height, MediaType: picture.Image.MediaType})
	return nil
}

// hidden reports whether the person blacked out parts of the very picture: it does not come back by another road.
func hidden(env *tools.Env, source media.Source) bool {
	if env.Redacted == nil || source.Size > media.MaxSourceImageBytes {
		return false // what is larger the gate refuses
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(source.Bytes, 0, source.Size)); err != nil {
		return false // the gate meets the same fault and tells it
	}
	return env.Redacted(source.Path, hex.EncodeToString(sum.Sum(nil)))
}

// pictureError is a picture of an envelope that cannot be opened, in a sentence.
type pictureError struct{ sentence string }

func (e *pictureError) Error() string { return e.sentence }

// source opens a picture: a path through the roots, or base64.
func (p envelopePicture) source(env *tools.Env, i int) (media.Source, io.Closer, error) {
	name := p.Name
	if p.refused != "" {
		return media.Source{}, nil, &pictureError{p.refused}
	}
	if p.Path != "" {
		f, path, err := env.Roots.Open(p.Path)
		if err != nil {
			return media.Source{}, nil, &pictureError{err.Error()}
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return media.Source{}, nil, &pictureError{err.Error()}
		}
		if name == "" {
			name = baseName(path.Abs)
		}
		return media.Source{Name: name, Path: path.Abs, Bytes: f, Size: info.Size()}, f, nil
	}
	if name == "" {
		name = fmt.Sprintf("picture %d", i+1)
	}
	if base64.StdEncoding.DecodedLen(len(p.Base64)) > media.MaxSourceImageBytes+3 {
		return media.Source{}, nil, &pictureError{fmt.Sprintf("%s is larger than %d bytes", name, media.MaxSourceImageBytes)}
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.Base64))
	if err != nil || len(data) == 0 {
		return media.Source{}, nil, &pictureError{name + " has neither a path nor valid base64"}
	}
	return media.Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))}, nil, nil
}
