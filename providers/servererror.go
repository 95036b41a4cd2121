package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// serverError is what a server said went wrong, whatever shape it said it in.
type serverError struct {
	message string
	kind    string   // "type" or "status": invalid_request_error, RESOURCE_EXHAUSTED
	code    string   // the most precise code there was
	places  []string // where in the request, as the server words it
	id      string
}

// StatusError is the error of an answer whose status is no success. text is the bounded start of its body.
func StatusError(resp *http.Response, text []byte, ex Exchange) *Error {
	said := parseServerError(text)
	e := said.judge(resp.StatusCode, ex)
	e.RetryAfter, e.Advice = retryAfter(resp.Header, time.Now()), advice(resp.Header)
	if e.RetryAfter == 0 {
		e.RetryAfter = retryDelay(text)
	}
	if id := requestID(resp.Header); id != "" {
		e.RequestID = id
	}
	if e.Message == "" {
		e.Message = statusSentence(resp, text, ex)
	}
	if e.Class == ClassBadRequest && len(bytes.TrimSpace(text)) == 0 && resp.StatusCode == http.StatusBadRequest {
		// Cerebras answers a request that does not fit with a bare 400.
		e.Class, e.Message = ClassOverflow, "the server refused the request without a word, which is how some say that the context window is full"
	}
	return e
}

// retryDelay is the wait that Google's servers write into the body.
func retryDelay(text []byte) time.Duration {
	found := regexp.MustCompile(`"retryDelay"\s*:\s*"([0-9.]{1,12}s)"`).FindSubmatch(text)
	if found == nil {
		return 0
	}
	d, err := time.ParseDuration(string(found[1]))
	if err != nil {
		return 0
	}
	return d
}

func statusSentence(resp *http.Response, text []byte, ex Exchange) string {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Sprintf("the server sends requests on to %s; put that address into base_url", cleanText(resp.Header.Get("Location"), ex.Secret))
	case resp.StatusCode == http.StatusNotFound:
		return "the server has nothing at " + cleanText(ex.URL, ex.Secret) + "; check base_url and protocol"
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")):
		return "the server answered with a web page" + pageTitle(text, ex.Secret)
	}
	if said := cleanText(string(text), ex.Secret); said != "" {
		return said
	}
	return "the server answered " + strings.ToLower(http.StatusText(resp.StatusCode)) + " and nothing more"
}

// EventError is the error of a stream that reports a failure in its middle, after a status of 200. raw is the
// event's JSON.
func (s *Stream) EventError(raw []byte) *Error {
	said := parseServerError(raw)
	e := said.judge(said.status(), s.ex)
	if e.RequestID == "" {
		e.RequestID = requestID(s.Header)
	}
	if e.Message == "" {
		e.Message = cleanText(string(raw), s.ex.Secret)
	}
	return e
}

// status makes a status of the codes and kinds that stand for one; 0 where there is none.
func (s serverError) status() int {
	if n, err := strconv.Atoi(s.code); err == nil && n >= 400 && n <= 599 {
		return n
	}
	for _, word := range []string{s.code, s.kind} {
		switch strings.ToLower(word) {
		case "overloaded_error", "overloaded", "unavailable":
			return 529
		case "api_error", "server_error", "internal_error", "internal", "timeout_error":
			return http.StatusInternalServerError
		case "rate_limit_error", "rate_limit_exceeded", "resource_exhausted":
			return http.StatusTooManyRequests
		case "authentication_error", "invalid_api_key":
			return http.StatusUnauthorized
		case "permission_error":
			return http.StatusForbidden
		case "billing_error":
			return http.StatusPaymentRequired
		case "not_found_error", "model_not_found":
			return http.StatusNotFound
		case "request_too_large":
			return http.StatusRequestEntityTooLarge
		case "invalid_request_error", "invalid_prompt", "invalid_argument":
			return http.StatusBadRequest
		}
	}
	return 0
}

