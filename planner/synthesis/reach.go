package synthesis

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/fabric"
)

// reach bounds the steps on a partial topology, whatever circuits are added: the length of the
// longest route and the load of the most loaded circuit, both from below.
type reach struct {
	*partial
	iv     *interval
	wanted []uint64 // per node: its destinations in any step

	dist []int     // by pair of nodes, if one sends to the other
	step []uint64  // per node: the nodes one hop away
	load []float64 // bytes by pair of nodes, of the current class
	seen []int     // by pair of nodes: the last demand counted there
	turn int
}

func newReach(iv *interval, p *partial) *reach {
	n := p.n
	r := &reach{
		partial: p, iv: iv, wanted: make([]uint64, n),
		dist: make([]int, n*n), step: make([]uint64, n), load: make([]float64, n*n), seen: make([]int, n*n),
	}
	for _, c := range iv.classes {
		for _, d := range c.all() {
			r.wanted[d.Src] |= 1 << d.Dst
		}
	}
	return r
}

// atLeast is a lower bound on the hops and bytes of a class of steps.
type atLeast struct {
	hops  int
	bytes float64
}

// look computes the bounds per class. It reports false if some demand has no path. It takes
// O(n^2) operations on sets, and O(n) per demand.
func (r *reach) look(least []atLeast) bool {
	if !r.distances() {
		return false
	}
	circuits := float64(r.n * r.ports)
	for i, c := range r.iv.classes {
		work, slowest, hops := 0.0, 0.0, 0
		for _, d := range c.all() {
			h := r.dist[d.Src*r.n+d.Dst]
			hops = max(hops, h)
			work += d.Amount * float64(h)
			slowest = max(slowest, d.Amount*float64(h))
		}
		bytes := max(work/circuits, r.forced(c))
		if r.iv.Forwarding == fabric.StoreAndForward && r.ports == 1 {
			bytes = max(bytes, slowest)
		}
		least[i] = atLeast{hops, bytes}
	}
	return true
}

// distances computes how far apart senders and receivers are if every free port leads to all
// nodes with a free port.
func (r *reach) distances() bool {
	open := uint64(0)
	for v, free := range r.in {
		if free > 0 {
			open |= 1 << v
		}
	}
	for u := range r.n {
		r.step[u] = r.to[u]
		if r.out[u] > 0 {
			r.step[u] |= open
		}
	}
	for src, missing := range r.wanted {
		reached := uint64(1) << src
		for front, h := reached, 1; missing != 0; h++ {
			next := uint64(0)
			for f := front; f != 0; f &= f - 1 {
				next |= r.step[bits.TrailingZeros64(f)]
			}
			front = next &^ reached
			if front == 0 {
				return false
			}
			reached |= front
			for hit := front & missing; hit != 0; hit &= hit - 1 {
				r.dist[src*r.n+bits.TrailingZeros64(hit)] = h
			}
			missing &^= front
		}
	}
	return true
}

// forced returns the largest load among the circuits that demands cannot avoid: those on the path
// from a source, and on the path back from a destination, as long as there is no choice. With one
// port that is the whole path.
func (r *reach) forced(c *class) float64 {
	clear(r.load)
	peak := 0.0
	for _, d := range c.all() {
		r.turn++
		at := d.Src
		for at != d.Dst && r.out[at] == 0 && bits.OnesCount64(r.to[at]) == 1 {
			next := bits.TrailingZeros64(r.to[at])
			if r.seen[at*r.n+next] == r.turn {
				break
			}
			peak = max(peak, r.carry(at, next, d.Amount))
			at = next
		}
		if at == d.Dst {
			continue
		}
		for at = d.Dst; at != d.Src && r.in[at] == 0 && bits.OnesCount64(r.back[at]) == 1; {
			before := bits.TrailingZeros64(r.back[at])
			if r.seen[before*r.n+at] == r.turn {
				break
			}
			peak = max(peak, r.carry(before, at, d.Amount))
			at = before
		}
	}
	return peak
}

// carry adds bytes to the circuits of a pair and returns the load of each.
func (r *reach) carry(u, v int, bytes float64) float64 {
	e := u*r.n + v
	r.seen[e] = r.turn
	r.load[e] += bytes
	return r.load[e] / float64(r.x[e])
}
