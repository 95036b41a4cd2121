package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// order is what a person wants of a server.
type order int

const (
	orderOn order = iota
	orderOff
	orderAgain
)

// server is one server over a session: connected, ended and connected again by its own goroutine, run.
type server struct {
	config  Config
	opt     *Options
	secrets secrets

	mu      sync.Mutex // guards what follows
	state   State
	fault   string // why it failed, as a sentence's end
	link    *link  // where it is ready
	catalog catalog
	on      bool // it may be used
	asked   bool // somebody waits for a connection
	again   bool // the connection there is has to end first
	dialing context.CancelFunc
	tried   time.Time     // when the last attempt failed
	told    chan struct{} // closed and made anew whenever the state changes

	wake chan struct{} // holds a token when run has to look

	ctx    context.Context // ends when the server is retired, or the session is
	cancel context.CancelFunc
	after  <-chan struct{} // closed when the server this one takes the place of has ended; nil where there was none
	began  bool            // run was called, or never will be
	done   chan struct{}   // closed when run has ended
}

func newServer(ctx context.Context, c Config, opt *Options, after <-chan struct{}) *server {
	s := &server{config: c, opt: opt, on: !c.Off, asked: !c.Off, state: Waiting, told: make(chan struct{}), wake: make(chan struct{}, 1),
		after: after, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if c.Off {
		s.state = Off
	}
	return s
}

// retire ends the server for good.
func (s *server) retire() {
	s.cancel()
	if s.begin() { // it never will
		close(s.done)
	}
}

// begin reports whether the server did not begin before.
func (s *server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.began
	s.began = true
	return first
}

// run owns the connection until the server is retired or the session ends.
func (s *server) run() {
	if !s.begin() {
		return
	}
	defer close(s.done)
	defer s.cancel()
	if s.after != nil {
		<-s.after
	}
	s.serve(s.ctx)
	s.opt.Publish(s.config.Name, nil)
}

// serve connects, and connects again, until ctx ends.
func (s *server) serve(ctx context.Context) {
	var l *link
	defer func() { l.close() }()
	var listed time.Time
	var due <-chan time.Time // when lists that changed again are taken
	for {
		l = s.follow(l)
		if dial := s.attempt(ctx, l); dial != nil {
			l = s.connect(dial)
			continue
		}
		var ended, changed <-chan struct{}
		if l != nil {
			ended, changed = l.ended, l.changed
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-ended:
			s.fell(l)
			l.close()
			l = nil
		case <-changed:
			due = time.After(relistPause - time.Since(listed))
		case <-due:
			due, listed = nil, time.Now()
			s.relist(ctx, l)
		}
	}
}

// follow ends a connection that an order ended, and returns what is left of it.
func (s *server) follow(l *link) *link {
	s.mu.Lock()
	on, again := s.on, s.again
	s.again = false
	if l != nil && (!on || again) {
		s.link = nil
	}
	if !on {
		s.state, s.fault, s.catalog = Off, "", catalog{}
	}
	s.tell()
	s.mu.Unlock()
	if l != nil && (!on || again) {
		l.close()
		l = nil
	}
	if !on {
		s.opt.Publish(s.config.Name, nil)
	}
	return l
}

// attempt is the context of an attempt to connect, nil where none is wanted.
func (s *server) attempt(ctx context.Context, l *link) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l != nil || !s.on || !s.asked || ctx.Err() != nil {
		return nil
	}
	dial, cancel := context.WithTimeout(ctx, s.timeout())
	s.dialing, s.asked, s.state, s.fault = cancel, false, Connecting, ""
	s.tell()
	return dial
}

