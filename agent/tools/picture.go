package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"espy/agent/message"
	"espy/media"
)

// look takes a picture through the gate once for each set of options and answers with the pictures and with
// what was done to each.
func look(ctx context.Context, env *Env, call message.ToolCall, src *source, views []media.Options) (Outcome, error) {
	if err := refuseRedacted(env, src); err != nil {
		return Outcome{}, err
	}
	from := pictureSource(src)
	var out Outcome
	var parts []string
	var receipts []media.Receipt
	for _, opt := range views {
		pic, err := env.Gate.Ingest(ctx, env.Blobs, from, opt)
		if err != nil {
			return Outcome{}, err
		}
		out.Result.Images = append(out.Result.Images, pic.Image)
		out.Pictures = append(out.Pictures, pictureRecord(call, from, opt, pic))
		receipts = append(receipts, pic.Receipt)
		parts = append(parts, receiptText(from.Name, pic))
	}
	if hint := stripHint(receipts); hint != "" {
		parts = append(parts, hint)
	}
	text := withNote(strings.Join(parts, "\n"), src.file.note)
	meta, err := receiptMeta(receipts)
	if err != nil {
		return Outcome{}, err
	}
	said := answer(text, message.MetaPath, src.file.Abs, message.MetaReceipt, meta, message.MetaSummary, lookSummary(from.Name, out.Result.Images))
	out.Result.Text, out.Result.Meta = said.Result.Text, said.Result.Meta
	return out, nil
}

// TakePicture puts the picture that a path or a blob name opens through the gate into a sink, as read_media does for a
// look at it. Its errors are a call's result.
func TakePicture(ctx context.Context, env *Env, sink media.Sink, name string) (media.Picture, message.PictureRecord, error) {
	src, err := open(env, name)
	if err != nil {
		return media.Picture{}, message.PictureRecord{}, err
	}
	defer src.Close()
	if err := refuseRedacted(env, src); err != nil {
		return media.Picture{}, message.PictureRecord{}, err
	}
	from := pictureSource(src)
	pic, err := env.Gate.Ingest(ctx, sink, from, media.Options{})
	return pic, pictureRecord(message.ToolCall{}, from, media.Options{}, pic), err
}

// pictureSource is what the gate is given: a blob keeps the name and path its picture came with.
func pictureSource(src *source) media.Source {
	from := media.Source{Name: src.label, Bytes: src.readerAt(), Size: src.size}
	switch {
	case src.ref == "":
		from.Name, from.Path = cleanName(filepath.Base(src.file.Abs)), src.file.Abs
	case src.record != nil:
		from.Name, from.Path = src.record.Name, src.record.Source
	}
	return from
}

func pictureRecord(call message.ToolCall, from media.Source, opt media.Options, pic media.Picture) message.PictureRecord {
	detail := opt.Detail
	if detail == "" {
		detail = media.DetailAuto
	}
	return message.PictureRecord{
		Ref:       pic.Image.Ref,
		Call:      call.ID,
		Name:      from.Name,
		Source:    from.Path,
		Original:  pic.Original,
		Detail:    string(detail),
		Width:     pic.Receipt.Source.Width,
		Height:    pic.Receipt.Source.Height,
		Crop:      pic.Receipt.Crop,
		MediaType: pic.Image.MediaType,
	}
}

// refuseRedacted keeps what a person blacked out from coming back through the file it was in.
func refuseRedacted(env *Env, src *source) error {
	if env.Redacted == nil || src.ref != "" {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(src, maxRedactedBytes)); err != nil {
		return src.unreadable(err)
	}
	if env.Redacted(src.file.Abs, hex.EncodeToString(sum.Sum(nil))) {
		return mistakef("%s holds a picture of which the person hid parts; look at the redacted blob: they sent instead", src.label)
	}
	return nil
}

// receiptText says what was done to a picture, so that a coordinate read off it can be mapped back.
func receiptText(name string, pic media.Picture) string {
	head := quoteName(name)
	if pic.Original != "" {
		head += " (" + message.BlobName(pic.Original) + ")"
	}
	return head + "\n" + pic.Receipt.String()
}

// stripHint says how to see a picture that is too long and thin to be legible whole.
func stripHint(receipts []media.Receipt) string {
	if len(receipts) != 1 {
		return ""
	}
	r := receipts[0]
	w, h := r.Source.Width, r.Source.Height
	if r.Crop != nil {
		w, h = r.Crop.Width, r.Crop.Height
	}
	long, short := max(w, h), min(w, h)
	if short == 0 || long <= short*legibleAspect || r.Scale >= 1 {
		return ""
	}
	crops := int(math.Ceil(float64(long) * (1 + sliceOverlap) / legibleSide))
	if crops <= maxSlices {
		return fmt.Sprintf("This is a long strip, made small to fit. %d full-size crops would show it legibly: call read_media with slices %d.", crops, crops)
	}
	return fmt.Sprintf("This is a long strip, made small to fit. %d full-size crops would show it legibly: call read_media with crop for the parts that matter, at most %d pixels on the long side each.", crops, legibleSide)
}

// receiptMeta is one receipt as an object, several as an array.
func receiptMeta(receipts []media.Receipt) (string, error) {
	var value any = receipts
	if len(receipts) == 1 {
		value = receipts[0]
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func lookSummary(name string, images []message.Image) string {
	if len(images) == 1 {
		return fmt.Sprintf("looked at %s (%dx%d)", quoteName(name), images[0].Width, images[0].Height)
	}
	return fmt.Sprintf("looked at %s in %d slices", quoteName(name), len(images))
}
