package projection

import (
	"fmt"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/providers"
)

// policy decides what leaves before each request of the long session below.
type policy func(s *script, route providers.Route) (steps int)

// ours records what Decide proposes.
func ours(s *script, route providers.Route) (steps int) {
	d := Decide(s.History, route, Facts{Bytes: map[string]int64{}, MaxImages: 5, EvictStep: 5})
	for _, m := range d.Marks {
		s.mark(m)
		steps++
	}
	return steps
}

// oldestOnePerTurn evicts as soon as a sixth picture is there: what many agents do.
func oldestOnePerTurn(s *script, route providers.Route) (steps int) {
	d := Decide(s.History, route, Facts{Bytes: map[string]int64{}, MaxImages: 5, EvictStep: 0})
	for _, m := range d.Marks {
		if m.Mark == message.MarkEvict {
			s.mark(m)
			steps++
		}
	}
	return steps
}

// longSession plays 60 turns with 30 screenshots and returns the bodies of all requests.
func longSession(p policy, route providers.Route) (bodies []string, steps []int) {
	s := newScript()
	for turn := 0; turn < 60; turn++ {
		blocks := []message.Block{text(fmt.Sprintf("question %d about the code that is being changed", turn))}
		if turn%2 == 0 {
			blocks = append([]message.Block{picture(turn)}, blocks...)
		}
		s.user(blocks...)
		for step := 0; step < 2; step++ {
			steps = append(steps, p(s, route))
			bodies = append(bodies, words(Build(Select(s.Conversation(), route), route, Fixed{})))
			if step == 0 {
				s.assistant(call("c"))
				s.result("c", strings.Repeat("output of a command that was run\n", 60))
			}
		}
		s.assistant(text("an answer that says what was found and what was changed"))
	}
	return bodies, steps
}

// rewrites counts the requests whose predecessor is not their prefix.
func rewrites(bodies []string) (n int, at []int) {
	for i := 1; i < len(bodies); i++ {
		if !strings.HasPrefix(bodies[i], bodies[i-1]) {
			n++
			at = append(at, i)
		}
	}
	return n, at
}

func TestThePrefixShrinksOnlyAtDeclaredStepsAndSeldom(t *testing.T) {
	route := seeing()
	bodies, steps := longSession(ours, route)
	n, at := rewrites(bodies)
	for _, i := range at {
		if steps[i] == 0 {
			t.Errorf("request %d rewrote what was sent before without a mark", i)
		}
	}
	otherBodies, _ := longSession(oldestOnePerTurn, route)
	other, _ := rewrites(otherBodies)
	if other == 0 || n*3 > other {
		t.Errorf("%d steps, %d with one eviction a turn: want at most a third", n, other)
	}
}

// BenchmarkCacheCost prints what the long session costs with a prompt cache under both policies, in plain input
// tokens: a cached token counts a tenth, a newly written one a quarter more (Anthropic's price list).
func BenchmarkCacheCost(b *testing.B) {
	route := seeing()
	cost := func(p policy) (sum float64) {
		bodies, _ := longSession(p, route)
		before := ""
		for _, body := range bodies {
			common := 0
			for common < len(before) && common < len(body) && before[common] == body[common] {
				common++
			}
			sum += 0.1*float64(EstimateText(body[:common])) + 1.25*float64(EstimateText(body[common:]))
			before = body
		}
		return sum
	}
	var own, other float64
	for b.Loop() {
		own, other = cost(ours), cost(oldestOnePerTurn)
	}
	b.ReportMetric(own, "tokens/steps")
	b.ReportMetric(other, "tokens/one-a-turn")
}

func TestOldToolOutputLeavesInWorthwhileStepsAndStubsStay(t *testing.T) {
	s := newScript()
	route := seeing()
	route.Model.ContextWindow = 20000
	steps := 0
	for turn := 0; turn < 30; turn++ {
		s.user(text("go"))
		s.assistant(call("c"))
		s.result("c", strings.Repeat("some output\n", 120), picture(turn))
		for _, m := range Decide(s.History, route, Facts{Bytes: map[string]int64{}}).Marks {
			if m.Mark == message.MarkElide {
				steps++
				s.mark(m)
			}
		}
		s.assistant(text("ok"))
	}
	got := words(Build(Select(s.Conversation(), route), route, Fixed{}))
	if steps == 0 || steps > 15 {
		t.Errorf("%d elisions in 30 turns", steps)
	}
	if strings.Count(got, "[elided result:") < 20 || strings.Count(got, "[elided image:") < 20 {
		t.Errorf("results and their pictures should be stubs by now: %d results, %d pictures", strings.Count(got, "[elided result:"), strings.Count(got, "[elided image:"))
	}
	if strings.Contains(got, "[elided result: 1 ") || strings.Contains(got, "[elided result: [elided") {
		t.Error("a stub was elided again")
	}
}