// connect joins the server and takes its lists. It returns nil where that failed, which the state tells.
func (s *server) connect(dial context.Context) *link {
	l, err := s.join(dial)
	var found catalog
	if err == nil {
		found, err = s.list(dial, l)
	}
	if err != nil && errors.Is(dial.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it was not ready within %s; %w", s.timeout(), err)
	}
	if err != nil && l != nil {
		err = l.because(err)
		l.close()
	}
	if err == nil {
		s.opt.Publish(s.config.Name, found.tools) // first: who hears that it is ready finds its tools
	}
	s.mu.Lock()
	s.dialing()
	s.dialing = nil
	if err != nil && (!s.on || s.again || s.ctx.Err() != nil) {
		s.mu.Unlock()
		return nil // an order ended the attempt, which is no failure
	}
	if err != nil {
		s.state, s.fault, s.tried = Failed, s.line(err.Error()), time.Now()
		s.asked = false // who waited is told
		s.tell()
		s.mu.Unlock()
		return nil
	}
	s.state, s.link, s.catalog = Ready, l, found
	s.tell()
	s.mu.Unlock()
	return l
}

// fell notes that a connection ended by itself. The tools stay: the next call connects again.
func (s *server) fell(l *link) {
	fault := s.line(l.because(errors.New("it ended the connection")).Error())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.state, s.fault = nil, Failed, fault
	if s.asked {
		s.state = Connecting
	}
	s.tell()
}

// relist takes the lists again after the server said that they changed. Where that fails the old ones stay.
func (s *server) relist(ctx context.Context, l *link) {
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	found, err := s.list(ctx, l)
	if err != nil {
		return // where the connection ended, that is told next
	}
	s.opt.Publish(s.config.Name, found.tools)
	s.mu.Lock()
	s.catalog = found
	s.tell()
	s.mu.Unlock()
}

// up is the connection for a call. One that ended is made again, once for each call and not in a row.
func (s *server) up(ctx context.Context) (*link, error) {
	for asked := false; ; {
		s.mu.Lock()
		state, l, fault, told := s.state, s.link, s.fault, s.told
		ended := state == Ready && l.over()
		switch {
		case s.ctx.Err() != nil:
			s.mu.Unlock()
			return nil, errGone
		case state == Off:
			s.mu.Unlock()
			return nil, errOff
		case state == Ready && !ended:
			s.mu.Unlock()
			return l, nil
		case state == Failed && (asked || time.Since(s.tried) < restartPause):
			s.mu.Unlock()
			return nil, errors.New(fault)
		case state == Failed || ended:
			asked, s.asked, s.state = true, true, Connecting
			s.tell()
			s.poke()
		}
		s.mu.Unlock()
		select {
		case <-told:
		case <-s.ctx.Done():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// obey takes an order; run carries it out.
func (s *server) obey(o order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.asked = o != orderOff, o != orderOff
	s.again = o == orderAgain
	if s.dialing != nil && o != orderOn {
		s.dialing()
	}
	switch {
	case o == orderOff:
		s.state, s.fault, s.link = Off, "", nil
	case o == orderAgain, s.state == Off, s.state == Failed:
		s.state, s.fault, s.link = Connecting, "", nil // calls wait for the new connection
	}
	s.tell()
	s.poke()
}

// settled waits until nothing is being connected.
func (s *server) settled(ctx context.Context) {
	for {
		s.mu.Lock()
		state, told := s.state, s.told
		s.mu.Unlock()
		if state != Waiting && state != Connecting {
			return
		}
		select {
		case <-told:
		case <-ctx.Done():
			return
		}
	}
}

// tell wakes whoever waits for a change of the state. The lock is held.
func (s *server) tell() {
	close(s.told)
	s.told = make(chan struct{})
	s.opt.Changed(s.config.Name, s.state, s.fault)
}

func (s *server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *server) timeout() time.Duration {
	if s.config.Timeout > 0 {
		return s.config.Timeout
	}
	return defaultTimeout
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.catalog
	return Status{Name: s.config.Name, State: s.state, Error: s.fault, Where: s.where(), Project: s.config.Project,
		Tools: c.shown, Prompts: c.prompts, Resources: len(c.resources), Notes: c.notes}
}

// where is the command line as it is configured, or the host.
func (s *server) where() string {
	if s.config.URL == "" {
		return oneLine(strings.Join(s.config.Command, " "), mostSaid)
	}
	return oneLine(s.host(), mostSaid)
}

// host is who is talked to, "" where it is a program.
func (s *server) host() string {
	if s.config.URL == "" {
		return ""
	}
	u, err := url.Parse(s.config.URL)
	if err != nil {
		return s.config.URL
	}
	return u.Hostname()
}
