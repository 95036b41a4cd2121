package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/ui/screen"
)

// callState says how far a call is.
type callState int

const (
	callRuns callState = iota
	callWaits
	callDone
	callFailed
	callRefused
)

// call is a tool call: one line while folded, arguments and result unfolded, and the diff of an edit.
type call struct {
	call     message.ToolCall
	summary  string // what it will do
	progress string // its newest lines of output
	began    time.Time
	lasts    time.Duration // shown while it runs, in whole seconds
	state    callState
	result   message.ToolResult
	pictures []message.PictureRecord
	took     time.Duration
	judged   string       // how permission came out
	task     *taskView    // of a call that runs a conversation of its own
	todos    []tools.Todo // the task list it set
	latest   bool         // and no later call set another
}

func (c *call) draw(width int, l look) []string {
	if c.todos != nil {
		return c.drawList(width, l)
	}
	lines := []string{c.headline(width, l)}
	if c.judged != "" && c.state == callRefused && c.result.Text == "" { // the result says it too, in more words
		lines = append(lines, "  "+l.t.dim.Render(cut("└ "+flat(c.judged), width-2)))
	}
	for _, i := range c.result.Images {
		lines = append(lines, c.looked(i, width, l)...)
	}
	lines = append(lines, c.newest(width, l)...)
	if l.open && c.task == nil {
		lines = append(lines, c.arguments(width, l)...)
	}
	if c.task != nil {
		lines = append(lines, c.task.draw(c, width, l)...)
	}
	return append(lines, c.outcome(width, l)...)
}

// newest is what a running call printed last: a few lines, wherever the screen has room for them.
func (c *call) newest(width int, l look) []string {
	if c.state != callRuns || strings.TrimSpace(c.progress) == "" {
		return nil
	}
	most := fewNewest
	if l.tall || l.open {
		most = mostNewest
	}
	printed := strings.Split(c.progress, "\n")
	var lines []string
	for _, line := range printed[max(len(printed)-most, 0):] {
		lines = append(lines, l.t.faint.Render("  │ ")+l.t.dim.Render(cut(screen.SafeLine(line), width-4)))
	}
	return lines
}

// count moves the time of a running call and reports whether what is shown changed.
func (c *call) count(now time.Time) bool {
	lasts := time.Duration(0)
	if c.state == callRuns {
		lasts = now.Sub(c.began).Truncate(time.Second)
	}
	changed := lasts != c.lasts
	c.lasts = lasts
	return changed
}

// looked is a picture of the result: its line, and where it was looked at.
func (c *call) looked(i message.Image, width int, l look) []string {
	r := c.record(i.Ref)
	line := pictureLine(i, r)
	if r.Crop != nil {
		line += "  of " + rectangle(*r.Crop)
	}
	lines := []string{"  " + l.t.accent.Render(cut("└ "+line, width-2))}
	for _, p := range l.lookedAt(i, r, width-4) {
		lines = append(lines, "    "+p)
	}
	return lines
}

func (c *call) record(ref string) message.PictureRecord {
	for _, r := range c.pictures {
		if r.Ref == ref {
			return r
		}
	}
	return message.PictureRecord{}
}

// headline is "● read main.go · 120 lines · 0.1 s".
func (c *call) headline(width int, l look) string {
	mark, style := "◌ ", l.t.accent
	switch c.state {
	case callWaits:
		mark, style = "? ", l.t.warn
	case callDone:
		mark, style = "● ", l.t.ok
	case callFailed:
		mark, style = "✗ ", l.t.bad
	case callRefused:
		mark, style = "⊘ ", l.t.warn
	}
	tail := c.facts()
	head := cut(c.title(), max(width-2-len([]rune(tail)), width/2))
	return style.Render(mark) + head + l.t.dim.Render(cut(tail, width-2-cellsOf(head)))
}

// title is what the call will do, and once it is done what it came to.
func (c *call) title() string {
	if plan := c.plan(); plan != "" {
		return "the plan: " + flat(strings.TrimLeft(firstOf(plan), "# "))
	}
	name := flat(c.call.Name)
	if s := flat(c.result.Meta[message.MetaSummary]); s != "" {
		if beginsWithArgument(s, c.call.Args) {
			return name + " " + s
		}
		return s
	}
	if s := flat(c.summary); s != "" {
		return s
	}
	return name + " " + flat(oneLine(gist(c.call.Args)))
}

// beginsWithArgument reports whether a summary says only what the call was given, as "go test (exit 0)" does;
// the name of the tool then stands before it. Others are sentences: "read 12 lines of main.go".
func beginsWithArgument(summary, args string) bool {
	var fields map[string]json.RawMessage
	if len(args) > argBytes || json.Unmarshal([]byte(args), &fields) != nil {
		return false
	}
	for _, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			continue
		}
		if text = flat(head(text, 30)); text != "" && strings.HasPrefix(summary, text) {
			return true
		}
	}
	return false
}

// gist is the argument a call is about; where none is known by name it is all of them.
func gist(args string) string {
	var fields map[string]json.RawMessage
	if len(args) > argBytes || json.Unmarshal([]byte(args), &fields) != nil {
		return args
	}
	for _, name := range []string{"command", "path", "url", "query", "pattern", "name", "description", "prompt"} {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text
		}
	}
	return args
}

