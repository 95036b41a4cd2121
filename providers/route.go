package providers

import (
	"fmt"

	"espy/agent/message"
)

// Capability is three-valued: only Unsupported blocks. The zero value is Unknown.
type Capability string

const (
	Unknown     Capability = "unknown"
	Supported   Capability = "supported"
	Unsupported Capability = "unsupported"
)

// Server is one place that serves models: a row of the built-in table or a [providers.NAME] table of config.
type Server struct {
	Name     string            // the key in config and the part before the slash in "provider/model"
	Protocol string            // "chat", "anthropic", "responses" or "fake"
	BaseURL  string            // normalised: no trailing slash
	KeyEnv   string            // the variable that holds the key, for sentences; "" where no key is needed
	Key      string            // the key itself; never logged
	KeyFrom  string            // where the key is from: one of the KeyX; "" where there is none
	Own      bool              // the person's configuration speaks of it
	Script   string            // protocol "fake": a file of answers to play; "" reports what it received
	Headers  map[string]string // extra headers, values already expanded
}

// Where a server's key can be from, the first that has one winning.
const (
	KeyConfigured = "configuration"
	KeyVariable   = "variable"
	KeyTyped      = "typed"
)

// Model is one model's row after catalogue, quirk table and config were merged.
type Model struct {
	Provider      string
	ID            string // as the server wants it
	Name          string // for people
	ImageInput    Capability
	Tools         Capability
	Thinking      Capability
	ContextWindow int    // tokens; 0 unknown
	MaxOutput     int    // tokens; 0 unknown
	ImageCost     string // name of a media cost rule
	Limits        Limits
	Efforts       []string // reasoning efforts the model knows, weakest first
	Price         *Price   // nil unknown
	Quirks        Quirks
	Sources       map[string]string // column -> where its value came from, for `espy models`
}

// Limits are what a route takes in one request. Zero means no limit known.
type Limits struct {
	MaxImages      int   // pictures in one request
	MaxSide        int   // px, longest side of any picture
	ManyImages     int   // more than this many pictures in one request ...
	ManySide       int   // ... and no side may be longer than this, px
	MinSide        int   // px, shortest side
	MaxImageBase64 int64 // bytes of one picture's base64 text
	MaxImagesBytes int64 // decoded bytes of all pictures together
	MaxBody        int64 // bytes of the whole request body
}

// Price is in US dollars for a million tokens.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
}

// Route is a model on a server: what a request is sent along.
type Route struct {
	Server Server
	Model  Model
}

// Name is "provider/model", as config, /model and the log write it.
func (r Route) Name() string { return r.Server.Name + "/" + r.Model.ID }

// Sees reports whether pictures may be sent along the route: only a known "unsupported" forbids it.
func (r Route) Sees() bool { return r.Model.ImageInput != Unsupported }

// Needs is what a conversation asks of a route.
type Needs struct {
	Tools    bool
	Thinking bool
	Window   int // tokens the next request takes at least; 0 does not ask
}

// CapabilityError says what a route cannot do, in a sentence for a person that ends with a way on.
type CapabilityError struct {
	Route    string
	What     string // "images", "tools", "thinking", "window"
	Sentence string
}

func (e *CapabilityError) Error() string { return e.Sentence }

// CheckCapabilities says whether the route can take a conversation with these needs. Only what is known to be
// unsupported is refused.
func CheckCapabilities(r Route, n Needs) error {
	switch {
	case n.Tools && r.Model.Tools == Unsupported:
		return &CapabilityError{r.Name(), "tools", fmt.Sprintf("%s cannot call tools; choose another model with /model", r.Name())}
	case n.Thinking && r.Model.Thinking == Unsupported:
		return &CapabilityError{r.Name(), "thinking", fmt.Sprintf("%s has no reasoning effort to set; clear it with /effort, or choose another model with /model", r.Name())}
	case n.Window > 0 && r.Model.ContextWindow > 0 && n.Window > r.Model.ContextWindow:
		return &CapabilityError{r.Name(), "window", fmt.Sprintf("this conversation needs about %d tokens and %s takes %d; /compact it, or choose another model with /model", n.Window, r.Name(), r.Model.ContextWindow)}
	}
	return nil
}

// CheckImages says whether the route can take these attachments. It speaks of the turn's own attachments;
// older pictures of the conversation are withheld by the projection instead.
func CheckImages(r Route, attachments []message.Image) error {
	if len(attachments) == 0 || r.Sees() {
		return nil
	}
	noun := "the picture"
	if len(attachments) > 1 {
		noun = fmt.Sprintf("the %d pictures", len(attachments))
	}
	return &CapabilityError{r.Name(), "images", fmt.Sprintf("%s cannot see images; choose a model that can with /model, or remove %s from the row", r.Name(), noun)}
}
