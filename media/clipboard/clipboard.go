// Package clipboard reads and writes the clipboard of the desktop espy runs on, and reads pasted or dropped
// text as file paths.
//
// Read looks for what a person most likely means by "paste": a copied picture file, then a picture, then
// text. It asks, in the order that fits the session, every way this machine has, and a way succeeds only if
// what it hands over is really a picture; otherwise the next flavour and the next way are tried. Everything
// is bounded in bytes and time; nothing blocks past a deadline, and helper programs die with their children.
//
// Nothing here watches the clipboard: it is read when a person asks. The package knows bytes, names and
// programs. It must not know the gate, a session or a screen: whether bytes are a picture is asked of
// Env.Prove, and files are returned by name, for the caller to open.
package clipboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Content is what a paste brought. One of Files, Image and Text is what the person meant; Others and Note
// may stand beside any of them.
type Content struct {
	Files            []string // copied picture files, absolute, existing and regular when they were looked at
	Others           []string // copied files that are no pictures; Text then holds their names
	Image            []byte
	MediaTypeOffered string // what the owner called Image; the bytes are the truth
	Text             string // valid UTF-8 without NUL
	Via              string // the way that answered: "wl-paste", "X11"
	Note             string // a sentence worth showing though something was found
}

// Read returns what is on the clipboard, within 3 s. The error is a *Error, whose sentence is for people.
func Read(ctx context.Context, env Env) (Content, error) {
	env = env.withDefaults()
	if env.isRemote() {
		return Content{}, &Error{Fault: FaultRemote, Sentence: remoteSentence}
	}
	ctx, cancel := context.WithTimeout(ctx, env.waits.read)
	defer cancel()
	r := reader{env: env}
	for _, way := range env.ways() {
		if ctx.Err() != nil {
			break
		}
		if content, ok := r.try(ctx, way); ok {
			return content, nil
		}
	}
	return r.settle(ctx)
}

// source is one way to the clipboard.
type source interface {
	name() string
	// offers lists what is on the clipboard. An empty list without error means that nothing is.
	offers(ctx context.Context) ([]offer, error)
	// fetch brings one offer. Files come as a list of names or URLs, one a line.
	fetch(ctx context.Context, o offer) ([]byte, error)
	close()
}

// reader remembers, over all ways, what was tried and what was found wanting.
type reader struct {
	env         Env
	tried       []attempt
	answered    bool   // some way said what is there, or that nothing is
	undecodable string // the last picture that was there but is none, in words
	text        *Content
}

// attempt is one way that did not succeed, and why.
type attempt struct {
	way string
	err error
}

// try asks one way. A text is kept for later if a picture was offered that could not be had.
func (r *reader) try(ctx context.Context, way source) (Content, bool) {
	defer way.close()
	list, err := r.list(ctx, way)
	if err != nil {
		r.fail(way.name(), err)
		return Content{}, false
	}
	r.answered = true
	content, ok := r.files(ctx, way, list)
	if !ok {
		content, ok = r.image(ctx, way, list)
	}
	if ok {
		return content, true
	}
	content, ok = r.words(ctx, way, list)
	if ok && r.undecodable != "" {
		if r.text == nil {
			r.text = &content
		}
		return Content{}, false
	}
	return content, ok
}

func (r *reader) list(ctx context.Context, way source) ([]offer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.env.patience(way, r.env.waits.list))
	defer cancel()
	return way.offers(ctx)
}

func (r *reader) fetch(ctx context.Context, way source, o offer) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.env.patience(way, r.env.waits.fetch))
	defer cancel()
	data, err := way.fetch(ctx, o)
	if err == nil && len(data) == 0 {
		err = errSilent
	}
	if err == nil && len(data) > maxOutputBytes {
		err = errTooMuch
	}
	return data, err
}

func (r *reader) fail(way string, err error) { r.tried = append(r.tried, attempt{way, err}) }

