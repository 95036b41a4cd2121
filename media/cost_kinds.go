package media

// Each kind of rule is a few lines of integer arithmetic, so that every machine counts the same. Sizes between
// two steps of a rule are fractions, never rounded: a provider that shrinks 8192x4096 to 2048x1024 and another
// that shrinks 1000x333 to two thirds are both met exactly.

// costKind prices a picture and says what size of it is seen. Sides are 1 to costMaxSide.
type costKind func(n costNumbers, w, h int) (tokens, fw, fh int)

var costKinds = map[string]costKind{
	"grid":    gridCost,
	"area":    areaCost,
	"tile":    tileCost,
	"patch":   patchCost,
	"crops":   cropsCost,
	"rounded": roundedCost,
	"flat":    func(n costNumbers, w, h int) (int, int, int) { return n.Tokens, w, h },
}

// gridCost finds the longest long side at which both padded sides and the token count are allowed; the short side
// follows, rounded half to even. Tokens never fall as the side grows, so that halving the range finds it.
func gridCost(n costNumbers, w, h int) (int, int, int) {
	long, short := max(w, h), min(w, h)
	tokens := func(l, s int) int { return ceilDiv(l, n.Unit) * ceilDiv(s, n.Unit) }
	other := func(l int) int { return max(1, halfEven(l*short, long)) }
	ok := func(l int) bool {
		return ceilDiv(l, n.Unit)*n.Unit <= n.Edge && tokens(l, other(l)) <= n.Tokens
	}
	low, high := 1, long
	for low < high {
		mid := (low + high + 1) / 2
		if ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	l, s := low, other(low)
	if l == long {
		s = short
	}
	if w >= h {
		return tokens(l, s), l, s
	}
	return tokens(l, s), s, l
}

func areaCost(n costNumbers, w, h int) (int, int, int) {
	fw, fh := w, h
	if long := max(w, h); n.Edge > 0 && long > n.Edge {
		fw, fh = scaled(w, n.Edge, long), scaled(h, n.Edge, long)
	}
	tokens := ceilDiv(fw*fh, n.Divisor)
	if n.Tokens > 0 {
		tokens = min(tokens, n.Tokens)
	}
	return tokens + n.Base, fw, fh
}

func tileCost(n costNumbers, w, h int) (int, int, int) {
	num, den := edgeScale(n.Edge, w, h)
	if short := min(w, h); short*num > n.Short*den {
		num, den = n.Short, short
	}
	tiles := ceilDiv(w*num, n.Unit*den) * ceilDiv(h*num, n.Unit*den)
	return n.Base + n.Tile*tiles, scaled(w, num, den), scaled(h, num, den)
}

// patchCost shrinks a picture that has too many patches to the largest size with whole patches along one side and
// no more than the budget in all: the whole side is the one that asks for the smaller factor.
func patchCost(n costNumbers, w, h int) (int, int, int) {
	num, den := edgeScale(n.Edge, w, h)
	fw, fh := scaled(w, num, den), scaled(h, num, den)
	patches := ceilDiv(w*num, n.Unit*den) * ceilDiv(h*num, n.Unit*den)
	if n.Budget > 0 && patches > n.Budget {
		across, down := max(1, isqrt(n.Budget*w/h)), max(1, isqrt(n.Budget*h/w))
		if across*h <= down*w {
			patches = across * ceilDiv(across*h, w)
			fw, fh = across*n.Unit, scaled(h, across*n.Unit, w)
		} else {
			patches = down * ceilDiv(down*w, h)
			fw, fh = scaled(w, down*n.Unit, h), down*n.Unit
		}
		patches = min(patches, n.Budget)
	}
	return ceilDiv(patches*n.Multiplier, 100), fw, fh
}

func cropsCost(n costNumbers, w, h int) (int, int, int) {
	if w <= n.Small && h <= n.Small {
		return n.Base, w, h
	}
	unit := max(1, min(w, h)*2/3)
	if n.UnitMax > 0 {
		unit = min(max(unit, n.UnitMin), n.UnitMax)
	}
	return n.Base * ceilDiv(w, unit) * ceilDiv(h, unit), w, h
}

// roundedCost rounds sides to whole units; outside its range of tokens it takes the largest, or smallest, whole
// units of the same shape inside.
func roundedCost(n costNumbers, w, h int) (int, int, int) {
	across, down := max(1, halfEven(w, n.Unit)), max(1, halfEven(h, n.Unit))
	switch {
	case across*down > n.Tokens:
		across, down = max(1, isqrt(n.Tokens*w/h)), max(1, isqrt(n.Tokens*h/w))
	case across*down < n.Least:
		across, down = ceilSqrt(n.Least*w, h), ceilSqrt(n.Least*h, w)
	}
	return min(across*down, max(n.Tokens, n.Least)) + n.Base, across * n.Unit, down * n.Unit
}

// edgeScale is the factor, as a fraction, that brings the longest side to edge; 1/1 where nothing is to be done.
func edgeScale(edge, w, h int) (num, den int) {
	if long := max(w, h); edge > 0 && long > edge {
		return edge, long
	}
	return 1, 1
}

// scaled is v*num/den, rounded, at least 1.
func scaled(v, num, den int) int { return max(1, (2*v*num+den)/(2*den)) }

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// halfEven is a/b rounded to the nearest whole, halves to the even one.
func halfEven(a, b int) int {
	q, r := a/b, a%b
	if 2*r > b || 2*r == b && q&1 == 1 {
		q++
	}
	return q
}

// isqrt is the largest whole number whose square is at most n.
func isqrt(n int) int {
	if n < 2 {
		return max(n, 0)
	}
	x := n
	for y := (x + 1) / 2; y < x; y = (x + n/x) / 2 {
		x = y
	}
	return x
}

// ceilSqrt is the smallest whole number whose square is at least a/b.
func ceilSqrt(a, b int) int {
	n := max(1, isqrt(a/b))
	for n*n*b < a {
		n++
	}
	return n
}
