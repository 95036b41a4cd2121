package projection

import (
	"slices"

	"espy/agent/message"
	"espy/providers"
)

// memo is the part of the newest projection that stays as it is while the log only grows: the path read as
// messages, selected and built for one route, up to the last message that can no longer change. Marks, rewinds
// and another route make a new one. It only saves work: Project returns what Build of Select would.
type memo struct {
	key      memoKey
	path     int       // on-path records read
	reader   assembler // as it stood after them
	marks    marks
	messages int // of the reader's messages: selected and built
	out      []providers.Message
}

// memoKey is what a projection depends on beside the path.
type memoKey struct {
	route  string
	row    string // the cells of the model's row that selecting and building read
	marked int
	way    way
	root   string // id of the path's first record
}

func (h *History) memoKey(route providers.Route, path []message.Record) memoKey {
	k := memoKey{route: route.Name() + " " + route.Server.Protocol, marked: h.marked, way: h.readWay()}
	m := route.Model
	k.row = string(m.ImageInput) + " " + m.ImageCost + " " + m.Quirks.ImageDetail
	k.row += " " + string(m.Tools)
	if m.Quirks.NoToolImages {
		k.row += " no tool images"
	}
	if len(path) > 0 {
		k.root = path[0].Header().ID
	}
	return k
}

// Project is Build(Select(h.Conversation(), route), route, fixed), in time that grows with what is new since the
// last call as long as nothing but messages and results was added.
func (h *History) Project(route providers.Route, fixed Fixed) providers.Request {
	path := h.Path()
	key := h.memoKey(route, path)
	if h.memo == nil || h.memo.key != key || h.memo.path > len(path) {
		c := h.Conversation()
		h.memo = &memo{key: key, marks: c.marks}
	}
	m := h.memo
	for _, r := range path[m.path:] {
		switch r := r.(type) {
		case message.MessageRecord:
			m.reader.message(r.Body())
		case message.ResultRecord:
			m.reader.result(r)
		}
	}
	m.path = len(path)
	b := builder{c: Conversation{Pictures: h.pictures, marks: m.marks}, route: route, out: slices.Clone(m.out)}
	b.add(h.selected(m, m.reader.messages, route))
	m.messages, m.out = len(m.reader.messages), slices.Clone(b.out)

	open := m.reader // a copy: a call whose result may still come gets its stand-in only in this request
	open.messages = slices.Clip(open.messages)
	open.closeCalls()
	b.add(h.selected(m, open.messages, route))
	return b.request(fixed)
}

// selected selects the messages behind those the memo holds.
func (h *History) selected(m *memo, messages []message.Message, route providers.Route) []message.Message {
	part := Conversation{Messages: messages[m.messages:], Pictures: h.pictures, marks: m.marks}
	if m.messages == 0 {
		part.Messages = messages
	}
	for i := range part.Messages {
		part.at = append(part.at, m.messages+i)
	}
	return Select(part, route).Messages
}
