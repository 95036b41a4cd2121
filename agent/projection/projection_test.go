package projection

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
	"espy/providers"
)

// script writes a log as the loop would.
type script struct {
	*History
	n int
}

func newScript() *script { return &script{History: NewHistory(nil)} }

func (s *script) head(kind message.Kind) message.Head {
	s.n++
	return message.NewHead(kind, fmt.Sprintf("r%04d", s.n), s.Head(), time.Unix(int64(s.n), 0))
}

func (s *script) user(blocks ...message.Block) string {
	r := message.MessageRecord{Head: s.head(message.KindMessage), Message: message.Message{Role: message.RoleUser, Blocks: blocks}}
	s.Append(r)
	return r.ID
}

func (s *script) assistant(blocks ...message.Block) string {
	r := message.MessageRecord{Head: s.head(message.KindMessage), Message: message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", Blocks: blocks}}
	s.Append(r)
	return r.ID
}

func (s *script) result(call, text string, images ...message.Image) {
	s.Append(message.ResultRecord{Head: s.head(message.KindResult), ToolResult: message.ToolResult{CallID: call, Text: text, Images: images}})
}

func (s *script) mark(m message.MarkRecord) {
	m.Head = s.head(message.KindMark)
	if !m.Mark.OnPath() {
		m.Parent = ""
	}
	s.Append(m)
}

func picture(n int) message.Image {
	return message.Image{Ref: fmt.Sprintf("blobs/%064x.png", n), MediaType: "image/png", Width: 1920, Height: 1080}
}

func text(s string) message.Text { return message.Text{Text: s} }

func call(id string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "read_media", Args: `{"path":"a.png"}`}
}

func seeing() providers.Route {
	return providers.Route{Server: providers.Server{Name: "p", Protocol: "fake"},
		Model: providers.Model{Provider: "p", ID: "m", ImageInput: providers.Supported, ImageCost: "anthropic-28", ContextWindow: 200000}}
}

func blind() providers.Route {
	r := seeing()
	r.Model.ID, r.Model.ImageInput = "blind", providers.Unsupported
	return r
}

// words is everything a model would read of a request, in order, for searching.
func words(req providers.Request) string {
	var s strings.Builder
	for _, m := range req.Messages {
		fmt.Fprintf(&s, "<%s>", m.Role)
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case message.Text:
				s.WriteString(b.Text + "\n")
			case message.Image:
				s.WriteString("<picture " + b.Ref + ">\n")
			}
		}
		for _, r := range m.Results {
			s.WriteString(r.CallID + ": " + r.Text + "\n")
			for _, p := range r.Pictures {
				s.WriteString(p.Intro + "<picture " + p.Image.Ref + ">\n")
			}
		}
	}
	return s.String()
}

func TestEveryWayAPictureCanLeaveLeavesItsSentence(t *testing.T) {
	const facts = "image/png, 1920x1080, blobs/0000000000000000000000000000000000000000000000000000000000000001.png"
	const again = ` To look at it, call read_media with path "blob:000000000000".`
	cases := []struct {
		name  string
		route providers.Route
		marks []message.MarkRecord
		want  string
	}{
		{"elided", seeing(), []message.MarkRecord{{Mark: message.MarkElide}}, "[elided image: " + facts + "] You cannot see it; do not describe it." + again},
		{"evicted", seeing(), []message.MarkRecord{{Mark: message.MarkEvict, Keep: 5}}, "[evicted image: " + facts + ": only the newest 5 stay in context] You cannot see it; do not describe it." + again},
		{"blind row", blind(), nil, "[withheld image: " + facts + ": this model cannot see images] You cannot see it; do not describe it."},
		{"blind mark", seeing(), []message.MarkRecord{{Mark: message.MarkBlind, Route: "p/m"}}, "[withheld image: " + facts + ": this model cannot see images] You cannot see it; do not describe it."},
		{"left out", seeing(), []message.MarkRecord{{Mark: message.MarkLeaveOut, Reason: "3 pictures"}}, "[left out image: " + facts + ": the request would pass 3 pictures] You cannot see it; do not describe it." + again},
		{"retired", seeing(), []message.MarkRecord{{Mark: message.MarkRetire, Reason: "Could not\nprocess [image]"}}, "[retired image: " + facts + ": the provider refused it: Could not process [image)] You cannot see it; do not describe it."},
		{"dropped", seeing(), []message.MarkRecord{{Mark: message.MarkDrop}}, "[dropped image: " + facts + ": the user removed it] You cannot see it; do not describe it."},
		{"missing", seeing(), []message.MarkRecord{{Mark: message.MarkMissing}}, "[missing image: " + facts + ": the file is gone] You cannot see it; do not describe it."},
	}
	for _, c := range cases {
		for _, inTool := range []bool{false, true} {
			s := newScript()
			if inTool {
				s.user(text("look"))
				s.assistant(call("c1"))
				s.result("c1", "a.png", picture(1))
			} else {
				s.user(picture(1), text("look"))
			}
			s.assistant(text("seen"))
			for _, m := range c.marks {
				m.Refs = []string{picture(1).Ref}
				s.mark(m)
			}
			got := words(Build(Select(s.Conversation(), c.route), c.route, Fixed{}))
			if strings.Count(got, c.want) != 1 {
				t.Errorf("%s (in a tool result: %v): want exactly one sentence\n%s\nin\n%s", c.name, inTool, c.want, got)
			}
			if strings.Contains(got, "<picture") {
				t.Errorf("%s: the picture is still in the request:\n%s", c.name, got)
			}
		}
	}
}

