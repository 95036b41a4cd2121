package projection

import (
	"math/rand"
	"reflect"
	"testing"

	"espy/agent/message"
	"espy/providers"
)

func TestProjectingAsTheLogGrowsIsProjectingAnew(t *testing.T) {
	for seed := int64(0); seed < 150; seed++ {
		random := rand.New(rand.NewSource(seed))
		records := randomLog(random).Records()
		growing := NewHistory(nil)
		route := seeing()
		for n, r := range records {
			if p, ok := r.(message.MessageRecord); ok && random.Intn(3) == 0 {
				for _, i := range p.Body().Images() {
					growing.Append(message.PictureRecord{Head: message.NewHead(message.KindPicture, "p"+r.Header().ID+i.Ref, "", r.Header().Time), Ref: i.Ref, Number: growing.HighestNumber() + 1, Name: "a.png", Width: 100, Height: 100})
				}
			}
			growing.Append(r) // the loop writes what is known of a picture before what shows it
			if random.Intn(12) == 0 {
				route = []providers.Route{seeing(), blind()}[random.Intn(2)]
			}
			if random.Intn(25) == 0 && n > 0 {
				growing.Append(message.RewindRecord{Head: message.NewHead(message.KindRewind, "w"+r.Header().ID, "", r.Header().Time), To: records[random.Intn(n)].Header().ID})
			}
			if random.Intn(2) == 0 {
				continue
			}
			got := growing.Project(route, Fixed{})
			want := Build(Select(NewHistory(growing.Records()).Conversation(), route), route, Fixed{})
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, record %d: the growing projection differs\n%s\nwant\n%s", seed, n, words(got), words(want))
			}
		}
	}
}

// BenchmarkProjectGrowing projects a 10,000-message history after each new message; BenchmarkProject10000Messages
// does it anew.
func BenchmarkProjectGrowing(b *testing.B) {
	s := newScript()
	for i := 0; i < 2500; i++ {
		s.user(text("question about the code"))
		s.assistant(call("c"))
		s.result("c", "line of output\nand another\n")
		s.assistant(text("an answer of some length that explains things"))
	}
	route := seeing()
	s.Project(route, Fixed{})
	b.ReportAllocs()
	for b.Loop() {
		s.user(text("one more"))
		s.Project(route, Fixed{})
		s.assistant(text("done"))
	}
}
