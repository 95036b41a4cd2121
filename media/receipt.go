package media

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"espy/agent/message"
)

// String is the receipt for people: what came in, what was cut out, what goes out, and how to get from a point in one
// to a point in the other.
func (r Receipt) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "source  %s, %dx%d, %s", r.Source.Format, r.Source.Width, r.Source.Height, megabytes(r.Source.Bytes))
	if r.Source.Frames > 1 {
		fmt.Fprintf(&b, ", first of %d frames", r.Source.Frames)
	}
	if r.Source.Orientation > 1 {
		fmt.Fprintf(&b, ", turned upright (EXIF %d)", r.Source.Orientation)
	}
	if r.Crop != nil {
		fmt.Fprintf(&b, "\ncrop    %dx%d at %d,%d", r.Crop.Width, r.Crop.Height, r.Crop.X, r.Crop.Y)
	}
	fmt.Fprintf(&b, "\nsent    %s, %dx%d, %s (%s as base64)", r.Sent.MediaType, r.Sent.Width, r.Sent.Height,
		megabytes(r.Sent.Bytes), megabytes(r.Sent.Base64Bytes))
	fmt.Fprintf(&b, "\nscale   %s", r.mapping())
	if len(r.Encoder) > 0 {
		fmt.Fprintf(&b, "\nsteps   %s", strings.Join(r.Encoder, "; "))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nwarning %s", w)
	}
	return b.String()
}

// mapping says how a point of the sent picture becomes a point of the source.
func (r Receipt) mapping() string {
	if r.Scale == 1 && r.Crop == nil {
		return "1: points are those of the source"
	}
	s := fmt.Sprintf("%.4g", r.Scale)
	switch {
	case r.Crop == nil:
		return fmt.Sprintf("%s: source point = sent point x %.4g", s, 1/r.Scale)
	case r.Scale == 1:
		return fmt.Sprintf("1: source point = sent point + (%d, %d)", r.Crop.X, r.Crop.Y)
	}
	return fmt.Sprintf("%s: source point = sent point x %.4g + (%d, %d)", s, 1/r.Scale, r.Crop.X, r.Crop.Y)
}

// ToSource maps a point of the sent picture to the upright source pixel it shows.
func (r Receipt) ToSource(x, y float64) (sx, sy float64) {
	if r.Scale > 0 {
		x, y = x/r.Scale, y/r.Scale
	}
	if r.Crop != nil {
		x, y = x+float64(r.Crop.X), y+float64(r.Crop.Y)
	}
	limit := func(v float64, n int) float64 { return math.Min(math.Max(v, 0), float64(n)) }
	return limit(x, r.Source.Width), limit(y, r.Source.Height)
}

// Look is what `espy look FILE --json` prints: a receipt and what the picture costs under every rule.
type Look struct {
	Source   SourceFacts    `json:"source"`
	Crop     *message.Rect  `json:"crop"`
	Sent     SentFacts      `json:"sent"`
	Scale    float64        `json:"scale"`
	Encoder  []string       `json:"encoder"`
	Cost     map[string]int `json:"cost"`
	Warnings []string       `json:"warnings"`
}

// NewLook prices what a receipt describes under each rule, at the wire detail that is sent when a model's row says
// nothing. Lists are never null.
func NewLook(r Receipt, rules *CostRules) Look {
	look := Look{Source: r.Source, Crop: r.Crop, Sent: r.Sent, Scale: r.Scale, Encoder: r.Encoder, Warnings: r.Warnings}
	if look.Encoder == nil {
		look.Encoder = []string{}
	}
	if look.Warnings == nil {
		look.Warnings = []string{}
	}
	look.Cost = make(map[string]int)
	for _, name := range rules.Names() {
		look.Cost[name] = rules.Cost(name, r.Sent.Width, r.Sent.Height, "")
	}
	return look
}

// JSON is the look as one indented object, without a newline at its end.
func (l Look) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(l); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
