//go:build unix

package desktop

import (
	"io"
	"log"
	"slices"
	"sync"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// incrPiece is how much one piece of an INCR transfer carries; more than that goes by INCR. A property may be
// as large as a request, 256 KiB.
const incrPiece = 128 << 10

// Flavour is what an Owner hands over for one target.
type Flavour struct {
	Target string // "image/png"
	Type   string // what it says the data is; Target where empty
	Data   []byte
	Silent bool // it lists the flavour and never answers for it
}

// Owner is an owner of the clipboard of an X display with several flavours, as real programs have, and with
// the faults they have.
type Owner struct {
	Flavours []Flavour
	Silent   bool // it answers nothing, not even TARGETS
}

// Own makes the owner answer until the test ends.
func (o Owner) Own(t testing.TB, display string) {
	t.Helper()
	quiet()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{Owner: o, conn: conn, atoms: map[string]xproto.Atom{}, names: map[xproto.Atom]string{}, sending: map[transfer][]byte{}}
	if err := s.take(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve()
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
}

var quiet = sync.OnceFunc(func() { xgb.Logger = log.New(io.Discard, "", 0) })

// transfer names a running INCR transfer.
type transfer struct {
	window   xproto.Window
	property xproto.Atom
}

type serving struct {
	Owner
	conn    *xgb.Conn
	atoms   map[string]xproto.Atom
	names   map[xproto.Atom]string
	sending map[transfer][]byte
}

func (s *serving) atom(name string) xproto.Atom {
	if a, ok := s.atoms[name]; ok {
		return a
	}
	reply, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return xproto.AtomNone
	}
	s.atoms[name], s.names[reply.Atom] = reply.Atom, name
	return reply.Atom
}

func (s *serving) take() error {
	window, err := xproto.NewWindowId(s.conn)
	if err != nil {
		return err
	}
	screen := xproto.Setup(s.conn).DefaultScreen(s.conn)
	err = xproto.CreateWindowChecked(s.conn, 0, window, screen.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly,
		screen.RootVisual, 0, nil).Check()
	if err != nil {
		return err
	}
	for _, f := range s.Flavours {
		s.atom(f.Target)
	}
	s.atom("TARGETS")
	return xproto.SetSelectionOwnerChecked(s.conn, window, s.atom("CLIPBOARD"), xproto.TimeCurrentTime).Check()
}

func (s *serving) serve() {
	for {
		event, err := s.conn.WaitForEvent()
		if event == nil && err == nil {
			return
		}
		switch e := event.(type) {
		case xproto.SelectionRequestEvent:
			s.request(e)
		case xproto.PropertyNotifyEvent:
			if e.State == xproto.PropertyDelete {
				s.piece(transfer{e.Window, e.Atom})
			}
		}
	}
}

func (s *serving) request(e xproto.SelectionRequestEvent) {
	if s.Silent {
		return
	}
	target := s.names[e.Target]
	if target == "TARGETS" {
		list := xprotoAtoms(s.atom("TARGETS"))
		for _, f := range s.Flavours {
			list = append(list, xprotoAtoms(s.atom(f.Target))...)
		}
		s.put(e.Requestor, e.Property, xproto.AtomAtom, 32, list)
		s.notify(e, e.Property)
		return
	}
	i := slices.IndexFunc(s.Flavours, func(f Flavour) bool { return f.Target == target })
	if i < 0 {
		s.notify(e, xproto.AtomNone)
		return
	}
	s.hand(e, s.Flavours[i])
}

func (s *serving) hand(e xproto.SelectionRequestEvent, f Flavour) {
	if f.Silent {
		return
	}
	if len(f.Data) <= incrPiece {
		s.put(e.Requestor, e.Property, s.typeOf(f), 8, f.Data)
		s.notify(e, e.Property)
		return
	}
	xproto.ChangeWindowAttributes(s.conn, e.Requestor, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	s.sending[transfer{e.Requestor, e.Property}] = f.Data
	size := make([]byte, 4)
	xgb.Put32(size, uint32(len(f.Data)))
	s.put(e.Requestor, e.Property, s.atom("INCR"), 32, size)
	s.notify(e, e.Property)
}

// piece sends the next part of a transfer; the last is empty.
func (s *serving) piece(to transfer) {
	rest, ok := s.sending[to]
	if !ok {
		return
	}
	n := min(len(rest), incrPiece)
	s.put(to.window, to.property, s.atom("image/png"), 8, rest[:n])
	if n == 0 {
		delete(s.sending, to)
		return
	}
	s.sending[to] = rest[n:]
}

func (s *serving) typeOf(f Flavour) xproto.Atom {
	if f.Type != "" {
		return s.atom(f.Type)
	}
	return s.atom(f.Target)
}

func (s *serving) put(window xproto.Window, property, kind xproto.Atom, format byte, data []byte) {
	units := uint32(len(data)) / uint32(format/8)
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, window, property, kind, format, units, data)
}

func (s *serving) notify(e xproto.SelectionRequestEvent, property xproto.Atom) {
	answer := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property}
	xproto.SendEvent(s.conn, false, e.Requestor, 0, string(answer.Bytes()))
}

func xprotoAtoms(a xproto.Atom) []byte {
	buf := make([]byte, 4)
	xgb.Put32(buf, uint32(a))
	return buf
}
