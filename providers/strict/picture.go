package strict

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // decoders for DecodeConfig
	_ "image/jpeg" // decoders for DecodeConfig
	_ "image/png"  // decoders for DecodeConfig
	"net/http"
	"sort"
	"strings"

	_ "golang.org/x/image/webp" // decoders for DecodeConfig
)

// picture is an image of the request, proven to be what its label says.
type picture struct {
	place  string // "messages.1.content.0"
	base64 int64
	bytes  int64
	width  int
	height int
	detail string // "" where it is left to the service
}

// gatherPictures finds every image of the body, whatever the protocol, in the order of the body.
func (c *checker) gatherPictures() *refusal {
	return c.walk(c.body, "")
}

func (c *checker) walk(v any, place string) *refusal {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if refused := c.walk(item, fmt.Sprintf("%s.%d", place, i)); refused != nil {
				return refused
			}
		}
	case map[string]any:
		switch v["type"] {
		case "image":
			source := object(v["source"])
			return c.admit(place, text(source["media_type"]), text(source["data"]), "")
		case "image_url":
			image := object(v["image_url"])
			return c.admitURL(place, text(image["url"]), text(image["detail"]))
		case "input_image":
			return c.admitURL(place, text(v["image_url"]), text(v["detail"]))
		}
		for _, key := range sortedKeys(v) {
			if refused := c.walk(v[key], strings.TrimPrefix(place+"."+key, ".")); refused != nil {
				return refused
			}
		}
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func (c *checker) admitURL(place, url, detail string) *refusal {
	label, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(url, "data:") {
		return bad("%s: Invalid image URL: only data URLs are taken", place)
	}
	return c.admit(place, label, data, strings.TrimSuffix(detail, "auto"))
}

// admit decodes the picture's head and compares it with its label.
func (c *checker) admit(place, label, data, detail string) *refusal {
	switch label {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return bad("%s.source.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", place)
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil || len(raw) == 0 {
		return &refusal{status: 400, kind: "invalid_request_error", code: "invalid_base64_image", param: place, message: "Invalid base64 image"}
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return bad("%s: Could not process image", place)
	}
	if "image/"+format != label {
		return bad("%s: The image was specified using the %s media type, but the image appears to be a image/%s image", place, label, format)
	}
	c.pictures = append(c.pictures, picture{place, int64(len(data)), int64(len(raw)), config.Width, config.Height, detail})
	return nil
}

// WidthOf is the width of the picture that a part of a request is; 0 where it is none.
func WidthOf(part map[string]any) int {
	c := &checker{}
	if c.walk(part, "") != nil || len(c.pictures) != 1 {
		return 0
	}
	switch part["type"] {
	case "image", "image_url", "input_image":
		return c.pictures[0].width
	}
	return 0
}

func (c *checker) judgePictures() *refusal {
	r, n := c.rules, len(c.pictures)
	if r.TextOnly && n > 0 {
		return &refusal{status: http.StatusInternalServerError, kind: "server_error", message: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"}
	}
	if r.MaxImages > 0 && n > r.MaxImages {
		return bad("At most %d image(s) may be provided in one request.", r.MaxImages)
	}
	var all int64
	for i, p := range c.pictures {
		all += p.bytes
		if refused := c.judgePicture(i, p); refused != nil {
			return refused
		}
	}
	if r.MaxImagesBytes > 0 && all > r.MaxImagesBytes {
		return bad("Total image size is %.2fMB, which exceeds the allowed limit of %dMB.", float64(all)/(1<<20), r.MaxImagesBytes>>20)
	}
	return nil
}

func (c *checker) judgePicture(i int, p picture) *refusal {
	r := c.rules
	longest, shortest := max(p.width, p.height), min(p.width, p.height)
	switch {
	case r.RefusePicture == i+1:
		return bad("%s: Could not process image", p.place)
	case r.MaxSide > 0 && longest > r.MaxSide:
		return bad("%s: At least one of the image dimensions exceed max allowed size: %d pixels", p.place, r.MaxSide)
	case r.ManyImages > 0 && len(c.pictures) > r.ManyImages && longest > r.ManySide:
		return bad("%s: At least one of the image dimensions exceed max allowed size for many-image requests: %d pixels", p.place, r.ManySide)
	case r.OriginalPatches > 0 && p.detail == "" && ((p.width+31)/32)*((p.height+31)/32) > r.OriginalPatches:
		return bad("%s: The image requires %d patches after processing, exceeding the limit of %d", p.place, ((p.width+31)/32)*((p.height+31)/32), r.OriginalPatches)
	case r.MinSide > 0 && shortest < r.MinSide:
		return bad("%s: Could not process image", p.place)
	case r.MaxImageBase64 > 0 && p.base64 > r.MaxImageBase64:
		return bad("%s: image exceeds %d MB maximum: %d bytes > %d bytes", p.place, r.MaxImageBase64>>20, p.base64, r.MaxImageBase64)
	}
	return nil
}
