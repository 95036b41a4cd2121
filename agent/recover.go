package agent

import (
	"errors"
	"fmt"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

// recover mends the conversation after a failure, by marks, and reports whether asking again makes sense.
func (a *Agent) recover(route providers.Route, request providers.Request, failure error, keep *int) bool {
	var e *providers.Error
	if !errors.As(failure, &e) {
		return false
	}
	pictures := requestPictures(request)
	switch e.Class {
	case providers.ClassMissingBlob:
		return e.Ref != "" && a.writeMarks([]message.MarkRecord{{Mark: message.MarkMissing, Refs: []string{a.original(e.Ref)}}}) == nil
	case providers.ClassPicture:
		if len(pictures) == 0 {
			return false
		}
		refused := pictures[len(pictures)-1] // newest first where the position is not given
		if e.Picture >= 0 && e.Picture < len(pictures) {
			refused = pictures[e.Picture]
		}
		return a.writeMarks([]message.MarkRecord{{Mark: message.MarkRetire, Refs: []string{a.original(refused.Ref)}, Reason: e.Message}}) == nil
	case providers.ClassBlind:
		return len(pictures) > 0 && a.writeMarks([]message.MarkRecord{{Mark: message.MarkBlind, Route: route.Name(), Reason: e.Message}}) == nil
	case providers.ClassTooLarge, providers.ClassOverflow:
		for *keep >= 0 {
			elided := a.elide(*keep, NoticeCompacted)
			*keep -= 2
			if elided {
				return true
			}
		}
	}
	return false
}

// requestPictures lists the pictures of a request in the order adapters count them.
func requestPictures(request providers.Request) []message.Image {
	var images []message.Image
	for _, m := range request.Messages {
		for _, b := range m.Blocks {
			if i, ok := b.(message.Image); ok {
				images = append(images, i)
			}
		}
		for _, r := range m.Results {
			for _, p := range r.Pictures {
				images = append(images, p.Image)
			}
		}
	}
	return images
}

// original is the picture a rendition stands for; any other Ref is itself.
func (a *Agent) original(ref string) (original string) {
	a.log.read(func(h *projection.History) { original = h.Conversation().RenderedOf(ref) })
	return original
}

// elide replaces old tool output and pictures by stubs and reports whether anything left.
func (a *Agent) elide(keep int, kind NoticeKind) bool {
	facts := a.facts()
	facts.Elide, facts.ElideKeep = true, keep
	before := a.meter().Context
	var marks []message.MarkRecord
	route := a.Route()
	a.log.read(func(h *projection.History) {
		for _, m := range projection.Decide(h, route, facts).Marks {
			if m.Mark == message.MarkElide {
				marks = append(marks, m)
			}
		}
	})
	if len(marks) == 0 || a.writeMarks(marks) != nil {
		return false
	}
	after := a.meter().Context
	a.events.put(Notice{Kind: kind, Sentence: fmt.Sprintf("Older tool output and pictures left the context: about %d tokens before, %d now. Everything is still in the session's log.", before, after)})
	return true
}

// compact is the person's wish to shrink: everything before the last turn that can be fetched again.
func (a *Agent) compact() {
	if !a.elide(1, NoticeCompacted) {
		a.notice(NoticeInfo, "There is nothing to shrink: no older tool output, file or picture is in the context.")
	}
}

// tellMark says in one line what a mark did. Elisions are told with their figures by elide.
func (a *Agent) tellMark(m message.MarkRecord) {
	n := len(m.Refs)
	switch {
	case m.Off || m.Mark == message.MarkElide || m.Mark == message.MarkRendition:
	case m.Mark == message.MarkEvict:
		a.notice(NoticeEvicted, plural(n, "older picture", "older pictures")+fmt.Sprintf(" left the context; the newest %d stay. The model can look again by name.", m.Keep))
	case m.Mark == message.MarkLeaveOut:
		a.notice(NoticeLeftOut, plural(n, "picture was", "pictures were")+" left out of the request, which would have passed "+m.Reason+".")
	case m.Mark == message.MarkRetire:
		a.notice(NoticeRetired, "The provider refused "+a.pictureName(m.Refs[0])+" ("+m.Reason+"); it is no longer sent, and the model is told so.")
	case m.Mark == message.MarkMissing:
		a.notice(NoticeMissing, plural(n, "picture's file is", "pictures' files are")+" gone from the session's folder; the model is told so.")
	case m.Mark == message.MarkBlind:
		a.notice(NoticeWithheld, m.Route+" turned out not to take images ("+m.Reason+"); pictures are withheld from it in this session. /model chooses another.")
	}
}

func (a *Agent) pictureName(ref string) string {
	p, ok := a.Picture(ref)
	switch {
	case ok && p.Number > 0:
		return fmt.Sprintf("image %d (%s)", p.Number, p.Name)
	case ok:
		return "the picture " + p.Name
	}
	return "a picture"
}
