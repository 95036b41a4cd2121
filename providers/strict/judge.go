package strict

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// checker carries one request through the rules.
type checker struct {
	rules    Rules
	raw      []byte
	body     map[string]any
	pictures []picture
}

func (s *Server) judge(p *protocol, r *http.Request, raw []byte) *refusal {
	c := &checker{rules: s.rules, raw: raw}
	if int64(len(raw)) > s.maxBody() {
		return &refusal{status: http.StatusRequestEntityTooLarge, kind: "request_too_large", message: "Request exceeds the maximum size"}
	}
	if refused := c.credentials(p, r); refused != nil {
		return refused
	}
	if r.ContentLength != int64(len(raw)) {
		return bad("the body has %d bytes and Content-Length says %d", len(raw), r.ContentLength)
	}
	if err := json.Unmarshal(raw, &c.body); err != nil {
		return bad("We could not parse the JSON body of your request: %v", err)
	}
	if m := text(c.body["model"]); c.rules.Model != "" && m != c.rules.Model {
		return &refusal{status: http.StatusNotFound, kind: "not_found_error", code: "model_not_found", message: "The model `" + m + "` does not exist or you do not have access to it."}
	}
	if c.body["stream"] != true {
		return bad("this test service only streams")
	}
	if refused := c.gatherPictures(); refused != nil {
		return refused
	}
	if p.schema != nil {
		if fault := faultOf(p.schema(), c.body); fault != "" {
			return bad("%s", fault)
		}
	}
	if refused := p.check(c); refused != nil {
		return refused
	}
	return c.judgePictures()
}

func (c *checker) credentials(p *protocol, r *http.Request) *refusal {
	authorization := r.Header.Get("Authorization")
	if authorization == "Bearer " || authorization == "Bearer" {
		return bad("the Authorization header is empty")
	}
	key := strings.TrimPrefix(authorization, "Bearer ")
	if p.name == "messages" {
		if key == "" {
			key = r.Header.Get("x-api-key")
		}
		if r.Header.Get("anthropic-version") == "" {
			return bad("anthropic-version: header is required")
		}
	}
	if c.rules.Key != "" && key != c.rules.Key {
		return &refusal{status: http.StatusUnauthorized, kind: "authentication_error", code: "invalid_api_key", message: "Incorrect API key provided: " + key}
	}
	return nil
}

// text is a JSON value that should be a string.
func text(v any) string {
	s, _ := v.(string)
	return s
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func blank(v any) bool { return strings.TrimSpace(text(v)) == "" }

func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

// onlyKeys names the first key of o that is not allowed.
func onlyKeys(o map[string]any, allowed string) string {
	for key := range o {
		if !strings.Contains(" "+allowed+" ", " "+key+" ") {
			return key
		}
	}
	return ""
}

func badID(rules Rules, id string, most int) bool {
	if rules.NineCharIDs {
		return !matches(`^[a-zA-Z0-9]{9}$`, id)
	}
	return len(id) > most || !matches(`^[a-zA-Z0-9_-]+$`, id)
}
