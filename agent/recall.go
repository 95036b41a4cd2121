package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"espy/agent/message"
	"espy/media"
	"espy/store"
)

// Recall puts the pictures of an earlier prompt back on the row: of this session or, by its id, of another.
// What is still there is returned beside the error about the rest.
func (in *Intake) Recall(ctx context.Context, session string, images []message.Image) ([]Attachment, error) {
	records, err := in.recorded(ctx, session)
	if err != nil {
		return nil, err
	}
	var back []Attachment
	var faults []error
	for _, i := range images {
		at, err := in.recallOne(ctx, session, i, records[i.Ref])
		if err != nil {
			faults = append(faults, fmt.Errorf("a picture of that message (%s) cannot be brought back: %w", message.BlobName(i.Ref), err))
			continue
		}
		back = append(back, at)
	}
	return back, errors.Join(faults...)
}

// recorded is what a session's log knows of its pictures.
func (in *Intake) recorded(ctx context.Context, session string) (map[string]message.PictureRecord, error) {
	records := make(map[string]message.PictureRecord)
	if session == "" || session == in.agent.opt.Session.ID() {
		return in.agent.pictures(), nil
	}
	loaded, err := in.store.Read(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, r := range loaded.Records {
		if p, ok := r.(message.PictureRecord); ok {
			records[p.Ref] = p
		}
	}
	return records, nil
}

// recallOne copies a picture and its original into the draft. In a session that knows it, it keeps its number.
func (in *Intake) recallOne(ctx context.Context, session string, i message.Image, record message.PictureRecord) (Attachment, error) {
	for _, ref := range []string{i.Ref, record.Original} {
		if ref == "" {
			continue
		}
		if err := in.copyBlob(ctx, session, ref); err != nil {
			return Attachment{}, err
		}
	}
	if record.Ref == "" {
		record = message.PictureRecord{Ref: i.Ref, Name: "earlier picture", Original: i.Ref, Detail: string(media.DetailAuto), Width: i.Width, Height: i.Height, MediaType: i.MediaType}
	}
	record.Head, record.Number = message.Head{}, in.agent.numberFor(i.Ref)
	return Attachment{Image: i, Record: record}, nil
}

func (in *Intake) copyBlob(ctx context.Context, session, ref string) error {
	own := in.agent.opt.Session
	var from io.ReadSeekCloser
	var err error
	if session == "" || session == own.ID() {
		if _, err = own.StatBlob(ref); err == nil {
			return nil // already here
		}
		from, err = own.OpenBlob(ref)
	} else {
		from, err = in.store.OpenBlob(session, ref)
	}
	if err != nil {
		return err
	}
	defer from.Close()
	stored, err := own.Draft().PutBlob(ctx, strings.TrimPrefix(path.Ext(ref), "."), from)
	if err == nil && stored != ref {
		err = &store.BlobError{Ref: ref, Altered: true}
	}
	return err
}
