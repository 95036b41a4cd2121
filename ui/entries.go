package ui

import (
	"fmt"
	"slices"
	"strings"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/screen"
)

// said is what the person sent, with the pictures that went along.
type said struct {
	blocks   []message.Block
	pictures map[string]message.PictureRecord
}

func (s *said) draw(width int, l look) []string {
	bar := l.t.person.Render("▌") + " "
	var lines []string
	var band []message.Image // pictures that stand together are drawn side by side
	for i, b := range s.blocks {
		switch b := b.(type) {
		case message.Text:
			lines = append(lines, s.words(b, width-2, l)...)
		case message.Image:
			lines = append(lines, s.picture(b, width-2, l))
			band = append(band, b)
			if !s.pictureAt(i + 1) {
				lines, band = append(lines, l.band(band, width-2)...), nil
			}
		}
	}
	for i := range lines {
		lines[i] = bar + lines[i]
	}
	return lines
}

func (s *said) words(b message.Text, width int, l look) []string {
	switch b.Origin {
	case message.OriginEspy:
		return nil
	case message.OriginFile:
		if !l.open {
			first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
			return []string{l.t.dim.Render(cut("+ "+flat(first)+" "+amount(strings.Count(b.Text, "\n")+1, "line"), width))}
		}
		return styled(wrap(safe(b.Text), width), l.t.dim.Render)
	case message.OriginShell:
		if isShellLine(b.Text) {
			return styled(wrap(safe(b.Text), width), l.t.warn.Render)
		}
		return styled(clip(wrap(safe(b.Text), width), l.open), l.t.dim.Render)
	}
	return clipLong(wrap(safe(strings.TrimRight(b.Text, "\n")), width), l)
}

// picture is the line that shows that a picture went along.
func (s *said) picture(i message.Image, width int, l look) string {
	r := s.pictures[i.Ref]
	return l.t.accent.Render(cut(pictureLine(i, r), width))
}

// pictureLine is "image 1  shot.png  2048x1152".
func pictureLine(i message.Image, r message.PictureRecord) string {
	name := flat(r.Name)
	if name == "" {
		name = message.BlobName(i.Ref)
	}
	number := "image"
	if r.Number > 0 {
		number = fmt.Sprintf("image %d", r.Number)
	}
	return fmt.Sprintf("%s  %s  %dx%d", number, name, i.Width, i.Height)
}

func (s *said) plain() string { return message.Message{Blocks: s.blocks}.PlainText() }

func (s *said) folds() bool { return true }

func (s *said) pictureAt(i int) bool {
	if i >= len(s.blocks) {
		return false
	}
	_, ok := s.blocks[i].(message.Image)
	return ok
}

func (s *said) shots() (all []agent.Attachment) {
	for _, b := range s.blocks {
		if i, ok := b.(message.Image); ok {
			all = append(all, agent.Attachment{Image: i, Record: s.pictures[i.Ref]})
		}
	}
	return all
}

func (s *said) pictured() bool {
	return slices.ContainsFunc(s.blocks, func(b message.Block) bool { _, ok := b.(message.Image); return ok })
}

// thinking is the model's reasoning, folded to one line.
type thinking struct {
	text    string
	written grown
	live    bool
}

func (r *thinking) draw(width int, l look) []string {
	text := strings.TrimSpace(r.text)
	if text == "" {
		return nil
	}
	if !l.open {
		return []string{l.t.dim.Italic(true).Render(cut(r.headline(text), width))}
	}
	lines := styled(wrap(safe(text), width-2), func(s ...string) string { return l.t.dim.Italic(true).Render(s...) })
	for i := range lines {
		lines[i] = l.t.faint.Render("│ ") + lines[i]
	}
	return lines
}