func TestASummaryStandsForItsMessagesAndNamesTheirPictures(t *testing.T) {
	s := newScript()
	u := s.user(picture(1), text("one"))
	a := s.assistant(text("two"))
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: []string{u, a}, Summary: "they said one and two"})
	s.user(text("three"))
	got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
	if !strings.Contains(got, "they said one and two") || !strings.Contains(got, "[summarised image: "+picture(1).Facts()+"]") {
		t.Errorf("the summary or its picture's sentence is missing:\n%s", got)
	}
	if strings.Contains(got, "one\n") && strings.Contains(got, "<picture") {
		t.Errorf("a summarised message is still sent:\n%s", got)
	}
}

func TestTheNewestTaskListOutlivesTheSummaryOfItsCall(t *testing.T) {
	s := newScript()
	covered := []string{s.user(text("do it"))}
	for _, list := range []string{"[ ] first", "[x] first", ""} {
		covered = append(covered, s.assistant(call("c"+list)))
		r := message.ToolResult{CallID: "c" + list, Text: "kept"}
		if list != "" {
			r.Meta = map[string]string{message.MetaKept: list}
		}
		s.Append(message.ResultRecord{Head: s.head(message.KindResult), ToolResult: r})
	}
	for _, m := range s.Conversation().Messages {
		covered = append(covered, m.ID)
	}
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: covered, Summary: "they began"})
	s.user(text("go on"))
	before := words(s.Project(seeing(), Fixed{}))
	if strings.Count(before, "[x] first") != 1 || strings.Contains(before, "[ ] first") {
		t.Errorf("the newest list should stand once behind the summary:\n%s", before)
	}
	s.assistant(call("later"))
	s.Append(message.ResultRecord{Head: s.head(message.KindResult), ToolResult: message.ToolResult{CallID: "later", Text: "kept", Meta: map[string]string{message.MetaKept: "[x] all"}}})
	if after := words(s.Project(seeing(), Fixed{})); !strings.HasPrefix(after, before) {
		t.Errorf("a later list changes what was sent before:\n%s\nbefore:\n%s", after, before)
	}
}

func TestAPictureLookedAtAgainAfterItsEvictionIsSeenAgain(t *testing.T) {
	s := newScript()
	s.user(picture(1), text("look"))
	s.assistant(text("seen"))
	s.mark(message.MarkRecord{Mark: message.MarkEvict, Refs: []string{picture(1).Ref}, Keep: 5})
	s.user(text("again"))
	s.assistant(call("c1"))
	s.result("c1", "here", picture(1))
	got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
	if strings.Count(got, "<picture") != 1 || strings.Count(got, "[evicted image") != 1 {
		t.Errorf("want the old one evicted and the new one seen:\n%s", got)
	}
}

func TestSwitchingToABlindModelAndBackBringsPicturesBack(t *testing.T) {
	s := newScript()
	s.user(picture(1), text("look"))
	before := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
	if away := words(Build(Select(s.Conversation(), blind()), blind(), Fixed{})); strings.Contains(away, "<picture") {
		t.Fatalf("a blind model was sent a picture:\n%s", away)
	}
	if after := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{})); after != before {
		t.Errorf("the picture did not come back:\n%s\nwant\n%s", after, before)
	}
}

func TestACallWithoutAResultGetsOne(t *testing.T) {
	s := newScript()
	s.user(text("go"))
	s.assistant(call("c1"), call("c2"))
	s.result("c2", "done")
	s.user(text("next"))
	req := Build(Select(s.Conversation(), seeing()), seeing(), Fixed{})
	tool := req.Messages[2]
	if tool.Role != message.RoleTool || len(tool.Results) != 2 || tool.Results[0].CallID != "c1" || !tool.Results[0].IsError || tool.Results[1].Text != "done" {
		t.Errorf("want a synthetic result for c1 before c2's own, got %+v", tool)
	}
}

