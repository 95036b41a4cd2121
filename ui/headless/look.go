package headless

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
)

// LookOptions say how a picture is to be looked at.
type LookOptions struct {
	File   string
	Crop   string // "x,y,w,h" in upright source pixels; "" means all
	Detail string
	Out    string // where what would be sent is written; "" writes nothing
	JSON   bool
}

// Look puts a picture through the gate and tells what a model would be sent and what it would cost.
func Look(ctx context.Context, gate *media.Gate, secrets *guard.Secrets, opt LookOptions, out Output) error {
	crop, err := parseCrop(opt.Crop)
	if err != nil {
		return err
	}
	detail, err := parseDetail(opt.Detail)
	if err != nil {
		return err
	}
	f, path, err := guard.OpenOwn(opt.File, secrets)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sink := &memorySink{blobs: make(map[string][]byte)}
	picture, err := gate.Ingest(ctx, sink, media.Source{Name: filepath.Base(path.Abs), Path: path.Abs, Bytes: f, Size: info.Size()},
		media.Options{Detail: detail, Crop: crop})
	if err != nil {
		return err
	}
	if opt.Out != "" {
		if there, err := os.Stat(opt.Out); err == nil && os.SameFile(there, info) {
			return fmt.Errorf("--out %s is the picture itself, which is never overwritten; name another file", opt.Out)
		}
		if err := os.WriteFile(opt.Out, sink.blobs[picture.Image.Ref], 0o600); err != nil {
			return err
		}
	}
	seen := media.NewLook(picture.Receipt, media.Costs())
	if opt.JSON {
		return printJSON(out.Out, seen)
	}
	fmt.Fprintln(out.Out, picture.Receipt.String())
	rules := make([]string, 0, len(seen.Cost))
	for rule := range seen.Cost {
		rules = append(rules, rule)
	}
	sort.Strings(rules)
	fmt.Fprintln(out.Out, "cost in tokens, by rule:")
	for _, rule := range rules {
		fmt.Fprintf(out.Out, "  %-22s %d\n", rule, seen.Cost[rule])
	}
	return nil
}

// memorySink keeps what the gate stored; the original is dropped.
type memorySink struct{ blobs map[string][]byte }

func (m *memorySink) PutBlob(_ context.Context, ext string, r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	ref := "blobs/" + hex.EncodeToString(sum[:]) + "." + strings.TrimPrefix(ext, ".")
	m.blobs[ref] = data
	return ref, nil
}

func parseCrop(s string) (*message.Rect, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(s, ",")
	var n [4]int
	for i := range n {
		var err error
		if len(parts) != 4 {
			return nil, fmt.Errorf("--crop %s: expected four numbers x,y,width,height in source pixels, for example 0,0,800,600", s)
		}
		if n[i], err = strconv.Atoi(strings.TrimSpace(parts[i])); err != nil {
			return nil, fmt.Errorf("--crop %s: %q is not a whole number; expected x,y,width,height in source pixels", s, parts[i])
		}
	}
	return &message.Rect{X: n[0], Y: n[1], Width: n[2], Height: n[3]}, nil
}

func parseDetail(s string) (media.Detail, error) {
	switch d := media.Detail(s); d {
	case "":
		return media.DetailAuto, nil
	case media.DetailLow, media.DetailAuto, media.DetailHigh, media.DetailOriginal:
		return d, nil
	}
	return "", fmt.Errorf("--detail %s: expected low, auto, high or original", s)
}
