package agent

import (
	"espy/agent/message"
	"espy/agent/projection"
)

// Pictures lists every picture of the session and where it stands on the current route.
func (a *Agent) Pictures() (list []projection.PictureState) {
	route := a.Route()
	a.log.read(func(h *projection.History) { list = h.PictureStates(route) })
	return list
}

// Folds lists what was folded away and can be unfolded.
func (a *Agent) Folds() (folds []projection.Fold) {
	a.log.read(func(h *projection.History) { folds = h.Folds() })
	return folds
}

// mark carries out a wish of the person about pictures or folds, and tells what it did.
func (a *Agent) mark(m message.MarkRecord, told string) {
	if err := a.writeMarks([]message.MarkRecord{m}); err != nil {
		a.notice(NoticeError, err.Error())
		return
	}
	a.notice(NoticeInfo, told)
	a.events.put(MeterChanged{Meter: a.meter()})
}

func (a *Agent) pin(c PinPicture) {
	told := a.pictureName(c.Ref) + " stays in the context until it is unpinned."
	if c.Off {
		told = a.pictureName(c.Ref) + " may leave the context again."
	}
	a.mark(message.MarkRecord{Mark: message.MarkPin, Refs: []string{c.Ref}, Off: c.Off}, told)
}

func (a *Agent) drop(c DropPicture) {
	told := a.pictureName(c.Ref) + " is no longer sent; the model is told that you removed it."
	if c.Off {
		told = a.pictureName(c.Ref) + " is sent again."
	}
	a.mark(message.MarkRecord{Mark: message.MarkDrop, Refs: []string{c.Ref}, Off: c.Off}, told)
}

// unfold takes an elision or a summary back: what it folded is sent again.
func (a *Agent) unfold(id string) {
	for _, f := range a.Folds() {
		if f.Mark.ID == id {
			a.mark(message.MarkRecord{Mark: f.Mark.Mark, Messages: []string{f.Mark.ID}, Off: true, Of: f.Mark.ID}, "What was folded is in the context again.")
			return
		}
	}
	a.notice(NoticeInfo, "That part is not folded.")
}
