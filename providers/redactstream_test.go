package providers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// streams write two pieces of a text the way the three protocols do, with other pieces between them.
var streams = map[string]func(a, b string) string{
	"chat": func(a, b string) string {
		return fmt.Sprintf("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\ndata: [DONE]\n\n", quoted(a), quoted(b))
	},
	"chat, a call": func(a, b string) string {
		event := "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":%s}}]}}]}\r\n\r\n"
		return fmt.Sprintf(event+event+event, 0, quoted(a), 1, quoted("other"), 0, quoted(b))
	},
	"messages": func(a, b string) string {
		event := "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"text_delta\",\"text\":%s}}\n\n"
		return fmt.Sprintf(event+": ping\n\n"+event+event, 1, quoted(a), 2, quoted("other"), 1, quoted(b))
	},
	"responses": func(a, b string) string {
		event := "event: %[1]s\ndata: {\"type\":%[1]q,\"sequence_number\":%d,\"item_id\":%q,\"output_index\":0,\"content_index\":0,\"delta\":%s}\n\n"
		return fmt.Sprintf(event, "response.output_text.delta", 1, "i1", quoted(a)) + fmt.Sprintf(event, "response.output_text.delta", 2, "i2", quoted("other")) + fmt.Sprintf(event, "response.output_text.delta", 3, "i1", quoted(b))
	},
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// said joins the strings of a text in a stream.
func said(stream string) string {
	all := map[string]string{}
	for _, line := range splitLines(stream) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			for _, p := range pieces(data, 5) {
				all[p.text] += p.value
			}
		}
	}
	longest := ""
	for _, text := range all {
		if len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}

func TestWhatIsSplitOverTwoPiecesOfAStreamIsFoundWhereverTheSplitIs(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0" + strings.Repeat("\xff\x01", 40)))
	long := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 20)))
	text := "my key is " + tracedKey + ", see data:image/jpeg;base64," + picture + " and " + long + ", words"
	want := Redact(text, []string{tracedKey})
	for name, stream := range streams {
		for at := range len(text) + 1 {
			got := redactEvents(stream(text[:at], text[at:]), []string{tracedKey}, false)
			if said(got) != want {
				t.Fatalf("%s, split at %d: it says %q, want %q\n%s", name, at, said(got), want, got)
			}
			for _, bad := range []string{tracedKey[3:12], tracedKey[14:], long[:16], long[40:56], picture[:14], picture[20:36]} {
				if strings.Contains(got, bad) {
					t.Fatalf("%s, split at %d, holds %s:\n%s", name, at, bad, got)
				}
			}
		}
	}
}

func TestAStreamInManyPiecesIsSearchedAsOneText(t *testing.T) {
	long := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 200)))
	text := "a " + tracedKey + " b " + tracedKey + tracedKey + " c " + long + " d " + long
	for size := 1; size < 40; size++ {
		var stream strings.Builder
		for at := 0; at < len(text); at += size {
			fmt.Fprintf(&stream, "data: {\"delta\":%s}\n\n", quoted(text[at:min(at+size, len(text))]))
		}
		if got, want := said(redactEvents(stream.String(), []string{tracedKey}, false)), Redact(text, []string{tracedKey}); got != want {
			t.Fatalf("pieces of %d: %q, want %q", size, got, want)
		}
	}
}

func TestAStreamThatBreaksOffLeavesNoBeginning(t *testing.T) {
	long := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 20)))
	for name, stream := range streams {
		whole := stream("words "+tracedKey, " more "+long)
		for at := range len(whole) {
			got := redactEvents(whole[:at], []string{tracedKey}, true)
			for _, bad := range []string{tracedKey[:minSecret], "iVBORw0KGg"} {
				if strings.Contains(got, bad) {
					t.Fatalf("%s, cut at %d, holds %s:\n%s", name, at, bad, got)
				}
			}
		}
	}
}

func TestAStreamInWhichNothingIsFoundStaysAsItWasSent(t *testing.T) {
	for name, stream := range streams {
		sent := stream("some words", " and \"others\" é\n") + "data: {\"n\": 1.50, \"deep\":[{\"a\":[]},{}, null, \"x\"]}\n\ndata: not JSON\nid: 7\n:comment\n\ndata: {\"cut\": \"of"
		if got := redactEvents(sent, []string{tracedKey}, false); got != sent {
			t.Errorf("%s: %q became %q", name, sent, got)
		}
	}
}

func TestTheTraceOfAStreamHoldsNoKeyThatWasSplit(t *testing.T) {
	for name, stream := range streams {
		trace, _ := tracedExchange(t, 200, stream("it is "+tracedKey[:9], tracedKey[9:]+"!"), func(*Body) any { return 1 })
		if !isEvents(stream("", "")) || !strings.Contains(trace, "[key]") || strings.Contains(trace, tracedKey[9:20]) {
			t.Errorf("%s: %s", name, trace)
		}
	}
}

func FuzzRedactingAStreamKeepsItsWords(f *testing.F) {
	for _, stream := range streams {
		f.Add(stream("a "+tracedKey, "b"), true)
	}
	f.Fuzz(func(t *testing.T, stream string, cut bool) {
		got := redactEvents(stream, []string{tracedKey}, cut)
		if strings.Contains(got, tracedKey) {
			t.Errorf("%q holds the key still: %q", stream, got)
		}
	})
}
