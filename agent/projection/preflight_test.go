package projection

import (
	"fmt"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
)

// limited is a route with limits.
func limited(l providers.Limits) providers.Route {
	r := seeing()
	r.Model.Limits = l
	return r
}

// sized gives every picture of a log the same number of bytes.
func sized(h *History, each int64) Facts {
	f := Facts{Bytes: map[string]int64{}}
	for _, ref := range h.Conversation().Refs() {
		f.Bytes[ref] = each
	}
	return f
}

// apply writes a decision's marks into the log.
func (s *script) apply(d Decision) {
	for _, m := range d.Marks {
		s.mark(m)
	}
}

func lastUserWith(s *script, from, n int) {
	var blocks []message.Block
	for i := range n {
		blocks = append(blocks, picture(from+i))
	}
	s.user(append(blocks, text("look"))...)
}

func TestOldPicturesLeaveOldestFirstAndTheOpenRequestsStay(t *testing.T) {
	const mb = 999_999 // a third of it is whole, so base64 has no remainder
	for _, c := range []struct {
		name   string
		limits providers.Limits
		reason string
	}{
		{"too many", providers.Limits{MaxImages: 3}, "3 pictures"},
		{"too many bytes", providers.Limits{MaxImagesBytes: 3 * mb}, "3.0 MB of pictures"},
		{"too large a body", providers.Limits{MaxBody: 42 * mb / 10}, "4.2 MB in one request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript()
			for i := range 3 {
				s.user(picture(i+1), text("an old one"))
				s.assistant(text("seen"))
			}
			lastUserWith(s, 10, 2)
			route := limited(c.limits)
			d := Decide(s.History, route, sized(s.History, mb))
			if d.Refused != nil || len(d.Wants) > 0 {
				t.Fatalf("want old pictures left out and nothing else, got %v, %v", d.Refused, d.Wants)
			}
			s.apply(d)
			got := words(Build(Select(s.Conversation(), route), route, Fixed{}))
			for i, stays := range map[int]bool{1: false, 2: false, 3: true, 10: true, 11: true} {
				if is := strings.Contains(got, "<picture "+picture(i).Ref+">"); is != stays {
					t.Errorf("picture %d is in the request: %v, want %v\n%s", i, is, stays, got)
				}
			}
			if !strings.Contains(got, "[left out image: "+picture(1).Facts()+": the request would pass "+c.reason+"] You cannot see it; do not describe it.") {
				t.Errorf("the sentence is not there:\n%s", got)
			}
			if again := Decide(s.History, route, sized(s.History, mb)); len(again.Marks) > 0 {
				t.Errorf("the same is proposed again: %+v", again.Marks)
			}
		})
	}
}

func TestAPictureThatStandsTwiceCountsTwice(t *testing.T) {
	s := newScript()
	s.user(picture(1), text("old"))
	s.assistant(text("seen"))
	s.user(picture(1), text("again"))
	s.assistant(text("seen"))
	lastUserWith(s, 2, 1)
	d := Decide(s.History, limited(providers.Limits{MaxImages: 2}), sized(s.History, 1))
	if len(d.Marks) != 1 || len(d.Marks[0].Refs) != 1 || d.Marks[0].Refs[0] != picture(1).Ref {
		t.Errorf("three pictures in the request and room for two: want the old one left out, got %+v", d.Marks)
	}
}

func TestPicturesOfTheNewestToolMessageLeaveBeforeThePersonsOwn(t *testing.T) {
	s := newScript()
	lastUserWith(s, 1, 2)
	s.assistant(call("a"))
	s.result("a", "here", picture(5), picture(6))
	d := Decide(s.History, limited(providers.Limits{MaxImages: 3}), sized(s.History, 1))
	if d.Refused != nil {
		t.Fatalf("the turn was refused although only the tool's pictures are too many: %v", d.Refused)
	}
	if len(d.Marks) != 1 || fmt.Sprint(d.Marks[0].Refs) != fmt.Sprint([]string{picture(5).Ref}) {
		t.Errorf("want the tool's older picture left out, got %+v", d.Marks)
	}
}

func TestATurnIsRefusedWithFiguresOnlyForThePersonsOwnPictures(t *testing.T) {
	s := newScript()
	s.user(picture(9), text("old"))
	s.assistant(text("seen"))
	lastUserWith(s, 1, 6)
	d := Decide(s.History, limited(providers.Limits{MaxImages: 5}), sized(s.History, 1))
	if d.Refused == nil || !strings.Contains(d.Refused.Error(), "6 pictures") || !strings.Contains(d.Refused.Error(), "takes 5 pictures") {
		t.Errorf("want a refusal with both figures, got %v", d.Refused)
	}
}

