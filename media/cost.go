package media

// CostRules prices pictures. The rules are data: cost.toml, parsed once.
type CostRules struct{}

// Cost is what a picture of w by h pixels costs in tokens under the named rule, at the wire detail ("", "low",
// "high", "original"). An unknown rule name prices as "per-1024-px". 0x0 costs a 512x512 picture.
func (c *CostRules) Cost(rule string, w, h int, detail string) int { panic("placeholder") }

// Fit is the size the model will see: the rule's own downscaling. It only shrinks.
func (c *CostRules) Fit(rule string, w, h int, detail string) (int, int) { panic("placeholder") }

// Names lists the rules.
func (c *CostRules) Names() []string { panic("placeholder") }

// Costs returns the rules.
func Costs() *CostRules { panic("placeholder") }
