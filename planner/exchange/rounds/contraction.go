package rounds

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Contraction is the paper's sequence of topologies for several ports (section 4.3): the
// first is a base, and each of the others connects directly what a round on those before
// it carries, one with the most hops and, among these, with the most chunks. What it saves
// at least is that round; if chunks that have fewer hops on the new topology than before
// move there as well and all rounds are packed anew, it may save more, or less. The better
// of the two is taken.
type Contraction struct {
	Topologies Topologies
	Hops       []int32 // that each pair makes
	By         []int32 // the stage in which it makes them
	rounds     [][]*round
}

// Topologies is a sequence of topologies on which pairs of nodes have ways. Pairs are
// numbered.
type Topologies interface {
	// pairs returns the number of pairs.
	pairs() int
	// Pair returns the number of a pair.
	Pair(u, v int) int
	// Stages returns the number of topologies.
	Stages() int
	// Circuits returns a topology.
	Circuits(stage int) [][]int
	// connect adds the topology that has a circuit for each of the trips.
	connect(direct []trip)
	// distances returns the hops of every pair on a topology, or far.
	distances(stage int) []int32
	// Trip returns the way of a pair on a topology.
	Trip(stage, pair int) trip
	// pack divides trips on a topology, in ascending order of hops, into rounds.
	pack(stage int, trips []trip) []*round
	// empty returns the schedule without moves.
	empty(ports int) *model.Schedule
}

// NewContraction starts with the one topology that is there.
func NewContraction(ctx context.Context, t Topologies) (*Contraction, error) {
	c := &Contraction{Topologies: t, Hops: t.distances(0), By: make([]int32, t.pairs())}
	var err error
	c.rounds, err = c.repack(ctx, c.By, 1)
	return c, err
}

// repack finds the rounds of all stages when every pair moves in the stage given for it.
func (c *Contraction) repack(ctx context.Context, by []int32, stages int) ([][]*round, error) {
	rounds := make([][]*round, stages)
	for i := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var trips []trip
		for pair, stage := range by {
			if int(stage) == i && c.Hops[pair] > 0 {
				trips = append(trips, c.Topologies.Trip(i, pair))
			}
		}
		slices.SortStableFunc(trips, func(a, b trip) int { return cmp.Compare(len(a.Ports), len(b.Ports)) })
		rounds[i] = c.Topologies.pack(i, trips)
	}
	return rounds, nil
}

// Contract adds a topology. It returns false if all rounds are of one hop, so that none
// can help.
func (c *Contraction) Contract(ctx context.Context) (bool, error) {
	stage, index := c.longest()
	r := c.rounds[stage][index]
	if r.hops == 1 {
		return false, nil
	}
	c.Topologies.connect(r.trips)
	last := len(c.rounds)
	near := c.Topologies.distances(last)
	by := slices.Clone(c.By)
	for pair, h := range near {
		if h < c.Hops[pair] {
			by[pair] = int32(last)
		}
	}
	rounds, err := c.repack(ctx, by, last+1)
	if err != nil {
		return false, err
	}
	var direct []trip
	for _, t := range r.trips {
		direct = append(direct, c.Topologies.Trip(last, t.pair))
	}
	if one := c.Topologies.pack(last, direct); totalSlots(rounds) > c.Slots()-r.hops+roundSlots(one) {
		rounds = append(slices.Clone(c.rounds), one)
		rounds[stage] = slices.Delete(slices.Clone(rounds[stage]), index, index+1)
		by = slices.Clone(c.By)
		for _, t := range r.trips {
			by[t.pair] = int32(last)
		}
	}
	for pair, stage := range by {
		if int(stage) == last {
			c.Hops[pair] = near[pair]
		}
	}
	c.By, c.rounds = by, rounds
	return true, nil
}

// longest returns the stage and number of a round with the most hops, among them one with
// the most trips.
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

func totalSlots(stages [][]*round) int {
	sum := 0
	for _, rounds := range stages {
		sum += roundSlots(rounds)
	}
	return sum
}

// Schedule returns the rounds as a schedule.
func (c *Contraction) Schedule(ports, each int) *model.Schedule {
	s := c.Topologies.empty(ports)
	for i, rounds := range c.rounds {
		addRounds(s, i, rounds, each)
	}
	return s
}
