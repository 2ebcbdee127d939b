package exchange

import (
	"cmp"
	"context"
	"slices"
)

// contraction is the paper's sequence of topologies for several ports (section 4.3): the
// first is a base, and each of the others connects directly what a round on those before
// it carries, one with the most hops and, among these, with the most chunks. What it saves
// at least is that round; if chunks that have fewer hops on the new topology than before
// move there as well and all rounds are packed anew, it may save more, or less. The better
// of the two is taken.
type contraction struct {
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
	// stages returns the number of topologies.
	stages() int
	// circuits returns a topology.
	circuits(stage int) [][]int
	// connect adds the topology that has a circuit for each of the trips.
	connect(direct []trip)
	// distances returns the hops of every pair on a topology, or far.
	distances(stage int) []int32
	// trip returns the way of a pair on a topology.
	trip(stage, pair int) trip
	// pack divides trips on a topology, in ascending order of hops, into rounds.
	pack(stage int, trips []trip) []*round
	// empty returns the schedule without moves.
	empty(ports int) *Schedule
}

// newContraction starts with the one topology that is there.
func newContraction(ctx context.Context, t topologies) (*contraction, error) {
	c := &contraction{topologies: t, hops: t.distances(0), by: make([]int32, t.pairs())}
	var err error
	c.rounds, err = c.repack(ctx, c.by, 1)
	return c, err
}

// repack finds the rounds of all stages when every pair moves in the stage given for it.
func (c *contraction) repack(ctx context.Context, by []int32, stages int) ([][]*round, error) {
	rounds := make([][]*round, stages)
	for i := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var trips []trip
		for pair, stage := range by {
			if int(stage) == i && c.hops[pair] > 0 {
				trips = append(trips, c.topologies.trip(i, pair))
			}
		}
		slices.SortStableFunc(trips, func(a, b trip) int { return cmp.Compare(len(a.ports), len(b.ports)) })
		rounds[i] = c.topologies.pack(i, trips)
	}
	return rounds, nil
}

// contract adds a topology. It returns false if all rounds are of one hop, so that none
// can help.
func (c *contraction) contract(ctx context.Context) (bool, error) {
	stage, index := c.longest()
	r := c.rounds[stage][index]
	if r.hops == 1 {
		return false, nil
	}
	c.topologies.connect(r.trips)
	last := len(c.rounds)
	near := c.topologies.distances(last)
	by := slices.Clone(c.by)
	for pair, h := range near {
		if h < c.hops[pair] {
			by[pair] = int32(last)
		}
	}
	rounds, err := c.repack(ctx, by, last+1)
	if err != nil {
		return false, err
	}
	var direct []trip
	for _, t := range r.trips {
		direct = append(direct, c.topologies.trip(last, t.pair))
	}
	if one := c.topologies.pack(last, direct); totalSlots(rounds) > c.slots()-r.hops+roundSlots(one) {
		rounds = append(slices.Clone(c.rounds), one)
		rounds[stage] = slices.Delete(slices.Clone(rounds[stage]), index, index+1)
		by = slices.Clone(c.by)
		for _, t := range r.trips {
			by[t.pair] = int32(last)
		}
	}
	for pair, stage := range by {
		if int(stage) == last {
			c.hops[pair] = near[pair]
		}
	}
	c.by, c.rounds = by, rounds
	return true, nil
}

// longest returns the stage and number of a round with the most hops, among them one with
// the most trips.
func (c *contraction) longest() (stage, index int) {
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

// slots returns the slots of all rounds.
func (c *contraction) slots() int { return totalSlots(c.rounds) }

func totalSlots(stages [][]*round) int {
	sum := 0
	for _, rounds := range stages {
		sum += roundSlots(rounds)
	}
	return sum
}

// schedule returns the rounds as a schedule.
func (c *contraction) schedule(ports, each int) *Schedule {
	s := c.topologies.empty(ports)
	for i, rounds := range c.rounds {
		s.addRounds(i, rounds, each)
	}
	return s
}
