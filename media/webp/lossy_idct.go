package webp

// The transform constants of RFC 6386, section 14.3, in 16 bits behind the point: sqrt(2)*cos(pi/8) less 1, so that
// products stay within 32 bits, and sqrt(2)*sin(pi/8).
const (
	cosine = 20091
	sine   = 35468
)

func clamp(v int32) uint8 {
	if uint32(v) > 255 {
		return uint8(^v >> 31)
	}
	return uint8(v)
}

// addBlock adds the inverse transform of a block's coefficients to its prediction, whose rows are stride apart.
func addBlock(in *[16]int16, dst []uint8) {
	var mid [16]int32
	for i := range 4 {
		a, b, c, d := int32(in[i]), int32(in[4+i]), int32(in[8+i]), int32(in[12+i])
		sum, difference := a+c, a-c
		low := b*sine>>16 - d - d*cosine>>16
		high := b + b*cosine>>16 + d*sine>>16
		mid[i], mid[4+i], mid[8+i], mid[12+i] = sum+high, difference+low, difference-low, sum-high
	}
	for y := range 4 {
		a, b, c, d := mid[4*y], mid[4*y+1], mid[4*y+2], mid[4*y+3]
		sum, difference := a+c+4, a-c+4
		low := b*sine>>16 - d - d*cosine>>16
		high := b + b*cosine>>16 + d*sine>>16
		row := dst[y*stride : y*stride+4 : y*stride+4]
		row[0] = clamp(int32(row[0]) + (sum+high)>>3)
		row[1] = clamp(int32(row[1]) + (difference+low)>>3)
		row[2] = clamp(int32(row[2]) + (difference-low)>>3)
		row[3] = clamp(int32(row[3]) + (sum-high)>>3)
	}
}

// addFirst is addBlock where only the first coefficient is other than 0.
func addFirst(first int16, dst []uint8) {
	v := (int32(first) + 4) >> 3
	for y := range 4 {
		row := dst[y*stride : y*stride+4 : y*stride+4]
		row[0], row[1] = clamp(int32(row[0])+v), clamp(int32(row[1])+v)
		row[2], row[3] = clamp(int32(row[2])+v), clamp(int32(row[3])+v)
	}
}

// spreadFirsts turns the block of first coefficients into those of the 16 luma blocks (RFC 6386, section 14.3) and
// reports whether one of these is other than 0.
func (r *residue) spreadFirsts() (some bool) {
	in := r.coefficients[dcBlock*16:]
	var mid [16]int32
	for i := range 4 {
		a, b, c, d := int32(in[i]), int32(in[4+i]), int32(in[8+i]), int32(in[12+i])
		mid[i], mid[4+i], mid[8+i], mid[12+i] = a+d+b+c, a-d+b-c, a+d-b-c, a-d-b+c
	}
	for y := range 4 {
		a, b, c, d := mid[4*y]+3, mid[4*y+1], mid[4*y+2], mid[4*y+3]
		out := r.coefficients[4*y*16:]
		out[0] = int16((a + d + b + c) >> 3)
		out[16] = int16((a - d + b - c) >> 3)
		out[32] = int16((a + d - b - c) >> 3)
		out[48] = int16((a - d - b + c) >> 3)
		some = some || out[0]|out[16]|out[32]|out[48] != 0
	}
	return some
}

// add adds what is stored of block i to its prediction.
func (r *residue) add(i int, dst []uint8) {
	in := (*[16]int16)(r.coefficients[16*i:])
	switch {
	case r.last[i] > 1:
		addBlock(in, dst)
	case in[0] != 0:
		addFirst(in[0], dst)
	}
}
