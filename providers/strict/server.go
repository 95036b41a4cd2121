// Package strict is a model service for tests: it listens on loopback, speaks Chat Completions, Anthropic
// Messages and Responses, and refuses what the real services and their imitators refuse, in their words.
//
// Contract: every picture is decoded far enough to know that its bytes are what its label says; every body is
// checked against the published schema where there is one and against the rules the services document; the
// answers are those a test asked for. It must never be linked into the program, and knows no adapter.
package strict

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Rules switch the ways in which servers differ. The zero value is the protocol without limits; vendors.go has
// some services as they are.
type Rules struct {
	Key   string // refuse requests without it with 401
	Model string // refuse other models with 404

	NoStreamOptions       bool   // 422 for stream_options
	MaxTokensField        string // refuse the other of max_tokens and max_completion_tokens
	AllowExtras           bool   // take fields the schema does not name
	RequireReasoningEcho  bool   // 400 for an assistant message without reasoning_content
	NineCharIDs           bool   // call ids must be nine letters and digits
	StringContentOnly     bool   // 422 for any list of parts without a picture
	NoUserAfterTool       bool   // 400 for a user message straight after tool messages
	NonNullContent        bool   // 400 for null content
	RequireToolName       bool   // 400 for a tool message without a name
	RequireExtra          bool   // 400 for a call without a Google thought signature
	NoPicturesInResults   bool   // 400 for a picture in a tool result
	PicturesStayInResults bool   // 400 for results whose pictures stand elsewhere
	NoCacheControl        bool   // 400 for cache_control
	NoToolsWithEffort     bool   // 400 for tools unless reasoning_effort is "none"
	NoEncrypted           bool   // 400 for include of encrypted reasoning
	DeveloperRole         bool   // 400 for a system text that does not go as "developer"
	NoAdditional          bool   // 400 for additionalProperties in a tool's schema
	EffortStyle           string // the only way an effort may be asked for, as Quirks.ReasoningStyle spells it; it must be
	OriginalPatches       int    // 400 for a picture of more 32-px patches whose detail is left to the service

	TextOnly       bool  // refuse every picture, as a server without sight does
	RefusePicture  int   // refuse the picture of this number, from 1, naming its place
	MaxImages      int   // zero here and below is no limit
	MaxSide        int   // px
	MinSide        int   // px
	ManyImages     int   // more pictures than this ...
	ManySide       int   // ... must not have a side above this, px
	MaxImageBase64 int64 // bytes of base64 text of one picture
	MaxImagesBytes int64 // decoded bytes of all pictures
	MaxBody        int64 // bytes
}

// Answer is what the server answers to a request it has not refused. The zero Answer is a short text.
type Answer struct {
	Turn   *Turn         // rendered in the protocol of the request
	Status int           // 0 is 200
	Header http.Header   // added
	Body   string        // instead of Turn, sent as it is
	Cut    int           // stop after so many bytes of the body; 0 sends it whole
	Abort  bool          // break the connection at the end instead of closing it
	Hold   chan struct{} // wait for it before answering
	Stay   chan struct{} // keep the connection open after the body until it closes
}

// Request is one request as it arrived.
type Request struct {
	Path   string
	Header http.Header
	Raw    []byte
}

// Decode reads the body into v.
func (r Request) Decode(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.Raw, v); err != nil {
		t.Fatalf("the request is no JSON: %v", err)
	}
}

// Server is a running service.
type Server struct {
	URL string // without a path

	t     testing.TB
	rules Rules
	http  *httptest.Server

	mu       sync.Mutex
	answers  []Answer
	requests []Request
	refusals []string
}

// New starts a server that ends with the test.
func New(t testing.TB, rules Rules) *Server {
	t.Helper()
	s := &Server{t: t, rules: rules}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Say queues answers. When none is left every request is answered with the text "ok".
func (s *Server) Say(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// Forget drops the answers that are still queued.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = nil
}

// SayTurn queues one answer that goes well.
func (s *Server) SayTurn(t Turn) { s.Say(Answer{Turn: &t}) }

// Requests are the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Last is the newest request.
func (s *Server) Last() Request {
	s.t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		s.t.Fatal("the server got no request")
	}
	return all[len(all)-1]
}

// Refusals are the sentences of every request that was refused by a rule.
func (s *Server) Refusals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refusals...)
}

// ServeHTTP judges a request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, s.maxBody()+1))
	if err != nil {
		return // the client went away
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.URL.Path, r.Header.Clone(), raw})
	s.mu.Unlock()
	p := protocolOf(r.URL.Path)
	if p == nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	if refused := s.judge(p, r, raw); refused != nil {
		s.mu.Lock()
		s.refusals = append(s.refusals, refused.message)
		s.mu.Unlock()
		p.refuse(w, refused)
		return
	}
	s.answer(w, r, p)
}

func (s *Server) maxBody() int64 {
	if s.rules.MaxBody > 0 {
		return s.rules.MaxBody
	}
	return 64 << 20
}

func (s *Server) next() Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) == 0 {
		return Answer{Turn: &Turn{Text: "ok"}}
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, p *protocol) {
	a := s.next()
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-r.Context().Done():
			return
		}
	}
	body := a.Body
	if a.Turn != nil {
		body = p.render(*a.Turn)
		w.Header().Set("Content-Type", "text/event-stream")
	}
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	if a.Cut > 0 && a.Cut < len(body) {
		body = body[:a.Cut]
	}
	io.WriteString(w, body)
	w.(http.Flusher).Flush()
	if a.Stay != nil {
		select {
		case <-a.Stay:
		case <-r.Context().Done():
		}
	}
	if a.Abort {
		panic(http.ErrAbortHandler)
	}
}

// refusal is an answer to a request that breaks a rule.
type refusal struct {
	status  int
	kind    string // the error's type
	code    string
	param   string
	message string
}

func bad(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(format, args...)}
}

// protocol is one of the three.
type protocol struct {
	name   string
	schema func() *jsonschema.Schema // nil where none is published
	check  func(*checker) *refusal
	render func(Turn) string
	refuse func(http.ResponseWriter, *refusal)
}

func protocolOf(path string) *protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &protocol{"chat", chatRequest, checkChat, Turn.Chat, refuseOpenAI}
	case strings.HasSuffix(path, "/v1/messages"):
		return &protocol{"messages", nil, checkMessages, Turn.Messages, refuseAnthropic}
	case strings.HasSuffix(path, "/responses"):
		return &protocol{"responses", responseRequest, checkResponses, Turn.Responses, refuseOpenAI}
	}
	return nil
}

func refuseOpenAI(w http.ResponseWriter, r *refusal) {
	body := map[string]any{"error": map[string]any{"message": r.message, "type": r.kind, "param": orNil(r.param), "code": orNil(r.code)}}
	writeJSON(w, r.status, body)
}

func refuseAnthropic(w http.ResponseWriter, r *refusal) {
	w.Header().Set("request-id", "req_strict")
	body := map[string]any{"type": "error", "request_id": "req_strict", "error": map[string]any{"type": r.kind, "message": r.message}}
	writeJSON(w, r.status, body)
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
