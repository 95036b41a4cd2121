package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/providers"
	"espy/providers/anthropic"
	"espy/providers/chat"
	"espy/providers/responses"
	"espy/providers/strict"
)

// tongue is one of the three protocols, as a strict service speaks it.
type tongue struct {
	name    string
	connect func(providers.Route, providers.Blobs, *providers.Client) providers.Provider
	fault   func(said) string // an error's body
	event   func(said) string // an error inside a stream
}

// said is what a service says about a request it does not take.
type said struct {
	status        int // 0 is 400
	message, code string
	place         bool // it names the first picture
}

func tongues() []tongue {
	openai := func(s said, place string) map[string]any {
		var param, code any
		if s.place {
			param = place
		}
		if s.code != "" {
			code = s.code
		}
		return map[string]any{"message": s.message, "type": "invalid_request_error", "param": param, "code": code}
	}
	claude := func(s said) map[string]any {
		if s.place {
			s.message = "messages.0.content.1.image: " + s.message
		}
		return map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": s.message + s.code}, "request_id": "req_1"}
	}
	text := func(v any) string {
		raw, _ := json.Marshal(v)
		return string(raw)
	}
	return []tongue{
		{"chat",
			func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
				return chat.New(r, b, c)
			},
			func(s said) string {
				return text(map[string]any{"error": openai(s, "messages[1].content[1].image_url")})
			},
			func(s said) string {
				return "data: " + text(map[string]any{"error": openai(s, "messages[1].content[1].image_url")}) + "\n\n"
			}},
		{"anthropic",
			func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
				return anthropic.New(r, b, c)
			},
			func(s said) string { return text(claude(s)) },
			func(s said) string { return "event: error\ndata: " + text(claude(s)) + "\n\n" }},
		{"responses",
			func(r providers.Route, b providers.Blobs, c *providers.Client) providers.Provider {
				return responses.New(r, b, c)
			},
			func(s said) string { return text(map[string]any{"error": openai(s, "input[0].content[1].image_url")}) },
			func(s said) string {
				event := openai(s, "input[0].content[1].image_url")
				event["type"] = "error"
				return "event: error\ndata: " + text(event) + "\n\n"
			}},
	}
}

// pictureFaults are the words with which services refuse one picture.
func pictureFaults() []said {
	list := []said{
		{message: "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"},
		{message: "image exceeds 10 MB maximum: 12582912 bytes > 10485760 bytes"},
		{message: "At least one of the image dimensions exceed max allowed size: 8000 pixels"},
		{message: "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"},
		{message: "image dimensions 1920x1080 exceed the limit and would be downsized to 1456x819"},
		{message: "Could not process image"},
		{message: "Image does not match the provided media type image/jpeg"},
		{message: "The image was specified using the image/jpeg media type, but the image appears to be a image/png image"},
		{message: "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"},
		{message: `all content must be type "text" if "is_error" is true`},
		{message: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].", code: "invalid_image_format"},
		{message: "The image requires 41334 patches after processing, exceeding the limit of 30000"},
		{message: "The image data you provided does not represent a valid image. Please check your input and try again."},
		{message: "prepare image failed: failed to decode image"},
		{message: "Failed to load image or audio file"},
		{message: "height/width must be larger than 10"},
		{message: "invalid image input"},
		{status: 422, message: "Could not process image"},
		{status: 500, message: "Could not process image"},
	}
	for _, code := range []string{"invalid_image", "invalid_base64_image", "invalid_image_url", "image_too_large", "image_too_small", "image_parse_error",
		"image_file_too_large", "unsupported_image_media_type", "empty_image_file", "failed_to_download_image", "image_content_policy_violation", "sanitizer_server_error"} {
		list = append(list, said{message: "The request was refused: ", code: code})
	}
	return list
}

