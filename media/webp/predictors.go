package webp

// Pixels are ARGB in 32 bits; sums and averages are of all four channels at once, modulo 256 each.

func add(a, b uint32) uint32 {
	return (a&0xff00ff00+b&0xff00ff00)&0xff00ff00 | (a&0x00ff00ff+b&0x00ff00ff)&0x00ff00ff
}

// average rounds down.
func average(a, b uint32) uint32 { return a&b + (a^b)>>1&0x7f7f7f7f }

func addLeft(row []uint32, from, to int) {
	left := row[from-1]
	part := row[from:to]
	for i, p := range part {
		left = add(p, left)
		part[i] = left
	}
}

// addPredicted adds what a mode predicts to the pixels from from, at least 1, to to. above is longer than row by one.
func addPredicted(mode byte, row, above []uint32, from, to int) {
	switch mode & 15 {
	case 1:
		addLeft(row, from, to)
		return
	case 2:
		addRow(row[from:to], above[from:])
		return
	case 3:
		addRow(row[from:to], above[from+1:])
		return
	case 4:
		addRow(row[from:to], above[from-1:])
		return
	case 8:
		addAverage(row[from:to], above[from-1:], above[from:])
		return
	case 9:
		addAverage(row[from:to], above[from:], above[from+1:])
		return
	case 0, 14, 15:
		for i, p := range row[from:to] {
			row[from+i] = add(p, opaque)
		}
		return
	}
	addByLeft(mode&15, row[from:to], row[from-1], above[from-1:to+1])
}

func addRow(row, by []uint32) {
	by = by[:len(row)]
	for i, p := range row {
		row[i] = add(p, by[i])
	}
}

func addAverage(row, a, b []uint32) {
	a, b = a[:len(row)], b[:len(row)]
	for i, p := range row {
		row[i] = add(p, average(a[i], b[i]))
	}
}

// addByLeft is addPredicted for modes that need the pixel just made. above begins over left.
func addByLeft(mode byte, row []uint32, left uint32, above []uint32) {
	above = above[:len(row)+2]
	switch mode {
	case 5:
		for i, p := range row {
			left = add(p, average(average(left, above[i+2]), above[i+1]))
			row[i] = left
		}
	case 6:
		for i, p := range row {
			left = add(p, average(left, above[i]))
			row[i] = left
		}
	case 7:
		for i, p := range row {
			left = add(p, average(left, above[i+1]))
			row[i] = left
		}
	case 10:
		for i, p := range row {
			left = add(p, average(average(left, above[i]), average(above[i+1], above[i+2])))
			row[i] = left
		}
	case 11:
		for i, p := range row {
			left = add(p, nearer(left, above[i+1], above[i]))
			row[i] = left
		}
	case 12:
		for i, p := range row {
			left = add(p, gradient(left, above[i+1], above[i]))
			row[i] = left
		}
	case 13:
		for i, p := range row {
			left = add(p, halfGradient(average(left, above[i+1]), above[i]))
			row[i] = left
		}
	}
}

// nearer is whichever of left and above is closer to left + above - corner.
func nearer(left, above, corner uint32) uint32 {
	toLeft, toAbove := 0, 0
	for s := 0; s < 32; s += 8 {
		l, a, c := int(left>>s&0xff), int(above>>s&0xff), int(corner>>s&0xff)
		toLeft += max(a-c, c-a)
		toAbove += max(l-c, c-l)
	}
	if toLeft < toAbove {
		return left
	}
	return above
}

// gradient is left + above - corner, each channel kept within a byte.
func gradient(left, above, corner uint32) (p uint32) {
	for s := 0; s < 32; s += 8 {
		v := int(left>>s&0xff) + int(above>>s&0xff) - int(corner>>s&0xff)
		p |= uint32(min(max(v, 0), 255)) << s
	}
	return p
}

// halfGradient goes from mean on by half of its distance to corner, each channel kept within a byte.
func halfGradient(mean, corner uint32) (p uint32) {
	for s := 0; s < 32; s += 8 {
		m := int(mean >> s & 0xff)
		v := m + (m-int(corner>>s&0xff))/2
		p |= uint32(min(max(v, 0), 255)) << s
	}
	return p
}
