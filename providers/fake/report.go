package fake

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"espy/agent/message"
	"espy/providers"
)

// orders are what the lines of the newest user message tell the model to do.
type orders struct {
	calls []message.ToolCall
	check bool
}

// readOrders reads only what a person typed: a file's text must not be able to call a tool.
func readOrders(m providers.Message) orders {
	var o orders
	if m.Role != message.RoleUser {
		return o
	}
	for _, b := range m.Blocks {
		t, ok := b.(message.Text)
		if !ok || t.Origin != message.OriginTyped && t.Origin != "" {
			continue
		}
		for line := range strings.Lines(t.Text) {
			o.read(strings.TrimSpace(line))
		}
	}
	return o
}

func (o *orders) read(line string) {
	if line == "check blobs" {
		o.check = true
	}
	rest, ok := strings.CutPrefix(line, "call ")
	if !ok {
		return
	}
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	if name != "" {
		o.calls = append(o.calls, message.ToolCall{Name: name, Args: args})
	}
}

// report says what arrived: the newest message in full, then every picture of the messages before it, then
// what else the request held.
func report(req providers.Request) string {
	var s strings.Builder
	s.WriteString("I received:\n")
	last := len(req.Messages) - 1
	if last >= 0 {
		reportMessage(&s, req.Messages[last])
		var earlier []message.Image
		for _, m := range req.Messages[:last] {
			earlier = append(earlier, picturesOf(m)...)
		}
		for _, img := range earlier {
			fmt.Fprintf(&s, "- earlier image: %s\n", img.Facts())
		}
	}
	fmt.Fprintf(&s, "- request: %s, %s, %s", count(len(req.Messages), "message"), count(len(req.System), "system text"), count(len(req.Tools), "tool"))
	return s.String()
}

func reportMessage(s *strings.Builder, m providers.Message) {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case message.Text:
			if b.Origin == message.OriginEspy {
				fmt.Fprintf(s, "- words: %s\n", b.Text)
			} else {
				fmt.Fprintf(s, "- text: %s\n", count(utf8.RuneCountInString(b.Text), "character"))
			}
		case message.Image:
			fmt.Fprintf(s, "- image: %s\n", b.Facts())
		}
	}
	for _, r := range m.Results {
		kind := "result"
		if r.IsError {
			kind = "error"
		}
		fmt.Fprintf(s, "- %s of %s (%s): %s\n", kind, r.Name, r.CallID, count(utf8.RuneCountInString(r.Text), "character"))
		for _, p := range r.Pictures {
			fmt.Fprintf(s, "- words: %s\n- image: %s\n", p.Intro, p.Image.Facts())
		}
	}
}

func picturesOf(m providers.Message) []message.Image {
	var all []message.Image
	for _, b := range m.Blocks {
		if img, ok := b.(message.Image); ok {
			all = append(all, img)
		}
	}
	for _, r := range m.Results {
		for _, p := range r.Pictures {
			all = append(all, p.Image)
		}
	}
	return all
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// checkBlobs opens every picture of the request and says what is there; "" where it was not asked to.
func (m *Model) checkBlobs(asked bool, req providers.Request) string {
	if !asked {
		return ""
	}
	var s strings.Builder
	for _, message := range req.Messages {
		for _, img := range picturesOf(message) {
			fmt.Fprintf(&s, "\n- blob %s: %s", img.Ref, m.inspect(img.Ref))
		}
	}
	if s.Len() == 0 {
		return "\n- blobs: none"
	}
	return s.String()
}

func (m *Model) inspect(ref string) string {
	f, err := m.blobs.OpenBlob(ref)
	if err != nil {
		return "cannot be opened: " + err.Error()
	}
	defer f.Close()
	head := make([]byte, 12)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return "holds nothing"
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "cannot be measured: " + err.Error()
	}
	return fmt.Sprintf("%s, %s", count(int(size), "byte"), sniff(string(head[:n])))
}

func sniff(head string) string {
	switch {
	case strings.HasPrefix(head, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(head, "GIF8"):
		return "image/gif"
	case strings.HasPrefix(head, "RIFF") && strings.HasSuffix(head, "WEBP"):
		return "image/webp"
	}
	return "no picture"
}
