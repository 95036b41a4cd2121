package extend

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/url"
	"path"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
)

// An HTTP tool shows pictures only where its file says so: the answer itself is one, or an envelope with some.

func (d *declaration) pictures() bool { return d.Output == "envelope" || d.Output == "picture" }

// mostAnswer is how much of an answer is read, in bytes: one that is pictures may be as large as what the gate takes.
func (d *declaration) mostAnswer() int {
	switch d.Output {
	case "picture":
		return media.MaxSourceImageBytes + 1 // the gate says that it is too large
	case "envelope":
		return base64.StdEncoding.EncodedLen(media.MaxSourceImageBytes) + mostAnswer
	}
	return mostAnswer
}

// show makes an answer's pictures the outcome of a call. A server names no file of this machine, and its secrets come
// back in no text and no name.
func (d *declaration) show(ctx context.Context, env *tools.Env, call message.ToolCall, answer []byte, secrets []string, from *url.URL) (out tools.Outcome, err error) {
	if d.Output == "envelope" {
		e, err := d.unseal(answer)
		if err != nil {
			out = failed(call, scrub(err.Error(), secrets))
		} else if out, err = d.take(ctx, env, call, e.foreign(secrets)); err != nil {
			return out, err
		}
	} else {
		out = tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: d.Name + " answered with this."}}
		source := media.Source{Name: scrub(path.Base(from.Path), secrets), Bytes: bytes.NewReader(answer), Size: int64(len(answer))}
		if err := TakePicture(ctx, env, &out, source, 1); err != nil {
			return out, err
		}
		out.Result.IsError = len(out.Result.Images) == 0
	}
	if out.Result.Meta == nil {
		out.Result.Meta = make(map[string]string)
	}
	out.Result.Meta[message.MetaTaint] = from.Host
	return out, nil
}

// foreign is an envelope of another machine's.
func (e envelope) foreign(secrets []string) envelope {
	e.Text = scrub(e.Text, secrets)
	images := make([]envelopePicture, len(e.Images))
	for i, p := range e.Images {
		if p.Path != "" {
			p = envelopePicture{refused: "a server's answer holds its pictures as base64 and names no files"}
		}
		p.Name = scrub(p.Name, secrets)
		images[i] = p
	}
	e.Images = images
	return e
}
