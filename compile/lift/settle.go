package lift

import (
	"github.com/lightpath-net/lightpath/compile/lift/order"
	"github.com/lightpath-net/lightpath/topology"
)

// settler chooses the level of each transfer between its earliest and its latest. At each level
// it first takes the transfers that cannot wait, then as many others as fit on circuits without
// raising the load of the busiest circuit. The rest waits, at most until its latest level. (This
// is list scheduling; balancing levels exactly is as hard as bin packing.)
type settler struct {
	*follower
	early, late []int32
	before      predecessors
	settled     []bool
	group       []int32 // transfers that must have the same level
	inGroup     map[int32]bool
	adds        map[[2]int32]float64
}

// predecessors are the constraints of each transfer.
type predecessors struct {
	first []int32
	list  []order.Constraint
}

func byThen(n int, constraints []order.Constraint) predecessors {
	p := predecessors{make([]int32, n+1), make([]order.Constraint, len(constraints))}
	for _, c := range constraints {
		p.first[c.Then+1]++
	}
	for i := range n {
		p.first[i+1] += p.first[i]
	}
	at := append([]int32(nil), p.first...)
	for _, c := range constraints {
		p.list[at[c.Then]] = c
		at[c.Then]++
	}
	return p
}

func (p *predecessors) of(t int32) []order.Constraint { return p.list[p.first[t]:p.first[t+1]] }

// settle gives the transfers of a stage their levels.
func (s *settler) settle(stage, last int32, g *topology.Graph) {
	if s.settled == nil {
		s.settled = make([]bool, len(s.transfers))
	}
	var open []int32
	for i := range s.transfers {
		if s.transfers[i].stage == stage {
			open = append(open, int32(i))
		}
	}
	share := func(a, b int32) float64 { // of a circuit that a chunk takes
		return 1 / float64(max(1, g.Count(s.node(a), s.node(b))))
	}
	for level := int32(0); level <= last; level++ {
		load := map[[2]int32]float64{}
		peak := 0.0
		take := func(t int32) {
			s.settled[t], s.transfers[t].level = true, level
			path := s.transfers[t].path
			for h := range len(path) - 1 {
				at := [2]int32{path[h], path[h+1]}
				load[at] += share(path[h], path[h+1])
				peak = max(peak, load[at])
			}
		}
		for _, t := range open {
			if s.late[t] == level {
				take(t)
			}
		}
		most := peak + loadTolerance
		for _, t := range open {
			if !s.settled[t] && s.early[t] <= level && s.fits(t, level, load, most, share) {
				for _, g := range s.group {
					take(g)
				}
			}
		}
		rest := open[:0]
		for _, t := range open {
			if !s.settled[t] {
				rest = append(rest, t)
			}
		}
		open = rest
	}
}

// loadTolerance is far above the rounding errors of sums of fractions of circuits, and far below
// the load of one chunk.
const loadTolerance = 1e-6

// node returns the GPU of a rank.
func (f *follower) node(rank int32) int {
	if f.nodes == nil {
		return int(rank)
	}
	return f.nodes[rank]
}

// fits finds the transfers that must go along with a transfer at a level, and reports whether no
// circuit then carries more than the given load.
func (s *settler) fits(t, level int32, load map[[2]int32]float64, most float64, share func(a, b int32) float64) bool {
	s.group = append(s.group[:0], t)
	s.inGroup = map[int32]bool{t: true}
	s.adds = map[[2]int32]float64{}
	for i := 0; i < len(s.group); i++ {
		at := s.group[i]
		path := s.transfers[at].path
		for h := range len(path) - 1 {
			link := [2]int32{path[h], path[h+1]}
			s.adds[link] += share(path[h], path[h+1])
			if load[link]+s.adds[link] > most {
				return false
			}
		}
		for _, c := range s.before.of(at) {
			switch {
			case s.settled[c.First] && s.transfers[c.First].level+c.Plus <= level, s.inGroup[c.First]:
			case s.settled[c.First] || c.Plus > 0 || s.early[c.First] > level:
				return false
			default:
				s.inGroup[c.First] = true
				s.group = append(s.group, c.First)
			}
		}
	}
	return true
}
