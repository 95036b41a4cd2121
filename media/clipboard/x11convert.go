package clipboard

import (
	"context"
	"errors"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// errRefused is an owner's "no" to one target.
var errRefused = errors.New("the owner does not hand that flavour over")

// conversion is one question to the owner of the clipboard. Each has a window of its own, so that a late
// answer to an earlier one is never taken for this one's.
type conversion struct {
	*x11Source
	window   xproto.Window
	property xproto.Atom
}

// convert asks the owner for the clipboard as target and returns the whole of it.
func (s *x11Source) convert(ctx context.Context, target string) ([]byte, error) {
	c := &conversion{x11Source: s}
	if err := c.ask(target); err != nil {
		return nil, s.why(ctx, err)
	}
	defer xproto.DestroyWindow(s.conn, c.window)
	if err := c.answered(ctx); err != nil {
		return nil, err
	}
	incr, err := s.atom("INCR")
	if err != nil {
		return nil, s.why(ctx, err)
	}
	reply, err := c.take()
	if err != nil {
		return nil, s.why(ctx, err)
	}
	if reply.Type == incr {
		return c.pieces(ctx)
	}
	return value(reply), nil
}

// ask makes the window the answer goes to and sends the question.
func (c *conversion) ask(target string) error {
	clipboard, err := c.atom("CLIPBOARD")
	if err != nil {
		return err
	}
	flavour, err := c.atom(target)
	if err != nil {
		return err
	}
	if c.property, err = c.atom("ESPY_PASTE"); err != nil {
		return err
	}
	if c.window, err = xproto.NewWindowId(c.conn); err != nil {
		return err
	}
	root := xproto.Setup(c.conn).DefaultScreen(c.conn)
	err = xproto.CreateWindowChecked(c.conn, 0, c.window, root.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly,
		root.RootVisual, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	xproto.ConvertSelection(c.conn, c.window, clipboard, flavour, c.property, xproto.TimeCurrentTime)
	return nil
}

// answered waits for the owner's word that the property is there.
func (c *conversion) answered(ctx context.Context) error {
	for {
		event, err := c.next(ctx)
		if err != nil {
			return err
		}
		if e, ok := event.(xproto.SelectionNotifyEvent); ok && e.Requestor == c.window {
			if e.Property == xproto.AtomNone {
				return errRefused
			}
			return nil
		}
	}
}

// pieces collects an answer that comes by INCR.
func (c *conversion) pieces(ctx context.Context) ([]byte, error) {
	var all []byte
	for {
		event, err := c.next(ctx)
		if err != nil {
			return nil, err
		}
		e, ok := event.(xproto.PropertyNotifyEvent)
		if !ok || e.Window != c.window || e.Atom != c.property || e.State != xproto.PropertyNewValue {
			continue
		}
		reply, err := c.take()
		if err != nil {
			return nil, c.why(ctx, err)
		}
		if reply.Type == xproto.AtomNone {
			continue // the event was for a value already taken
		}
		piece := value(reply)
		if len(piece) == 0 {
			return all, nil
		}
		if all = append(all, piece...); len(all) > maxOutputBytes {
			return nil, errTooMuch
		}
	}
}

// take reads and deletes the property; what is larger than is ever taken stays with the server.
func (c *conversion) take() (*xproto.GetPropertyReply, error) {
	reply, err := xproto.GetProperty(c.conn, true, c.window, c.property, xproto.GetPropertyTypeAny, 0, maxOutputBytes/4).Reply()
	if err != nil {
		return nil, err
	}
	if reply.BytesAfter > 0 {
		return nil, errTooMuch
	}
	return reply, nil
}

func (c *conversion) next(ctx context.Context) (xgb.Event, error) {
	select {
	case event, ok := <-c.events:
		if !ok {
			return nil, c.why(ctx, errors.New("the X server closed the connection"))
		}
		return event, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// value cuts the padding off a property.
func value(reply *xproto.GetPropertyReply) []byte {
	n := int(reply.ValueLen) * int(reply.Format) / 8
	return reply.Value[:min(n, len(reply.Value))]
}
