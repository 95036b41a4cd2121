package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"
)

// dialog is a panel above the composer: words to read, choices to take, or both. The pickers filter their
// choices as one types; a permission question (question.go) is a dialog with keys of its own.
type dialog struct {
	title   string
	body    func(width int) []string // to read: safe lines, none wider
	wrapped []string                 // the body at the width it was last drawn for
	at      int                      // width of wrapped
	top     int                      // first body line that shows
	rows    int                      // body lines that show
	listed  int                      // choices that show

	filters  bool
	filter   buffer
	asks     string // a line to write, with this label, instead of a filter
	masks    bool   // the line is a secret: what shows is how long it is
	choices  []choice
	shown    []int  // indexes of choices that pass the filter
	selected int    // index into shown
	fresh    bool   // the body depends on the filter: it is made anew with every letter
	extra    string // a sentence at its foot, behind the keys
	takes    string // what taking a choice does, for the keys at its foot: "removes or adds"; "" for the usual word
	leaves   string // what leaving does: "goes back"; "" for the usual word
	footer   string // the foot, where the usual one does not say it
	usual    string // the usual foot: the keys, from the live map

	renew func() []choice // what there is to choose now, where that changes while it is open

	choose func(c choice, line string) tea.Cmd
	cancel func() tea.Cmd

	job  int  // the background job it shows, whose lines come anew; 0 for none
	tail bool // it hangs on the end of its body until it is scrolled

	question *question // set on a permission question
	further  string    // the key that shows more of it
}

// choice is one line to take.
type choice struct {
	label string
	about string
	key   string // shown before the label: the key that takes it
	value any
	mark  bool // it is what holds now
}

func newPicker(title string, choices []choice, choose func(choice, string) tea.Cmd) *dialog {
	d := &dialog{title: title, choices: choices, filters: true, filter: newBuffer(), choose: choose}
	d.start()
	return d
}

// start selects what holds now.
func (d *dialog) start() {
	d.narrow()
	for i, c := range d.choices {
		if c.mark {
			d.selected = i
		}
	}
}

// refill changes the choices under an open picker: the filter stays, and so does what was selected.
func (d *dialog) refill(choices []choice) {
	was := ""
	if d.selected < len(d.shown) {
		was = d.choices[d.shown[d.selected]].label
	}
	d.choices = choices
	d.narrow()
	for i, at := range d.shown {
		if d.choices[at].label == was {
			d.selected = i
		}
	}
}

// refresh puts choices in the place of those that stand at the same places; what was selected stays by its value.
func (d *dialog) refresh(choices []choice) {
	var was any
	if d.selected < len(d.shown) {
		was = d.choices[d.shown[d.selected]].value
	}
	d.choices = choices
	d.narrow()
	for i, at := range d.shown {
		if was != nil && d.choices[at].value == was {
			d.selected = i
		}
	}
}

// narrow keeps the choices that the filter finds, the best first.
func (d *dialog) narrow() {
	d.shown = d.shown[:0]
	query := d.filter.text()
	if !d.filters {
		query = ""
	}
	d.shown = append(d.shown, search(query, d.choices)...)
	d.selected = min(max(d.selected, 0), max(len(d.shown)-1, 0))
}

// search finds choices: first those whose label holds the query as it stands, then those that hold each of
// its words somewhere, then those whose label has its letters in order.
func search(query string, choices []choice) []int {
	query = strings.ToLower(strings.TrimSpace(query))
	words := strings.Fields(query)
	var whole, some, letters []int
	found := map[int]bool{}
	labels := make([]string, len(choices))
	for i, c := range choices {
		labels[i] = strings.ToLower(c.label)
		text := labels[i] + " " + strings.ToLower(c.about)
		switch {
		case strings.Contains(labels[i], query):
			whole = append(whole, i)
		case !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }):
			some = append(some, i)
		default:
			continue
		}
		found[i] = true
	}
	for _, m := range fuzzy.Find(query, labels) {
		if !found[m.Index] {
			letters = append(letters, m.Index)
		}
	}
	return slices.Concat(whole, some, letters)
}

