package webp

// Bounds of a decode. Sizes in bytes unless said.
const (
	maxSide    = 1 << 14  // px: VP8 and VP8L both store 14 bits a side
	maxChunks  = 4096     // chunks looked at before the picture: writers put fewer than ten there
	inputBytes = 16 << 10 // read from the source at a time, for each of at most eleven streams
	ctxRows    = 16       // rows of lossless pixels between two looks at the context, as many as a macroblock has
	ctxGroups  = 64       // groups of prefix codes between two looks at the context
	slackBits  = 16       // zero bits an arithmetic decoder may read behind its data: it looks two bytes ahead

	maxDistance  = 1 << 20  // px: what a back-reference reaches, by the range of its prefix codes
	codesBytes   = 8 << 20  // prefix codes beside the tiles; encoders stop at 2600 groups, mostly of a few hundred bytes
	losslessMost = 20 << 20 // all of a lossless stream: ring, three sets of the smallest tiles at 8192x4096, and codes
	rowsBytes    = 32       // a pixel of width: rows of every transform, and one handed out
	tablesBytes  = 64 << 10 // prefix code tables under construction, headers
	arenaEntries = 8 << 10  // entries of prefix code tables allocated at a time
)

// Memory is the most that decoding a picture takes beside its sink, in bytes. The decoder keeps to it: a picture that
// would need more is refused.
func Memory(width, height int, lossless, alpha bool) int64 {
	m := int64(tablesBytes)
	if lossless || alpha {
		m += losslessMemory(width, height) + rowsBytes*int64(width) + inputBytes
	}
	if !lossless {
		m += 64*int64(width) + 9*inputBytes
	}
	return m
}

// losslessMemory is the ring, the tiles of all transforms at their smallest, which is 4 by 4 pixels, and codes.
func losslessMemory(width, height int) int64 {
	pixels := int64(width) * int64(height)
	tiles := int64((width+3)/4) * int64((height+3)/4)
	return min(4*int64(ringSize(pixels))+tiles*(1+3+2)+codesBytes, losslessMost)
}

// ringSize is how many pixels are kept: all, or as many as a back-reference can reach; a power of two.
func ringSize(pixels int64) int {
	n := 1
	for int64(n) < pixels && n < maxDistance {
		n *= 2
	}
	return n
}