// blindFaults are the words with which services say that they take no pictures at all.
func blindFaults() []said {
	var list []said
	for _, message := range []string{
		"Only 'text' content type is supported.", "image_url is not supported", "image content is not supported", "multimodal content is not supported",
		"multimodal input is not supported", "multimodal is not supported", "vision input is not supported", "vision is not supported",
		"This model does not support images", "This model does not support image input", "This model does not support multimodal", "This model does not support vision",
		"The model does not support image", "unexpected item type in content", "Input should be a valid string: image_url'. expected text",
		"messages[0]: unknown variant `image_url`, expected `text`", "Invalid content type. image_url is only supported by certain models.",
		"data did not match any variant of untagged enum ChatCompletionRequestContent",
	} {
		list = append(list, said{message: message})
	}
	return append(list,
		said{status: http.StatusNotFound, message: "No endpoints found that support image input"},
		said{status: http.StatusInternalServerError, message: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"})
}

// roomFaults are the words with which services say that all of it is too much.
func roomFaults() []said {
	return []said{
		{message: "Total image size is 50.56MB, which exceeds the allowed limit of 50MB."},
		{status: http.StatusTooManyRequests, message: "This request exceeds the maximum usage size allowed during peak load"},
		{message: "At most 1 image(s) may be provided in one request."},
		{status: http.StatusRequestEntityTooLarge, message: "Request exceeds the maximum size"},
		{message: "prompt is too long: 210000 tokens > 200000 maximum"},
		{message: "Your input exceeds the context window of this model", code: "context_length_exceeded"},
		{message: "This model's maximum context length is 4096 tokens"},
		{message: "The input token count (1200000) exceeds the maximum number of tokens allowed"},
		{message: "the request exceeds the available context size"},
		{message: "the context is greater than the context length"},
		{message: "exceeded model token limit: 131072"},
		{message: "This model's maximum prompt length is 131072"},
		{message: "Please reduce the length of the messages"},
	}
}

// poisoned is a session in which a picture was taken and a second one is about to be sent.
type poisoned struct {
	*house
	server *strict.Server
	tongue tongue
	route  providers.Route
	older  Attachment
	newer  Attachment
}

// patient waits for nothing: retries come at once.
func patient() providers.Policy {
	return providers.Policy{Sleep: func(context.Context, time.Duration) error { return nil }}
}

func newPoisoned(t *testing.T, tongue tongue) *poisoned {
	h := newHouse(t, guard.ModeAsk)
	server := strict.New(t, strict.Rules{})
	route := sees(providers.Supported)
	route.Server.Protocol, route.Server.BaseURL = tongue.name, server.URL
	p := &poisoned{house: h, server: server, tongue: tongue, route: route}
	p.plug()
	h.agent.Send(SetRoute{Route: route})
	p.older = h.attach(h.picture("old.png", 64, 64))
	p.accepted("look", p.older)
	p.newer = h.attach(h.picture("newer.png", 70, 64))
	return p
}

// plug connects the agent to the service. One adapter serves the session, as in the program.
func (p *poisoned) plug() {
	client := providers.NewClient(providers.Timeouts{})
	p.t.Cleanup(client.CloseIdle)
	provider := providers.WithRetry(p.tongue.connect(p.route, p.session, client), patient())
	p.agent.opt.Connect = func(providers.Route) (providers.Provider, error) { return provider, nil }
}

// accepted sends a prompt that must be taken at the first attempt.
func (p *poisoned) accepted(text string, attachments ...Attachment) {
	p.t.Helper()
	p.settled(1, text, attachments...)
}

// settled sends a prompt whose turn must end well after so many requests, and returns the last one's body.
func (p *poisoned) settled(requests int, text string, attachments ...Attachment) string {
	p.t.Helper()
	before := len(p.server.Requests())
	p.send(text, attachments...)
	if end := p.end(); end.Reason != EndDone {
		p.t.Fatalf("%q ended %s: %v", text, end.Reason, end.Err)
	}
	if n := len(p.server.Requests()) - before; n != requests {
		p.t.Fatalf("%q took %d requests, want %d; refused by the service: %q", text, n, requests, p.server.Refusals())
	}
	return string(p.server.Last().Raw)
}

// lives checks that the session goes on after a recovery, also after a resume, and that the sentence stays.
func (p *poisoned) lives(sentence string) {
	p.t.Helper()
	check := func(body string) {
		p.t.Helper()
		if !strings.Contains(body, sentence) {
			p.t.Errorf("the request does not say %q:\n%s", sentence, body[:min(len(body), 4000)])
		}
	}
	check(p.settled(1, "go on"))
	check(p.settled(1, "and on"))
	p.again(guard.ModeAsk, p.route)
	p.plug()
	check(p.settled(1, "after a resume"))
	if refused := p.server.Refusals(); len(refused) > 0 {
		p.t.Errorf("the service refused by its own rules: %q", refused)
	}
}

func forEachFault(t *testing.T, faults []said, run func(t *testing.T, tongue tongue, s said, refuse func(*strict.Server))) {
	for _, tongue := range tongues() {
		for i, s := range faults {
			t.Run(fmt.Sprintf("%s/%02d %.40s", tongue.name, i, s.message+s.code), func(t *testing.T) {
				t.Parallel()
				run(t, tongue, s, func(server *strict.Server) {
					status := s.status
					if status == 0 {
						status = http.StatusBadRequest
					}
					server.Say(strict.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: tongue.fault(s)})
				})
			})
		}
	}
}

func TestARefusedPictureNeverPoisonsASession(t *testing.T) {
	forEachFault(t, pictureFaults(), func(t *testing.T, tongue tongue, s said, refuse func(*strict.Server)) {
		p := newPoisoned(t, tongue)
		refuse(p.server)
		body := p.settled(2, "now this", p.newer)
		sentence := "[retired image: image/png, 70x64, " + p.newer.Image.Ref + ": the provider refused it: "
		if !strings.Contains(body, sentence) || strings.Count(body, ";base64,")+strings.Count(body, `"type":"base64"`) != 1 {
			t.Errorf("want the newest picture retired and the older one kept:\n%s", body[:min(len(body), 4000)])
		}
		if told := notices(p.seen, NoticeRetired); len(told) != 1 || !strings.Contains(told[0], "image 2") {
			t.Errorf("the person was not told which picture was refused: %q", told)
		}
		p.lives(sentence)
	})
}

func TestTheRefusedPictureIsFoundByItsPlace(t *testing.T) {
	for _, tongue := range tongues() {
		for _, midway := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in the stream: %v", tongue.name, midway), func(t *testing.T) {
				t.Parallel()
				p := newPoisoned(t, tongue)
				fault := said{message: "Could not process image", place: true}
				answer := strict.Answer{Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Body: tongue.fault(fault)}
				if midway {
					answer = strict.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: tongue.event(fault)}
				}
				p.server.Say(answer)
				body := p.settled(2, "now this", p.newer)
				sentence := "[retired image: image/png, 64x64, " + p.older.Image.Ref
				if !strings.Contains(body, sentence) {
					t.Errorf("want the first picture retired, which the error named:\n%s", body[:min(len(body), 4000)])
				}
				p.lives(sentence)
			})
		}
	}
}

