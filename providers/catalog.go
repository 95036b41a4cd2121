package providers

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed catalog.tsv
var catalogText string

// catalogSource names the catalogue where a cell's source is shown.
const catalogSource = "catalogue"

// knownModel is one line of the catalogue. The file's first lines say where it is from.
type knownModel struct {
	id    string
	cells Cells
}

// sight is the part of a row that stands before the rules: the catalogue knows each model by name.
func (k knownModel) sight() Cells {
	if v, ok := k.cells["image_input"]; ok {
		return Cells{"image_input": v}
	}
	return nil
}

func readCatalog(text string) (map[string][]knownModel, error) {
	known := make(map[string][]knownModel)
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != 11 {
			return nil, fmt.Errorf("catalog.tsv, line %d: %d columns, want 11", n+1, len(row))
		}
		known[row[0]] = append(known[row[0]], knownModel{row[1], rowCells(row)})
	}
	return known, nil
}

// rowCells turns the columns of a line into cells; an empty column says nothing.
func rowCells(row []string) Cells {
	cells := Cells{"name": row[2], "image_input": string(Unsupported), "tools": string(Supported), "thinking": string(Supported)}
	if row[5] == "1" {
		cells["image_input"] = string(Supported)
	}
	switch row[6] {
	case "-":
		cells["thinking"] = string(Unsupported)
	case "+":
	default:
		cells["efforts"] = strings.Split(row[6], ",")
	}
	for column, name := range map[int]string{3: "context_window", 4: "max_output"} {
		if n, err := strconv.Atoi(row[column]); err == nil {
			cells[name] = n
		}
	}
	for column, name := range map[int]string{7: "price.input", 8: "price.output", 9: "price.cache_read", 10: "price.cache_write"} {
		if p, err := strconv.ParseFloat(row[column], 64); err == nil {
			cells[name] = p
		}
	}
	return cells
}

// catalogued finds a model's row; an unknown model has an empty one.
func catalogued(server, id string) knownModel {
	for _, m := range builtin().known[server] {
		if m.id == id {
			return m
		}
	}
	return knownModel{id: id}
}
