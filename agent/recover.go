package agent

import (
	"context"
	"errors"
	"fmt"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

// recover mends the conversation after a failure, by marks, so that asking again makes sense; or it returns
// what to tell the person.
func (a *Agent) recover(ctx context.Context, route providers.Route, request providers.Request, failure error, keep *int) error {
	var e *providers.Error
	if !errors.As(failure, &e) {
		return failure
	}
	if e.Class == providers.ClassTooLarge || e.Class == providers.ClassOverflow {
		return a.makeRoom(ctx, route, keep, failure)
	}
	marks := a.mend(route, requestPictures(request), e)
	if len(marks) == 0 {
		return failure
	}
	if err := a.writeMarks(marks); err != nil {
		return err
	}
	if e.Class == providers.ClassBlind {
		a.events.put(RouteChanged{Route: a.Route(), Effort: a.effortNow(), Meter: a.meter()})
	}
	return nil
}

// mend is the marks that keep a refused picture out of the next request.
func (a *Agent) mend(route providers.Route, pictures []message.Image, e *providers.Error) []message.MarkRecord {
	switch {
	case e.Class == providers.ClassMissingBlob && e.Ref != "":
		return []message.MarkRecord{{Mark: message.MarkMissing, Refs: []string{a.original(e.Ref)}}}
	case e.Class == providers.ClassPicture && len(pictures) > 0:
		refused := pictures[len(pictures)-1] // newest first where the position is not given
		if e.Picture >= 0 && e.Picture < len(pictures) {
			refused = pictures[e.Picture]
		}
		return []message.MarkRecord{{Mark: message.MarkRetire, Refs: []string{a.original(refused.Ref)}, Reason: e.Message}}
	case e.Class == providers.ClassBlind && len(pictures) > 0:
		return []message.MarkRecord{{Mark: message.MarkBlind, Route: route.Name(), Reason: e.Message}}
	}
	return nil
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
	m := a.meter()
	a.notice(kind, fmt.Sprintf("Older tool output and pictures left the context: about %d tokens before, %d now. Everything is still in the session's log.", before, m.Context))
	a.events.put(MeterChanged{Meter: m})
	return true
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