func TestAServiceWithoutSightNeverPoisonsASession(t *testing.T) {
	forEachFault(t, blindFaults(), func(t *testing.T, tongue tongue, s said, refuse func(*strict.Server)) {
		p := newPoisoned(t, tongue)
		refuse(p.server)
		body := p.settled(2, "now this", p.newer)
		for _, at := range []Attachment{p.older, p.newer} {
			if !strings.Contains(body, "[withheld image: "+at.Image.Facts()+": this model cannot see images] You cannot see it; do not describe it.") {
				t.Errorf("the picture %s was not withheld with its sentence:\n%s", at.Image.Ref, body[:min(len(body), 4000)])
			}
		}
		if told := notices(p.seen, NoticeWithheld); len(told) != 1 || !strings.Contains(told[0], "/model") {
			t.Errorf("the person was not told, with a way on: %q", told)
		}
		p.lives("[withheld image: ")
	})
}

func TestARequestThatIsTooLargeMakesRoomAndTheSessionGoesOn(t *testing.T) {
	forEachFault(t, roomFaults(), func(t *testing.T, tongue tongue, s said, refuse func(*strict.Server)) {
		p := newPoisoned(t, tongue)
		refuse(p.server)
		body := p.settled(2, "now this", p.newer)
		sentence := "[elided image: image/png, 64x64, " + p.older.Image.Ref + "]"
		if !strings.Contains(body, sentence) {
			t.Errorf("want the older picture elided with its sentence:\n%s", body[:min(len(body), 4000)])
		}
		if told := notices(p.seen, NoticeElided); len(told) != 1 {
			t.Errorf("the person was not told: %q", told)
		}
		p.lives(sentence)
	})
}

func TestAServiceThatRefusesEverythingEndsTheTurnAndNotTheSession(t *testing.T) {
	for _, s := range []said{
		{message: "Could not process image"},
		{status: http.StatusRequestEntityTooLarge, message: "Request exceeds the maximum size"},
		{message: "vision is not supported"},
	} {
		for _, tongue := range tongues() {
			t.Run(tongue.name+" "+s.message, func(t *testing.T) {
				t.Parallel()
				p := newPoisoned(t, tongue)
				status := s.status
				if status == 0 {
					status = http.StatusBadRequest
				}
				for range 2 * mostRecoveries {
					p.server.Say(strict.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: tongue.fault(s)})
				}
				p.send("now this", p.newer)
				if end := p.end(); end.Reason != EndFailed {
					t.Fatalf("ended %s: %v", end.Reason, end.Err)
				}
				if n := len(p.server.Requests()); n > 1+mostRecoveries {
					t.Errorf("%d requests were sent to a service that takes none", n)
				}
				p.server.Forget()
				p.settled(1, "go on")
				p.again(guard.ModeAsk, p.route)
				p.plug()
				p.settled(1, "after a resume")
			})
		}
	}
}
