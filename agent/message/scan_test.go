package message

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// both reads a line by hand and with encoding/json, and fails where the first reads something else than the second.
func both(t *testing.T, line string) (byHand bool) {
	t.Helper()
	r, ok := decodeByHand([]byte(line))
	if !ok {
		return false
	}
	var slow Record
	var err error
	if r.Header().Kind == KindMessage {
		slow, err = decodeRecord[MessageRecord]([]byte(line))
	} else {
		slow, err = decodeRecord[ResultRecord]([]byte(line))
	}
	if err != nil || !reflect.DeepEqual(r, slow) {
		t.Errorf("%s\nby hand: %+v\nby encoding/json: %+v, %v", line, r, slow, err)
	}
	return true
}

// lines are records as Encode writes them.
func lines(t testing.TB) []string {
	t.Helper()
	now := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)
	nasty := "tab\t quote\" back\\ slash/ line\n bell\a nul\x00 é 漢 😀 \u2028 <&> �"
	var all []string
	for _, r := range []Record{
		MessageRecord{Head: NewHead(KindMessage, "01A", "", now), Message: Message{Role: RoleUser, Blocks: []Block{Text{Text: nasty, Origin: OriginFile}, Image{Ref: "blobs/x.png", MediaType: "image/png", Width: 3, Height: 4}}}},
		MessageRecord{Head: NewHead(KindMessage, "01B", "01A", now), Message: Message{Role: RoleAssistant, Provider: "p", Model: "m", Stop: "end", Usage: &Usage{Input: 1, Output: 2, CacheRead: 3},
			Blocks: []Block{Thinking{Text: nasty, Opaque: nasty}, Text{}, ToolCall{ID: "c", Name: "read", Args: `{"a":"b\n"}`, Opaque: nasty}}}},
		MessageRecord{Head: NewHead(KindMessage, "01C", "01B", now), Message: Message{Role: RoleTool, Blocks: []Block{ToolResult{CallID: "c", Text: nasty, IsError: true, Meta: map[string]string{"k": nasty}, Images: []Image{{Ref: "blobs/y.png"}}}}}},
		MessageRecord{Head: NewHead(KindMessage, "01D", "01C", now), Message: Message{Role: RoleNote}},
		ResultRecord{Head: NewHead(KindResult, "01E", "01D", now), ToolResult: ToolResult{CallID: "c", Text: nasty, Images: []Image{{Ref: "blobs/z.png", Width: 1}}, Meta: map[string]string{"a": "b"}}},
		ResultRecord{Head: NewHead(KindResult, "01F", "", now), ToolResult: ToolResult{CallID: "d"}},
	} {
		line, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(line))
	}
	return all
}

func TestWhatEncodeWritesIsReadByHandAsEncodingJSONReadsIt(t *testing.T) {
	for _, line := range lines(t) {
		if !both(t, line) {
			t.Errorf("not read by hand: %s", line)
		}
	}
}

func TestUnusualLinesAreLeftToEncodingJSONOrReadAsItDoes(t *testing.T) {
	const message = `{"v":1,"kind":"message","id":"x","time":"2026-01-02T03:04:05Z","message":{"role":"user","blocks":[%s]}}`
	for _, block := range []string{
		`{"type":"text","text":"a","text":"b"}`, `{"type":"text","Text":"a"}`, `{"type":"text","text":null}`, `{"type":"text","text":"a"}, {"type":"text"}`, `{"type":"odd"}`,
		`{"type":"text","text":"\ud83d\ude00"}`, `{"type":"text","text":"\ud83d"}`, `{"type":"text","text":"\ud83dx\ude00"}`, `{"type":"text","text":"\ud83d\u0041"}`, `{"type":"text","text":"\uD83D\uDE00\u00e9\/"}`,
		`{"type":"text","text":"\x41"}`, `{"type":"text","text":"\u12g4"}`, `{"type":"text","text":"\u12"}`, `{"type":"text","text":"a\"}`, `{"type":"text","text":"a\\"}`, "{\"type\":\"text\",\"text\":\"a\nb\"}",
		`{"type":"image","width":01}`, `{"type":"image","width":-1}`, `{"type":"image","width":-0}`, `{"type":"image","width":1.5}`, `{"type":"image","width":1e3}`, `{"type":"image","width":9999999999999999999}`,
		`{"type":"image","width":"1"}`, `{"type":"image","width":}`, `{"type":"tool_result","images":[{"ref":"a","ref":"b"}],"meta":{"a":"b","a":"c"},"is_error":true}`, `{"type":"tool_result","images":null}`,
		`{"type":"tool_result","is_error":tru}`, `{"type":"tool_result","meta":{"a":1}}`, `{"\u0074ype":"text","te\u0078t":"a"}`, `{"type":"text","text":"a","unknown":[{"x":"]}"}]}`, "{\"type\":\"text\",\"text\":\"\xff\"}", `{}`, `null`, `[]`, `1`, ``, `,`,
	} {
		both(t, fmt.Sprintf(message, block))
	}
	for _, line := range []string{
		`{"v":1,"kind":"message","id":"x","call":"c","message":{"role":"user","blocks":[]}}`, `{"v":1,"kind":"result","id":"x","message":{"role":"user","blocks":[]}}`, `{"v":1,"kind":"message","id":"x"}`,
		`{"v":1,"kind":"message","id":"x","message":{"role":"user","blocks":[]}}{}`, `{"v":1,"kind":"message","id":"x","message":{"role":"user","blocks":[]}},`, `{"v":1,"kind":"message","id":"x","time":"never","message":{}}`,
		`{"v":1,"kind":"message","id":"x","message":{"usage":{"input":1},"blocks":[]}}`, `{"v":1,"kind":"message","id":"x","message":{"usage":{"input":1}},"parent":null}`, `{"v":1,"kind":"result","id":"x","time":5}`,
	} {
		both(t, line)
	}
}

func TestALineWithAnyByteChangedIsReadAsEncodingJSONReadsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const bytes = `"\{}[]:,0ent -.u` + "\n\xff"
	for _, line := range lines(t) {
		for at := range line {
			changed := line[:at] + string(bytes[random.IntN(len(bytes))]) + line[at+1:]
			both(t, changed)
			both(t, line[:at])
			both(t, line[:at]+line[at+1:])
			both(t, line[:at]+string(bytes[random.IntN(len(bytes))])+line[at:])
		}
	}
}

func FuzzALineIsReadByHandAsEncodingJSONReadsIt(f *testing.F) {
	for _, line := range lines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) { both(t, line) })
}

func BenchmarkDecodingAMessage(b *testing.B) {
	for name, text := range map[string]string{"plain": strings.Repeat("words of a message ", 520), "code": strings.Repeat("\tif x == \"y\" {\n", 660)} {
		line, err := Encode(MessageRecord{Head: NewHead(KindMessage, "01A", "", time.Now()), Message: Message{Role: RoleUser, Blocks: []Block{Text{Text: text}}}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(line); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" by encoding/json", func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeRecord[MessageRecord](line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