// key handles a key; closed says that the dialog is done.
func (d *dialog) key(name, typed string, keys keymap) (cmd tea.Cmd, closed bool) {
	switch keys.find(inDialog, name) {
	case actDismiss:
		if d.cancel != nil {
			return d.cancel(), true
		}
		return nil, true
	case actNext:
		d.move(1)
	case actPrevious:
		d.move(-1)
	case actPageUp:
		d.page(-1)
	case actPageDown:
		d.page(1)
	case actChoose:
		return d.take()
	default:
		d.write(name, typed, keys)
	}
	return nil, false
}

// write puts typed text into the filter or the line.
func (d *dialog) write(name, typed string, keys keymap) {
	if !d.filters && d.asks == "" {
		return
	}
	if typed != "" {
		d.filter.insert(strings.ReplaceAll(typed, "\n", " "))
	} else if a := keys.find(inComposer, name); a != actNewline {
		d.filter.edit(a)
	}
	d.selected = 0
	d.narrow()
	if d.fresh {
		d.at, d.top = 0, 0
	}
}

func (d *dialog) take() (tea.Cmd, bool) {
	line := d.filter.text()
	if d.asks != "" {
		return d.choose(choice{}, line), true
	}
	if d.selected >= len(d.shown) {
		return nil, len(d.choices) == 0
	}
	c := d.choices[d.shown[d.selected]]
	if d.choose == nil {
		return nil, true
	}
	return d.choose(c, line), true
}

// move goes through the choices; where there are none it scrolls the body.
func (d *dialog) move(by int) {
	if n := len(d.shown); n > 0 {
		d.selected = ((d.selected+by)%n + n) % n
		return
	}
	d.scroll(by)
}

func (d *dialog) page(by int) {
	if len(d.wrapped) > d.rows {
		d.scroll(by * max(d.rows-2, 1))
		return
	}
	d.selected = min(max(d.selected+by*popupRows, 0), max(len(d.shown)-1, 0))
}

func (d *dialog) scroll(by int) {
	end := max(len(d.wrapped)-d.rows, 0)
	if by == 0 && d.tail {
		d.top = end
	}
	d.top = min(max(d.top+by, 0), end)
	if by != 0 {
		d.tail = d.tail && d.top == end || d.job > 0 && d.top == end
	}
}

// view draws the panel in at most height lines.
func (d *dialog) view(width, height int, t *theme) []string {
	inner := max(width-4, 1)
	d.wrapBody(inner)
	fixed := 1 // the title
	if d.filters || d.asks != "" {
		fixed++
	}
	footer := d.footer
	if footer == "" {
		footer = d.usual
	}
	if footer != "" {
		fixed++
	}
	list := min(len(d.shown), max(height-fixed-min(len(d.wrapped), 3), 1), 12)
	if d.question != nil && d.question.inquiry == nil {
		list = len(d.shown)
	}
	d.listed = list
	d.rows = min(len(d.wrapped), max(height-fixed-list, 0))
	d.scroll(0)
	air := height-fixed-list-d.rows >= 3 // room for blank lines between the parts
	lines := []string{d.rule(width, t)}
	for _, line := range d.wrapped[d.top : d.top+d.rows] {
		lines = append(lines, "  "+line)
	}
	if more := d.unseen(); more > 0 { // in the way on purpose: nobody should allow what he has not seen
		lines[len(lines)-1] = "  " + t.warn.Render(cut("↓ "+amount(more, "more line")+"; "+d.further+" shows them", inner))
	}
	if air && d.rows > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, d.line(inner, t)...)
	lines = append(lines, d.list(inner, list, t)...)
	if air && len(d.shown) > 0 {
		lines = append(lines, "")
	}
	if footer != "" {
		lines = append(lines, "  "+t.dim.Render(cut(footer, inner)))
	}
	return lines[:min(len(lines), max(height, 0))]
}

// unseen counts the lines of a question below what shows, the one its mark covers among them.
func (d *dialog) unseen() int {
	below := len(d.wrapped) - d.top - d.rows
	if d.question == nil || d.rows < 2 || below == 0 {
		return 0
	}
	return below + 1
}

func (d *dialog) wrapBody(width int) {
	if d.body == nil || d.at == width {
		return
	}
	d.at, d.wrapped = width, d.body(width)
}

