package media

import (
	"errors"
	"fmt"
	"image"

	"espy/media/rows"
)

// plan judges crop, redactions and memory, and sets the renderer up. Nothing large was allocated yet.
func (j *job) plan() error {
	dec, ok := decodings[j.header.Format]
	if !ok {
		return refuse(j.src, FaultUnsupported, "is of a format that is not read; %s", toPNG)
	}
	j.decoding = dec
	j.limit = MaxWireImageBytes
	if m := j.opt.Fit.MaxBase64; m > 0 {
		j.limit = min(j.limit, m)
	}
	j.limit = rawLimit(j.limit)
	if err := j.planCrop(); err != nil {
		return err
	}
	if err := j.planRedactions(); err != nil {
		return err
	}
	j.planProfile()
	j.planRender()
	return j.planMemory()
}

func (j *job) planCrop() error {
	w, h := j.header.Upright()
	j.window = image.Rect(0, 0, w, h)
	c := j.opt.Crop
	if c == nil {
		return nil
	}
	if c.Width <= 0 || c.Height <= 0 || c.X < 0 || c.Y < 0 || c.X >= w || c.Y >= h || c.Width > w-c.X || c.Height > h-c.Y {
		return refuse(j.src, FaultCrop, "is %dx%d pixels and the crop asks for %dx%d at %d,%d; give x, y, width and height inside the picture",
			w, h, c.Width, c.Height, c.X, c.Y)
	}
	j.window = image.Rect(c.X, c.Y, c.X+c.Width, c.Y+c.Height)
	if j.cropped() {
		j.steps = append(j.steps, fmt.Sprintf("cropped to %dx%d at %d,%d", c.Width, c.Height, c.X, c.Y))
	}
	return nil
}

// cropped reports whether less than the whole picture is wanted.
func (j *job) cropped() bool {
	w, h := j.header.Upright()
	return j.window != image.Rect(0, 0, w, h)
}

// planRedactions maps what is to be hidden to stored pixels. A redaction that covers nothing is refused rather than
// ignored: someone meant to hide something.
func (j *job) planRedactions() error {
	w, h := j.header.Upright()
	for _, r := range j.opt.Redact {
		rect := image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height).Intersect(image.Rect(0, 0, w, h))
		if r.Width <= 0 || r.Height <= 0 || rect.Empty() {
			return refuse(j.src, FaultCrop, "is %dx%d pixels and the redaction of %dx%d at %d,%d covers none of them; give x, y, width and height inside the picture",
				w, h, r.Width, r.Height, r.X, r.Y)
		}
		j.redact = append(j.redact, storedRect(rect, j.header.Orientation, j.header.Width, j.header.Height))
	}
	if n := len(j.redact); n > 0 {
		j.steps = append(j.steps, fmt.Sprintf("redacted %d area%s", n, plural(n)))
	}
	return nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (j *job) planProfile() {
	data := readProfile(j.reader, j.src.Size, j.header)
	if data == nil && !j.header.Profile {
		return
	}
	m, err := parseProfile(data)
	switch {
	case errors.Is(err, errProfileKind):
		j.warn("the colour profile is of a kind that is not converted; colours may look slightly different")
	case err != nil:
		j.warn("the colour profile is damaged and was ignored")
	}
	j.profile = m
}

// warn adds a warning once.
func (j *job) warn(sentence string) {
	for _, w := range j.warnings {
		if w == sentence {
			return
		}
	}
	j.warnings = append(j.warnings, sentence)
}

func (d Detail) side() int {
	switch d {
	case DetailLow:
		return sideLow
	case DetailHigh, DetailOriginal:
		return sideHigh
	}
	return sideAuto
}

func (j *job) planRender() {
	side := j.opt.Detail.side()
	if m := j.opt.Fit.MaxSide; m > 0 {
		side = min(side, m)
	}
	stored := storedRect(j.window, j.header.Orientation, j.header.Width, j.header.Height)
	j.renderer = renderer{
		full: image.Rect(0, 0, j.header.Width, j.header.Height), want: stored, redact: j.redact, side: side,
		turn: j.header.Orientation >= 5, whole: j.profile != nil,
	}
	j.shrink = 1
	if j.decoding.shrink && len(j.redact) == 0 {
		for long := max(stored.Dx(), stored.Dy()); j.shrink < 8 && long >= 4*j.shrink*side; {
			j.shrink *= 2
		}
	}
}

// planMemory predicts what the decode and its result will take. A result that would not fit beside the decode is made
// smaller; a decode that cannot fit is refused with the figures.
func (j *job) planMemory() error {
	need := j.decoding.memory(j.header, j.src.Size)
	free := int64(MaxDecodeAllocBytes) - need - wireOverhead - scalerSlack
	size := fitSide(j.renderer.want.Size(), j.renderer.side)
	result := int64(float64(size.X) * float64(size.Y) * bytesPerPixel(j.header.layout(), j.renderer.whole))
	if free < min(result, leastResult) {
		w, h := j.header.Upright()
		return refuse(j.src, FaultTooBig, "is %dx%d pixels (%s) and would need %s of memory to decode; %s may be used; save it smaller or as an ordinary PNG and attach it again",
			w, h, j.header.describe(), megabytes(need+min(result, leastResult)+wireOverhead+scalerSlack), megabytes(MaxDecodeAllocBytes))
	}
	j.renderer.budget = min(free, resultCeiling)
	j.memory = need + min(result, j.renderer.budget) + wireOverhead + scalerSlack
	return nil
}

// layout guesses what the decoder will deliver.
func (h Header) layout() rows.Layout {
	switch {
	case h.Format == JPEG && h.Components == 1, h.Format == PNG && h.Components == 1 && !h.Palette && !h.Alpha:
		return rows.Gray
	case h.Format == JPEG && h.Components == 3, h.Format == WebP && !h.Lossless && !h.Alpha && !h.Animated:
		return rows.YCbCr
	case h.Alpha, h.Format == WebP && !h.Lossless: // a planar picture with alpha is packed on its way
		return rows.RGBA
	}
	return rows.RGB
}

// describe names what makes a picture costly, for a refusal.
func (h Header) describe() string {
	s := string(h.Format)
	for _, part := range []struct {
		is   bool
		word string
	}{
		{h.Progressive, "progressive"}, {h.Format == JPEG && h.Components == 4, "CMYK"}, {h.Interlaced, "interlaced"},
		{h.Depth > 8, fmt.Sprintf("%d bits", h.Depth)}, {h.Alpha, "with transparency"}, {h.Animated, "animated"},
		{h.Format == WebP && h.Lossless, "lossless"},
	} {
		if part.is {
			s += ", " + part.word
		}
	}
	return s
}
