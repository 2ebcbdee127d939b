package synthesis

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/heap"
)

// ideal is the fractional number of circuits that each pair of nodes should have: at the best
// point of the relaxation or, without one, in proportion to the pair's bytes. It omits pairs that
// should have none.
type ideal []share

type share struct {
	pair     [2]int
	circuits float64
}

// ideal returns the ideal, from the relaxation if there is one.
func (b *bounds) ideal(iv *interval) ideal {
	if b.relaxed == nil || b.relaxed.best == nil {
		return iv.proportional()
	}
	var list ideal
	n := iv.Nodes
	for e, o := range b.relaxed.arcs.class {
		if o >= 0 && b.relaxed.best[o] > 0 {
			list = append(list, share{[2]int{e / n, e % n}, b.relaxed.best[o]})
		}
	}
	return list
}

// proportional gives every pair circuits in proportion to its bytes in all steps, such that the
// busiest node would use all its ports.
func (iv *interval) proportional() ideal {
	bytes := map[[2]int]float64{}
	out, in := make([]float64, iv.Nodes), make([]float64, iv.Nodes)
	busiest := 0.0
	for _, c := range iv.classes {
		for _, d := range c.all() {
			b := float64(c.times) * d.Amount
			bytes[[2]int{d.Src, d.Dst}] += b
			out[d.Src] += b
			in[d.Dst] += b
			busiest = max(busiest, out[d.Src], in[d.Dst])
		}
	}
	list := make(ideal, 0, len(bytes))
	for pair, b := range bytes {
		list = append(list, share{pair, float64(iv.Ports) * b / busiest})
	}
	slices.SortFunc(list, func(a, b share) int { return slices.Compare(a.pair[:], b.pair[:]) })
	return list
}

// round makes a wiring near the ideal. First it changes the numbers of circuits at random, by
// about noise in relative terms. Then it lays one circuit after another where the most is
// lacking. It takes O(log pairs) for each pair and circuit.
func (s *seeker) round(sp *space, noise float64) *wiring {
	w := &wiring{space: sp}
	lack := heap.New(lacksMore)
	for _, x := range s.ideal {
		if c := sp.atHome(x.pair); c == x.pair {
			lack.Push(share{c, x.circuits * (1 + noise*s.rng.NormFloat64())})
		}
	}
	out, in := w.ports()
	taken := func(ports []int) bool {
		return !slices.ContainsFunc(sp.homes, func(u int) bool { return ports[u] < s.iv.Ports })
	}
	for lack.Len() > 0 {
		next := lack.Pop()
		if w.join(next.pair, out, in) {
			next.circuits--
			lack.Push(next)
		} else if taken(out) || taken(in) {
			break // no other pair can be joined either
		}
	}
	w.fill(nil)
	return w
}

// lacksMore reports whether a share lacks more than another.
func lacksMore(a, b *share) bool {
	if a.circuits != b.circuits {
		return a.circuits > b.circuits
	}
	return slices.Compare(a.pair[:], b.pair[:]) < 0
}
