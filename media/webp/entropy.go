package webp

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// neighbours are the 120 pixels that short distance codes name, as columns to the left and rows up: sorted by how far
// away they are, then by how far to the side, left before right.
var neighbours = sync.OnceValue(func() (near [120][2]int) {
	all := make([][2]int, 0, len(near))
	for y := range 8 {
		for x := -7; x <= 8; x++ {
			if y > 0 || x > 0 {
				all = append(all, [2]int{x, y})
			}
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int {
		if d := a[0]*a[0] + a[1]*a[1] - b[0]*b[0] - b[1]*b[1]; d != 0 {
			return d
		}
		if d := max(a[0], -a[0]) - max(b[0], -b[0]); d != 0 {
			return d
		}
		return b[0] - a[0]
	})
	copy(near[:], all)
	return near
})

const cacheMultiplier = 0x1e35a7bd // of the hash by which the colour cache is indexed

// entropy decodes one entropy-coded image, a row at a time, into a ring that is as long as a back-reference.
type entropy struct {
	br            *bitReader
	width, height int
	ring          []uint32 // ARGB; its length is a power of two
	pos           int      // pixels decoded
	copyLeft      int      // of a back-reference that goes on in the next row
	copyFrom      int      // how far back it reaches
	cache         []uint32 // empty where there is none
	cacheShift    uint
	cached        int // pixels that are in the cache
	groups        []*group
	tiles         []uint16 // group of each tile; nil for one group
	tileBits      uint
	tilesX        int
	near          [120]int // distances in pixels
}

// begin makes ready for an image that is read from its colour cache on. The ring is long enough.
func (e *entropy) begin(br *bitReader, width, height int, ring []uint32) {
	*e = entropy{br: br, width: width, height: height, ring: ring}
	for i, at := range neighbours() {
		e.near[i] = max(at[0]+at[1]*width, 1)
	}
}

// readCache reads whether and how large a colour cache is.
func (e *entropy) readCache() error {
	if e.br.read(1) == 0 {
		return nil
	}
	k := uint(e.br.read(4))
	if k < 1 || k > 11 {
		return errors.New("the colour cache has no size it may have")
	}
	e.cache, e.cacheShift = make([]uint32, 1<<k), 32-k
	return nil
}

// readGroups reads the codes of all groups; those that used does not name are not kept.
func (e *entropy) readGroups(ctx context.Context, r *codeReader, n int, used func(int) bool) error {
	const pointer = 8
	const object = 5*32 + 8
	if err := r.builder.memory.take(int64(n) * pointer); err != nil {
		return err
	}
	e.groups = make([]*group, n)
	for i := range e.groups {
		if i%ctxGroups == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kept := used(i)
		if kept {
			if err := r.builder.memory.take(object); err != nil {
				return err
			}
		}
		g, err := r.group(len(e.cache), !kept)
		if err != nil {
			return err
		}
		e.groups[i] = g
	}
	return nil
}

var errReference = errors.New("the picture data refers to pixels before the first")

// row decodes the next row into the ring.
func (e *entropy) row() error {
	start := e.pos
	end := start + e.width
	if err := e.resume(end); err != nil {
		return err
	}
	tile, g := 0, e.groups[0]
	for e.pos < end {
		if e.tiles != nil {
			y, x := start/e.width, e.pos-start
			at := (y>>e.tileBits)*e.tilesX + x>>e.tileBits
			g = e.groups[e.tiles[at]]
			tile = min(end, start+(x>>e.tileBits+1)<<e.tileBits)
		} else {
			tile = end
		}
		if err := e.run(g, tile, end); err != nil {
			return err
		}
	}
	e.remember()
	return e.br.overrun()
}

// run decodes pixels with one group up to tile; a back-reference may go on up to end and then waits.
func (e *entropy) run(g *group, tile, end int) error {
	br, ring, mask := e.br, e.ring, len(e.ring)-1
	for e.pos < tile {
		br.fill()
		symbol := g.green.symbol(br)
		switch {
		case symbol < greens:
			pixel := symbol<<8 | g.literal
			if !g.flat {
				pixel = symbol<<8 | g.red.symbol(br)<<16
				br.fill()
				pixel |= g.blue.symbol(br)
				pixel |= g.alpha.symbol(br) << 24
			}
			ring[e.pos&mask] = pixel
			e.pos++
		case symbol < greens+lengthCodes:
			if err := e.reference(g, symbol-greens, end); err != nil {
				return err
			}
		default:
			e.remember()
			at := int(symbol - greens - lengthCodes)
			if at >= len(e.cache) {
				return errCode
			}
			ring[e.pos&mask] = e.cache[at]
			e.pos++
		}
	}
	return nil
}

// reference reads a back-reference and follows it.
func (e *entropy) reference(g *group, prefix uint32, end int) error {
	e.copyLeft = e.extra(prefix)
	e.br.fill()
	distance := e.extra(g.distance.symbol(e.br))
	if distance > len(e.near) {
		distance -= len(e.near)
	} else {
		distance = e.near[distance-1]
	}
	e.copyFrom = distance
	return e.resume(end)
}

// extra reads the bits behind a prefix code for lengths and distances.
func (e *entropy) extra(prefix uint32) int {
	if prefix < 4 {
		return int(prefix) + 1
	}
	k := uint(prefix-2) >> 1
	return int((2+prefix&1)<<k+e.br.read(k)) + 1
}

// resume follows a back-reference up to end.
func (e *entropy) resume(end int) error {
	if e.copyLeft == 0 {
		return nil
	}
	if e.copyFrom > e.pos || e.copyFrom > len(e.ring) || e.copyLeft > e.width*e.height-e.pos {
		return errReference
	}
	n := min(e.copyLeft, end-e.pos)
	e.copyLeft -= n
	ring, mask := e.ring, len(e.ring)-1
	to, from := e.pos&mask, (e.pos-e.copyFrom)&mask
	e.pos += n
	if to+n <= len(ring) && from+n <= len(ring) && e.copyFrom >= n {
		copy(ring[to:to+n], ring[from:])
		return nil
	}
	for ; n > 0; n-- {
		ring[to&mask] = ring[from&mask]
		to, from = to+1, from+1
	}
	return nil
}

// remember puts the pixels decoded since the last time into the colour cache.
func (e *entropy) remember() {
	if len(e.cache) == 0 {
		return
	}
	mask := len(e.ring) - 1
	for ; e.cached < e.pos; e.cached++ {
		pixel := e.ring[e.cached&mask]
		e.cache[pixel*cacheMultiplier>>e.cacheShift] = pixel
	}
}

// take copies the last row decoded to dst.
func (e *entropy) take(dst []uint32) {
	at := (e.pos - e.width) & (len(e.ring) - 1)
	n := copy(dst[:e.width], e.ring[at:])
	copy(dst[n:e.width], e.ring)
}
