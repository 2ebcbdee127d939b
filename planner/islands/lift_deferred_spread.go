package islands

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// spreadIn spreads the data that islands hold, the oldest first, as far as a slot leaves GPUs
// time. The last slot takes the rest.
func (l *deferredLifter) spreadIn(s *slot, number int) {
	size, last := l.shares.places, number == len(l.slots)-1
	out, in := l.loads(s)
	one := l.space.Bytes(float64(l.size), collective.Single(0))
	bytes := l.lasts(s)
	pieces, perHome := l.shares.pieces, l.chunks()*l.shares.pieces
	for i := range l.homes {
		mine := l.states[i*perHome : (i+1)*perHome]
		var list []int
		for x := range mine {
			if mine[x].places != nil && mine[x].since < number && mine[x].spread == never {
				list = append(list, x)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int { return mine[a].since - mine[b].since })
		base := i * size
		taken := map[*int8]*spreading{}
		var order []*spreading
		var now *spreading
		for _, x := range list {
			if places := mine[x].places; now == nil || &now.places[0] != &places[0] {
				if now = taken[&places[0]]; now == nil {
					now = &spreading{places: places, held: make([]int, size)}
					for _, w := range places {
						now.held[w]++
					}
					taken[&places[0]] = now
					order = append(order, now)
				}
			}
			if !last && !now.fits(out[base:base+size], in[base:base+size], one, bytes) {
				continue
			}
			for q, held := range now.held {
				for range held {
					out[base+q] += one * float64(size-1)
				}
				for range size - held {
					in[base+q] += one
				}
			}
			mine[x].spread = number
			now.items = append(now.items, item{chunk: x / pieces, piece: x % pieces})
		}
		for _, x := range order {
			if len(x.items) > 0 {
				l.spreadItems(s, i, x.places, x.items)
			}
		}
	}
}

// spreading is a set of pieces at the same places.
type spreading struct {
	places []int8
	held   []int // by place, the number of shares that it has
	items  []item
}

// fits reports whether GPUs have time to spread a piece.
func (x *spreading) fits(out, in []float64, one, bytes float64) bool {
	size := len(x.held)
	share := one * float64(size-1)
	for q, held := range x.held {
		if out[q]+share*float64(held) > bytes*(1+1e-9) || in[q]+one*float64(size-held) > bytes*(1+1e-9) {
			return false
		}
	}
	return true
}

// spreadItems makes the transfers that spread pieces at the same places.
func (l *deferredLifter) spreadItems(s *slot, home int, places []int8, list []item) {
	size, first := l.shares.places, l.homes[home]*l.shares.places
	byPieces := l.byPieces(list)
	for w := range size {
		var chunks collective.Chunks
		for p := range places {
			if int(places[p]) == w {
				for _, part := range byPieces {
					chunks = append(chunks, l.shares.of(part.chunks, p, part.from, part.to)...)
				}
			}
		}
		for q := range size {
			if q != w && len(chunks) > 0 {
				t := plan.Transfer{Routes: hop(first+w, first+q)}
				t.Src, t.Dst, t.Action, t.Chunks = first+w, first+q, collective.Copy, chunks
				s.base = append(s.base, t)
			}
		}
	}
}

// loads returns the bytes that each GPU of the homes sends and receives in its island for the
// core's routes.
func (l *deferredLifter) loads(s *slot) (out, in []float64) {
	size := l.shares.places
	out, in = make([]float64, len(l.homes)*size), make([]float64, len(l.homes)*size)
	for i := range s.base {
		t := &s.base[i]
		if path := t.Routes[0].Path; len(path) == 3 {
			amount := l.space.Bytes(float64(l.size), t.Chunks)
			_, from := l.lifted.Locate(int(path[0]))
			_, to := l.lifted.Locate(int(path[1]))
			out[l.number[from/size]*size+from%size] += amount
			in[l.number[to/size]*size+to%size] += amount
		}
	}
	return out, in
}

// lasts returns the bytes that a GPU can send in its island during a slot.
func (l *deferredLifter) lasts(s *slot) float64 {
	if s.core == nil {
		return s.room[0]
	}
	return l.bytes(s.core.Cost.Transmission * units.Time(s.to-s.from) / units.Time(l.shares.pieces))
}
