package sides

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// block is consecutive points of a window whose vectors arrived as one sum.
type block struct {
	low, high int // relative to the point
	by        arrival
}

// arrival names a tile by its step and its place in that step.
type arrival struct{ step, tile int }

// tile is what a point gets from the point that is at away: the sum of the points from low to
// high, relative to the receiver.
type tile struct {
	at, low, high int
	reads         []block // of the sender; low and high are relative to the sender
}

// window is the points whose vectors a value consists of, as blocks in ascending order.
type window []block

func (w window) low() int    { return w[0].low }
func (w window) high() int   { return w[len(w)-1].high }
func (w window) points() int { return w.high() - w.low() + 1 }

// mirrored returns the window seen from the other side.
func (w window) mirrored() window {
	turned := make(window, len(w))
	for i, b := range w {
		turned[len(w)-1-i] = block{-b.high, -b.low, b.by}
	}
	return turned
}

// least returns the fewest hops and circuits that tiles pass which make a window of some points
// longer by some more at one end, on circuits of an offset, if any part of a window can be sent.
// The farthest tile is as near as it can be, and so is every tile before it. It returns ok = false
// if there is a gap between windows that are an offset apart.
func least(points, more, offset int) (hops, passed int, ok bool) {
	if more == 0 {
		return 0, 0, true
	}
	if offset > points {
		return 0, 0, false
	}
	hops = arithmetic.CeilDiv(more, offset)
	for at := hops; ; {
		passed += at
		rest := at*offset - points
		if rest <= 0 {
			return hops, passed, true
		}
		at = arithmetic.CeilDiv(rest, offset)
	}
}

// grown returns the tiles that make a window longer by some points at its high end, from points at
// multiples of the offset and within the given hops. They consist of whole blocks of the senders'
// windows and pass the fewest circuits; among those, the fewest leave something out. It returns nil
// if there are none.
func (w window) grown(more, offset, hops int) (tiles []tile, passed int) {
	high, last := w.high(), w.high()+more
	type way struct {
		passed, cut int
		from        int
		tile        tile
	}
	best := make([]way, more+1) // by points gained
	for i := range best {
		best[i].passed = math.MaxInt
	}
	best[0].passed = 0
	for gained := range more {
		so := best[gained]
		if so.passed == math.MaxInt {
			continue
		}
		for i, first := range w {
			at := high + gained + 1 - first.low // of the sender
			if at <= 0 || at%offset != 0 || at/offset > hops {
				continue
			}
			for j := i; j < len(w) && at+w[j].high <= last; j++ {
				next := way{passed: so.passed + at/offset, cut: so.cut, from: gained, tile: tile{at, at + first.low, at + w[j].high, w[i : j+1]}}
				if j-i+1 < len(w) {
					next.cut++
				}
				if to := &best[at+w[j].high-high]; next.passed < to.passed || next.passed == to.passed && next.cut < to.cut {
					*to = next
				}
			}
		}
	}
	if best[more].passed == math.MaxInt {
		return nil, 0
	}
	for at := more; at > 0; at = best[at].from {
		tiles = append(tiles, best[at].tile)
	}
	slices.Reverse(tiles)
	return tiles, best[more].passed
}

// turned returns a tile seen from the other side.
func (t tile) turned() tile { return tile{-t.at, -t.high, -t.low, window(t.reads).mirrored()} }

// with returns the window after the tiles of a step have been added.
func (w window) with(step int, tiles []tile) window {
	all := slices.Clone(w)
	for i, t := range tiles {
		all = append(all, block{t.low, t.high, arrival{step, i}})
	}
	slices.SortFunc(all, func(a, b block) int { return a.low - b.low })
	return all
}