// headline is the newest thought while it thinks, and the first one afterwards.
func (r *thinking) headline(text string) string {
	if r.live {
		return "∴ thinking: " + flat(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
	}
	first, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("∴ thought: %s", flat(strings.Trim(strings.TrimSpace(first), "*#")))
}

func (r *thinking) plain() string { return r.text }
func (r *thinking) folds() bool   { return true }

// answer is what the model wrote: wrapped plain text until its Markdown was rendered.
type answer struct {
	text    string
	written grown
	live    bool     // it is still being written
	lines   []string // rendered Markdown, which stand in spaced behind an empty one
	spaced  []string
	width   int    // the Markdown was rendered for
	source  string // the text that was rendered
	final   bool   // it was rendered as a whole, not as a piece of something being written
	asked   int    // width a rendering is under way for
	stopped message.Stop
}

func (a *answer) draw(width int, l look) []string {
	if strings.TrimSpace(a.text) == "" {
		return nil
	}
	lines := a.lines
	if a.width != width || lines == nil {
		lines = wrap(safe(strings.TrimSpace(a.text)), width)
	}
	lines = slices.Clip(lines) // what is added goes into a copy
	switch a.stopped {
	case message.StopInterrupted:
		lines = append(lines, l.t.warn.Render("interrupted"))
	case message.StopLength:
		lines = append(lines, l.t.warn.Render(cut("stopped: the output limit was reached", width)))
	case message.StopRefusal:
		lines = append(lines, l.t.warn.Render("the model refused"))
	}
	return lines
}

// set takes rendered lines in, the first of which is the empty one.
func (a *answer) set(lines []string) { a.lines, a.spaced = lines[1:], lines }

// drawSpaced implements spaced: an answer that grows is not copied for each piece.
func (a *answer) drawSpaced(width int) []string {
	if a.width != width || len(a.lines) == 0 || a.stopped != "" {
		return nil
	}
	return a.spaced
}

// wants reports whether Markdown is to be rendered for a width and is not under way.
func (a *answer) wants(width int) bool { return !a.live && a.asked != width && a.wanting(width) }

// wanting reports whether what is drawn at a width is not yet the whole answer's Markdown.
func (a *answer) wanting(width int) bool {
	return !a.live && strings.TrimSpace(a.text) != "" && (a.width != width || !a.final || a.source != a.text)
}

func (a *answer) forget() {
	a.lines, a.spaced, a.width, a.asked, a.source, a.final = nil, nil, 0, 0, "", false
}

func (a *answer) plain() string { return a.text }

// told is a notice for the person.
type told struct {
	kind     agent.NoticeKind
	sentence string
}

func (n *told) draw(width int, l look) []string {
	style, glyph := l.t.dim, "· "
	switch n.kind {
	case agent.NoticeError:
		style, glyph = l.t.bad, "✗ "
	case agent.NoticeRetired, agent.NoticeWithheld, agent.NoticeLeftOut, agent.NoticeMissing, agent.NoticeDamaged, agent.NoticeRetried:
		style, glyph = l.t.warn, "! "
	}
	return hang(style.Render(glyph), styled(wrap(safe(n.sentence), width-2), style.Render))
}

func (n *told) plain() string { return n.sentence }

// hang puts a mark before the first line and indents the others by the two columns it takes.
func hang(mark string, lines []string) []string {
	for i := range lines {
		if i == 0 {
			lines[i] = mark + lines[i]
		} else {
			lines[i] = "  " + lines[i]
		}
	}
	return lines
}

func styled(lines []string, style func(...string) string) []string {
	for i, line := range lines {
		if line != "" {
			lines[i] = style(line)
		}
	}
	return lines
}

// clip keeps the head of lines that are folded.
func clip(lines []string, open bool) []string {
	const most = 4
	if open || len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("… %s more", amount(len(lines)-most, "line")))
}

// clipLong folds a message only where it would fill screens.
func clipLong(lines []string, l look) []string {
	const most = 40
	if l.open || len(lines) <= most {
		return lines
	}
	more := fmt.Sprintf("… %s more, %s unfolds", amount(len(lines)-most/2, "line"), l.keys(actDetails))
	return append(lines[:most/2:most/2], l.t.dim.Render(cut(more, 60)))
}

// safe, flat, wrap and cut are the only way outside text reaches the screen.
func safe(s string) string { return screen.Safe(s) }

// flat is outside text on one line, runs of blanks as one.
func flat(s string) string { return strings.Join(strings.Fields(screen.SafeLine(s)), " ") }

func wrap(s string, width int) []string { return screen.Wrap(s, max(width, 1)) }

func cut(s string, width int) string { return screen.Truncate(s, max(width, 0)) }

// amount is "1 line", "1,204 lines".
func amount(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
