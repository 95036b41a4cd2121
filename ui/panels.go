package ui

import (
	"fmt"
	"slices"
	"strings"

	"espy/agent"
	"espy/agent/message"
	"espy/media"
)

// helpPanel is made from the live key map and the table of commands.
func (m *model) helpPanel() *dialog {
	d := &dialog{title: "help", filters: true, filter: newBuffer(), fresh: true}
	d.body = func(width int) []string { return m.helpLines(width, d.filter.text()) }
	return d
}

// helpLines are the keys and commands that hold every word of a filter.
func (m *model) helpLines(width int, filter string) []string {
	t, column := m.t, 26
	if width < narrowWidth {
		column = 16
	}
	words := strings.Fields(strings.ToLower(filter))
	var lines []string
	section := func(name string, rows []helpRow) {
		found := slices.DeleteFunc(rows, func(r helpRow) bool { return !r.holds(name, words) })
		if len(found) == 0 {
			return
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.strong.Render(name))
		for _, r := range found {
			lines = append(lines, helpLine(t, r.name, r.about, column, width)...)
		}
	}
	for _, in := range places() {
		var rows []helpRow
		for _, b := range m.keys.table {
			if b.in == in && len(b.keys) > 0 {
				rows = append(rows, helpRow{shownKeys(b.keys), b.about, string(b.action)})
			}
		}
		section(heading(string(in)), rows)
	}
	var rows []helpRow
	for _, s := range m.slashes() {
		rows = append(rows, helpRow{"/" + s.name + " " + s.hint, s.about, ""})
	}
	section("Commands", rows)
	if len(lines) == 0 {
		return []string{t.dim.Render(cut("no key and no command has these words", width))}
	}
	return append(lines, "", t.dim.Render(cut("@path puts a file or a picture into the message; !line runs in your shell", width)))
}

// helpRow is a key or a command with what it does; the name of the action is found too.
type helpRow struct{ name, about, action string }

// holds reports whether a row, with the section it stands in, has every word.
func (r helpRow) holds(section string, words []string) bool {
	text := strings.ToLower(section + " " + r.name + " " + r.about + " " + r.action)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

func shownKeys(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = keyName(k)
	}
	return strings.Join(out, " ")
}

// helpLine is a name and what it does, which is wrapped beside it; a long name has a line of its own.
func helpLine(t *theme, name, about string, column, width int) []string {
	name = cut(flat(name), width)
	var lines []string
	lead := name
	if cellsOf(name) > column-2 {
		lines, lead = append(lines, t.accent.Render(name)), ""
	}
	for i, line := range wrap(flat(about), max(width-column, 1)) {
		if i > 0 {
			lead = ""
		}
		pad := strings.Repeat(" ", column-cellsOf(lead))
		lines = append(lines, t.accent.Render(lead)+cut(pad+line, max(width-cellsOf(lead), 0)))
	}
	return lines
}

// pictureFacts is all that is known of a picture, in lines of a width.
func (m *model) pictureFacts(a agent.Attachment, width int) []string {
	var lines []string
	fact := func(name, text string) {
		if text != "" {
			pad := strings.Repeat(" ", max(11-len(name), 1))
			for i, line := range wrap(flat(text), max(width-11, 1)) {
				if i == 0 {
					lines = append(lines, m.t.dim.Render(name+pad)+line)
				} else {
					lines = append(lines, strings.Repeat(" ", 11)+line)
				}
			}
		}
	}
	s, r := a.Receipt.Source, a.Receipt.Sent
	fact("name", a.Record.Name)
	fact("from", a.Record.Source)
	fact("source", sourceFacts(a))
	if s.Orientation > 1 {
		fact("turned", fmt.Sprintf("upright from EXIF orientation %d", s.Orientation))
	}
	if c := a.Record.Crop; c != nil {
		fact("crop", rectangle(*c)+"; a crop shows less but hides nothing")
	}
	for _, c := range a.Record.Redacted {
		fact("redacted", rectangle(c))
	}
	sent := fmt.Sprintf("%s  %dx%d", a.Image.MediaType, a.Image.Width, a.Image.Height)
	if r.Bytes > 0 {
		sent += fmt.Sprintf("  %s, %s in base64", byteCount(r.Bytes), byteCount(r.Base64Bytes))
	}
	fact("sent", sent)
	switch {
	case a.Receipt.Scale == 1:
		fact("scale", "none: pixel for pixel")
	case a.Receipt.Scale > 0:
		fact("scale", fmt.Sprintf("%.4g sent pixels for a source pixel", a.Receipt.Scale))
	}
	fact("steps", strings.Join(a.Receipt.Encoder, ", "))
	for _, w := range a.Receipt.Warnings {
		fact("note", w)
	}
	fact("stored as", message.BlobName(a.Image.Ref))
	return append(append(lines, ""), m.pricesOf(a, width)...)
}

func sourceFacts(a agent.Attachment) string {
	s := a.Receipt.Source
	w, h := s.Width, s.Height
	if w == 0 {
		w, h = a.Record.Width, a.Record.Height
	}
	text := fmt.Sprintf("%dx%d", w, h)
	if s.Format != "" {
		text = fmt.Sprintf("%s  %s  %s", s.Format, text, byteCount(s.Bytes))
	}
	if s.Frames > 1 {
		text += fmt.Sprintf("  first of %d frames", s.Frames)
	}
	return text
}

// pricesOf is what the picture would cost at each detail on the present model.
func (m *model) pricesOf(a agent.Attachment, width int) []string {
	lines := []string{m.t.strong.Render(cut("on "+flat(m.talk.route.Name()), width))}
	if !m.talk.route.Sees() {
		return append(lines, m.t.bad.Render(cut("this model cannot see images", width)))
	}
	for _, d := range details() {
		dw, dh := detailSize(a, d)
		mark := "  "
		if string(d) == a.Record.Detail || a.Record.Detail == "" && d == "auto" {
			mark = "• "
		}
		line := fmt.Sprintf("%s%-10s%-14s", mark, d, fmt.Sprintf("%dx%d", dw, dh))
		if n := m.row.tokens(m.talk.route, dw, dh); n > 0 {
			line += grouped(n) + " tokens"
		}
		lines = append(lines, cut(line, width))
	}
	return lines
}

// detailSize is the size a picture has at a detail.
func detailSize(a agent.Attachment, d media.Detail) (int, int) {
	w, h := a.Record.Width, a.Record.Height
	if c := a.Record.Crop; c != nil {
		w, h = c.Width, c.Height
	}
	return fitSide(w, h, longestSide(d))
}

func rectangle(r message.Rect) string {
	return fmt.Sprintf("%d,%d %dx%d", r.X, r.Y, r.Width, r.Height)
}

// byteCount is "812 bytes", "1.2 MiB".
func byteCount(n int64) string {
	switch {
	case n < 1<<10:
		return amount(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// longestSide is the gate's target for a detail, in pixels.
func longestSide(d media.Detail) int {
	switch d {
	case media.DetailLow:
		return 1024
	case media.DetailHigh, media.DetailOriginal:
		return 4096
	}
	return 2048
}

// fitSide shrinks a size so that no side is longer than a bound, as the gate does.
func fitSide(w, h, most int) (int, int) {
	long := max(w, h)
	if long <= most || long == 0 {
		return w, h
	}
	return max((w*most+long/2)/long, 1), max((h*most+long/2)/long, 1)
}