// facts is what a finished call came to, for the end of its line.
func (c *call) facts() string {
	var parts []string
	switch c.state {
	case callRuns:
		if c.lasts >= worthTelling {
			parts = append(parts, wholeSeconds(c.lasts))
		}
	case callWaits:
		return "  waits for you"
	case callRefused:
		parts = append(parts, "refused")
	}
	if exit := c.result.Meta[message.MetaExit]; exit != "" && exit != "0" && !strings.Contains(c.title(), "exit") {
		parts = append(parts, "exit "+flat(exit))
	}
	if c.took > 0 {
		parts = append(parts, duration(c.took))
	}
	if c.judged != "" && c.state != callRefused {
		parts = append(parts, flat(c.judged))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, " · ")
}

func (c *call) arguments(width int, l look) []string {
	if plan := c.plan(); plan != "" {
		var lines []string
		for _, line := range planLines(plan, width-4, l.t) {
			lines = append(lines, l.t.faint.Render("  │ ")+line)
		}
		return lines
	}
	args := c.call.Args
	if len(args) > argBytes {
		args = args[:argBytes] + "…"
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(args), "", "  ") == nil {
		args = pretty.String()
	}
	if one := "  " + flat(c.call.Name) + " " + flat(c.call.Args); cellsOf(one) <= width {
		return []string{l.t.dim.Render(one)}
	}
	lines := []string{l.t.dim.Render(cut("  "+flat(c.call.Name), width))}
	for _, line := range wrap(safe(args), width-4) {
		lines = append(lines, l.t.faint.Render("  │ ")+l.t.dim.Render(line))
	}
	return lines
}

// outcome is the diff of an edit, the sentence of a failure, and unfolded the whole result.
func (c *call) outcome(width int, l look) []string {
	if diff := c.result.Meta[message.MetaDiff]; diff != "" && c.state == callDone {
		return c.diff(diff, width, l)
	}
	if c.state < callDone {
		return nil
	}
	text := strings.TrimRight(c.result.Text, "\n")
	if text == "" {
		return nil
	}
	style := l.t.dim.Render
	if c.state == callFailed {
		style = l.t.bad.Render
	}
	most := openLines
	switch {
	case l.open:
	case c.call.ID == agent.TypedCall: // the person ran it to read what it prints
		most = typedLines
		if c.state == callDone {
			style = l.t.plain.Render
		}
	case c.state == callDone:
		return nil
	default:
		most = 2
	}
	return c.indented(wrap(safe(head(text, most*400)), width-4), most, width, l, style)
}

func (c *call) indented(lines []string, most, width int, l look, style func(...string) string) []string {
	more := len(lines) - most
	if more > 0 {
		lines = lines[:most]
	}
	out := make([]string, 0, len(lines)+1)
	for _, line := range lines {
		out = append(out, l.t.faint.Render("  │ ")+style(line))
	}
	if more > 0 {
		out = append(out, l.t.dim.Render(cut(fmt.Sprintf("  … %s more%s", amount(more, "line"), c.further(l)), width)))
	}
	return out
}

// further says how to see the rest of a result.
func (c *call) further(l look) string {
	if l.open {
		return ", /export writes all"
	}
	return ", " + l.keys(actDetails) + " unfolds"
}

func (c *call) diff(diff string, width int, l look) []string {
	lines := drawDiff(diff, width-2, l.t)
	most := len(lines)
	if !l.open {
		most = min(most, foldedDiff)
	}
	out := make([]string, 0, most+1)
	for _, line := range lines[:most] {
		out = append(out, "  "+line)
	}
	if more := len(lines) - most; more > 0 {
		out = append(out, l.t.dim.Render(cut(fmt.Sprintf("  … %s more, %s unfolds", amount(more, "line"), l.keys(actDetails)), width)))
	}
	return out
}

func (c *call) plain() string {
	if c.todos != nil {
		return c.plainList()
	}
	if plan := c.plan(); plan != "" {
		return plan
	}
	return c.title() + "\n" + message.Message{Blocks: []message.Block{c.result}}.PlainText()
}

func (c *call) folds() bool    { return true }
func (c *call) pictured() bool { return len(c.result.Images) > 0 }

func (c *call) shots() (all []agent.Attachment) {
	for _, i := range c.result.Images {
		all = append(all, agent.Attachment{Image: i, Record: c.record(i.Ref)})
	}
	return all
}
func (c *call) compact() bool { return true }

// finish takes the result in.
func (c *call) finish(r message.ToolResult, pictures []message.PictureRecord, took time.Duration) {
	c.result, c.pictures, c.took, c.state = r, pictures, took, callDone
	if c.task == nil {
		c.task = storedTask(r)
	}
	switch {
	case r.Meta[message.MetaRefused] != "":
		c.state = callRefused
	case r.IsError:
		c.state = callFailed
	}
}

// head is at most n bytes of a text, whole lines first; what is not drawn need not be wrapped.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

func oneLine(s string) string { return head(strings.Join(strings.Fields(s), " "), 400) }

// duration is "0.1 s", "12 s", "3 min 05 s".
func duration(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond:
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
