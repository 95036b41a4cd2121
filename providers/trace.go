package providers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"espy/agent/message"
)

// traceVersion is written into every line of a trace. Fields and types are only ever added.
const traceVersion = 1

// Trace writes requests and answers as JSON lines: "request" with its body, "response" with its status, "body" with
// what was read of the answer, "failure" where there was none. Lines of one exchange share n. No line holds a
// picture's bytes or a secret. It is safe for concurrent use. A trace that cannot be written stops; the requests
// go on.
type Trace struct {
	mu      sync.Mutex
	w       io.Writer
	secrets []string
	n       int
	err     error
}

// NewTrace writes to w and takes secrets out of everything.
func NewTrace(w io.Writer, secrets []string) *Trace { return &Trace{w: w, secrets: secrets} }

// Err is why the trace stopped, nil while it goes on.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Traced returns the client with everything it sends and gets written to a trace.
func (c *Client) Traced(t *Trace) *Client {
	traced := *c
	traced.trace = t
	return &traced
}

// traceLine is one line. Which fields are set depends on the type.
type traceLine struct {
	V        int               `json:"v"`
	N        int               `json:"n"`
	Time     time.Time         `json:"time"`
	Type     string            `json:"type"`
	Method   string            `json:"method,omitempty"`
	URL      string            `json:"url,omitempty"`
	Provider string            `json:"provider,omitempty"` // of a request that goes over no network
	Status   int               `json:"status,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Body     json.RawMessage   `json:"body,omitempty"` // JSON where it is that, else a string
	Cut      bool              `json:"cut,omitempty"`  // the body went on
	Error    string            `json:"error,omitempty"`
}

// exchange is one request being traced; nil traces nothing.
type exchange struct {
	trace   *Trace
	n       int
	secrets []string
}

func (t *Trace) begin(secrets []string) *exchange {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return &exchange{t, t.n, append(slices.Clone(t.secrets), secrets...)}
}

func (e *exchange) write(l traceLine) {
	l.V, l.N, l.Time = traceVersion, e.n, time.Now().UTC()
	text, err := EncodeJSON(l)
	e.trace.mu.Lock()
	defer e.trace.mu.Unlock()
	if err == nil && e.trace.err == nil {
		_, err = e.trace.w.Write(append([]byte(strings.TrimRight(string(text), "\n")), '\n'))
	}
	if e.trace.err == nil {
		e.trace.err = err
	}
}

// body is a body fit to be kept; of one that was cut, no secret's or picture's beginning is left at the end.
func (e *exchange) body(text []byte, cut bool) json.RawMessage {
	clean := string(text)
	if isEvents(clean) {
		clean = redactEvents(clean, e.secrets, cut)
	} else if clean = Redact(clean, e.secrets); cut {
		for _, s := range unfinished(clean, spellings(e.secrets)) {
			clean = clean[:s.start] + s.note
		}
	}
	if json.Valid([]byte(clean)) {
		return json.RawMessage(clean)
	}
	quoted, err := EncodeJSON(strings.ToValidUTF8(clean, "\uFFFD"))
	if err != nil {
		return nil
	}
	return quoted
}

// headers are a message's headers. What names a key, a token or a cookie is masked whatever its value.
func (e *exchange) headers(h http.Header) map[string]string {
	shown := make(map[string]string, len(h))
	for name, values := range h {
		lower := strings.ToLower(name)
		if slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie"}, func(s string) bool { return strings.Contains(lower, s) }) {
			shown[name] = "[key]"
			continue
		}
		shown[name] = Redact(strings.Join(values, ", "), e.secrets)
	}
	return shown
}

func (e *exchange) request(req *http.Request, body *Body) {
	if e == nil {
		return
	}
	address := *req.URL
	address.User = nil
	query := address.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "key") || strings.Contains(strings.ToLower(name), "token") {
			query.Set(name, "[key]")
		}
	}
	address.RawQuery = query.Encode()
	e.write(traceLine{Type: "request", Method: req.Method, URL: Redact(address.String(), e.secrets), Headers: e.headers(req.Header), Body: e.body(body.Outline(), false)})
}

func (e *exchange) failure(err error) {
	if e != nil {
		e.write(traceLine{Type: "failure", Error: Redact(err.Error(), e.secrets)})
	}
}

// response traces the status and returns the answer's body, which traces what is read of it when it is closed.
func (e *exchange) response(resp *http.Response) {
	if e == nil {
		return
	}
	e.write(traceLine{Type: "response", Status: resp.StatusCode, Headers: e.headers(resp.Header)})
	resp.Body = &tracedBody{ReadCloser: resp.Body, e: e}
}

// tracedBody keeps the start of what passes.
type tracedBody struct {
	io.ReadCloser
	e    *exchange
	once sync.Once
	kept []byte
	cut  bool
	end  error
}

func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	take := min(n, maxTraced-len(b.kept))
	b.kept = append(b.kept, p[:take]...)
	b.cut = b.cut || take < n
	if err != nil {
		b.end = err
	}
	return n, err
}

func (b *tracedBody) Close() error {
	b.once.Do(func() {
		l := traceLine{Type: "body", Body: b.e.body(b.kept, b.cut || !errors.Is(b.end, io.EOF)), Cut: b.cut}
		if b.end != nil && !errors.Is(b.end, io.EOF) {
			l.Error = Redact(b.end.Error(), b.e.secrets)
		}
		b.e.write(l)
	})
	return b.ReadCloser.Close()
}

// Outline is the body with each picture's base64 text replaced by its type and size. A body without pictures is
// returned as it is.
func (b *Body) Outline() []byte {
	if len(b.pictures) == 0 {
		return b.text
	}
	var text []byte
	for _, s := range b.segments {
		if s.picture < 0 {
			text = append(text, s.text...)
			continue
		}
		text = append(text, "["+b.pictures[s.picture].MediaType+", "+strconv.FormatInt(s.size, 10)+" bytes]"...)
	}
	return text
}

// WithTrace traces a provider that sends nothing over a network: its requests and answers in espy's own words. A
// nil trace changes nothing.
func WithTrace(p Provider, t *Trace, name string) Provider {
	if t == nil {
		return p
	}
	return tracedProvider{p, t, name}
}

type tracedProvider struct {
	provider Provider
	trace    *Trace
	name     string
}

func (p tracedProvider) Stream(ctx context.Context, req Request, emit func(Delta)) (Response, error) {
	e := p.trace.begin(nil)
	e.write(traceLine{Type: "request", Provider: p.name, Body: e.encode(map[string]any{
		"system": req.System, "tools": req.Tools, "messages": plainMessages(req.Messages), "max_tokens": req.MaxTokens, "effort": req.Effort})})
	resp, err := p.provider.Stream(ctx, req, emit)
	if err != nil {
		e.failure(err)
		return resp, err
	}
	e.write(traceLine{Type: "response", Provider: p.name})
	e.write(traceLine{Type: "body", Body: e.encode(map[string]any{"message": plainBlocks(message.RoleAssistant, resp.Blocks), "stop": resp.Stop, "usage": resp.Usage, "model": resp.Model})})
	return resp, nil
}

func (e *exchange) encode(v any) json.RawMessage {
	text, err := EncodeJSON(v)
	if err != nil {
		return nil
	}
	return e.body(text, false)
}

func plainMessages(messages []Message) []json.RawMessage {
	var plain []json.RawMessage
	for _, m := range messages {
		blocks := m.Blocks
		for _, r := range m.Results {
			result := message.ToolResult{CallID: r.CallID, Text: r.Text, IsError: r.IsError}
			for _, p := range r.Pictures {
				result.Images = append(result.Images, p.Image)
			}
			blocks = append(blocks[:len(blocks):len(blocks)], result)
		}
		plain = append(plain, plainBlocks(m.Role, blocks))
	}
	return plain
}

// plainBlocks is a message in the form of the log: its pictures are references.
func plainBlocks(role message.Role, blocks []message.Block) json.RawMessage {
	text, err := json.Marshal(message.Message{Role: role, Blocks: blocks})
	if err != nil {
		return nil
	}
	return text
}
