package projection

import (
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// PictureState is one picture of a session and where it stands on a route.
type PictureState struct {
	Image  message.Image
	Record message.PictureRecord
	Tokens int    // what it costs on the route while it is in the context
	Left   string // how it left: "evicted", "elided", "withheld" …; "" while it is in the context
	Pinned bool
}

// PictureStates lists the pictures of the conversation in the order they came, each Ref once, at its newest place.
func (h *History) PictureStates(route providers.Route) []PictureState {
	c := h.Conversation()
	covered := coverage(c.marks.summaries)
	var list []PictureState
	at := make(map[string]int)
	for i, m := range c.Messages {
		_, summarised := covered[m.ID]
		for _, picture := range m.Images() {
			s := PictureState{Image: picture, Record: h.pictures[picture.Ref], Pinned: c.marks.pinned[picture.Ref]}
			s.Tokens, _, _ = Price(c.rendition(picture, route), route)
			s.Left = leftAs(c.marks.absence(picture, c.at[i], m.Role == message.RoleTool, route))
			if summarised && s.Left == "" {
				s.Left = "summarised"
			}
			if was, again := at[picture.Ref]; again {
				list[was] = s
				continue
			}
			at[picture.Ref] = len(list)
			list = append(list, s)
		}
	}
	return list
}

// leftAs is the word a sentence about an absent picture starts with.
func leftAs(sentence string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(sentence, "["), " image:")
	return word
}

// Fold is a part of the conversation that was folded away and can be unfolded.
type Fold struct {
	Mark     message.MarkRecord
	Messages []message.Message // what a summary stands for, whole
}

// Folds lists the elisions and summaries in force, oldest first.
func (h *History) Folds() []Fold {
	undone, covered := make(map[string]bool), make(map[string]bool)
	for _, r := range h.Path() {
		if m, ok := r.(message.MarkRecord); ok {
			if m.Off {
				undone[m.Of] = true
			}
			if m.Mark == message.MarkSummarise && !m.Off {
				for _, id := range m.Messages {
					covered[id] = true // a summary that another took in is no fold of its own
				}
			}
		}
	}
	byID := make(map[string]message.Message)
	for _, m := range h.Conversation().Messages {
		byID[m.ID] = m
	}
	var folds []Fold
	for _, r := range h.Path() {
		m, ok := r.(message.MarkRecord)
		if !ok || m.Off || undone[m.ID] || covered[m.ID] || m.Mark != message.MarkSummarise && m.Mark != message.MarkElide {
			continue
		}
		f := Fold{Mark: m}
		for _, id := range m.Messages {
			if body, ok := byID[id]; ok && m.Mark == message.MarkSummarise {
				f.Messages = append(f.Messages, body)
			}
		}
		folds = append(folds, f)
	}
	return folds
}
