package projection

import (
	"unicode/utf8"

	"espy/agent/message"
	"espy/providers"
)

// Rates of the text estimate, in thousandths of a token. Measured services differ by 20 % and more, so the
// estimate is corrected by reported usage (Correction) as soon as there is any.
const (
	milliPerLetter = 240  // letters of Latin text: about four to a token
	milliPerSymbol = 450  // digits, punctuation and indentation, which is why code is denser than prose
	milliPerWide   = 900  // CJK and other letters beyond Latin
	milliPerBase64 = 1000 // a character of a long base64 run: about one token each
	base64Run      = 200  // characters without a break before a run counts as base64
	messageTokens  = 6    // framing of one message
	callTokens     = 12   // framing of one call or result
)

// EstimateText guesses how many tokens a text takes. It knows prose, code, CJK and long base64 runs.
func EstimateText(s string) int {
	milli, run, runMilli := 0, 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			cost := milliPerSymbol
			if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; letter {
				cost = milliPerLetter
			} else if c == ' ' || c == '\n' {
				cost = 60 // mostly part of the next token
			}
			milli += cost
			if isBase64(c) {
				run, runMilli = run+1, runMilli+cost
				continue
			}
			milli += settleRun(run, runMilli)
			run, runMilli = 0, 0
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
		milli += milliPerWide
		milli += settleRun(run, runMilli)
		run, runMilli = 0, 0
	}
	milli += settleRun(run, runMilli)
	return (milli + 999) / 1000
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '='
}

// settleRun is what a run of base64 characters costs beyond what its characters were counted at.
func settleRun(run, counted int) int {
	if run < base64Run {
		return 0
	}
	return run*milliPerBase64 - counted
}

// Size is what a request takes, in tokens, by kind.
type Size struct {
	System   int
	Tools    int
	Text     int
	Pictures int
}

// Total is the whole request.
func (s Size) Total() int { return s.System + s.Tools + s.Text + s.Pictures }

// Scale corrects the parts that were guessed by a factor learned from reported usage.
func (s Size) Scale(factor float64) Size {
	by := func(n int) int { return int(float64(n)*factor + 0.5) }
	return Size{by(s.System), by(s.Tools), by(s.Text), by(s.Pictures)}
}

// Measure estimates a built request on its route. Pictures cost by geometry, never by file size, and only
// those really in the request cost anything.
func Measure(req providers.Request, route providers.Route) Size {
	var s Size
	for _, text := range req.System {
		s.System += EstimateText(text)
	}
	for _, t := range req.Tools {
		s.Tools += EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(t.Schema) + callTokens
	}
	for _, m := range req.Messages {
		s.Text += messageTokens
		for _, b := range m.Blocks {
			s.add(b, route)
		}
		for _, r := range m.Results {
			s.Text += EstimateText(r.Text) + callTokens
			for _, p := range r.Pictures {
				s.Text += EstimateText(p.Intro)
				s.add(p.Image, route)
			}
		}
	}
	return s
}

func (s *Size) add(b message.Block, route providers.Route) {
	switch b := b.(type) {
	case message.Text:
		s.Text += EstimateText(b.Text)
	case message.Thinking:
		s.Text += EstimateText(b.Text)
	case message.ToolCall:
		s.Text += EstimateText(b.Name) + EstimateText(b.Args) + callTokens
	case message.Image:
		tokens, _, _ := Price(b, route)
		s.Pictures += tokens
	}
}

// Correction is the running factor between reported and estimated input, for one route: the newest request
// weighs half, the one before a quarter, and so on. 1 where nothing was reported.
func (h *History) Correction(provider, model string) float64 {
	factor := 1.0
	for _, r := range h.records {
		u, ok := r.(message.UsageRecord)
		if !ok || u.Provider != provider || u.Model != model || u.Estimate <= 0 || u.Usage.Input <= 0 {
			continue
		}
		seen := float64(u.Usage.Input) / float64(u.Estimate)
		factor = (factor + min(max(seen, 0.2), 5)) / 2
	}
	return factor
}