func TestALostLineDoesNotCutTheConversation(t *testing.T) {
	s := newScript()
	s.user(text("one"))
	s.assistant(text("two"))
	s.user(text("three"))
	records := s.Records()
	h := NewHistory([]message.Record{records[0], records[2]}) // the line between was damaged
	got := words(Build(Select(h.Conversation(), seeing()), seeing(), Fixed{}))
	if !strings.Contains(got, "one") || !strings.Contains(got, "three") {
		t.Errorf("what is left of the conversation was not read:\n%s", got)
	}
}

func TestARewindChangesThePathAndDeletesNothing(t *testing.T) {
	s := newScript()
	first := s.user(text("one"))
	s.assistant(text("two"))
	s.Append(message.RewindRecord{Head: message.NewHead(message.KindRewind, "rw", "", time.Unix(9, 0)), To: first})
	s.user(text("other"))
	got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
	if strings.Contains(got, "two") || !strings.Contains(got, "other") || len(s.Records()) != 4 {
		t.Errorf("want the path to continue from the rewound message:\n%s", got)
	}
}

// randomLog writes a conversation with a picture on every other result, interruptions and marks.
func randomLog(r *rand.Rand) *script {
	s := newScript()
	var ids []string
	var refs []string
	for turn := 0; turn < 2+r.Intn(8); turn++ {
		p := picture(r.Intn(12))
		refs = append(refs, p.Ref)
		ids = append(ids, s.user(p, message.Text{Text: strings.Repeat("file ", r.Intn(200)), Origin: message.OriginFile}, text("go")))
		for step := 0; step < r.Intn(4); step++ {
			calls := []message.Block{text("doing")}
			n := 1 + r.Intn(3)
			for i := 0; i < n; i++ {
				calls = append(calls, call(fmt.Sprintf("call_%d", i)))
			}
			id := s.assistant(calls...)
			for i := 0; i < n-r.Intn(2); i++ {
				var images []message.Image
				if i%2 == 0 {
					images = []message.Image{picture(r.Intn(12))}
					refs = append(refs, images[0].Ref)
				}
				s.result(fmt.Sprintf("call_%d", i), strings.Repeat("out ", r.Intn(300)), images...)
			}
			if r.Intn(4) == 0 {
				s.mark(message.MarkRecord{Mark: message.MarkElide, Refs: refs[:r.Intn(len(refs))], Calls: []string{message.CallKey(id, "call_0")}})
			}
		}
		switch r.Intn(7) {
		case 0:
			s.mark(message.MarkRecord{Mark: message.MarkEvict, Refs: refs[:r.Intn(len(refs))], Keep: 2})
		case 1:
			s.mark(message.MarkRecord{Mark: message.MarkRetire, Refs: []string{refs[r.Intn(len(refs))]}, Reason: "no"})
		case 2:
			s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: ids[:r.Intn(len(ids))], Summary: "short"})
		case 3:
			small := picture(100 + r.Intn(5))
			s.mark(message.MarkRecord{Mark: message.MarkRendition, Refs: []string{refs[0]}, Route: "p/m", Image: &small})
		}
		if r.Intn(3) > 0 {
			s.assistant(text("answer"))
		}
	}
	return s
}

func TestPairsHoldAndSelectIsIdempotentOverRandomLogs(t *testing.T) {
	for seed := int64(0); seed < 400; seed++ {
		s := randomLog(rand.New(rand.NewSource(seed)))
		for _, route := range []providers.Route{seeing(), blind()} {
			facts := Facts{Bytes: map[string]int64{}, MaxImages: 3, EvictStep: 2, Elide: seed%3 == 0, ElideKeep: 1}
			for _, m := range Decide(s.History, route, facts).Marks {
				s.mark(m)
			}
			once := Select(s.Conversation(), route)
			twice := Select(once, route)
			if !reflect.DeepEqual(once.Messages, twice.Messages) {
				t.Fatalf("seed %d on %s: selecting a selection changed it", seed, route.Name())
			}
			checkPairs(t, seed, Build(once, route, Fixed{}))
		}
	}
}

func checkPairs(t *testing.T, seed int64, req providers.Request) {
	t.Helper()
	for i, m := range req.Messages {
		if i == 0 && m.Role != message.RoleUser {
			t.Fatalf("seed %d: the request starts with %s", seed, m.Role)
		}
		var want []string
		for _, b := range m.Blocks {
			if c, ok := b.(message.ToolCall); ok {
				want = append(want, c.ID)
			}
		}
		if len(want) > 0 {
			var got []string
			if i+1 < len(req.Messages) {
				for _, r := range req.Messages[i+1].Results {
					got = append(got, r.CallID)
				}
			}
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d: calls %v are followed by results %v", seed, want, got)
			}
		}
		if m.Role == message.RoleTool && req.Messages[i-1].Role != message.RoleAssistant {
			t.Fatalf("seed %d: a tool message follows %s", seed, req.Messages[i-1].Role)
		}
	}
}

