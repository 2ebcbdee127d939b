package plan

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// OperationBound returns a time that no plan for the operation can beat, whatever its
// algorithm, its circuits and its schedule: of a sequence, the sum over its operations.
//
// Time is the start-ups and hops of the steps and the transmission, and each of the two
// has a least value of its own, so their sum is a bound.
//
// Latency: some node's data must reach n-1 others (or theirs it). In a step of h hops,
// with d ports, a node reaches at most 1 + d + d^2 + .. + d^h nodes, itself included (the
// Moore bound; d-1 from the second hop on if circuits are two-way), and those go on from
// there in the next step. The cheapest sequence of steps whose product is n bounds
// alpha*steps + delta*hops. What is left to reach is always n over a whole number, rounded
// up, so few numbers are looked at: O(n log n).
//
// Bandwidth: the bytes that some node must send or receive over its ports. For an
// allreduce that is twice (n-1)/n of the buffer (Patarasuk and Yuan 2009).
func OperationBound(f *fabric.Fabric, c *Collective) units.Time {
	if c.Space.Kind == collective.Sections {
		sum := initialCharge(f)
		for i := range c.Space.Sections {
			s := &c.Space.Sections[i]
			sum += sectionBound(f, s)
		}
		return sum
	}
	return initialCharge(f) + sectionBound(f, &collective.Section{Op: c.Op, Size: c.Size, Space: c.Space})
}

func sectionBound(f *fabric.Fabric, s *collective.Section) units.Time {
	bytes, reach := needs(s)
	return latency(f, reach) + f.Bandwidth.Transmit(bytes/float64(f.Ports))
}

// needs returns the bytes that the busiest node must send or receive, and the number of
// nodes, itself included, that the data of some node must reach.
func needs(s *collective.Section) (bytes float64, reach int) {
	n := s.Space.MembersCount()
	size := float64(s.Size)
	others := size * float64(n-1) / float64(n)
	switch {
	case s.Space.Kind == collective.Listed:
		return busiestOfPieces(&s.Space)
	case s.Space.Sizes != nil:
		return busiestOfDemand(s.Space.Sizes)
	}
	switch s.Op {
	case collective.AllReduce:
		return 2 * others, n
	case collective.Broadcast, collective.RootReduce:
		return size, n
	}
	return others, n
}

func busiestOfDemand(d collective.Demand) (bytes float64, reach int) {
	n := len(d)
	sent, received, peers := make([]float64, n), make([]float64, n), make([]int, n)
	for s, row := range d {
		for t, b := range row {
			if s == t || b == 0 {
				continue
			}
			sent[s] += float64(b)
			received[t] += float64(b)
			peers[s]++
		}
	}
	for u := range n {
		bytes = max(bytes, sent[u], received[u])
		reach = max(reach, 1+peers[u])
	}
	return bytes, reach
}

// busiestOfPieces counts a piece once for every node that must get it and does not have
// it, and, where nobody else has it, for the node that must send it at least once.
func busiestOfPieces(space *collective.Space) (bytes float64, reach int) {
	sent, received := map[int]float64{}, map[int]float64{}
	peers := map[int]map[int]bool{}
	for i := range space.Pieces {
		p := &space.Pieces[i]
		has := map[int]bool{}
		for _, u := range p.From {
			has[u] = true
		}
		leaves := false
		for _, u := range p.To {
			if has[u] && !p.Reduces || has[u] && len(p.From) == 1 {
				continue
			}
			received[u] += p.Bytes
			leaves = true
			for _, v := range p.From {
				if v == u || len(p.From) > 1 && !p.Reduces {
					continue
				}
				if peers[v] == nil {
					peers[v] = map[int]bool{}
				}
				peers[v][u] = true
			}
		}
		if leaves && len(p.From) == 1 {
			sent[p.From[0]] += p.Bytes
		}
	}
	for u := range space.Nodes {
		bytes = max(bytes, sent[u], received[u])
		reach = max(reach, 1+len(peers[u]))
	}
	return bytes, reach
}

// latency is the least alpha*steps + delta*hops in which a node reaches a number of
// nodes, itself included.
func latency(f *fabric.Fabric, reach int) units.Time {
	alpha, delta := float64(f.Alpha.Time()), float64(f.Delta.Time())
	known := map[int]float64{1: 0}
	var least func(k int) float64 // cost to reach k nodes
	least = func(k int) float64 {
		if cost, ok := known[k]; ok {
			return cost
		}
		best := math.Inf(1)
		ball, grow := 1.0, float64(f.Ports)
		for h := 1; alpha+delta*float64(h) < best; h++ {
			ball += grow
			grow *= growth(f)
			rest := max(1, int(math.Ceil(float64(k)/ball)))
			best = min(best, alpha+delta*float64(h)+least(rest))
			if rest == 1 || grow == 0 {
				break
			}
		}
		known[k] = best
		return best
	}
	return units.Time(least(reach))
}

// growth is how many more nodes than at one distance there can be at the next.
func growth(f *fabric.Fabric) float64 {
	if f.Duplex {
		return float64(f.Ports - 1)
	}
	return float64(f.Ports)
}
