package jpeg

import "encoding/binary"

// inverse turns the coefficients of a block into samples: 8x8, or fewer for a reduced picture. last is the last
// coefficient in zigzag order that is not zero. The block is used up, unless it was but a mean: then it is as it was.
//
// All of them compute the transform of T.81 A.3.3 with both factors of the square root of 2 taken out: a pass yields
//
//	y[n] = X[0] + sqrt(2) * sum over k of X[k] * cos((2n+1)*k*pi/2N)
//
// and the sum over both passes is divided by 8. For a reduced picture N is 4, 2 or 1, over the lowest N x N
// coefficients: the mean of a block stays what it is. Constants have 13 bits behind the point; 2 more bits are kept
// between the two passes, so that the result is the real one rounded, but for one step in a few thousand samples.
type inverse func(dst []byte, stride int, b *[64]int32, last int)

const (
	pointBits = 13
	keepBits  = 2
	rowBits   = pointBits + keepBits + 3 // to be dropped after the second pass
	rowBias   = 128<<rowBits + 1<<(rowBits-1)
	colBias   = 1 << (pointBits - keepBits - 1)
)

// The constants of the fast transform of Loeffler, Ligtenberg and Moschytz (ICASSP 1989): sums of sqrt(2)*cos(k*pi/16).
const (
	c0298 = 2446  // 0.298631336
	c0390 = 3196  // 0.390180644
	c0541 = 4433  // 0.541196100, sqrt(2)*cos(6*pi/16)
	c0765 = 6270  // 0.765366865
	c0899 = 7373  // 0.899976223
	c1175 = 9633  // 1.175875602, sqrt(2)*cos(3*pi/16)
	c1306 = 10703 // 1.306562965, sqrt(2)*cos(2*pi/16)
	c1501 = 12299 // 1.501321110
	c1847 = 15137 // 1.847759065
	c1961 = 16069 // 1.961570560
	c2053 = 16819 // 2.053119869
	c2562 = 20995 // 2.562915447
	c3072 = 25172 // 3.072711026
	c1387 = 11363 // 1.387039845, sqrt(2)*cos(pi/16)
	c0785 = 6437  // 0.785694958, sqrt(2)*cos(5*pi/16)
	c0275 = 2260  // 0.275899379, sqrt(2)*cos(7*pi/16)
)

// inverse8 is the full transform.
func inverse8(dst []byte, stride int, b *[64]int32, last int) {
	switch {
	case last == 0:
		flat8(dst, stride, b[0])
	case last <= lowZigzag:
		low8(dst, stride, b)
	default:
		full8(dst, stride, b)
	}
}

// flat8 fills a block that has but a mean.
func flat8(dst []byte, stride int, dc int32) {
	v := uint64(mean(dc)) * 0x0101010101010101
	for y := range 8 {
		binary.LittleEndian.PutUint64(dst[y*stride:], v)
	}
}

// sample drops the bits behind the point and keeps the value inside a byte.
func sample(v int32) byte {
	v >>= rowBits
	if uint32(v) > 255 {
		v = ^(v >> 31)
	}
	return byte(v)
}

// mean is the sample of a block that has no other coefficient.
func mean(dc int32) byte { return sample(dc<<(rowBits-3) + rowBias) }

// odd is what the coefficients 1, 3, 5 and 7 add to the first four values and take from the last four, mirrored.
func odd(x1, x3, x5, x7 int32) (o0, o1, o2, o3 int32) {
	z1, z2, z3, z4 := x7+x1, x5+x3, x7+x3, x5+x1
	z5 := (z3 + z4) * c1175
	z1, z2 = -z1*c0899, -z2*c2562
	z3, z4 = z5-z3*c1961, z5-z4*c0390
	return x1*c1501 + z1 + z4, x3*c3072 + z2 + z3, x5*c2053 + z2 + z4, x7*c0298 + z1 + z3
}

func full8(dst []byte, stride int, b *[64]int32) {
	for x := range 8 {
		x0, x1, x2, x3 := b[x], b[8+x], b[16+x], b[24+x]
		x4, x5, x6, x7 := b[32+x], b[40+x], b[48+x], b[56+x]
		if x1|x2|x3|x4|x5|x6|x7 == 0 {
			x0 <<= keepBits
			b[x], b[8+x], b[16+x], b[24+x], b[32+x], b[40+x], b[48+x], b[56+x] = x0, x0, x0, x0, x0, x0, x0, x0
			continue
		}
		z := (x2 + x6) * c0541
		e2, e3 := z-x6*c1847, z+x2*c0765
		e0, e1 := (x0+x4)<<pointBits+colBias, (x0-x4)<<pointBits+colBias
		e0, e1, e2, e3 = e0+e3, e1+e2, e1-e2, e0-e3
		o0, o1, o2, o3 := odd(x1, x3, x5, x7)
		const drop = pointBits - keepBits
		b[x], b[56+x] = (e0+o0)>>drop, (e0-o0)>>drop
		b[8+x], b[48+x] = (e1+o1)>>drop, (e1-o1)>>drop
		b[16+x], b[40+x] = (e2+o2)>>drop, (e2-o2)>>drop
		b[24+x], b[32+x] = (e3+o3)>>drop, (e3-o3)>>drop
	}
	for y := range 8 {
		r := (*[8]int32)(b[8*y : 8*y+8])
		z := (r[2] + r[6]) * c0541
		e2, e3 := z-r[6]*c1847, z+r[2]*c0765
		e0, e1 := (r[0]+r[4])<<pointBits+rowBias, (r[0]-r[4])<<pointBits+rowBias
		e0, e1, e2, e3 = e0+e3, e1+e2, e1-e2, e0-e3
		o0, o1, o2, o3 := odd(r[1], r[3], r[5], r[7])
		out := (*[8]byte)(dst[y*stride:])
		out[0], out[7] = sample(e0+o0), sample(e0-o0)
		out[1], out[6] = sample(e1+o1), sample(e1-o1)
		out[2], out[5] = sample(e2+o2), sample(e2-o2)
		out[3], out[4] = sample(e3+o3), sample(e3-o3)
	}
}

