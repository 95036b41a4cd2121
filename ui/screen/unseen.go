package screen

// isUnseen reports whether r draws nothing, changes the direction of the text around it, or changes the width of its
// neighbour in some terminals and not in others. The ranges are Unicode's default-ignorable and bidirectional controls, with
// the emoji modifiers and the keycap ring added: xterm, VTE, foot and kitty give clusters with those different widths.
func isUnseen(r rune) bool {
	for _, span := range unseen {
		if r < span[0] {
			return false
		}
		if r <= span[1] {
			return true
		}
	}
	return false
}

// unseen is sorted; both ends are inclusive.
var unseen = [...][2]rune{
	{0x00AD, 0x00AD},   // soft hyphen
	{0x034F, 0x034F},   // combining grapheme joiner
	{0x061C, 0x061C},   // Arabic letter mark
	{0x115F, 0x1160},   // Hangul fillers
	{0x17B4, 0x17B5},   // Khmer inherent vowels
	{0x180B, 0x180F},   // Mongolian selectors
	{0x200B, 0x200F},   // zero-width space and joiners, direction marks
	{0x202A, 0x202E},   // embeddings and overrides
	{0x2060, 0x206F},   // word joiner, invisible operators, isolates
	{0x20E3, 0x20E3},   // keycap ring
	{0x3164, 0x3164},   // Hangul filler
	{0xFE00, 0xFE0F},   // variation selectors
	{0xFEFF, 0xFEFF},   // byte-order mark
	{0xFFA0, 0xFFA0},   // half-width Hangul filler
	{0xFFF0, 0xFFFB},   // specials without a glyph
	{0x1BCA0, 0x1BCA3}, // shorthand format controls
	{0x1D173, 0x1D17A}, // musical format controls
	{0x1F3FB, 0x1F3FF}, // skin tones
	{0xE0000, 0xE0FFF}, // tags and further variation selectors
}