func TestTheOpenRequestsPicturesAreSqueezedBeforeTheTurnIsRefused(t *testing.T) {
	s := newScript()
	lastUserWith(s, 1, 4)
	route := limited(providers.Limits{MaxBody: 4_194_304, MaxSide: 4096, MinSide: 28})
	facts := sized(s.History, 3_000_000)
	facts.Bytes[picture(1).Ref] = 30_000
	d := Decide(s.History, route, facts)
	if d.Refused != nil || len(d.Marks) > 0 || len(d.Wants) != 3 {
		t.Fatalf("want three smaller renditions, got %v, %+v, %v", d.Refused, d.Marks, d.Wants)
	}
	var sum int64 = 40_000
	for _, w := range d.Wants {
		sum += w.Fit.MaxBase64
		if w.Fit.MaxSide != 4096 || w.Fit.MinSide != 28 {
			t.Errorf("the route's own bounds were forgotten: %+v", w.Fit)
		}
	}
	if sum > route.Model.Limits.MaxBody || sum < route.Model.Limits.MaxBody*9/10 {
		t.Errorf("the pictures may take %d bytes of %d", sum, route.Model.Limits.MaxBody)
	}
	facts.Final = true
	if d := Decide(s.History, route, facts); d.Refused == nil || !strings.Contains(d.Refused.Error(), "12.0 MB") {
		t.Errorf("nothing helps any more: want a refusal with the figures, got %v", d.Refused)
	}
	tight := limited(providers.Limits{MaxBody: 200_000})
	facts.Final = false
	if d := Decide(s.History, tight, facts); d.Refused == nil {
		t.Error("pictures would be squeezed until nothing can be read on them")
	}
}

func TestManyPicturesHaveATighterSide(t *testing.T) {
	s := newScript()
	lastUserWith(s, 1, 2)
	s.assistant(call("a"))
	s.result("a", "here", picture(5))
	limits := providers.Limits{MaxSide: 8000, ManyImages: 2, ManySide: 1500}
	d := Decide(s.History, limited(limits), sized(s.History, 1))
	if len(d.Wants) != 3 || d.Wants[0].Fit.MaxSide != 1500 {
		t.Errorf("want all three made smaller, got %+v", d.Wants)
	}
	limits.ManyImages = 3
	if d := Decide(s.History, limited(limits), sized(s.History, 1)); len(d.Wants) > 0 {
		t.Errorf("three are not many here, got %+v", d.Wants)
	}
}

func TestAPaddedPicturesLineSaysSo(t *testing.T) {
	for _, c := range []struct {
		name            string
		w, h            int // source and picture
		rendition       message.Image
		want, mustNotBe string
	}{
		{"a thin line", 400, 3, message.Image{Width: 400, Height: 28}, "top left 400x3", ""},
		{"one pixel short", 100, 27, message.Image{Width: 100, Height: 28}, "top left 100x27", ""},
		{"tiny", 1, 1, message.Image{Width: 28, Height: 28}, "top left 1x1", ""},
		{"long and thin, made smaller", 8000, 30, message.Image{Width: 4096, Height: 28}, "top left 4096x15", ""},
		{"made smaller only", 8000, 3000, message.Image{Width: 2000, Height: 750}, "1 pixel of it is", "padded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript()
			p := picture(1)
			p.Width, p.Height = c.w, c.h
			s.Append(message.PictureRecord{Head: s.head(message.KindPicture), Ref: p.Ref, Number: 1, Name: "a.png", Width: c.w, Height: c.h})
			s.user(p, text("look"))
			route := seeing()
			route.Model.ImageCost = "anthropic-28-high"
			c.rendition.Ref, c.rendition.MediaType = picture(2).Ref, "image/png"
			s.mark(message.MarkRecord{Mark: message.MarkRendition, Refs: []string{p.Ref}, Route: route.Name(), Image: &c.rendition})
			got := words(Build(Select(s.Conversation(), route), route, Fixed{}))
			if c.mustNotBe == "" && c.rendition.Width > 2576 {
				c.want = "top left 2576x" // the model sees it smaller still
			}
			if !strings.Contains(got, c.want) || c.mustNotBe != "" && strings.Contains(got, c.mustNotBe) {
				t.Errorf("want %q and not %q in:\n%s", c.want, c.mustNotBe, got)
			}
		})
	}
}

func TestAForeignPictureIsMadeAnewBeforeItIsSent(t *testing.T) {
	for name, change := range map[string]func(*message.Image){
		"no size":        func(i *message.Image) { i.Width, i.Height = 0, 0 },
		"another format": func(i *message.Image) { i.MediaType = "image/webp" },
	} {
		s := newScript()
		p := picture(1)
		change(&p)
		s.user(p, text("look"))
		if d := Decide(s.History, seeing(), sized(s.History, 1)); len(d.Wants) != 1 {
			t.Errorf("%s: want it rendered, got %+v", name, d)
		}
	}
}