// rule is the title in a line, with the place in a body that does not fit.
func (d *dialog) rule(width int, t *theme) string {
	title := " " + cut(d.title, width-8) + " "
	place := ""
	switch {
	case len(d.wrapped) <= d.rows && len(d.shown) > d.listed && d.listed > 0:
		place = " " + grouped(d.selected+1) + " of " + grouped(len(d.shown)) + " "
	case len(d.wrapped) > d.rows:
		place = " " + grouped(d.top+1) + "–" + grouped(d.top+d.rows-min(d.unseen(), 1)) + " of " + grouped(len(d.wrapped)) + " "
	}
	rest := width - 2 - cellsOf(title) - cellsOf(place)
	if rest < 2 {
		place, rest = "", max(width-2-cellsOf(title), 0)
	}
	return t.accent.Render("──") + t.strong.Render(title) + t.faint.Render(strings.Repeat("─", max(rest-2, 0))) +
		t.dim.Render(place) + t.faint.Render(strings.Repeat("─", min(rest, 2)))
}

// foot is the keys of a dialog in words, as they are bound.
func (d *dialog) foot(keys keymap) string {
	words := func(a action, usual, own string) string {
		if own == "" {
			own = usual
		}
		return strings.TrimSpace(keys.key(a) + " " + own)
	}
	var parts []string
	if len(d.choices) == 0 && d.asks == "" && d.body != nil {
		parts = append(parts, keys.key(actPrevious)+keys.key(actNext)+" "+keys.key(actPageUp)+" "+keys.key(actPageDown)+" scroll")
	} else {
		if len(d.wrapped) > d.rows {
			parts = append(parts, keys.key(actPageUp)+" "+keys.key(actPageDown)+" scroll")
		}
		parts = append(parts, words(actChoose, "takes it", d.takes))
	}
	return strings.Join(nonEmpty(append(parts, words(actDismiss, "closes", d.leaves), d.extra)), " · ")
}

func (d *dialog) line(width int, t *theme) []string {
	label := d.asks
	if label == "" {
		if !d.filters {
			return nil
		}
		label = "filter"
	}
	text := safe(d.filter.text())
	if d.masks {
		text = strings.Repeat("•", len([]rune(text)))
	}
	over := cellsOf(text) - (width - cellsOf(label) - 4)
	if over > 0 {
		text = string([]rune(text)[min(over, len([]rune(text))):])
	}
	return []string{"  " + t.dim.Render(label+": ") + text + caretMark}
}

func (d *dialog) list(width, rows int, t *theme) []string {
	if len(d.shown) == 0 {
		if d.filters && len(d.choices) > 0 {
			return []string{"  " + t.dim.Render("nothing has these letters")}
		}
		return nil
	}
	rows = min(max(rows, 1), len(d.shown))
	from := min(max(d.selected-rows/2, 0), len(d.shown)-rows)
	widest, about := 0, 0
	for _, i := range d.shown {
		widest = max(widest, cellsOf(flat(d.choices[i].label)))
		about = max(about, cellsOf(flat(d.choices[i].about)))
	}
	if d.question != nil && d.question.inquiry == nil { // its rule is also in the body, where it does not fit here
		about = 0
	}
	widest = min(widest, max(width-about-8, width*3/5)) // names that look alike at their beginning must be told apart
	out := make([]string, rows)
	for i := range out {
		out[i] = d.choiceLine(d.choices[d.shown[from+i]], from+i == d.selected, widest, width, t)
	}
	return out
}

func (d *dialog) choiceLine(c choice, selected bool, widest, width int, t *theme) string {
	mark := "  "
	switch {
	case selected:
		mark = "› "
	case c.mark:
		mark = "• "
	}
	key := ""
	if c.key != "" {
		key = c.key + "  "
	}
	label := cut(flat(c.label), widest)
	pad := strings.Repeat(" ", max(widest-cellsOf(label), 0)+2)
	about := cut(flat(c.about), max(width-cellsOf(key)-cellsOf(label)-cellsOf(pad)-2, 0))
	if selected {
		return "  " + t.selected.Render(cut(mark+key+label+pad+about, width))
	}
	return "  " + mark + t.accent.Render(key) + label + pad + t.dim.Render(about)
}
