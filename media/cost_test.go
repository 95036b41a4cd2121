package media

import (
	"testing"
	"testing/quick"
)

// The vendors' published examples, by rule and wire detail. Columns are 1x1, 512x512, 1024x1024, 1920x1080,
// 3840x2160 and 8192x4096.
var costExamples = []struct {
	rule, detail string
	tokens       [6]int
}{
	{"anthropic-28", "", [6]int{1, 361, 1369, 1560, 1560, 1568}},
	{"anthropic-28-high", "", [6]int{1, 361, 1369, 2691, 4784, 4232}},
	{"area-750", "", [6]int{1, 350, 1399, 1600, 1600, 1600}},
	{"tile-512", "", [6]int{255, 255, 765, 1105, 1105, 1105}},
	{"tile-512-2833-5667", "", [6]int{8500, 8500, 25501, 36835, 36835, 36835}},
	{"tile-512-75-150", "", [6]int{225, 225, 675, 975, 975, 975}},
	{"tile-512-70-140", "", [6]int{210, 210, 630, 910, 910, 910}},
	{"tile-512-65-129", "", [6]int{194, 194, 581, 839, 839, 839}},
	{"patch-32-1536-162", "", [6]int{2, 415, 1659, 2443, 2443, 2362}},
	{"patch-32-1536-246", "", [6]int{3, 630, 2520, 3710, 3710, 3587}},
	{"patch-32-1536-172", "", [6]int{2, 441, 1762, 2594, 2594, 2508}},
	{"patch-32-1536-120", "", [6]int{2, 308, 1229, 1810, 1810, 1750}},
	{"patch-32-1536-150", "", [6]int{2, 384, 1536, 2262, 2262, 2187}},
	{"patch-32", "high", [6]int{2, 308, 1229, 2448, 2765, 2458}},
	{"patch-32", "", [6]int{2, 308, 1229, 2448, 2765, 2458}},
	{"patch-32", "original", [6]int{2, 308, 1229, 2448, 9792, 11760}},
	{"patch-32", "low", [6]int{2, 308, 308, 173, 173, 154}},
	{"patch-32-original", "", [6]int{2, 308, 1229, 2448, 9792, 11760}},
	{"patch-32-original", "high", [6]int{2, 308, 1229, 2448, 2765, 2458}},
	{"patch-32-unbounded", "", [6]int{2, 308, 1229, 2448, 9792, 39322}},
	{"patch-32-astra", "high", [6]int{2, 308, 1229, 2448, 2931, 2940}},
	{"gemini-tiles", "", [6]int{258, 1032, 1032, 1548, 3870, 17028}},
	{"gemini-tiles-plain", "", [6]int{258, 1032, 1032, 1548, 1548, 2064}},
	{"gemini-3", "", [6]int{1120, 1120, 1120, 1120, 1120, 1120}},
	{"qwen-28", "", [6]int{6, 326, 1371, 2693, 10551, 16292}},
	{"qwen-28-1280", "", [6]int{6, 326, 1227, 1224, 1224, 1252}},
	{"qwen-32", "", [6]int{6, 258, 1026, 2042, 2481, 2487}},
	{"kimi", "", [6]int{1024, 1024, 1024, 1024, 1024, 1024}},
	{"deepseek", "", [6]int{1024, 1024, 1024, 1024, 1024, 1024}},
	{"per-1024-px", "", [6]int{401, 656, 1424, 2425, 8500, 33168}},
}

var costSizes = [6][2]int{{1, 1}, {512, 512}, {1024, 1024}, {1920, 1080}, {3840, 2160}, {8192, 4096}}

func TestCostsAgreeWithTheVendorsExamples(t *testing.T) {
	for _, e := range costExamples {
		for i, s := range costSizes {
			if got := Costs().Cost(e.rule, s[0], s[1], e.detail); got != e.tokens[i] {
				t.Errorf("%s %q: a %dx%d picture costs %d, want %d", e.rule, e.detail, s[0], s[1], got, e.tokens[i])
			}
		}
	}
}

func TestFitIsTheSizeTheProviderResizesTo(t *testing.T) {
	for _, e := range []struct {
		rule, detail   string
		w, h, ww, want int
	}{
		{"anthropic-28", "", 1920, 1080, 1456, 819},
		{"anthropic-28", "", 1080, 1920, 819, 1456},
		{"anthropic-28", "", 8192, 4096, 1568, 784},
		{"anthropic-28-high", "", 3840, 2160, 2576, 1449},
		{"anthropic-28-high", "", 8192, 4096, 2576, 1288},
		{"anthropic-28-high", "", 1920, 1080, 1920, 1080},
		{"tile-512", "", 1920, 1080, 1365, 768},
		{"patch-32", "", 3840, 2160, 2048, 1152},
		{"kimi", "", 3840, 2160, 3840, 2160},
		{"per-1024-px", "", 8192, 4096, 8192, 4096},
	} {
		if w, h := Costs().Fit(e.rule, e.w, e.h, e.detail); w != e.ww || h != e.want {
			t.Errorf("%s: %dx%d is seen as %dx%d, want %dx%d", e.rule, e.w, e.h, w, h, e.ww, e.want)
		}
	}
}

func TestAPictureOfUnknownSizeCostsA512Square(t *testing.T) {
	for _, rule := range append(Costs().Names(), "no such rule") {
		if got, want := Costs().Cost(rule, 0, 0, ""), Costs().Cost(rule, 512, 512, ""); got != want || got <= 0 {
			t.Errorf("%s: 0x0 costs %d, want %d", rule, got, want)
		}
	}
}

func TestAnUnknownRuleCostsByArea(t *testing.T) {
	if got := Costs().Cost("made-up", 1920, 1080, ""); got != 2425 {
		t.Errorf("an unknown rule prices 1920x1080 as %d, want 2425", got)
	}
}

func TestEveryRuleFitsOnlyDownAndNeverCostsNothing(t *testing.T) {
	c := Costs()
	check := func(a, b uint32) bool {
		w, h := int(a%1_200_000)+1, int(b%9000)+1
		for _, rule := range c.Names() {
			for _, detail := range []string{"", "low", "high", "original"} {
				fw, fh := c.Fit(rule, w, h, detail)
				if fw < 1 || fh < 1 || fw > w || fh > h || c.Cost(rule, w, h, detail) < 1 {
					t.Logf("%s %q %dx%d: fit %dx%d, cost %d", rule, detail, w, h, fw, fh, c.Cost(rule, w, h, detail))
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

func TestADamagedCostTableIsAnError(t *testing.T) {
	for _, table := range []string{"", "[[rules]]\nname='a'\nkind='no'", "[[rules]]\nname='per-1024-px'\nkind='flat'\n[[rules]]\nname='per-1024-px'\nkind='flat'", "rules = 3"} {
		if _, err := parseCosts([]byte(table)); err == nil {
			t.Errorf("the table %q was accepted", table)
		}
	}
}
