package tools

import (
	"context"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
)

// blindSentence answers read_media on a route that takes no pictures. Its words are fixed: people and scripts
// look for them.
const blindSentence = "read_media: the active model route does not support image input. Switch to a route marked vision-capable with /model, or configure the route's image_input capability, then try again."

type readMediaArgs struct {
	Path   string        `json:"path"`
	Crop   *message.Rect `json:"crop"`
	Detail string        `json:"detail"`
	Slices int           `json:"slices"`
}

func readMediaTool() Tool {
	return declaration[readMediaArgs]{
		name:     ReadMedia,
		deferred: true, // many sessions show no picture; those that do have it in front
		keywords: []string{"screenshot", "image", "picture", "photo", "look", "see", "view", "vision", "zoom", "crop", "closer", "png", "jpeg"},
		params: params{
			{name: "path", kind: "string", required: true, about: "Picture file, or blob:NAME of a picture of this conversation."},
			{name: "crop", kind: "object", about: "Only this part, in pixels of the upright source.", fields: params{
				{name: "x", kind: "integer", required: true, least: 0, most: 1 << 30, about: "Left edge."},
				{name: "y", kind: "integer", required: true, least: 0, most: 1 << 30, about: "Top edge."},
				{name: "width", kind: "integer", required: true, least: 1, most: 1 << 30, about: "Width."},
				{name: "height", kind: "integer", required: true, least: 1, most: 1 << 30, about: "Height."},
			}},
			{name: "detail", kind: "string", enum: []string{"low", "auto", "high", "original"}, about: "Longest side sent: low 1024, auto 2048 (default), high and original 4096 pixels."},
			{name: "slices", kind: "integer", least: 1, most: maxSlices, about: "Send this many overlapping bands along the long side instead of one picture."},
		},
		readOnly: true,
		effect: func(env *Env, a readMediaArgs) (guard.Effect, error) {
			if !env.Route().Sees() {
				return guard.Effect{Kind: guard.KindNone, Summary: "look at " + clip(a.Path, 200)}, nil
			}
			return lookEffect(env, "look at", a.Path)
		},
		run: runReadMedia,
	}.tool()
}

func runReadMedia(ctx context.Context, env *Env, call message.ToolCall, a readMediaArgs) (Outcome, error) {
	if !env.Route().Sees() {
		return Outcome{}, mistakef(blindSentence)
	}
	src, err := open(env, a.Path)
	if err != nil {
		return Outcome{}, withReadMedia(err)
	}
	defer src.Close()
	if err := refuseText(src); err != nil {
		return Outcome{}, err
	}
	view := media.Options{Detail: media.Detail(a.Detail), Crop: a.Crop}
	views := []media.Options{view}
	if a.Slices > 1 {
		if views, err = slice(src, view, a.Slices); err != nil {
			return Outcome{}, withReadMedia(err)
		}
	}
	out, err := look(ctx, env, call, src, views)
	return out, withReadMedia(err)
}

// withReadMedia puts the tool's name before a refusal that does not carry it.
func withReadMedia(err error) error {
	sentence, ok := "", false
	if err != nil {
		sentence, ok = mendable(err)
	}
	if !ok || strings.HasPrefix(sentence, "read_media: ") {
		return err
	}
	return mistakef("read_media: %s", sentence)
}

// refuseText answers for stored text, which has no name that would tell; a file is left to the gate.
func refuseText(src *source) error {
	if src.ref == "" || src.record != nil {
		return nil
	}
	head, err := src.head()
	if err != nil {
		return err
	}
	if kind, _ := sniff(head); kind == kindText {
		return mistakef("read_media: %s is text; use read", src.label)
	}
	return nil
}

// slice divides a picture, or the part that is cropped, into bands along its long side, from the top or the
// left, each repeating a little of the one before.
func slice(src *source, view media.Options, n int) ([]media.Options, error) {
	area := message.Rect{}
	if view.Crop != nil {
		area = *view.Crop
	} else {
		header, err := media.Probe(src.readerAt(), src.size)
		if err != nil {
			return []media.Options{view}, nil // no picture: the gate says what it is
		}
		area.Width, area.Height = header.Upright()
	}
	long := max(area.Width, area.Height)
	if long < n {
		return nil, mistakef("a picture of %dx%d pixels cannot be cut into %d slices", area.Width, area.Height, n)
	}
	step := (long + n - 1) / n
	overlap := int(float64(step) * sliceOverlap)
	views := make([]media.Options, 0, n)
	for start := 0; start < long; start += step {
		from, to := max(start-overlap, 0), min(start+step, long)
		band := area
		if area.Height >= area.Width {
			band.Y, band.Height = area.Y+from, to-from
		} else {
			band.X, band.Width = area.X+from, to-from
		}
		opt := view
		opt.Crop = &band
		views = append(views, opt)
	}
	return views, nil
}
