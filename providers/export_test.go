package providers

import "sort"

// QuirkCells lists every quirk that a built-in rule sets, as "rule: quirk".
func QuirkCells() (all []string) {
	for _, r := range builtin().rules {
		for column := range r.cells {
			if len(column) > len("quirks.") && column[:len("quirks.")] == "quirks." {
				all = append(all, r.source+": "+column[len("quirks."):])
			}
		}
	}
	sort.Strings(all)
	return all
}

// Without is the book with one cell of one built-in rule taken out.
func (b *Book) Without(cell string) *Book {
	less := &Book{servers: b.servers, defaults: b.defaults, own: b.own}
	for _, r := range b.rules {
		cells := Cells{}
		for column, value := range r.cells {
			if r.source+": "+column != cell {
				cells[column] = value
			}
		}
		r.cells = cells
		less.rules = append(less.rules, r)
	}
	return less
}
