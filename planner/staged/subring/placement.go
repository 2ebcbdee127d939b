package subring

import (
	"math"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// placement finds the best segments of phases by dynamic programming, for every number
// of changes: O(s^3) in all for s phases.
type placement struct {
	hops    [][]float64 // hops[k][i]: phase i on the rings of phase k, +Inf where they do not lead
	hopTime []float64   // of phase i, ns; to be set before find

	sofar   []float64   // of the segment at hand, by its ring
	segment [][]float64 // segment[i][e]: the hops of phases i..e on the best of their rings, ns
	ring    [][]int     // ring[i][e]: the phase that has those rings
	rest    [][]float64 // rest[r][i]: the hops of the phases from i on with r changes, ns
	next    [][]int     // next[r][i]: where the first segment of rest[r][i] ends
}

func newPlacement(hops [][]float64) *placement {
	phases := len(hops)
	p := &placement{hops: hops, hopTime: make([]float64, phases), sofar: make([]float64, phases)}
	for range phases {
		p.segment, p.ring = append(p.segment, make([]float64, phases)), append(p.ring, make([]int, phases))
		p.rest, p.next = append(p.rest, make([]float64, phases)), append(p.next, make([]int, phases))
	}
	return p
}

// find fills rest and next for 0..changes changes.
func (p *placement) find(changes int) {
	phases := len(p.hops)
	for i := range phases {
		p.segmentsFrom(i)
		p.rest[0][i], p.next[0][i] = p.segment[i][phases-1], phases
	}
	for r := 1; r <= changes; r++ {
		for i := range phases - r {
			p.restFrom(i, r)
		}
	}
}

// segmentsFrom finds the best ring for every segment that starts at phase i.
func (p *placement) segmentsFrom(i int) {
	clear(p.sofar)
	for e := i; e < len(p.hops); e++ {
		best, ring := math.Inf(1), i
		for k := i; k < len(p.hops); k++ {
			p.sofar[k] += p.hops[k][e] * p.hopTime[e]
			if k <= e && p.sofar[k] < best*(1-pricing.TieTolerance) {
				best, ring = p.sofar[k], k
			}
		}
		p.segment[i][e], p.ring[i][e] = best, ring
	}
}

// restFrom finds where to end the segment that starts at phase i with r > 0 changes
// left, given the best for r-1.
func (p *placement) restFrom(i, r int) {
	best, next := math.Inf(1), i+1
	for end := i + 1; end <= len(p.hops)-r; end++ {
		if total := p.segment[i][end-1] + p.rest[r-1][end]; total < best*(1-pricing.TieTolerance) {
			best, next = total, end
		}
	}
	p.rest[r][i], p.next[r][i] = best, next
}

// segmentAt returns where the segment ends that starts at a phase, with some changes
// left, and the phase whose rings it has.
func (p *placement) segmentAt(first, left int) (next, ring int) {
	next = p.next[left][first]
	return next, p.ring[first][next-1]
}
