package digit

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/each"
)

// This file has lower bounds for splits into digits. If even the bound is too slow, the rest is
// not solved.
//
// If m nodes sum up a vector of B bytes, and all of them get the sum, every byte takes 2(m-1)
// messages: one-way gossip, with sums for calls (Harary and Schwenk, The communication problem on
// graphs and digraphs, 1974). That is 2(m-1)/m B for a node, over all its ports. A digit that
// leaves a node an M-th of the sums takes (M-1)/M B each way, because for every byte all nodes
// but an M-th send theirs. In a hop a node hears from as many others as it has ports, so what it
// knows of grows by a factor of ports+1 at best, however circuits change.

// slack is more than the rounding error of sums of times.
const slack = 1e-9

// hear returns the fewest hops in which a node can hear of the given number of nodes.
func (m *Machine) hear(nodes int) float64 {
	hops := 0
	for known := 1; known < nodes; known *= m.Ports + 1 {
		hops++
	}
	return float64(hops)
}

// share returns the time in which a node gets what it lacks of the given bytes if it has one of
// the given number of shares.
func (m *Machine) share(bytes float64, shares int) float64 {
	return m.PerByte * bytes * float64(shares-1) / float64(shares) / float64(m.Ports)
}

// restAtLeast returns a lower bound on the time of a task among the given number of nodes.
func (m *Machine) restAtLeast(op goal, nodes int, bytes float64) float64 {
	time := m.share(bytes, nodes)
	if op == AllReduce {
		time *= 2
	}
	return m.Alpha + m.Delta*m.hear(nodes) + time
}

// digitAtLeast returns a lower bound on the time of a digit that cuts the vector into scattered
// shards.
func (m *Machine) digitAtLeast(op goal, points, scattered int, bytes float64) float64 {
	sum := m.restAtLeast(op, points, bytes)
	if op == AllGather || scattered == 1 {
		return sum
	}
	return max(sum, 2*m.restAtLeast(AllGather, scattered, bytes))
}

// rests is after, but returns nothing if the digit is too slow whatever the rest takes: no
// solution that a board keeps has such a digit. It also returns a lower bound on the time of the
// rest, including the waits for reconfigurations.
func (s *Search) rests(b *Board, t Task, points, scattered int) (rests []Solution, changes, least float64) {
	most := math.Inf(1)
	if points < t.Nodes && !s.every {
		changes = 1
		if t.Op == AllReduce && scattered > 1 {
			changes = 2
		}
		bytes := s.Bytes / float64(t.Scale)
		least = changes*s.Wait + s.restAtLeast(t.Op, t.Nodes/points, bytes/float64(scattered))
		digit := s.digitAtLeast(t.Op, points, scattered, bytes)
		if (least+digit)*(1-slack) > b.limit() {
			return nil, changes, math.Inf(1)
		}
		most = b.limit()*(1+slack) - changes*s.Wait - digit
	}
	rests, changes = s.after(t, points, scattered, most)
	least = math.Inf(1)
	least = each.Min(least, rests, func(rest Solution) float64 { return rest.Time + changes*s.Wait })
	return rests, changes, least
}

// quick returns a time, no longer than most, that bounds the slowest solution of a board,
// provided that this solution takes no longer than most. All GPUs are one digit, so there are no
// rests, and chains, which take long to find, are left out.
func (s *Search) quick(t Task, most float64) float64 {
	b := &Board{Keep: s.Keep, Most: most}
	if s.may(t, t.Nodes) {
		s.onClosed(b, t, t.Nodes)
		if !s.NoNetworks {
			s.onWalks(b, t, t.Nodes)
			s.OnNetworks(b, t, t.Nodes)
		}
	}
	return min(b.limit(), most)
}
