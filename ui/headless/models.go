package headless

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"espy/providers"
	"espy/providers/discover"
)

// ListModels prints every known model with its sight, window and price. With sources, every cell of each follows,
// with where it came from.
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
			// A table of its own: its columns are not those of the models.
			if err := errors.Join(w.Flush(), listCells(m, out)); err != nil {
				return err
			}
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

func listCells(m providers.Model, out Output) error {
	w := tabwriter.NewWriter(out.Out, 0, 4, 2, ' ', 0)
	for _, c := range m.Shown() {
		value := fmt.Sprint(c.Value)
		if list, ok := c.Value.([]string); ok {
			value = strings.Join(list, " ")
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", c.Column, oneLine(value), c.Source)
	}
	return w.Flush()
}

// TellAnswers says on the side what came of asking servers for their models.
func TellAnswers(answers []discover.Answer, out Output) {
	for _, a := range answers {
		fmt.Fprintln(out.Err, oneLine(answerSentence(a)))
	}
	if len(answers) == 0 {
		fmt.Fprintln(out.Err, "no server was worth asking: none is on this machine or configured, and no key of one that says more than the catalogue is set")
	}
}

func answerSentence(a discover.Answer) string {
	if a.Err != nil {
		return a.Server + ": " + a.Err.Error()
	}
	models := "1 model"
	if n := len(a.Models); n != 1 {
		models = fmt.Sprintf("%d models", n)
	}
	return fmt.Sprintf("%s: %s, %s", a.Server, a.Kind, models)
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
	case s.KeyFrom == providers.KeyTyped:
		return "typed"
	case s.Key != "":
		return "set"
	case s.KeyEnv == "":
		return "none needed"
	}
	return "set " + s.KeyEnv
}
