package rounds

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Contraction is the paper's sequence of topologies for several ports (section 4.3): the first
// is a base, and each of the others directly connects the pairs of one earlier round: a round
// with the most hops and, among these, with the most chunks. Ports that the round leaves dark
// connect pairs that make the most hops. The topology saves at least that round. If pairs that
// have fewer hops on the new topology move there too, and rounds are packed again, it may save
// more or less. Contract takes the best of these.
type Contraction struct {
	topologies topologies
	hops       []int32 // that each pair makes
	by         []int32 // the stage in which it makes them
	rounds     [][]*round
}

// topologies is a sequence of topologies on which pairs of nodes have ways. Pairs are
// numbered.
type topologies interface {
	// pairs returns the number of pairs.
	pairs() int
	// pair returns the number of a pair.
	pair(u, v int) int
	// circuits returns a topology.
	circuits(stage int) [][]int
	// connect adds the topology that has a circuit for each of the trips and for others
	// as ports allow, and returns the pairs that it connects.
	connect(direct []trip, hops []int32) []int
	// distances returns the hops of every pair on a topology.
	distances(stage int) []int32
	// pack divides pairs on a topology, in ascending order of hops, into rounds.
	pack(stage int, pairs []int) []*round
}

// newContraction starts a sequence with the single topology of t.
func newContraction(ctx context.Context, t topologies) (*Contraction, error) {
	c := &Contraction{topologies: t, hops: slices.Clone(t.distances(0)), by: make([]int32, t.pairs())}
	var err error
	c.rounds, err = c.repack(ctx, c.by, c.hops, 1)
	return c, err
}

// repack finds the rounds of all stages if every pair moves in the stage given for it.
func (c *Contraction) repack(ctx context.Context, by, hops []int32, stages int) ([][]*round, error) {
	pairs := make([][]int, stages)
	for pair, stage := range by {
		if hops[pair] > 0 {
			pairs[stage] = append(pairs[stage], pair)
		}
	}
	rounds := make([][]*round, stages)
	for i := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortStableFunc(pairs[i], func(a, b int) int { return cmp.Compare(hops[a], hops[b]) })
		rounds[i] = c.topologies.pack(i, pairs[i])
	}
	return rounds, nil
}

// Contract adds a topology. It returns false if all rounds have one hop, so that no topology
// can help.
func (c *Contraction) Contract(ctx context.Context) (bool, error) {
	stage, index := c.longest()
	longest := c.rounds[stage][index]
	if longest.hops == 1 {
		return false, nil
	}
	last := len(c.rounds)
	direct := c.topologies.connect(longest.trips, c.hops)
	near := c.topologies.distances(last)
	// Move every pair that gets nearer, or only those that the topology connects directly.
	all := make([]int, 0, len(near))
	for pair, h := range near {
		if h < c.hops[pair] {
			all = append(all, pair)
		}
	}
	best := c.without(direct)
	best.rounds = append(best.rounds, c.topologies.pack(last, direct))
	for _, moved := range [][]int{direct, all} {
		s := c.moved(moved, near, last)
		var err error
		if s.rounds, err = c.repack(ctx, s.by, s.hops, last+1); err != nil {
			return false, err
		}
		if s.Slots() <= best.Slots() {
			best = s
		}
	}
	*c = *best
	return true, nil
}

// moved returns the sequence, without rounds, in which some pairs move in the last stage.
func (c *Contraction) moved(pairs []int, near []int32, last int) *Contraction {
	s := &Contraction{topologies: c.topologies, hops: slices.Clone(c.hops), by: slices.Clone(c.by)}
	for _, pair := range pairs {
		s.hops[pair], s.by[pair] = near[pair], int32(last)
	}
	return s
}

// without takes pairs out of their rounds; they make one hop in the next stage. It drops rounds
// that become empty.
func (c *Contraction) without(pairs []int) *Contraction {
	s := &Contraction{topologies: c.topologies, hops: slices.Clone(c.hops), by: slices.Clone(c.by)}
	gone := newBitset(c.topologies.pairs())
	for _, pair := range pairs {
		gone.set(int32(pair))
		s.hops[pair], s.by[pair] = 1, int32(len(c.rounds))
	}
	for _, list := range c.rounds {
		var kept []*round
		for _, r := range list {
			left := &round{}
			for _, t := range r.trips {
				if !gone.has(int32(t.pair)) {
					left.trips = append(left.trips, t)
					left.hops = max(left.hops, len(t.ports))
				}
			}
			switch len(left.trips) {
			case len(r.trips):
				kept = append(kept, r)
			case 0:
			default:
				kept = append(kept, left)
			}
		}
		s.rounds = append(s.rounds, kept)
	}
	return s
}