// low8 is full8 where only the first four coefficients of the first four columns are not zero: most blocks.
func low8(dst []byte, stride int, b *[64]int32) {
	for x := range 4 {
		x0, x1, x2, x3 := b[x], b[8+x], b[16+x], b[24+x]
		e0 := x0<<pointBits + colBias
		e3, e2 := x2*c1306, x2*c0541
		e0, e1, e2, e3 := e0+e3, e0+e2, e0-e2, e0-e3
		o0, o1 := x1*c1387+x3*c1175, x1*c1175-x3*c0275
		o2, o3 := x1*c0785-x3*c1387, x1*c0275-x3*c0785
		const drop = pointBits - keepBits
		b[x], b[56+x] = (e0+o0)>>drop, (e0-o0)>>drop
		b[8+x], b[48+x] = (e1+o1)>>drop, (e1-o1)>>drop
		b[16+x], b[40+x] = (e2+o2)>>drop, (e2-o2)>>drop
		b[24+x], b[32+x] = (e3+o3)>>drop, (e3-o3)>>drop
	}
	for y := range 8 {
		r := (*[4]int32)(b[8*y : 8*y+4])
		e0 := r[0]<<pointBits + rowBias
		e3, e2 := r[2]*c1306, r[2]*c0541
		e0, e1, e2, e3 := e0+e3, e0+e2, e0-e2, e0-e3
		o0, o1 := r[1]*c1387+r[3]*c1175, r[1]*c1175-r[3]*c0275
		o2, o3 := r[1]*c0785-r[3]*c1387, r[1]*c0275-r[3]*c0785
		out := (*[8]byte)(dst[y*stride:])
		out[0], out[7] = sample(e0+o0), sample(e0-o0)
		out[1], out[6] = sample(e1+o1), sample(e1-o1)
		out[2], out[5] = sample(e2+o2), sample(e2-o2)
		out[3], out[4] = sample(e3+o3), sample(e3-o3)
	}
}

// inverse4 halves a picture.
func inverse4(dst []byte, stride int, b *[64]int32, last int) {
	if last == 0 {
		v := uint32(mean(b[0])) * 0x01010101
		for y := range 4 {
			binary.LittleEndian.PutUint32(dst[y*stride:], v)
		}
		return
	}
	for x := range 4 {
		e0, e1 := (b[x]+b[16+x])<<pointBits+colBias, (b[x]-b[16+x])<<pointBits+colBias
		o0, o1 := b[8+x]*c1306+b[24+x]*c0541, b[8+x]*c0541-b[24+x]*c1306
		const drop = pointBits - keepBits
		b[x], b[8+x], b[16+x], b[24+x] = (e0+o0)>>drop, (e1+o1)>>drop, (e1-o1)>>drop, (e0-o0)>>drop
	}
	for y := range 4 {
		r := (*[4]int32)(b[8*y : 8*y+4])
		e0, e1 := (r[0]+r[2])<<pointBits+rowBias, (r[0]-r[2])<<pointBits+rowBias
		o0, o1 := r[1]*c1306+r[3]*c0541, r[1]*c0541-r[3]*c1306
		out := (*[4]byte)(dst[y*stride:])
		out[0], out[1], out[2], out[3] = sample(e0+o0), sample(e1+o1), sample(e1-o1), sample(e0-o0)
	}
}

// inverse2 quarters a picture. A pass of two values multiplies by exactly 1.
func inverse2(dst []byte, stride int, b *[64]int32, _ int) {
	const up = rowBits - 3
	s0, s1, d0, d1 := b[0]+b[8], b[1]+b[9], b[0]-b[8], b[1]-b[9]
	dst[0], dst[1] = sample((s0+s1)<<up+rowBias), sample((s0-s1)<<up+rowBias)
	dst = dst[stride:]
	dst[0], dst[1] = sample((d0+d1)<<up+rowBias), sample((d0-d1)<<up+rowBias)
}

// inverse1 leaves the mean of each block.
func inverse1(dst []byte, _ int, b *[64]int32, _ int) { dst[0] = sample(b[0]<<(rowBits-3) + rowBias) }
