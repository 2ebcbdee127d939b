package stored_test

import (
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// swaps is a search that shares nothing with package climb: a random regular graph of up to 32
// nodes and seven ports, in which two circuits exchange their ends if that puts no further pair
// too far apart and does not raise the bandwidth. After many moves without success it restarts.
type swaps struct {
	nodes, degree, diameter int
	twoWay                  bool
	gather                  bool // optimise an allgather, not an allreduce
	random                  *rand.Rand

	// A port's number is its node times the degree, plus an index below the degree. In a one-way
	// graph outgoing and incoming ports are numbered separately. mate is the port at the other
	// end; in a two-way graph a port without a circuit is its own mate. out and in are the nodes
	// at the other ends of outgoing and incoming circuits.
	mate    []int
	out, in []uint8
}

// begin draws a graph without circuits from a node to itself.
func (s *swaps) begin() {
	for !s.draw() {
	}
}

func (s *swaps) draw() bool {
	ports := s.nodes * s.degree
	s.mate, s.out = make([]int, ports), make([]uint8, ports)
	s.in = s.out
	order := s.random.Perm(ports)
	if !s.twoWay {
		s.in = make([]uint8, ports)
		for a, b := range order {
			s.lead(a, b)
		}
		return !s.loops()
	}
	for ; len(order) > 1; order = order[2:] {
		s.lead(order[0], order[1])
	}
	if len(order) == 1 {
		s.lead(order[0], order[0])
	}
	return !s.loops()
}

// lead sets up a circuit between two ports.
func (s *swaps) lead(a, b int) {
	s.mate[a], s.out[a] = b, uint8(b/s.degree)
	if s.twoWay {
		s.mate[b] = a
	}
	s.in[b] = uint8(a / s.degree)
}

// loops reports whether a circuit leads from a node to itself.
func (s *swaps) loops() bool {
	for a, b := range s.mate {
		if a/s.degree == b/s.degree && !(s.twoWay && a == b) {
			return true
		}
	}
	return false
}

// swap exchanges the ends of two circuits, or moves a circuit to a port without one. It returns
// the arguments of exchange that undo the swap, and false if the swap would change nothing or
// would make a self-loop.
func (s *swaps) swap() (a, b int, ok bool) {
	a, b = s.random.IntN(len(s.mate)), s.random.IntN(len(s.mate))
	u, v := a/s.degree, b/s.degree
	to, other := s.mate[a]/s.degree, s.mate[b]/s.degree
	switch {
	case a == b || s.twoWay && s.mate[a] == b:
		return a, b, false
	case s.twoWay && (s.mate[a] == a || s.mate[b] == b):
		if u == v || u == other || v == to {
			return a, b, false
		}
	case u == other || v == to || to == other || u == v:
		return a, b, false
	}
	s.exchange(a, b)
	return a, b, true
}

// exchange is its own inverse.
func (s *swaps) exchange(a, b int) {
	ma, mb := s.mate[a], s.mate[b]
	switch {
	case s.twoWay && ma == a:
		s.lead(a, mb)
		s.lead(b, b)
	case s.twoWay && mb == b:
		s.lead(b, ma)
		s.lead(a, a)
	default:
		s.lead(a, mb)
		s.lead(b, ma)
	}
}

// loads is the cost of a broadcast: the pairs that are too far apart, the time of the busiest
// circuits in parts of a shard, and the sum of the times that each node takes by itself.
type loads struct{ missing, time, sum int }

func (l loads) less(o loads) bool {
	if l.missing != o.missing {
		return l.missing < o.missing
	}
	if l.time != o.time {
		return l.time < o.time
	}
	return l.sum < o.sum
}

// part is a shard in units of load: up to seven circuits divide it evenly.
const part = 420

// mostSwapped is the largest number of ports of a node.
const mostSwapped = 7

// steps holds, for every step, the nodes whose shards each node has before that step.
type steps [33][32]uint32

// spread forwards shards for as many steps as the diameter, and counts the shards that do not
// arrive.
func (s *swaps) spread(from []uint8, has *steps) (missing int) {
	for u := range s.nodes {
		has[0][u] = 1 << u
	}
	for t := range s.diameter {
		now, next := &has[t], &has[t+1]
		for u := range s.nodes {
			all := now[u]
			for _, w := range from[u*s.degree : (u+1)*s.degree] {
				all |= now[w&31]
			}
			next[u] = all
		}
	}
	missing = s.nodes * s.nodes
	for u := range s.nodes {
		missing -= bits.OnesCount32(has[s.diameter][u])
	}
	return missing
}

// add adds the time and the sum of an allgather in which nodes receive over the given circuits.
// It stops once the time exceeds most.
func (l *loads) add(s *swaps, from []uint8, has *steps, most int) {
	for t := range s.diameter {
		now, next := &has[t], &has[t+1]
		peak := 0
		for u := range s.nodes {
			news := next[u] &^ now[u]
			if news == 0 {
				continue
			}
			own := busiest(news, from[u*s.degree:(u+1)*s.degree], now)
			peak = max(peak, own)
			l.sum += own
		}
		if l.time += peak; l.time > most {
			return
		}
	}
}

// busiest returns the load of the busiest circuit into a node: the maximum, over all sets of
// circuits, of the number of shards that no other circuit can deliver, divided by the number of
// circuits in the set.
func busiest(news uint32, from []uint8, has *[32]uint32) int {
	var rest [1 << mostSwapped]uint32 // of a set of circuits, the shards that none of them can deliver
	sets := 1 << len(from)
	rest[0] = news
	most := 0
	for i, w := range from {
		others := ^has[w&31]
		for set := range 1 << i {
			only := rest[set] & others
			rest[1<<i|set] = only
			if only != 0 {
				most = max(most, bits.OnesCount32(only)*part/bits.OnesCount(uint(sets-1-(1<<i|set))))
			}
		}
	}
	return max(most, bits.OnesCount32(news)*part/len(from))
}

// worth measures the graph. If the graph is worse than least, the result need not be exact.
func (s *swaps) worth(least loads) loads {
	var there, back steps
	l := loads{missing: s.spread(s.in, &there)}
	both := !s.twoWay && !s.gather
	if both {
		l.missing += s.spread(s.out, &back)
	}
	most := least.time
	if l.missing > least.missing {
		return l
	}
	if l.missing < least.missing {
		most = 1 << 30
	}
	l.add(s, s.in, &there, most)
	if both && l.time <= most {
		l.add(s, s.out, &back, most)
	}
	return l
}

// run tries the given number of swaps and reports every graph that is better than all earlier
// ones.
func (s *swaps) run(moves int, better func(loads)) {
	const patience = 4000
	anything := loads{missing: 1 << 30}
	best := loads{missing: 1}
	var now loads
	for i, stale := 0, patience; i < moves; i++ {
		if stale == patience {
			s.begin()
			now, stale = s.worth(anything), 0
		}
		stale++
		a, b, ok := s.swap()
		if !ok {
			continue
		}
		after := s.worth(now)
		if now.less(after) {
			s.exchange(a, b)
			continue
		}
		if after.less(now) {
			stale = 0
		}
		now = after
		if now.less(best) {
			best = now
			better(now)
		}
	}
}

// graph returns the graph. An unused port becomes a circuit from its node to itself.
func (s *swaps) graph() *topology.Graph {
	var edges []topology.Edge
	for port, to := range s.out {
		edges = append(edges, topology.Edge{From: port / s.degree, To: int(to), Count: 1})
	}
	return topology.New(s.nodes, "", edges)
}
