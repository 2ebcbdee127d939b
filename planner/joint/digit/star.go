package digit

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/planner/joint/pairing"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has sums of an even number of points by star addition chains, on one two-way port
// (pairing.Star). A point later gives away its own vector and what had come by some round: a side
// sum. Outer digits may scatter sums before that: if their transfers belong to all side sums,
// what a point starts with is in each of them. No digit may exchange before.

// mostStarred bounds the points of sums by star addition chains: longer chains take long to find.
const mostStarred = 1024

// starKey is what a star chain depends on.
type starKey struct{ pairs int }

// onStars tries star addition chains. All digits before them must scatter all that they can.
func (s *Search) onStars(b *Board, t Task, points int) {
	if !s.apart(t) || points%2 > 0 || s.Ports > 1 || points > mostStarred {
		return
	}
	s.offerSum(b, t, s.starSum(points), s.Bytes/float64(t.Scale))
}

// starSum returns the exchange of an even number of points by a star addition chain (see
// pairing.Star), nil if it needs too many side sums: one for every number of pairs of which a sum
// is given later, that of what has come by then.
func (s *Search) starSum(points int) *program {
	pairs := points / 2
	chain := planner.Kept(s.Memory, starKey{pairs}, func() ([]int, bool) { return pairing.Star(pairs), true })
	var needed []int
	for i, w := range chain[1:] {
		if x := w - chain[i]; x != chain[i] && !slices.Contains(needed, x) {
			needed = append(needed, x)
		}
	}
	if len(needed) > collective.MostSides {
		return nil
	}
	takes := Shape{}
	for range chain {
		takes = takes.plus(s.round(1, s.Ports))
	}
	takes.Changes = takes.Steps - 1
	lay := func() []stage {
		all := []stage{s.starRound(points, 0, collective.WholePart, sidesFrom(needed, 1))}
		for i, w := range chain[1:] {
			part := collective.WholePart
			if x := w - chain[i]; x != chain[i] {
				part = collective.SidePart(slices.Index(needed, x)+1, true)
			}
			all = append(all, s.starRound(points, w-1, part, sidesFrom(needed, w)))
		}
		return all
	}
	return &program{
		Shape: takes, points: points, kind: exchange, scattered: 1, parts: 1,
		about: fmt.Sprintf("sums of %v pairs", chain), Lay: lay, has: Uses{Exchange: true, Windows: true}, uneven: true,
		before: sidesFrom(needed, 0),
	}
}

// sidesFrom lists the side sums of at least w pairs.
func sidesFrom(needed []int, w int) (list collective.Sides) {
	for i, x := range needed {
		if x >= w {
			list |= collective.SidesOf(i + 1)
		}
	}
	return list
}

// starRound returns the round in which the first point of each pair and the second point of the
// one t pairs after it give each other a part.
func (m *Machine) starRound(points, t int, part collective.Part, sides collective.Sides) stage {
	var edges []topology.Edge
	var step []network.Way
	for u := 0; u < points; u += 2 {
		v := (u+2*t)%points + 1
		for _, way := range [...][2]int{{u, v}, {v, u}} {
			edges = append(edges, topology.Edge{From: way[0], To: way[1], Count: m.Ports})
			step = append(step, network.Way{Source: way[0], Modulus: 1, Path: []int32{int32(way[0]), int32(way[1])}, Of: part, Sides: sides, Alone: true})
		}
	}
	g := topology.New(points, fmt.Sprintf("pairs %d apart of %d", t, points), edges)
	return stage{Net: network.New(g, topology.Translations{}), kind: exchange, steps: [][]network.Way{step}}
}
