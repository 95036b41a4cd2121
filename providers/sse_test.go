package providers

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

type heard struct {
	name, data string
	cut        bool
}

func listen(r io.Reader) ([]heard, error) {
	events := NewEvents(r)
	var all []heard
	for {
		e, err := events.Next()
		if err != nil {
			return all, err
		}
		all = append(all, heard{e.Name, string(e.Data), e.Cut})
	}
}

func TestEventsAreReadHoweverServersWriteThem(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []heard
	}{
		"named":               {"event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", []heard{{"a", "1", false}, {"b", "2", false}}},
		"data only":           {"data: 1\n\ndata: 2\n\n", []heard{{"", "1", false}, {"", "2", false}}},
		"no space":            {"data:{\"a\":1}\n\n", []heard{{"", `{"a":1}`, false}}},
		"only one space goes": {"data:  1\n\n", []heard{{"", " 1", false}}},
		"CRLF":                {"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []heard{{"a", "1", false}, {"", "2", false}}},
		"CR":                  {"event: a\rdata: 1\r\rdata: 2\r\r", []heard{{"a", "1", false}, {"", "2", false}}},
		"comments":            {": OPENROUTER PROCESSING\n\n: keep-alive\ndata: 1\n: x\n\n", []heard{{"", "1", false}}},
		"several data lines":  {"data: 1\ndata: 2\ndata\n\n", []heard{{"", "1\n2\n", false}}},
		"byte order mark":     {"\ufeffdata: 1\n\n", []heard{{"", "1", false}}},
		"mark later stays":    {"data: 1\n\n\ufeffdata: 2\n\n", []heard{{"", "1", false}}},
		"no blank line":       {"data: 1\n", []heard{{"", "1", true}}},
		"no newline":          {"data: 1\n\ndata: [DONE]", []heard{{"", "1", false}, {"", "[DONE]", true}}},
		"name without data":   {"event: ping\n\ndata: 1\n\n", []heard{{"", "1", false}}},
		"unknown fields":      {"id: 7\nretry: 10\nfoo\ndata: 1\n\n", []heard{{"", "1", false}}},
		"empty":               {"", nil},
		"blank lines":         {"\n\n\r\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := listen(strings.NewReader(c.stream))
			if err != io.EOF || !reflect.DeepEqual(got, c.want) {
				t.Errorf("read %+v and ended with %v, want %+v and io.EOF", got, err, c.want)
			}
		})
	}
}

func TestAReadErrorIsReportedAfterWhatWasWhole(t *testing.T) {
	broken := errors.New("reset")
	got, err := listen(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 2 || got[0].cut || !got[1].cut {
		t.Errorf("got %v and %v, want a whole event, a cut one, then the reader's error", got, err)
	}
}

func TestAnEventBeyondTheCapEndsTheStream(t *testing.T) {
	line := io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless('x'), MaxEventBytes+10), strings.NewReader("\n\n"))
	if _, err := listen(line); !errors.Is(err, ErrEventTooLong) {
		t.Errorf("one huge line ended with %v, want ErrEventTooLong", err)
	}
	half := strings.Repeat("y", MaxEventBytes/2+10)
	lines := io.MultiReader(strings.NewReader("data: "+half+"\ndata: "), strings.NewReader(half+"\n\n"))
	if _, err := listen(lines); !errors.Is(err, ErrEventTooLong) {
		t.Errorf("two large lines ended with %v, want ErrEventTooLong", err)
	}
}

func TestAnEventJustUnderTheCapArrivesWhole(t *testing.T) {
	stream := io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless('x'), MaxEventBytes-100), strings.NewReader("\n\n"))
	e, err := NewEvents(stream).Next()
	if err != nil || len(e.Data) != MaxEventBytes-100 {
		t.Errorf("got %d bytes and %v", len(e.Data), err)
	}
}

type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: 1\n\n", "event: a\r\ndata: 1\r\n\r\n", "\ufeffdata\rdata:x", ":c\n\ndata: a\ndata: b\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		whole, wholeErr := listen(strings.NewReader(stream))
		slow, slowErr := listen(iotest.OneByteReader(strings.NewReader(stream)))
		if !reflect.DeepEqual(whole, slow) || wholeErr != io.EOF || slowErr != io.EOF {
			t.Fatalf("how the bytes arrive changed what was read:\n%+v\n%+v", whole, slow)
		}
		for _, e := range whole {
			if e.data == "" {
				t.Fatal("an event without data was delivered")
			}
		}
		if more, _ := listen(strings.NewReader(fmt.Sprintf("data: first\n\n%s", strings.TrimPrefix(stream, "\ufeff")))); len(more) < 1 || more[0].data != "first" {
			t.Fatal("what follows an event changed it")
		}
	})
}
