package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

// limits gives the house's route limits.
func limits(l providers.Limits) providers.Route {
	r := sees(providers.Supported)
	r.Model.Limits = l
	return r
}

func notices(seen []Event, kind NoticeKind) (all []string) {
	for _, e := range seen {
		if n, ok := e.(Notice); ok && n.Kind == kind {
			all = append(all, n.Sentence)
		}
	}
	return all
}

func pictureSizes(t *testing.T, h *house, req providers.Request) (total int64, images []message.Image) {
	t.Helper()
	for _, i := range requestPictures(req) {
		info, err := os.Stat(filepath.Join(h.session.Dir(), filepath.FromSlash(i.Ref)))
		if err != nil {
			t.Fatal(err)
		}
		total += (info.Size() + 2) / 3 * 4
		images = append(images, i)
	}
	return total, images
}

func TestPicturesAreMadeToFitTheRoutesOwnBounds(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("ok"), say("ok"))
	h.agent.Send(SetRoute{Route: limits(providers.Limits{MaxSide: 500, MinSide: 28, MaxImageBase64: 40_000})})
	h.send("look", h.attach(h.picture("wide.png", 1200, 300)), h.attach(h.picture("line.png", 90, 2)), h.attach(h.picture("heavy.png", 499, 499)))
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	_, images := pictureSizes(t, h, h.stage.request(0))
	if len(images) != 3 || images[0].Width != 500 || images[0].Height != 125 || images[1].Width != 90 || images[1].Height != 28 {
		t.Errorf("want the wide one made smaller and the line padded, got %+v", images)
	}
	for _, i := range images {
		if info, err := os.Stat(filepath.Join(h.session.Dir(), filepath.FromSlash(i.Ref))); err != nil || (info.Size()+2)/3*4 > 40_000 {
			t.Errorf("%s: %v, or larger than the route takes", i.Ref, err)
		}
	}
	if body := sent(h.stage.request(0)); !strings.Contains(body, "the picture is the top left 90x2, the rest is white") {
		t.Errorf("the padded picture's line does not say so:\n%s", body)
	}
	first := sent(h.stage.request(0))
	h.again(guard.ModeAsk, limits(providers.Limits{MaxSide: 500, MinSide: 28, MaxImageBase64: 40_000}))
	h.send("and?")
	h.end()
	if second := sent(h.stage.request(1)); !strings.HasPrefix(second, first[:strings.LastIndex(first, "user")]) {
		t.Errorf("after a resume the pictures go out otherwise than before:\n%s\n%s", first, second)
	}
}

func TestThePersonsPicturesAreSqueezedIntoASmallBody(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("ok"))
	h.agent.Send(SetRoute{Route: limits(providers.Limits{MaxBody: 500_000})})
	h.send("compare", h.attach(h.picture("a.png", 1100, 900)), h.attach(h.picture("bb.png", 1100, 900)), h.attach(h.picture("ccc.png", 1100, 900)))
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	total, images := pictureSizes(t, h, h.stage.request(0))
	if len(images) != 3 || total > 500_000 {
		t.Errorf("%d pictures of %d bytes went out, want 3 within 500000", len(images), total)
	}
}

func TestATurnWhoseOwnPicturesCannotFitIsRefusedAndTheNextWorks(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("ok"))
	h.agent.Send(SetRoute{Route: limits(providers.Limits{MaxImages: 1})})
	h.send("compare", h.attach(h.picture("a.png", 9, 9)), h.attach(h.picture("bb.png", 9, 9)))
	if end := h.end(); end.Reason != EndFailed || !strings.Contains(end.Err.Error(), "2 pictures") {
		t.Fatalf("want a refusal with the figures, got %s, %v", end.Reason, end.Err)
	}
	if len(h.stage.requests) != 0 {
		t.Error("a request was sent")
	}
	h.send("then without")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the next turn ended %s: %v", end.Reason, end.Err)
	}
	if body := sent(h.stage.request(0)); !strings.Contains(body, "[evicted image: ") {
		t.Errorf("want the older of the two gone with its sentence:\n%s", body)
	}
}

func TestWhatAProviderSaysAboutSightIsRememberedForTheSession(t *testing.T) {
	h := newHouse(t, guard.ModeAsk,
		fail(&providers.Error{Class: providers.ClassBlind, Status: 400, Message: "image_url is not supported", Picture: -1}),
		want(callOf("c1", "read_media", `{"path":"b.png"}`)), say("blind then"), say("next"))
	route := sees(providers.Unknown)
	h.agent.Send(SetRoute{Route: route})
	at := h.attach(h.picture("a.png", 9, 9))
	h.picture("b.png", 9, 9)
	h.send("look", at)
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	if body := sent(h.stage.request(1)); !strings.Contains(body, "this model cannot see images] You cannot see it; do not describe it.") {
		t.Errorf("the picture was not withheld with its sentence:\n%s", body)
	}
	if body := sent(h.stage.request(2)); !strings.Contains(body, "read_media: the active model route does not support image input.") {
		t.Errorf("read_media did not answer as on a blind route:\n%s", body)
	}
	for _, resumed := range []bool{false, true} {
		if resumed {
			h.again(guard.ModeAsk, route)
		}
		if h.agent.Route().Sees() {
			t.Errorf("the route still counts as seeing (resumed: %v)", resumed)
		}
		h.send("look again", at)
		end := h.end()
		if end.Reason != EndRejected || !strings.Contains(end.Err.Error(), "cannot see images") {
			t.Errorf("another picture was taken: %s, %v (resumed: %v)", end.Reason, end.Err, resumed)
		}
	}
	h.send("then in words")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("the next turn ended %s: %v", end.Reason, end.Err)
	}
}

func TestAChosenModelsLacksAreToldAtOnce(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	route := sees(providers.Supported)
	route.Model.Tools, route.Model.Thinking = providers.Unsupported, providers.Supported
	h.agent.Send(SetRoute{Route: route})
	h.until("a word about tools", func(e Event) bool {
		n, ok := e.(Notice)
		return ok && strings.Contains(n.Sentence, "cannot call tools")
	})
	route.Model.Tools, route.Model.Thinking = providers.Supported, providers.Unsupported
	h.agent.Send(SetRoute{Route: route, Effort: "high"})
	h.until("a word about the effort", func(e Event) bool {
		n, ok := e.(Notice)
		return ok && strings.Contains(n.Sentence, "no reasoning effort")
	})
	h.stage.plays = []play{say("ok")}
	h.send("go")
	h.end()
	if e := h.stage.request(0).Effort; e != "" {
		t.Errorf("the effort %q was sent to a model that has none", e)
	}
}
