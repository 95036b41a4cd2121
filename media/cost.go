package media

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// defaultRule prices routes whose rule is not known.
const defaultRule = "per-1024-px"

// unknownSide is the side of the square that a picture of unknown size is priced as, in pixels.
const unknownSide = 512

// costMaxSide bounds the sides a rule computes with, in pixels, so that no product passes 64 bits.
const costMaxSide = 1 << 20

//go:embed cost.toml
var costTable []byte

// CostRules prices pictures. The rules are data: cost.toml, parsed once.
type CostRules struct {
	rules map[string]costRule
	names []string
}

// costNumbers are the columns of a rule; which of them mean something depends on its kind.
type costNumbers struct {
	Unit       int `toml:"unit"`
	Edge       int `toml:"edge"`
	Short      int `toml:"short"`
	Tokens     int `toml:"tokens"`
	Least      int `toml:"least"`
	Divisor    int `toml:"divisor"`
	Base       int `toml:"base"`
	Tile       int `toml:"tile"`
	Budget     int `toml:"budget"`
	Multiplier int `toml:"multiplier"`
	Small      int `toml:"small"`
	UnitMin    int `toml:"unit_min"`
	UnitMax    int `toml:"unit_max"`
}

type costRule struct {
	Name    string   `toml:"name"`
	Aliases []string `toml:"aliases"`
	Kind    string   `toml:"kind"`
	costNumbers
	Detail map[string]costNumbers `toml:"detail"`
}

// Costs returns the rules.
func Costs() *CostRules { return parsedCosts() }

var parsedCosts = sync.OnceValue(func() *CostRules {
	c, err := parseCosts(costTable)
	if err != nil {
		panic(fmt.Sprintf("media: the built-in cost table: %v", err))
	}
	return c
})

func parseCosts(table []byte) (*CostRules, error) {
	var doc struct {
		Rules []costRule `toml:"rules"`
	}
	if err := toml.Unmarshal(table, &doc); err != nil {
		return nil, err
	}
	c := &CostRules{rules: map[string]costRule{}}
	for _, r := range doc.Rules {
		if costKinds[r.Kind] == nil {
			return nil, fmt.Errorf("rule %q has unknown kind %q", r.Name, r.Kind)
		}
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			if _, twice := c.rules[name]; twice || name == "" {
				return nil, fmt.Errorf("rule name %q is empty or used twice", name)
			}
			c.rules[name] = r
			c.names = append(c.names, name)
		}
	}
	if _, ok := c.rules[defaultRule]; !ok {
		return nil, fmt.Errorf("rule %q is missing", defaultRule)
	}
	slices.Sort(c.names)
	return c, nil
}

// Names lists the rules, sorted, aliases included.
func (c *CostRules) Names() []string { return slices.Clone(c.names) }

// Cost is what a picture of w by h pixels costs in tokens under the named rule, at the wire detail ("", "low",
// "high", "original"). An unknown rule name prices as "per-1024-px". 0x0 costs a 512x512 picture.
func (c *CostRules) Cost(rule string, w, h int, detail string) int {
	tokens, _, _ := c.price(rule, w, h, detail)
	return tokens
}

// Fit is the size the model will see: the rule's own downscaling. It only shrinks. A size that is not known stays
// as it is.
func (c *CostRules) Fit(rule string, w, h int, detail string) (int, int) {
	if w <= 0 || h <= 0 {
		return w, h
	}
	_, fw, fh := c.price(rule, w, h, detail)
	return min(max(fw, 1), w), min(max(fh, 1), h)
}

func (c *CostRules) price(rule string, w, h int, detail string) (tokens, fw, fh int) {
	if w <= 0 || h <= 0 {
		w, h = unknownSide, unknownSide
	}
	w, h = min(w, costMaxSide), min(h, costMaxSide)
	r, ok := c.rules[rule]
	if !ok {
		r = c.rules[defaultRule]
	}
	return costKinds[r.Kind](r.at(detail), w, h)
}

// at is the rule's numbers at a wire detail: those the detail names, the others as they are.
func (r costRule) at(detail string) costNumbers {
	n := r.costNumbers
	o, ok := r.Detail[detail]
	if !ok {
		return n
	}
	for _, f := range []struct {
		to   *int
		from int
	}{{&n.Edge, o.Edge}, {&n.Budget, o.Budget}, {&n.Tokens, o.Tokens}, {&n.Multiplier, o.Multiplier}} {
		if f.from != 0 {
			*f.to = f.from
		}
	}
	return n
}
