package webp

import (
	"errors"
	"fmt"
)

const (
	segments      = 4
	maxPartitions = 8
	headBytes     = 10 // frame tag, start code, sides
)

// lossyHead is the header of a key frame (RFC 6386, sections 9 and 19.2).
type lossyHead struct {
	segmented  bool
	mapped     bool // macroblocks say which segment they are of
	absolute   bool // a segment's numbers replace those of the frame, as they do where nothing is said, and are not added
	quantisers [segments]int
	levels     [segments]int
	mapProbs   [3]uint8

	simple    bool // the simple loop filter
	level     int  // 0 to 63
	sharpness int
	adjusted  bool // by kind of reference and mode, of which a key frame has one and two
	intra     int
	blocks    int // where every block has its mode

	steps    [segments]steps
	probs    [4][8][3][11]uint8
	skips    bool // macroblocks say that they have no coefficients
	skipProb uint8
}

// steps are the sizes of quantiser steps: of the first coefficient and the others.
type steps struct{ luma, dc, chroma [2]int32 }

// readLossyHead reads the header and opens all partitions.
func readLossyHead(data section) (h *lossyHead, modes *boolReader, parts []boolReader, err error) {
	b, err := data.head(headBytes)
	if err != nil {
		return nil, nil, nil, err
	}
	tag := le24(b)
	if version := tag >> 1 & 7; version > 3 {
		return nil, nil, nil, fmt.Errorf("it is of version %d of the lossy format, and only 0 to 3 are known", version)
	}
	if tag>>4&1 == 0 {
		return nil, nil, nil, errors.New("its only frame is not to be shown")
	}
	data = data.from(headBytes)
	first := int64(tag >> 5)
	if first > data.length {
		return nil, nil, nil, errors.New("the picture data ends inside its header")
	}
	in := newBoolReader(section{data.r, data.off, first})
	h = &lossyHead{absolute: true, probs: coefficientDefaults, mapProbs: [3]uint8{255, 255, 255}}
	in.read(2) // colour space and clamping: decoders clamp in any case
	h.readSegments(&in)
	h.readFilter(&in)
	count := 1 << in.read(2)
	h.readSteps(&in)
	in.read(1) // whether probabilities outlive the frame, which is the only one
	h.readProbs(&in)
	if h.skips = in.flag(); h.skips {
		h.skipProb = uint8(in.read(8))
	}
	if err := in.overrun(); err != nil {
		return nil, nil, nil, err
	}
	parts, err = openPartitions(data.from(first), count)
	return h, &in, parts, err
}

func (h *lossyHead) readSegments(in *boolReader) {
	if h.segmented = in.flag(); !h.segmented {
		return
	}
	h.mapped = in.flag()
	if in.flag() {
		h.absolute = in.flag()
		for i := range h.quantisers {
			h.quantisers[i] = in.optional(7)
		}
		for i := range h.levels {
			h.levels[i] = in.optional(6)
		}
	}
	if !h.mapped {
		return
	}
	for i := range h.mapProbs {
		if in.flag() {
			h.mapProbs[i] = uint8(in.read(8))
		}
	}
}

func (h *lossyHead) readFilter(in *boolReader) {
	h.simple = in.flag()
	h.level = in.read(6)
	h.sharpness = in.read(3)
	if h.adjusted = in.flag(); !h.adjusted || !in.flag() {
		return
	}
	var byReference, byMode [4]int
	for i := range byReference {
		byReference[i] = in.optional(6)
	}
	for i := range byMode {
		byMode[i] = in.optional(6)
	}
	h.intra, h.blocks = byReference[0], byMode[0]
}

// readSteps reads the quantiser indices and looks the steps up for each segment.
func (h *lossyHead) readSteps(in *boolReader) {
	base := in.read(7)
	lumaFirst, dcFirst, dcRest, chromaFirst, chromaRest := in.optional(4), in.optional(4), in.optional(4), in.optional(4), in.optional(4)
	for i := range h.steps {
		q := h.ofSegment(base, h.quantisers[i])
		at := func(delta, most int) int { return min(max(q+delta, 0), most) }
		h.steps[i] = steps{
			luma:   [2]int32{dcSteps[at(lumaFirst, 127)], acSteps[at(0, 127)]},
			dc:     [2]int32{dcSteps[at(dcFirst, 127)] * 2, max(acSteps[at(dcRest, 127)]*155/100, 8)},
			chroma: [2]int32{dcSteps[at(chromaFirst, 117)], acSteps[at(chromaRest, 127)]},
		}
	}
}

// ofSegment is a number of the frame as a segment has it.
func (h *lossyHead) ofSegment(base, segment int) int {
	switch {
	case !h.segmented:
		return base
	case h.absolute:
		return segment
	}
	return base + segment
}

func (h *lossyHead) readProbs(in *boolReader) {
	for i := range h.probs {
		for j := range h.probs[i] {
			for k := range h.probs[i][j] {
				for l := range h.probs[i][j][k] {
					if in.bit(coefficientUpdates[i][j][k][l]) != 0 {
						h.probs[i][j][k][l] = uint8(in.read(8))
					}
				}
			}
		}
	}
}

// openPartitions opens the partitions of coefficients. Their lengths stand before the first one, but for the last,
// which goes on to the end.
func openPartitions(data section, count int) ([]boolReader, error) {
	lengths, err := data.head(3 * (count - 1))
	if err != nil {
		return nil, err
	}
	if len(lengths) < 3*(count-1) {
		return nil, errors.New("the picture data ends inside its header")
	}
	data = data.from(int64(len(lengths)))
	parts := make([]boolReader, 0, maxPartitions)
	for ; len(lengths) > 0; lengths = lengths[3:] {
		n := min(int64(le24(lengths)), data.length)
		parts = append(parts, newBoolReader(section{data.r, data.off, n}))
		data = data.from(n)
	}
	return append(parts, newBoolReader(data)), nil
}
