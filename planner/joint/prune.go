package joint

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
func (m *machine) hear(nodes int) float64 {
	hops := 0
	for known := 1; known < nodes; known *= m.ports + 1 {
		hops++
	}
	return float64(hops)
}

// share is the time for what a node gets of some bytes when it lacks all but one of so many
// shares.
func (m *machine) share(bytes float64, shares int) float64 {
	return m.perByte * bytes * float64(shares-1) / float64(shares) / float64(m.ports)
}

// restAtLeast is less than what a task of so many nodes takes.
func (m *machine) restAtLeast(op goal, nodes int, bytes float64) float64 {
	time := m.share(bytes, nodes)
	if op == allReduce {
		time *= 2
	}
	return m.alpha + m.delta*m.hear(nodes) + time
}

// digitAtLeast is less than what a digit takes that cuts the vector so.
func (m *machine) digitAtLeast(op goal, points, scattered int, bytes float64) float64 {
	sum := m.restAtLeast(op, points, bytes)
	if op == allGather || scattered == 1 {
		return sum
	}
	return max(sum, 2*m.restAtLeast(allGather, scattered, bytes))
}

// rests is after, with nothing where a digit is too slow whatever the rest takes: of the
// solutions that a board keeps none has such. It also returns less than what the rest takes,
// with the waits for changes.
func (s *search) rests(b *board, t task, points, scattered int) (rests []solution, changes, least float64) {
	most := math.Inf(1)
	if points < t.nodes && !s.every {
		changes = 1
		if t.op == allReduce && scattered > 1 {
			changes = 2
		}
		bytes := s.whole / float64(t.scale)
		least = changes*s.wait + s.restAtLeast(t.op, t.nodes/points, bytes/float64(scattered))
		digit := s.digitAtLeast(t.op, points, scattered, bytes)
		if (least+digit)*(1-slack) > b.limit() {
			return nil, changes, math.Inf(1)
		}
		most = b.limit()*(1+slack) - changes*s.wait - digit
	}
	rests, changes = s.after(t, points, scattered, most)
	least = math.Inf(1)
	for _, rest := range rests {
		least = min(least, rest.time+changes*s.wait)
	}
	return rests, changes, least
}

// quick returns a time, no longer than most, that the slowest solution of a board does not
// exceed if it does not exceed most: all GPUs are one digit, so that there are no rests, and
// chains, which take long to find, are left out.
func (s *search) quick(t task, most float64) float64 {
	b := &board{keep: s.keep, most: most}
	if t.nodes != s.noPoints {
		s.onClosed(b, t, t.nodes)
		if !s.noNetworks {
			s.onWalks(b, t, t.nodes)
			s.onNetworks(b, t, t.nodes)
		}
	}
	return min(b.limit(), most)
}
