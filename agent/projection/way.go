package projection

import (
	"encoding/json"
	"fmt"

	"espy/agent/message"
	"espy/providers"
)

// way is how the model reaches read_media: it depends on the tool list that stands before the conversation, and so
// changes only where that does.
type way int

const (
	wayDirect way = iota // it is declared, or no list says
	wayLoad              // through load_tools
	wayNone              // not at all
)

// Names of two tools; agent/tools gives them.
const (
	readMedia = "read_media"
	loadTools = "load_tools"
)

// readWay reads the newest prelude of the path.
func (h *History) readWay() way {
	prelude, ok := h.Prelude()
	if !ok {
		return wayDirect
	}
	if h.wayOf != prelude.ID {
		h.way, h.wayOf = wayIn(prelude), prelude.ID
	}
	return h.way
}

func wayIn(p message.PreludeRecord) way {
	var specs []struct{ Name string }
	if json.Unmarshal([]byte(p.Tools), &specs) != nil {
		return wayDirect
	}
	found := wayNone
	for _, s := range specs {
		switch {
		case s.Name == readMedia:
			return wayDirect
		case s.Name == loadTools && p.Known[readMedia] != "":
			found = wayLoad
		}
	}
	return found
}

// on is the way on a route.
func (w way) on(route providers.Route) way {
	if route.Model.Tools == providers.Unsupported {
		return wayNone
	}
	return w
}

// again says how a tool brings a picture back. The blob name opens the original.
func (w way) again(ref string) string {
	switch w {
	case wayDirect:
		return fmt.Sprintf(" To look at it, call %s with path %q.", readMedia, message.BlobName(ref))
	case wayLoad:
		return fmt.Sprintf(" To look at it, call %s with name %q and args {\"path\": %q}.", loadTools, readMedia, message.BlobName(ref))
	}
	return ""
}

// closer says how to see more of a picture whose stored name stands just before: the name opens without a question, wherever
// the picture came from, and still when the file is gone.
func (w way) closer() string {
	switch w {
	case wayDirect:
		return " To look closer, call " + readMedia + " with that blob name as path and a crop in source pixels."
	case wayLoad:
		return fmt.Sprintf(" To look closer, call %s with name %q and args {path, crop}: that blob name, and a crop in source pixels.", loadTools, readMedia)
	}
	return ""
}
