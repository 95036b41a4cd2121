package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A stream writes a text in pieces, each in an event of its own, and a key or a picture may be split anywhere. So the
// pieces that make one text are joined before they are searched: strings that stand at the same place in events of
// the same kind and number. What is found is replaced where it begins and taken out of the pieces after it. Events
// in which nothing is found stay as they were sent, byte for byte.

// redactEvents does for a stream of server-sent events what Redact does for a text. Cut says that the stream goes on:
// of its last line nobody knows what it would have been, and it is left out.
func redactEvents(stream string, secrets []string, cut bool) string {
	lines := splitLines(stream)
	if last := len(lines) - 1; cut && last >= 0 && !strings.HasSuffix(lines[last], "\n") {
		lines = lines[:last]
	}
	texts := make(map[string][]*piece)
	var order []string
	found := make([][]*piece, len(lines))
	for i, line := range lines {
		data, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		found[i] = pieces(data, len(line)-len(data))
		for _, p := range found[i] {
			if texts[p.text] == nil {
				order = append(order, p.text)
			}
			texts[p.text] = append(texts[p.text], p)
		}
	}
	for _, name := range order {
		redactPieces(texts[name], secrets)
	}
	var out strings.Builder
	for i, line := range lines {
		out.WriteString(Redact(withPieces(line, found[i]), secrets))
	}
	return out.String()
}

// splitLines keeps the line ends with their lines.
func splitLines(text string) (lines []string) {
	for len(text) > 0 {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			return append(lines, text)
		}
		lines, text = append(lines, text[:end+1]), text[end+1:]
	}
	return lines
}

// piece is one string of an event.
type piece struct {
	text       string // the name of the text it belongs to
	value      string
	changed    bool
	start, end int // of its JSON in the line
}

// pieces lists the strings in an event's JSON; none where it is not JSON.
func pieces(data string, offset int) []*piece {
	decoder := json.NewDecoder(strings.NewReader(data))
	decoder.UseNumber()
	var found []*piece
	var at place
	var marks []string // what tells apart texts that are written at the same time
	for {
		before := int(decoder.InputOffset())
		token, err := decoder.Token()
		if err != nil {
			break
		}
		after := int(decoder.InputOffset())
		path, isValue := at.step(token)
		if !isValue {
			continue
		}
		switch value := token.(type) {
		case string:
			start := before + strings.IndexByte(data[before:after], '"')
			found = append(found, &piece{text: path, value: value, start: offset + start, end: offset + after})
			if path == ".type" || strings.HasSuffix(path, "item_id") {
				marks = append(marks, path+"="+value)
			}
		case json.Number:
			if strings.HasSuffix(path, "index") {
				marks = append(marks, path+"="+value.String())
			}
		}
	}
	slices.Sort(marks)
	for _, p := range found {
		p.text += " " + strings.Join(marks, " ")
	}
	return found
}

// place is where a decoder is in a value.
type place struct{ frames []frame }

type frame struct {
	object bool
	key    string
	keyed  bool // of an object: the key was read, its value comes
	index  int
}

// step goes on by a token. isValue says that the token is a value of its own, at path.
func (p *place) step(token json.Token) (path string, isValue bool) {
	if delim, ok := token.(json.Delim); ok {
		switch delim {
		case '{', '[':
			p.frames = append(p.frames, frame{object: delim == '{'})
		default:
			p.frames = p.frames[:len(p.frames)-1]
			p.done()
		}
		return "", false
	}
	if n := len(p.frames); n > 0 && p.frames[n-1].object && !p.frames[n-1].keyed {
		p.frames[n-1].key, p.frames[n-1].keyed = fmt.Sprint(token), true
		return "", false
	}
	path = p.path()
	p.done()
	return path, true
}

// done says that the value the innermost frame waited for was read.
func (p *place) done() {
	if n := len(p.frames); n > 0 {
		p.frames[n-1].keyed = false
		p.frames[n-1].index++
	}
}

func (p *place) path() string {
	var path strings.Builder
	for _, f := range p.frames {
		if f.object {
			path.WriteString("." + f.key)
		} else {
			fmt.Fprintf(&path, "[%d]", f.index)
		}
	}
	return path.String()
}

// redactPieces searches the text that pieces make: for secrets, then for pictures, as Redact does.
func redactPieces(all []*piece, secrets []string) {
	for _, s := range spellings(secrets) {
		replaceIn(all, func(text string) (found []span) {
			for at := 0; ; {
				i := strings.Index(text[at:], s)
				if i < 0 {
					return found
				}
				found = append(found, span{at + i, at + i + len(s), "[key]"})
				at += i + len(s)
			}
		})
	}
	replaceIn(all, func(text string) (found []span) {
		if !strings.Contains(text, "base64,") && !mayHoldPicture(text) {
			return nil
		}
		for _, m := range payload().FindAllStringSubmatchIndex(text, -1) {
			start := m[4] // the payload behind a label
			if start < 0 {
				start = m[8]
			}
			found = append(found, span{start, m[1], strings.TrimPrefix(Redact(text[m[0]:m[1]], nil), text[m[0]:start])})
		}
		return found
	})
	replaceIn(all, func(text string) []span { return unfinished(text, secrets) })
}

// unfinished finds what a text that breaks off ends with: the beginning of a secret or of a picture.
func unfinished(text string, secrets []string) []span {
	for _, s := range secrets {
		for n := min(len(s)-1, len(text)); n >= minSecret; n-- {
			if strings.HasSuffix(text, s[:n]) {
				return []span{{len(text) - n, len(text), "[key]"}}
			}
		}
	}
	if m := payloadBegun().FindStringSubmatchIndex(text); m != nil {
		return []span{{m[2], m[3], imageNote(kindOf(text[m[2]:]), text[m[2]:m[3]])}}
	}
	return nil
}

// span is a part of a text, and what stands for it.
type span struct {
	start, end int
	note       string
}

// replaceIn replaces spans of the text that pieces make; they come in order and do not overlap.
func replaceIn(all []*piece, find func(text string) []span) {
	var text strings.Builder
	for _, p := range all {
		text.WriteString(p.value)
	}
	spans := find(text.String())
	if len(spans) == 0 {
		return
	}
	at := 0
	for _, p := range all {
		begin, end := at, at+len(p.value)
		at = end
		var value strings.Builder
		from := begin
		for _, s := range spans {
			if s.end <= begin || s.start >= end || begin == end {
				continue
			}
			if s.start >= begin {
				value.WriteString(p.value[from-begin : s.start-begin])
				value.WriteString(s.note)
			}
			from, p.changed = min(s.end, end), true
		}
		if p.changed && from > begin || p.changed && value.Len() > 0 {
			value.WriteString(p.value[from-begin:])
			p.value = value.String()
		}
	}
}

// withPieces is an event's line with the pieces that changed written anew.
func withPieces(line string, all []*piece) string {
	for _, p := range slices.Backward(all) {
		if !p.changed {
			continue
		}
		if text, err := EncodeJSON(p.value); err == nil {
			line = line[:p.start] + string(bytes.TrimSpace(text)) + line[p.end:]
		}
	}
	return line
}

// isEvents reports whether an answer is a stream of events.
func isEvents(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), "\r\n ")
	return slices.ContainsFunc([]string{"data:", "event:", "id:", "retry:", ":"}, func(begin string) bool { return strings.HasPrefix(text, begin) })
}
