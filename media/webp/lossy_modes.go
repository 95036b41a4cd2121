package webp

// Modes of a block of 4 by 4, in the order of RFC 6386.
const (
	blockDC = iota
	blockTM
	blockVE
	blockHE
	blockLD
	blockRD
	blockVR
	blockVL
	blockHD
	blockHU
	blockModes
)

// Modes of a macroblock. The first four are also the modes of its chroma.
const (
	modeDC = iota
	modeV
	modeH
	modeTM
	modeBlocks // every block has its own
)

// asBlock is what a macroblock's mode counts as for the blocks beside it.
var asBlock = [4]uint8{modeDC: blockDC, modeV: blockVE, modeH: blockHE, modeTM: blockTM}

// macroblock is what is stored of 16 by 16 pixels beside coefficients.
type macroblock struct {
	segment      int
	skip         bool // no coefficients are stored
	luma, chroma uint8
	blocks       [16]uint8 // modes, where luma is modeBlocks
}

// modeReader reads macroblocks' modes from the first partition. Modes of blocks depend on those above and left.
type modeReader struct {
	in    *boolReader
	head  *lossyHead
	above []uint8 // four for each macroblock
	left  [4]uint8
}

// read reads the modes of macroblock x of the current row (RFC 6386, section 11).
func (r *modeReader) read(m *macroblock, x int) {
	in, h := r.in, r.head
	m.segment, m.skip = 0, false
	if h.mapped {
		if in.bit(h.mapProbs[0]) == 0 {
			m.segment = int(in.bit(h.mapProbs[1]))
		} else {
			m.segment = 2 + int(in.bit(h.mapProbs[2]))
		}
	}
	if h.skips {
		m.skip = in.bit(h.skipProb) != 0
	}
	above := r.above[4*x : 4*x+4]
	if in.bit(145) == 0 {
		m.luma = modeBlocks
		r.readBlocks(m, above)
	} else {
		m.luma = lumaMode(in)
		as := asBlock[m.luma]
		for i := range 4 {
			above[i], r.left[i] = as, as
		}
	}
	m.chroma = chromaMode(in)
}

func lumaMode(in *boolReader) uint8 {
	if in.bit(156) == 0 {
		return modeDC + uint8(in.bit(163))*(modeV-modeDC)
	}
	return modeH + uint8(in.bit(128))*(modeTM-modeH)
}

func chromaMode(in *boolReader) uint8 {
	switch {
	case in.bit(142) == 0:
		return modeDC
	case in.bit(114) == 0:
		return modeV
	}
	return modeH + uint8(in.bit(183))*(modeTM-modeH)
}

func (r *modeReader) readBlocks(m *macroblock, above []uint8) {
	for i := range m.blocks {
		a, l := &above[i%4], &r.left[i/4]
		mode := blockMode(r.in, &blockModeProbs[*a][*l])
		*a, *l, m.blocks[i] = mode, mode, mode
	}
}

// blockMode walks the tree of block modes (RFC 6386, section 11.2).
func blockMode(in *boolReader, p *[9]uint8) uint8 {
	switch {
	case in.bit(p[0]) == 0:
		return blockDC
	case in.bit(p[1]) == 0:
		return blockTM
	case in.bit(p[2]) == 0:
		return blockVE
	case in.bit(p[3]) == 0:
		switch {
		case in.bit(p[4]) == 0:
			return blockHE
		case in.bit(p[5]) == 0:
			return blockRD
		}
		return blockVR
	case in.bit(p[6]) == 0:
		return blockLD
	case in.bit(p[7]) == 0:
		return blockVL
	case in.bit(p[8]) == 0:
		return blockHD
	}
	return blockHU
}