func TestSummariesTakeWholeUnitsAndNeverTheOpenRequest(t *testing.T) {
	for seed := int64(0); seed < 60; seed++ {
		s := newScript()
		for turn := 0; turn < 12; turn++ {
			s.user(picture(turn), text(strings.Repeat("please do this ", 40)))
			s.assistant(call("c"))
			s.result("c", strings.Repeat("x ", 300))
			s.assistant(text("done"))
		}
		open := s.user(picture(99), text("the open request"))
		for i := int64(0); i < seed%5; i++ {
			s.assistant(call("c"))
			s.result("c", strings.Repeat("y ", 2000))
		}
		route := seeing()
		route.Model.ContextWindow = 3000 + int(seed)*200
		c := Select(s.Conversation(), route)
		part := Summarisable(c, route)
		if len(part.Messages) == 0 {
			t.Fatalf("seed %d: nothing to summarise", seed)
		}
		for _, id := range part.Messages {
			if id == open {
				t.Fatalf("seed %d: the open request would be summarised", seed)
			}
		}
		if !strings.Contains(part.Text, "[image: image/png, 1920x1080, blobs/") {
			t.Fatalf("seed %d: pictures do not read as their sentence", seed)
		}
		s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: part.Messages, Summary: "short"})
		req := Build(Select(s.Conversation(), route), route, Fixed{})
		checkPairs(t, seed, req)
		if got := words(req); !strings.Contains(got, "short") || !strings.Contains(got, "the open request") || !strings.Contains(got, "<picture "+picture(99).Ref) {
			t.Fatalf("seed %d: the summary or the open request's picture is missing", seed)
		}
	}
}

func TestASummaryOfASummaryStandsForBoth(t *testing.T) {
	s := newScript()
	a := s.user(picture(1), text("first"))
	b := s.assistant(text("second"))
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: []string{a, b}, Summary: "summary one"})
	one := s.Head()
	c := s.user(text("third"))
	d := s.assistant(text("fourth"))
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: []string{one, c, d}, Summary: "summary two"})
	s.user(text("fifth"))
	got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{}))
	if strings.Contains(got, "summary one") || strings.Count(got, "summary two") != 1 || !strings.Contains(got, "[summarised image: "+picture(1).Facts()) {
		t.Errorf("want the newer summary alone, still naming the picture:\n%s", got)
	}
}

func TestPinnedPicturesStayDroppedOnesGoAndFoldsUnfold(t *testing.T) {
	s := newScript()
	for i := 0; i < 12; i++ {
		s.user(picture(i), text("look"))
		s.assistant(text("ok"))
	}
	s.mark(message.MarkRecord{Mark: message.MarkPin, Refs: []string{picture(0).Ref}})
	s.mark(message.MarkRecord{Mark: message.MarkDrop, Refs: []string{picture(11).Ref}})
	for _, m := range Decide(s.History, seeing(), Facts{Bytes: map[string]int64{}, MaxImages: 3}).Marks {
		s.mark(m)
	}
	states := make(map[string]PictureState)
	for _, p := range s.PictureStates(seeing()) {
		states[p.Image.Ref] = p
	}
	if p := states[picture(0).Ref]; p.Left != "" || !p.Pinned {
		t.Errorf("the pinned picture left as %q", p.Left)
	}
	if p := states[picture(11).Ref]; p.Left != "dropped" {
		t.Errorf("the dropped picture is %q", p.Left)
	}
	if p := states[picture(3).Ref]; p.Left != "evicted" && p.Left != "elided" {
		t.Errorf("an old picture is %q", p.Left)
	}
	u := s.Turns()
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: u[:2], Summary: "short"})
	if got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{})); !strings.Contains(got, "<picture "+picture(0).Ref) {
		t.Errorf("the pinned picture did not outlive its summarised message:\n%s", got)
	}
	folds := s.Folds()
	fold := folds[len(folds)-1]
	if fold.Mark.Summary != "short" || len(fold.Messages) != 2 {
		t.Fatalf("the summary is not listed as a fold: %+v", fold)
	}
	s.mark(message.MarkRecord{Mark: message.MarkSummarise, Messages: []string{fold.Mark.ID}, Off: true, Of: fold.Mark.ID})
	if got := words(Build(Select(s.Conversation(), seeing()), seeing(), Fixed{})); strings.Contains(got, "short") {
		t.Errorf("the unfolded summary still stands:\n%s", got)
	}
}

// Turns are the ids of the messages that open a turn.
func (s *script) Turns() (ids []string) {
	c := s.Conversation()
	for _, i := range c.Turns() {
		ids = append(ids, c.Messages[i].ID)
	}
	return ids
}