// parseServerError reads the shapes in use: {"error":{…}}, {"error":"…"}, a list of such, {"message":…},
// {"detail":"…"} and {"detail":[{"loc":[…],"msg":…}]}. Unknown text leaves everything empty.
func parseServerError(text []byte) serverError {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil || len(list) == 0 {
			return serverError{}
		}
		text = list[0]
	}
	var outer struct {
		Error     json.RawMessage `json:"error"`
		Response  json.RawMessage `json:"response"` // a failed event of a Responses stream
		Detail    json.RawMessage `json:"detail"`
		RequestID LooseText       `json:"request_id"`
	}
	if json.Unmarshal(text, &outer) != nil {
		return serverError{}
	}
	var s serverError
	switch {
	case Present(outer.Error):
		s = parseErrorObject(outer.Error)
	case Present(outer.Response):
		var inner struct{ Error json.RawMessage }
		Loosely(outer.Response, &inner)
		s = parseErrorObject(inner.Error)
	case Present(outer.Detail):
		s = parseDetail(outer.Detail)
	default:
		s = parseErrorObject(text)
	}
	s.id = string(outer.RequestID)
	return s
}

func parseErrorObject(raw json.RawMessage) serverError {
	var o struct {
		Message LooseText       `json:"message"`
		Type    LooseText       `json:"type"`
		Status  LooseText       `json:"status"`
		Code    LooseText       `json:"code"`
		Param   LooseText       `json:"param"`
		Details json.RawMessage `json:"details"`
		Meta    json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(raw, &o) != nil {
		var text LooseText
		Loosely(raw, &text)
		return serverError{message: string(text)}
	}
	var details struct {
		Code  LooseText `json:"error_code"`
		Paths []string  `json:"paths"`
	}
	Loosely(o.Details, &details)
	var upstream struct {
		Raw LooseText `json:"raw"` // OpenRouter: what the server behind it said
	}
	Loosely(o.Meta, &upstream)
	s := serverError{message: string(o.Message), kind: string(o.Type), code: string(o.Code), places: details.Paths}
	if s.kind == "" || s.kind == "error" {
		s.kind = string(o.Status)
	}
	if details.Code != "" {
		s.code = string(details.Code)
	}
	if o.Param != "" {
		s.places = append(s.places, string(o.Param))
	}
	if upstream.Raw != "" {
		inner := parseServerError([]byte(upstream.Raw))
		if inner.message == "" {
			inner.message = string(upstream.Raw)
		}
		s.message += ": " + inner.message
		s.places = append(s.places, inner.places...)
	}
	return s
}

// parseDetail reads what FastAPI servers answer: a sentence, or a list of faults with their places.
func parseDetail(raw json.RawMessage) serverError {
	var faults []struct {
		Loc []LooseText `json:"loc"`
		Msg LooseText   `json:"msg"`
	}
	if json.Unmarshal(raw, &faults) != nil {
		var text LooseText
		Loosely(raw, &text)
		return serverError{message: string(text)}
	}
	var s serverError
	var parts []string
	for _, f := range faults {
		place := make([]string, len(f.Loc))
		for i, step := range f.Loc {
			place[i] = string(step)
		}
		s.places = append(s.places, strings.Join(place, "."))
		parts = append(parts, strings.Join(place, ".")+": "+string(f.Msg))
	}
	s.message = strings.Join(parts, "; ")
	return s
}

// ways finds the places in the request that the error names, in its fields and in its words.
func (s serverError) ways() [][]int {
	var ways [][]int
	place := regexp.MustCompile(`(?:messages|input)(?:[.\[\]]+[A-Za-z0-9_]+)+`)
	number := regexp.MustCompile(`^\d{1,6}$`)
	for _, text := range append(s.places[:len(s.places):len(s.places)], s.message) {
		for _, found := range place.FindAllString(text, 8) {
			var way []int
			for _, step := range strings.FieldsFunc(found, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
				if number.MatchString(step) {
					n, _ := strconv.Atoi(step) // at most six digits
					way = append(way, n)
				}
			}
			ways = append(ways, way)
		}
	}
	return ways
}
