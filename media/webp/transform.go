package webp

// Kinds of transform, as stored.
const (
	predict       = 0
	crossColour   = 1
	subtractGreen = 2
	indexColours  = 3
)

// transform is one step between what is stored and the pixels, undone row by row. Tiles are kept packed: a predictor
// in one byte, the multipliers of a colour transform in three.
type transform struct {
	kind    int
	width   int  // of the rows it gives
	bits    uint // of a tile's side
	tilesX  int
	tiles   []byte
	bundle  uint        // indexColours: log2 of the pixels in one stored
	palette [256]uint32 // beyond the last colour transparent black, as the specification says
	above   []uint32    // predict: the last row given, and one pixel more
}

// undo turns row y, as stored, into the row it stands for; row is as long as the longer of both.
func (t *transform) undo(row []uint32, y int) {
	switch t.kind {
	case predict:
		t.predict(row[:t.width], y)
	case crossColour:
		t.addColour(row[:t.width], y)
	case subtractGreen:
		for i, p := range row[:t.width] {
			green := p >> 8 & 0xff
			row[i] = p&0xff00ff00 | (p&0x00ff00ff+green*0x00010001)&0x00ff00ff
		}
	case indexColours:
		t.index(row)
	}
}

// index looks colours up, from the last pixel on where several are stored in one.
func (t *transform) index(row []uint32) {
	if t.bundle == 0 {
		for i, p := range row[:t.width] {
			row[i] = t.palette[p>>8&0xff]
		}
		return
	}
	perPixel := uint(8) >> t.bundle
	mask := uint32(1)<<perPixel - 1
	inside := 1<<t.bundle - 1
	for x := t.width - 1; x >= 0; x-- {
		green := row[x>>t.bundle] >> 8 & 0xff
		row[x] = t.palette[green>>(uint(x&inside)*perPixel)&mask]
	}
}

// addColour adds to red and blue what was taken off by green, and to blue by red.
func (t *transform) addColour(row []uint32, y int) {
	tiles := t.tiles[3*t.tilesX*(y>>t.bits):]
	for from := 0; from < len(row); from += 1 << t.bits {
		greenToRed, greenToBlue, redToBlue := int32(int8(tiles[0])), int32(int8(tiles[1])), int32(int8(tiles[2]))
		tiles = tiles[3:]
		part := row[from:min(from+1<<t.bits, len(row))]
		for i, p := range part {
			green := int32(int8(p >> 8))
			red := (int32(p>>16) + (greenToRed*green)>>5) & 0xff
			blue := int32(p) + (greenToBlue*green)>>5 + (redToBlue*int32(int8(red)))>>5
			part[i] = p&0xff00ff00 | uint32(red)<<16 | uint32(blue)&0xff
		}
	}
}

const opaque = 0xff000000

// predict adds to each pixel what its neighbours predict.
func (t *transform) predict(row []uint32, y int) {
	above := t.above
	if y == 0 {
		row[0] = add(row[0], opaque)
		addLeft(row, 1, len(row))
		copy(above, row)
		return
	}
	row[0] = add(row[0], above[0])
	above[len(row)] = row[0] // right of the last pixel above stands, as in memory, the first of this row
	modes := t.tiles[t.tilesX*(y>>t.bits):]
	for from, tile := 1, 0; from < len(row); tile++ {
		to := min((tile+1)<<t.bits, len(row))
		if from < to {
			addPredicted(modes[tile], row, above, from, to)
		}
		from = max(from, to)
	}
	copy(above, row)
}
