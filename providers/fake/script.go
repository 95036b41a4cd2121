package fake

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"espy/agent/message"
	"espy/providers"
)

// A script is TOML: a list of answers, each a list of steps. Every request takes the first answer that is not
// used up and whose `when` fits.
//
//	[[answer]]
//	when   = "screenshot"   # only where the newest message holds these words; "" fits always
//	repeat = 3              # how many requests it answers; 0 means 1, below zero for ever
//	steps  = [
//	  { thinking = "Let me see." },
//	  { text = "I will look.", piece = 4, delay_ms = 20 },       # pieces of 4 runes, 20 ms before each
//	  { call = "read", args = '{"path":"a.go"}', id = "call_7" }, # without id: call_1, call_2, ...
//	  { delay_ms = 500 },
//	  { usage = { input = 1000, output = 20, cache_read = 800 } },
//	  { stop = "length" },                                        # a message.Stop; calls alone make it "tools"
//	]
//
//	[[answer]]
//	steps = [ { text = "half an ans" }, { cut = true } ]          # the stream ends: truncated
//
//	[[answer]]
//	steps = [ { error = "rate_limit", status = 429, message = "slow down", retry_after_ms = 300 } ]
//
// error is a providers.Class; picture is the index of the picture it blames, ref the blob.
type Script struct {
	mu      sync.Mutex
	answers []*scriptAnswer
}

type scriptAnswer struct {
	When   string       `toml:"when"`
	Repeat int          `toml:"repeat"`
	Steps  []scriptStep `toml:"steps"`
	used   int
}

type scriptStep struct {
	Thinking   string       `toml:"thinking"`
	Text       string       `toml:"text"`
	Piece      int          `toml:"piece"`
	DelayMS    int          `toml:"delay_ms"`
	Call       string       `toml:"call"`
	Args       string       `toml:"args"`
	ID         string       `toml:"id"`
	Usage      *scriptUsage `toml:"usage"`
	Stop       string       `toml:"stop"`
	Cut        bool         `toml:"cut"`
	Error      string       `toml:"error"`
	Status     int          `toml:"status"`
	Code       string       `toml:"code"`
	Message    string       `toml:"message"`
	Picture    *int         `toml:"picture"`
	Ref        string       `toml:"ref"`
	RetryAfter int          `toml:"retry_after_ms"`
}

// scriptUsage is a message.Usage under TOML names.
type scriptUsage struct {
	Input      int `toml:"input"`
	Output     int `toml:"output"`
	CacheRead  int `toml:"cache_read"`
	CacheWrite int `toml:"cache_write"`
}

// Parse reads a script. Unknown keys and classes are errors, so that a test cannot mean what is not there.
func Parse(text []byte) (*Script, error) {
	var file struct {
		Answers []*scriptAnswer `toml:"answer"`
	}
	dec := toml.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	for i, a := range file.Answers {
		if a == nil {
			return nil, fmt.Errorf("answer %d is empty", i+1)
		}
		for j, s := range a.Steps {
			if err := s.check(); err != nil {
				return nil, fmt.Errorf("answer %d, step %d: %w", i+1, j+1, err)
			}
		}
	}
	return &Script{answers: file.Answers}, nil
}

func (s scriptStep) check() error {
	switch message.Stop(s.Stop) {
	case "", message.StopEnd, message.StopTools, message.StopLength, message.StopRefusal, message.StopPause:
	default:
		return fmt.Errorf("stop is %q; it is end, tools, length, refusal or pause", s.Stop)
	}
	switch providers.Class(s.Error) {
	case "", providers.ClassNetwork, providers.ClassOverloaded, providers.ClassRateLimit, providers.ClassQuota, providers.ClassAuth,
		providers.ClassNotFound, providers.ClassBadRequest, providers.ClassPicture, providers.ClassBlind, providers.ClassMissingBlob,
		providers.ClassTooLarge, providers.ClassOverflow, providers.ClassTruncated, providers.ClassUnintelligible:
	default:
		return fmt.Errorf("error is %q, which is no class of errors", s.Error)
	}
	return nil
}

// next takes the answer of a request; nil where none is left.
func (s *Script) next(req providers.Request) *scriptAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := newestWords(req)
	for _, a := range s.answers {
		if (a.Repeat < 0 || a.used < max(a.Repeat, 1)) && strings.Contains(words, a.When) {
			a.used++
			return a
		}
	}
	return nil
}

func newestWords(req providers.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	var words []string
	m := req.Messages[len(req.Messages)-1]
	for _, b := range m.Blocks {
		if t, ok := b.(message.Text); ok {
			words = append(words, t.Text)
		}
	}
	for _, r := range m.Results {
		words = append(words, r.Text)
	}
	return strings.Join(words, "\n")
}

func (s *speaker) play(a *scriptAnswer) error {
	calls := 0
	for _, step := range a.Steps {
		if step.Call != "" && step.ID == "" {
			calls++
			step.ID = fmt.Sprintf("call_%d", calls)
		}
		if err := s.step(step); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

func (s *speaker) step(step scriptStep) error {
	pause := time.Duration(step.DelayMS) * time.Millisecond
	switch {
	case step.Text != "":
		return s.text(step.Text, step.Piece, pause)
	case step.Thinking != "":
		return s.think(step.Thinking, step.Piece, pause)
	}
	if err := s.wait(pause); err != nil {
		return err
	}
	switch {
	case step.Call != "":
		return s.call(message.ToolCall{ID: step.ID, Name: step.Call, Args: step.Args})
	case step.Usage != nil:
		usage := message.Usage(*step.Usage)
		s.resp.Usage = &usage
	case step.Stop != "":
		s.resp.Stop = message.Stop(step.Stop)
	case step.Cut:
		return &providers.Error{Class: providers.ClassTruncated, Picture: -1, Message: "the server stopped in the middle of its answer", Err: io.ErrUnexpectedEOF}
	case step.Error != "":
		return step.failure()
	}
	return nil
}

func (s scriptStep) failure() error {
	e := &providers.Error{Class: providers.Class(s.Error), Status: s.Status, Code: s.Code, Message: s.Message, Picture: -1, Ref: s.Ref,
		RetryAfter: time.Duration(s.RetryAfter) * time.Millisecond}
	if s.Picture != nil {
		e.Picture = *s.Picture
	}
	if e.Message == "" {
		e.Message = "the script says: " + s.Error
	}
	return e
}
