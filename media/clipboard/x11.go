package clipboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// x11Source speaks the X protocol itself: no helper program, any flavour, any size, and an owner that hangs
// costs one deadline.
//
// To read a selection a client asks its owner to convert it to a target, and waits for SelectionNotify; the
// answer is a property on the client's window. An answer too large for one property has the type INCR: the
// client deletes the property and is then handed pieces, each as a new value of the property which it deletes
// in turn, until a piece of length zero.
type x11Source struct {
	env    Env
	conn   *xgb.Conn
	net    net.Conn
	events chan xgb.Event // closed when the connection ends
	atoms  map[string]xproto.Atom

	instead source // xclip, once the server could not be reached
}

func (s *x11Source) name() string {
	if s.instead != nil {
		return s.instead.name()
	}
	return "X11"
}

// quietXgb silences the library's log, which would write over the screen.
var quietXgb = sync.OnceFunc(func() { xgb.Logger = log.New(io.Discard, "", 0) })

// connect dials within ctx. The connection lives until close.
func (s *x11Source) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	quietXgb()
	display, err := parseDisplay(s.env.Getenv("DISPLAY"))
	if err != nil {
		return err
	}
	raw, err := dialDisplay(ctx, display)
	if err != nil {
		return fmt.Errorf("display %s cannot be reached", s.env.Getenv("DISPLAY"))
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = raw.SetDeadline(deadline)
	}
	conn, err := xgb.NewConnNet(&authorised{Conn: raw, setup: setupRequest(s.env.xAuthority(display))})
	if err != nil {
		raw.Close()
		return fmt.Errorf("the X server refused: %q", err.Error())
	}
	s.conn, s.net = conn, raw
	s.events = make(chan xgb.Event, 64)
	s.atoms = make(map[string]xproto.Atom)
	go s.pump()
	return nil
}

// dialDisplay tries a local display's abstract socket too, which is all that some sandboxes leave.
func dialDisplay(ctx context.Context, d xDisplay) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, d.network, d.address)
	if err != nil && d.network == "unix" {
		conn, err = dialer.DialContext(ctx, d.network, "@"+d.address)
	}
	return conn, err
}

// pump hands on the events a conversion waits for until the connection ends; close waits for it. It never
// blocks: a flood of events sent to our windows loses some, and the conversion then runs into its deadline.
func (s *x11Source) pump() {
	defer close(s.events)
	for {
		event, err := s.conn.WaitForEvent()
		if event == nil && err == nil {
			return
		}
		switch event.(type) {
		case xproto.SelectionNotifyEvent, xproto.PropertyNotifyEvent:
			select {
			case s.events <- event:
			default:
			}
		}
	}
}

func (s *x11Source) close() {
	if s.conn == nil {
		return
	}
	s.net.Close()
	for range s.events {
	}
	s.conn = nil
}

func (s *x11Source) atom(name string) (xproto.Atom, error) {
	if atom, ok := s.atoms[name]; ok {
		return atom, nil
	}
	reply, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	s.atoms[name] = reply.Atom
	return reply.Atom, nil
}

// offers asks for TARGETS. No owner means an empty clipboard.
func (s *x11Source) offers(ctx context.Context) ([]offer, error) {
	if err := s.connect(ctx); err != nil {
		s.instead = xclip(s.env)
		list, other := s.instead.offers(ctx)
		if other != nil {
			return nil, fmt.Errorf("%w (X11: %w)", other, err)
		}
		return list, nil
	}
	defer s.bound(ctx)()
	clipboard, err := s.atom("CLIPBOARD")
	if err != nil {
		return nil, s.why(ctx, err)
	}
	owner, err := xproto.GetSelectionOwner(s.conn, clipboard).Reply()
	if err != nil {
		return nil, s.why(ctx, err)
	}
	if owner.Owner == xproto.WindowNone {
		return nil, nil
	}
	list, err := s.convert(ctx, "TARGETS")
	if errors.Is(err, errRefused) {
		return recognise([]string{"UTF8_STRING", "STRING"}), nil // an owner from before TARGETS: text
	}
	if err != nil {
		return nil, err
	}
	return s.targets(ctx, list)
}

// targets names the atoms of a TARGETS answer.
func (s *x11Source) targets(ctx context.Context, list []byte) ([]offer, error) {
	var cookies []xproto.GetAtomNameCookie
	for len(list) >= 4 && len(cookies) < maxOffers {
		cookies = append(cookies, xproto.GetAtomName(s.conn, xproto.Atom(xgb.Get32(list))))
		list = list[4:]
	}
	var names []string
	for _, cookie := range cookies {
		reply, err := cookie.Reply()
		switch {
		case err == nil:
			names = append(names, reply.Name)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
	return recognise(names), nil
}

func (s *x11Source) fetch(ctx context.Context, o offer) ([]byte, error) {
	if s.instead != nil {
		return s.instead.fetch(ctx, o)
	}
	defer s.bound(ctx)()
	return s.convert(ctx, o.flavour)
}

// bound makes the connection itself give up shortly after ctx does, for the answers of a server that hangs.
// The returned function takes the bound off again: an owner that hangs must not cost the connection.
func (s *x11Source) bound(ctx context.Context) (release func()) {
	deadline, ok := ctx.Deadline()
	if ok {
		_ = s.net.SetDeadline(deadline.Add(reapDelay))
	}
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			_ = s.net.SetDeadline(time.Unix(1, 0))
		}
	})
	return func() {
		if stop() || !errors.Is(ctx.Err(), context.Canceled) {
			_ = s.net.SetDeadline(time.Time{})
		}
	}
}

// why prefers the deadline to the error it caused.
func (s *x11Source) why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
