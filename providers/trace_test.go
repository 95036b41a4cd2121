package providers

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"espy/agent/message"
)

// pictureStore serves one picture under any name.
type pictureStore string

func (p pictureStore) OpenBlob(string) (io.ReadSeekCloser, error) {
	return openedPicture{strings.NewReader(string(p))}, nil
}

type openedPicture struct{ *strings.Reader }

func (openedPicture) Close() error { return nil }

const tracedKey = "sk-very/secret\"key-0123456789"

// tracedExchange posts a body to a server that answers with what it is given, and returns the trace.
func tracedExchange(t *testing.T, status int, answer string, fill func(b *Body) any) (trace string, body *Body) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Set-Cookie", "session=abcdefghijkl")
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	defer server.Close()
	var file bytes.Buffer
	client := NewClient(Timeouts{}).Traced(NewTrace(&file, []string{tracedKey}))
	defer client.CloseIdle()
	body = NewBody(pictureStore("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 50)))
	if err := body.Encode(fill(body)); err != nil {
		t.Fatal(err)
	}
	stream, err := client.Post(context.Background(), Exchange{URL: server.URL + "/v1?api_key=" + "abc", Body: body,
		Header: http.Header{"Authorization": {"Bearer " + tracedKey}, "X-Team": {"tools"}}, Secret: []string{tracedKey}})
	if err == nil {
		io.Copy(io.Discard, stream.body)
		stream.Close()
	}
	return file.String(), body
}

func TestATraceHoldsWhatWasSentAndAnsweredButNoPictureAndNoKey(t *testing.T) {
	image := message.Image{Ref: "blobs/x.png", MediaType: "image/png", Width: 4, Height: 3}
	encoded := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 50)))
	trace, _ := tracedExchange(t, 200, `{"answer":"I see","echo":"`+encoded+`"}`, func(b *Body) any {
		return map[string]any{"text": "look, my key is " + tracedKey, "image": b.DataURL(image)}
	})
	var types []string
	for line := range strings.Lines(trace) {
		var l traceLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.V != 1 || l.N != 1 {
			t.Errorf("%v: %s", err, line)
		}
		types = append(types, l.Type)
	}
	if strings.Join(types, " ") != "request response body" {
		t.Errorf("the lines are %v", types)
	}
	for _, want := range []string{"look, my key is [key]", "data:image/png;base64,[image/png, 358 bytes]", `"echo":"[image/png, 358 bytes]"`, "I see", `"X-Team":"tools"`, `"status":200`} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace lacks %s:\n%s", want, trace)
		}
	}
	for _, bad := range []string{"iVBORw0KGgo", "very/secret", "api_key=abc", "abcdefghijkl"} {
		if strings.Contains(trace, bad) {
			t.Errorf("the trace holds %s:\n%s", bad, trace)
		}
	}
}

func TestAnOutlineWithoutPicturesIsTheBodyItself(t *testing.T) {
	_, body := tracedExchange(t, 200, "{}", func(*Body) any { return map[string]string{"text": "no picture"} })
	if outline := body.Outline(); &outline[0] != &body.text[0] {
		t.Error("it was copied")
	}
}

func TestATraceTellsOfRefusalsAndFailures(t *testing.T) {
	trace, _ := tracedExchange(t, 401, `{"error":{"message":"bad key `+strings.ReplaceAll(tracedKey, `"`, `\"`)+`"}}`, func(*Body) any { return 1 })
	if !strings.Contains(trace, `"status":401`) || !strings.Contains(trace, "bad key [key]") {
		t.Errorf("%s", trace)
	}
	var file bytes.Buffer
	client := NewClient(Timeouts{}).Traced(NewTrace(&file, nil))
	body := NewBody(nil)
	body.Encode(1)
	if _, err := client.Post(context.Background(), Exchange{URL: "http://127.0.0.1:1/x", Body: body}); err == nil || !strings.Contains(file.String(), `"type":"failure"`) {
		t.Errorf("%v, %s", err, file.String())
	}
}

func TestATraceThatCannotBeWrittenStopsAlone(t *testing.T) {
	trace := NewTrace(failingWriter{}, nil)
	e := trace.begin(nil)
	e.write(traceLine{Type: "request"})
	if trace.Err() == nil {
		t.Error("nothing is said")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestRedactingLeavesOrdinaryTextAsItIs(t *testing.T) {
	for _, text := range []string{"", "see /9j/ and UklGR, R0lGOD", "path/9j/abc", `{"a":"b"}`, "key: short", strings.Repeat("A", 500), "data:text/plain;base64,aGVsbG8="} {
		if got := Redact(text, []string{"short", ""}); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestRedactingFindsEachFormatOfPictureHoweverItIsQuoted(t *testing.T) {
	for begin, kind := range map[string]string{"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "RIFF\x10\x00\x00\x00WEBP": "image/webp"} {
		encoded := base64.StdEncoding.EncodeToString([]byte(begin + strings.Repeat("\xff\x01", 60)))
		for _, text := range []string{encoded, `"` + encoded + `"`, strings.ReplaceAll(`"`+encoded+`"`, "/", `\/`), "data:" + kind + ";base64," + encoded, "x " + encoded + "\n"} {
			if got := Redact(text, nil); strings.Contains(got, encoded[:16]) || !strings.Contains(got, "["+kind+", ") {
				t.Errorf("%s: %q became %q", kind, text, got)
			}
		}
	}
}

func TestASecretInsideAnotherLeavesNoRest(t *testing.T) {
	if got := Redact("token abcdefgh-ijklmnop", []string{"abcdefgh", "abcdefgh-ijklmnop"}); got != "token [key]" {
		t.Errorf("%q", got)
	}
}