// files takes copied files. Where files are there but none is a picture, their names are the text: the
// pictures offered beside them are icons a file manager drew.
func (r *reader) files(ctx context.Context, way source, list []offer) (Content, bool) {
	for _, o := range pick(list, kindFiles) {
		data, err := r.fetch(ctx, way, o)
		if err != nil {
			r.fail(way.name()+" "+o.flavour, err)
			continue
		}
		pictures, others := r.env.finder().copied(string(data))
		if len(pictures)+len(others) == 0 {
			continue
		}
		content := Content{Files: pictures, Others: others, Via: way.name()}
		if len(pictures) == 0 {
			content.Text = strings.Join(others, "\n")
		} else if len(others) > 0 {
			content.Note = "copied files that are no pictures were left out: " + strings.Join(others, ", ")
		}
		return content, true
	}
	return Content{}, false
}

// image takes the first picture that proves to be one.
func (r *reader) image(ctx context.Context, way source, list []offer) (Content, bool) {
	for _, o := range pick(list, kindImage) {
		data, err := r.fetch(ctx, way, o)
		if err != nil {
			r.undecodable = fmt.Sprintf("%s offers %s, but it could not be fetched: %s", way.name(), o.media, plain(err))
			r.fail(way.name()+" "+o.flavour, err)
			continue
		}
		if err := r.env.Prove(data); err != nil {
			r.undecodable = fmt.Sprintf("%s offers %s, but it cannot be read: %v", way.name(), o.media, err)
			r.fail(way.name()+" "+o.flavour, err)
			continue
		}
		return Content{Image: data, MediaTypeOffered: o.media, Via: way.name()}, true
	}
	return Content{}, false
}

// words takes the first text that is one: some owners answer a request for text with a picture.
func (r *reader) words(ctx context.Context, way source, list []offer) (Content, bool) {
	for _, o := range pick(list, kindText) {
		data, err := r.fetch(ctx, way, o)
		if err == nil && o.latin1 {
			data = fromLatin1(data)
		}
		if err == nil {
			err = checkText(data)
		}
		if err != nil {
			r.fail(way.name()+" "+o.flavour, err)
			continue
		}
		return Content{Text: string(data), Via: way.name()}, true
	}
	return Content{}, false
}

// settle decides what a Read is that found no picture and no plain text.
func (r *reader) settle(ctx context.Context) (Content, error) {
	if r.text != nil {
		r.text.Note = "the clipboard also holds a picture that cannot be used: " + r.undecodable
		return *r.text, nil
	}
	if r.undecodable == "" && !r.answered && ctx.Err() == nil && !r.timedOut() {
		if content, ok := r.lastText(ctx); ok {
			return content, nil
		}
	}
	return Content{}, r.verdict(ctx)
}

func (r *reader) timedOut() bool {
	for _, a := range r.tried {
		if errors.Is(a.err, context.DeadlineExceeded) {
			return true
		}
	}
	return false
}

// lastText asks the text-only library, which knows helpers we have no use for (xsel, Termux). It has no
// deadline of its own and returns pictures as text, so it is waited for only as long as ctx lasts, and is
// asked only when no other way exists. If it hangs, its goroutine ends when its helper does.
func (r *reader) lastText(ctx context.Context) (Content, bool) {
	if r.env.LastText == nil {
		return Content{}, false
	}
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := r.env.LastText()
		got <- answer{text, err}
	}()
	select {
	case a := <-got:
		if a.err == nil {
			a.err = checkText([]byte(a.text))
		}
		if a.err != nil {
			return Content{}, false
		}
		return Content{Text: a.text, Via: "text helper"}, true
	case <-ctx.Done():
		return Content{}, false
	}
}

// checkText refuses what only claims to be text.
func checkText(data []byte) error {
	switch {
	case len(data) == 0:
		return errSilent
	case len(data) > maxTextBytes:
		return errTooMuch
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || pictureKind(data) != "":
		return errors.New("what it calls text is not text")
	}
	return nil
}

func fromLatin1(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]rune, len(data))
	for i, b := range data {
		out[i] = rune(b)
	}
	return []byte(string(out))
}
