package png

import "espy/media/rows"

// expander turns n pixels from x0 on of an unfiltered row into 8-bit samples. It may return a part of row itself
// where the file's samples are what is wanted.
type expander func(d *decoder, out, row []byte, x0, n int) []byte

// chooseLayout picks what comes out for the colour type, and how it is made.
func (d *decoder) chooseLayout() {
	d.layout, d.samples = rows.RGB, 3
	transparent := d.keyed || d.colour == greyAlpha || d.colour == trueAlpha
	switch {
	case transparent:
		d.layout, d.samples = rows.RGBA, 4
	case d.colour == grey:
		d.layout, d.samples = rows.Gray, 1
	}
	switch {
	case d.colour == indexed:
		d.expand = expandIndexed
	case d.colour == grey && d.keyed:
		d.expand = expandGreyKey
	case d.colour == grey && d.depth < 8:
		d.expand = expandGreyBits
	case d.colour == trueCol && d.keyed:
		d.expand = expandTrueKey
	case d.colour == greyAlpha:
		d.expand = expandGreyAlpha
	case d.depth == 16:
		d.expand = expand16
	default:
		d.expand = expandNothing
	}
}

func expandNothing(d *decoder, _, row []byte, x0, n int) []byte {
	return row[x0*d.samples : (x0+n)*d.samples]
}

// round16 brings a sample of 16 bits to the nearest of 8.
func round16(hi, lo byte) byte { return byte(((int(hi)<<8|int(lo))*255 + 32895) >> 16) }

func expand16(d *decoder, out, row []byte, x0, n int) []byte {
	in := row[2*x0*d.samples:]
	for i := range n * d.samples {
		out[i] = round16(in[2*i], in[2*i+1])
	}
	return out[:n*d.samples]
}

// bits is pixel x of a row with less than 8 bits a pixel, or 8.
func bits(row []byte, x, depth int) int {
	if depth == 8 {
		return int(row[x])
	}
	at := x * depth
	return int(row[at>>3]) >> (8 - depth - at&7) & (1<<depth - 1)
}

func expandIndexed(d *decoder, out, row []byte, x0, n int) []byte {
	if d.samples == 4 {
		for i := range n {
			c := &d.palette[bits(row, x0+i, d.depth)]
			copy(out[4*i:4*i+4], c[:])
		}
		return out[:4*n]
	}
	for i := range n {
		c := &d.palette[bits(row, x0+i, d.depth)]
		o := out[3*i : 3*i+3 : 3*i+3]
		o[0], o[1], o[2] = c[0], c[1], c[2]
	}
	return out[:3*n]
}

func expandGreyBits(d *decoder, out, row []byte, x0, n int) []byte {
	scale := 255 / (1<<d.depth - 1)
	for i := range n {
		out[i] = byte(bits(row, x0+i, d.depth) * scale)
	}
	return out[:n]
}

func expandGreyKey(d *decoder, out, row []byte, x0, n int) []byte {
	for i := range n {
		var v int
		var g byte
		if d.depth == 16 {
			at := 2 * (x0 + i)
			v, g = int(row[at])<<8|int(row[at+1]), round16(row[at], row[at+1])
		} else {
			v = bits(row, x0+i, d.depth)
			g = byte(v * (255 / (1<<d.depth - 1)))
		}
		o := out[4*i : 4*i+4 : 4*i+4]
		o[0], o[1], o[2], o[3] = g, g, g, 255
		if v == d.key[0] {
			o[3] = 0
		}
	}
	return out[:4*n]
}

func expandTrueKey(d *decoder, out, row []byte, x0, n int) []byte {
	size := d.depth / 8
	for i := range n {
		o := out[4*i : 4*i+4 : 4*i+4]
		o[3] = 0
		for c := range 3 {
			at := ((x0+i)*3 + c) * size
			v := int(row[at])
			o[c] = row[at]
			if size == 2 {
				v = v<<8 | int(row[at+1])
				o[c] = round16(row[at], row[at+1])
			}
			if v != d.key[c] {
				o[3] = 255
			}
		}
	}
	return out[:4*n]
}

func expandGreyAlpha(d *decoder, out, row []byte, x0, n int) []byte {
	for i := range n {
		o := out[4*i : 4*i+4 : 4*i+4]
		var g, a byte
		if d.depth == 16 {
			in := row[4*(x0+i):]
			g, a = round16(in[0], in[1]), round16(in[2], in[3])
		} else {
			g, a = row[2*(x0+i)], row[2*(x0+i)+1]
		}
		o[0], o[1], o[2], o[3] = g, g, g, a
	}
	return out[:4*n]
}
