package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"espy/ui/screen"
)

// grid is a table as text: rows of cells, the first row the heading.
type grid struct {
	rows   [][]string
	align  []extast.Alignment
	widths []int
}

// columnGap is what stands between two columns, and columnCross where the rule below the heading meets it.
const (
	columnGap   = " │ "
	columnCross = "─┼─"
	gapWidth    = 3
)

// table draws a table in columns as wide as their text, narrower where the width asks for it, with wrapped cells; or as a
// list of its rows where even narrow columns do not fit.
func (r *renderer) table(n *extast.Table, width int, base Style) []string {
	g := grid{align: n.Alignments}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := base
		if row.Kind() == extast.KindTableHeader {
			style = base.With(r.theme.TableHead)
		}
		g.rows = append(g.rows, r.cells(row, style))
	}
	if len(g.rows) == 0 || len(g.rows[0]) == 0 {
		return nil
	}
	if !g.fit(width) {
		return r.records(g, width)
	}
	var lines []string
	for i, row := range g.rows {
		lines = append(lines, r.row(g, row)...)
		if i == 0 {
			lines = append(lines, r.tableRule(g))
		}
	}
	return lines
}

func (r *renderer) cells(row ast.Node, style Style) []string {
	var cells []string
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		cells = append(cells, strings.TrimSpace(r.inline(c, style)))
	}
	return cells
}

// fit chooses the column widths, false when the columns would become too narrow to read.
func (g *grid) fit(width int) bool {
	n := len(g.rows[0])
	room := width - gapWidth*(n-1)
	if n > maxColumns || room < n {
		return false
	}
	natural := make([]int, n)
	for _, row := range g.rows {
		for i, cell := range row[:min(n, len(row))] {
			for line := range strings.SplitSeq(cell, "\n") {
				natural[i] = max(natural[i], screen.Width(line))
			}
		}
	}
	g.widths = shares(natural, room)
	for i, w := range g.widths {
		if w < min(max(natural[i], 1), minColumn) {
			return false
		}
	}
	return true
}

// shares gives each column what it wants while there is room. Where there is not, columns that want less than an equal share
// get it whole, and the others share the rest equally.
func shares(want []int, room int) []int {
	got := make([]int, len(want))
	left := len(want)
	for settled := true; settled && left > 0; {
		settled = false
		share := room / left
		for i, w := range want {
			if got[i] == 0 && w <= share {
				got[i] = max(w, 1)
				room -= got[i]
				left--
				settled = true
			}
		}
	}
	for i := range got {
		if got[i] == 0 {
			got[i] = room / left
			room -= got[i]
			left--
		}
	}
	return got
}

// row draws one row, as many lines high as its highest cell.
func (r *renderer) row(g grid, row []string) []string {
	columns := make([][]string, len(g.widths))
	height := 1
	for i, w := range g.widths {
		if i < len(row) {
			columns[i] = screen.Wrap(row[i], w)
		}
		height = max(height, len(columns[i]))
	}
	lines := make([]string, height)
	gap := r.theme.TableRule.Render(columnGap)
	for y := range lines {
		var b strings.Builder
		for i, w := range g.widths {
			if i > 0 {
				b.WriteString(gap)
			}
			cell := ""
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			b.WriteString(g.place(i, cell, w))
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// place pads a line of a cell to the width of its column, on the side its alignment asks for.
func (g grid) place(column int, cell string, width int) string {
	free := max(width-screen.Width(cell), 0)
	before := 0
	if column < len(g.align) {
		switch g.align[column] {
		case extast.AlignRight:
			before = free
		case extast.AlignCenter:
			before = free / 2
		}
	}
	return strings.Repeat(" ", before) + cell + strings.Repeat(" ", free-before)
}

func (r *renderer) tableRule(g grid) string {
	parts := make([]string, len(g.widths))
	for i, w := range g.widths {
		parts[i] = strings.Repeat("─", w)
	}
	return r.theme.TableRule.Render(strings.Join(parts, columnCross))
}

// records draws each row as lines of "heading: value", with a blank line between rows.
func (r *renderer) records(g grid, width int) []string {
	head := g.rows[0]
	if len(g.rows) == 1 {
		return screen.Wrap(strings.Join(head, ", "), width)
	}
	var lines []string
	for _, row := range g.rows[1:] {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\n')
			}
			if i < len(head) && head[i] != "" {
				b.WriteString(head[i] + ": ")
			}
			b.WriteString(cell)
		}
		lines = join(lines, screen.Wrap(b.String(), width), false)
	}
	return lines
}
