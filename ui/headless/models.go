package headless

import (
	"fmt"
	"sort"
	"strings"
	"text/tabwriter"

	"espy/providers"
)

// ListModels prints every known model with its sight, window and price. With sources, a second line tells
// where each cell came from.
func ListModels(routes []providers.Route, filter string, sources bool, out Output) error {
	w := tabwriter.NewWriter(out.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tIMAGES\tWINDOW\t$/M IN\t$/M OUT\tIMAGE COST\tKEY")
	shown := 0
	for _, r := range routes {
		if filter != "" && !strings.Contains(strings.ToLower(r.Name()+" "+r.Model.Name), strings.ToLower(filter)) {
			continue
		}
		shown++
		m := r.Model
		in, price := "unknown", "unknown"
		if m.Price != nil {
			in, price = fmt.Sprintf("%.2f", m.Price.Input), fmt.Sprintf("%.2f", m.Price.Output)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", oneLine(r.Name()), orUnknown(string(m.ImageInput)), Tokens(m.ContextWindow), in, price, m.ImageCost, keyState(r.Server))
		if sources {
			fmt.Fprintf(w, "    %s\n", sourceList(m.Sources))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if shown == 0 {
		return fmt.Errorf("no known model matches %q; `espy models` lists all", filter)
	}
	return nil
}

func orUnknown(s string) string {
	if s == "" {
		return string(providers.Unknown)
	}
	return s
}

// Tokens writes a token count for people: "200k".
func Tokens(n int) string {
	switch {
	case n <= 0:
		return "unknown"
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func keyState(s providers.Server) string {
	switch {
	case s.KeyEnv == "":
		return "none needed"
	case s.Key != "":
		return "set"
	}
	return "set " + s.KeyEnv
}

func sourceList(sources map[string]string) string {
	columns := make([]string, 0, len(sources))
	for c := range sources {
		columns = append(columns, c)
	}
	sort.Strings(columns)
	for i, c := range columns {
		columns[i] = c + ": " + sources[c]
	}
	return strings.Join(columns, "; ")
}