func TestPicturesPileUpToTheBoundAndLeaveInOneStep(t *testing.T) {
	s := newScript()
	facts := Facts{Bytes: map[string]int64{}, MaxImages: 5, EvictStep: 5}
	steps := 0
	for i := 0; i < 30; i++ {
		s.user(picture(i), text("look"))
		d := Decide(s.History, seeing(), facts)
		for _, m := range d.Marks {
			if m.Mark == message.MarkEvict {
				steps++
			}
			s.mark(m)
		}
		shown := strings.Count(words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{})), "<picture")
		if shown > 10 {
			t.Fatalf("after %d pictures %d are in the request, want at most 10", i+1, shown)
		}
		s.assistant(text("ok"))
	}
	if steps == 0 || steps > 5 {
		t.Errorf("30 pictures took %d eviction steps, want one for each five after the first ten", steps)
	}
}

func TestTheOpenRequestsOwnPicturesAreNeverEvicted(t *testing.T) {
	s := newScript()
	var blocks []message.Block
	for i := 0; i < 14; i++ {
		blocks = append(blocks, picture(i))
	}
	s.user(append(blocks, text("compare"))...)
	d := Decide(s.History, seeing(), Facts{Bytes: map[string]int64{}, MaxImages: 5, EvictStep: 5})
	if len(d.Marks) > 0 && len(d.Marks[0].Refs) > 0 {
		t.Errorf("pictures of the open request were taken out: %v", d.Marks[0].Refs)
	}
	route := seeing()
	route.Model.Limits.MaxImages = 10
	if d := Decide(s.History, route, Facts{Bytes: map[string]int64{}, MaxImages: 5}); d.Refused == nil || !strings.Contains(d.Refused.Error(), "14") {
		t.Errorf("14 pictures of the person on a route that takes 10 must be refused with the figures, got %v", d.Refused)
	}
}

func TestTheBuiltPrefixStaysTheSameBetweenSteps(t *testing.T) {
	s := newScript()
	var before string
	for i := 0; i < 8; i++ {
		s.user(picture(i), text("look"))
		s.assistant(call("c"))
		s.result("c", "out", picture(100+i))
		s.assistant(text("ok"))
		now := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
		if !strings.HasPrefix(now, before) {
			t.Fatalf("turn %d rewrote what was sent before", i)
		}
		before = now
	}
}

func TestForeignThinkingAndBrokenArgumentsAreNotReplayed(t *testing.T) {
	s := newScript()
	s.user(text("go"))
	s.assistant(message.Thinking{Text: "hm", Opaque: "sig"}, message.ToolCall{ID: "c", Name: "x", Args: `{"a":`, Opaque: "o"})
	s.result("c", "bad arguments")
	own := Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}).Messages[1].Blocks
	if len(own) != 2 || own[1].(message.ToolCall).Args != "{}" || own[1].(message.ToolCall).Opaque != "o" {
		t.Errorf("own model: want thinking kept, half JSON replaced, opaque kept; got %#v", own)
	}
	other := blind()
	foreign := Build(Select(s.Conversation(), other), other, Fixed{}).Messages[1].Blocks
	if len(foreign) != 1 || foreign[0].(message.ToolCall).Opaque != "" {
		t.Errorf("other model: want no thinking and no opaque data, got %#v", foreign)
	}
}

func TestEstimatesKnowBase64AndDoNotMoveWithFileSize(t *testing.T) {
	prose := EstimateText(strings.Repeat("The quick brown fox jumps. ", 400))
	if chars := 27 * 400; prose < chars/6 || prose > chars/3 {
		t.Errorf("prose of %d characters was estimated at %d tokens, want about a quarter", chars, prose)
	}
	if base64 := EstimateText(strings.Repeat("iVBORw0KGgoAAAAN", 4000)); base64 < 60000 {
		t.Errorf("64,000 characters of base64 were estimated at %d tokens, want about one each", base64)
	}
	if cjk := EstimateText(strings.Repeat("漢字", 500)); cjk < 700 || cjk > 1200 {
		t.Errorf("1,000 CJK characters were estimated at %d tokens", cjk)
	}
}

func BenchmarkProject10000Messages(b *testing.B) {
	s := newScript()
	for i := 0; i < 2500; i++ {
		s.user(text("question about the code"))
		s.assistant(call("c"))
		s.result("c", strings.Repeat("line of output\n", 20))
		s.assistant(text("an answer of some length that explains things"))
	}
	route := seeing()
	b.ReportAllocs()
	for b.Loop() {
		Decide(s.History, route, Facts{Bytes: map[string]int64{}, MaxImages: 5})
		Build(Select(s.Conversation(), route), route, Fixed{})
	}
}