// longest returns the stage and number of the round with the most hops and, among these, the
// most trips.
func (c *Contraction) longest() (stage, index int) {
	best := &round{}
	for i, list := range c.rounds {
		for j, r := range list {
			if r.hops > best.hops || r.hops == best.hops && len(r.trips) > len(best.trips) {
				best, stage, index = r, i, j
			}
		}
	}
	return stage, index
}

// Slots returns the slots of all rounds.
func (c *Contraction) Slots() int { return totalSlots(c.rounds) }

// Stages returns the circuits of each topology.
func (c *Contraction) Stages() [][][]int {
	stages := make([][][]int, len(c.rounds))
	for i := range stages {
		stages[i] = c.topologies.circuits(i)
	}
	return stages
}

// Hops returns the hops from every node to every other.
func (c *Contraction) Hops(nodes int) [][]int {
	hops := make([][]int, nodes)
	for u := range hops {
		hops[u] = make([]int, nodes)
		for v := range hops[u] {
			if u != v {
				hops[u][v] = int(c.hops[c.topologies.pair(u, v)])
			}
		}
	}
	return hops
}

// Trips returns the route of every pair: Trips()(u, v) is the stage in which it moves, and
// the ports of its hops.
func (c *Contraction) Trips() func(u, v int) (stage int, ports []int32) {
	ports := make([][]int32, c.topologies.pairs())
	for _, list := range c.rounds {
		for _, r := range list {
			for _, t := range r.trips {
				ports[t.pair] = t.ports
			}
		}
	}
	return func(u, v int) (int, []int32) {
		pair := c.topologies.pair(u, v)
		return int(c.by[pair]), ports[pair]
	}
}

// Symmetric returns the routes as those of a schedule that looks the same from all nodes, or
// nil if it does not.
func (c *Contraction) Symmetric(ports int) *routing.Ways {
	t, ok := c.topologies.(*circulants)
	if !ok {
		return nil
	}
	w := &routing.Ways{Group: model.Rotations(t.nodes), Ports: ports, Generators: t.jumps[:len(c.rounds):len(c.rounds)], Legs: make([][]model.Leg, t.nodes)}
	trips := c.Trips()
	for o := 1; o < t.nodes; o++ {
		stage, way := trips(0, o)
		for _, p := range way {
			w.Legs[o] = append(w.Legs[o], model.Leg{Stage: int32(stage), Port: p, Hops: 1})
		}
	}
	return w
}

// Schedule returns the rounds as a schedule in which every pair has each chunks: every round is
// repeated for all of them.
func (c *Contraction) Schedule(nodes, ports, each int) *model.Schedule {
	s := &model.Schedule{Nodes: nodes, Ports: ports}
	t, symmetric := c.topologies.(*circulants)
	if symmetric {
		s.Group = model.Rotations(nodes)
	}
	for i, list := range c.rounds {
		if symmetric {
			s.Stages = append(s.Stages, model.Stage{Generators: t.jumps[i]})
		} else {
			s.Stages = append(s.Stages, model.Stage{Circuits: c.topologies.circuits(i)})
		}
		addRounds(s, i, list, each)
	}
	return s
}

// addRounds adds the rounds of a stage to a schedule.
func addRounds(s *model.Schedule, stage int, rounds []*round, each int) {
	st := &s.Stages[stage]
	for _, r := range rounds {
		for k := range each {
			for _, t := range r.trips {
				addTrip(s, stage, t, int32(k), st.Slots)
			}
			st.Slots += r.hops
		}
	}
	st.SortRuns()
}

// addTrip adds the hops of a trip that begins in a slot. Consecutive hops over one port form a
// run.
func addTrip(s *model.Schedule, stage int, t trip, index int32, slot int) {
	st := &s.Stages[stage]
	chunk := model.Chunk{Origin: t.src, Dest: t.dst, Index: index}
	at := int(t.src)
	for h, p := range t.ports {
		if h > 0 && t.ports[h-1] == p {
			st.Runs[len(st.Runs)-1].Hops++
		} else {
			st.Runs = append(st.Runs, model.Run{Chunk: chunk, From: int32(at), Port: p, Slot: int32(slot + h), Hops: 1})
		}
		at = s.Next(stage, int(p), at)
	}
}
