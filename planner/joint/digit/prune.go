package digit

import "math"

// What a split into digits takes at least, so that the rest is not solved where even that is
// too slow.
//
// A sum of a vector of B bytes that m nodes hold and all get takes 2(m-1) messages of every
// byte, one-way gossip with sums for calls (Harary and Schwenk, The communication problem on
// graphs and digraphs, 1974): 2(m-1)/m B for a node, over all its ports. A digit that leaves a
// node an M-th of the sums takes (M-1)/M B each way, because of every byte all others but an
// M-th send theirs. In a hop a node hears of as many others as it has ports: what it knows of
// grows by ports+1 at best, however circuits change.

// slack is more than what sums of times are rounded by.
const slack = 1e-9

// hear is the hops in which a node hears of so many at best.
func (m *Machine) hear(nodes int) float64 {
	hops := 0
	for known := 1; known < nodes; known *= m.Ports + 1 {
		hops++
	}
	return float64(hops)
}

// share is the time for what a node gets of some bytes when it lacks all but one of so many
// shares.
func (m *Machine) share(bytes float64, shares int) float64 {
	return m.PerByte * bytes * float64(shares-1) / float64(shares) / float64(m.Ports)
}

// restAtLeast is less than what a task of so many nodes takes.
func (m *Machine) restAtLeast(op goal, nodes int, bytes float64) float64 {
	time := m.share(bytes, nodes)
	if op == AllReduce {
		time *= 2
	}
	return m.Alpha + m.Delta*m.hear(nodes) + time
}

// digitAtLeast is less than what a digit takes that cuts the vector so.
func (m *Machine) digitAtLeast(op goal, points, scattered int, bytes float64) float64 {
	sum := m.restAtLeast(op, points, bytes)
	if op == AllGather || scattered == 1 {
		return sum
	}
	return max(sum, 2*m.restAtLeast(AllGather, scattered, bytes))
}

// rests is after, with nothing where a digit is too slow whatever the rest takes: of the
// solutions that a board keeps none has such. It also returns less than what the rest takes,
// with the waits for changes.
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
	for _, rest := range rests {
		least = min(least, rest.Time+changes*s.Wait)
	}
	return rests, changes, least
}

// quick returns a time, no longer than most, that the slowest solution of a board does not
// exceed if it does not exceed most: all GPUs are one digit, so that there are no rests, and
// chains, which take long to find, are left out.
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
