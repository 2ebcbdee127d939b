package cast

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/lowtrees"
)

// This file has pipelines down trees that share two-way circuits: where one tree sends from a node
// to another, a second one sends back (package lowtrees). The trees of a forest need twice as many
// ports: some for parents, others for children.

// lowTreeCasts returns the pipelines down low trees that are faster than others.
func lowTreeCasts(s *digit.Search, nodes int, bytes float64, others []cast) []cast {
	if !s.Duplex {
		return nil
	}
	type candidate struct {
		growth
		shape lowtrees.Shape
		least float64
	}
	each := s.Alpha + s.Delta
	takes := func(g growth, spare int) (pieces int, time float64) {
		return bestPieces(spare, wholeOver(&s.Machine, g, bytes), each, mostPieces(nodes, g.trees, bytes))
	}
	var candidates []candidate
	for width := 1; s.Ports/width >= 3; width++ {
		degree := s.Ports / width
		for trees := degree/2 + 1; trees <= degree; trees++ {
			g := growth{trees: trees, width: width, fan: degree}
			if shape := (lowtrees.Shape{Nodes: nodes, Degree: degree, Trees: trees}); shape.Fits() && !g.tooMany(bytes) {
				_, least := takes(g, shape.LeastSpare())
				candidates = append(candidates, candidate{g, shape, least})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.least, b.least) })
	limit := math.Inf(1)
	for _, c := range others {
		limit = min(limit, c.Time)
	}
	var all []cast
	for _, c := range candidates {
		if c.least >= limit || s.Stopped() {
			break
		}
		low := planner.Kept(s.Memory, c.shape, func() (*lowtrees.Trees, bool) {
			return lowtrees.Find(c.shape, s.Stopped), !s.Stopped()
		})
		if low == nil {
			continue
		}
		pieces, time := takes(c.growth, low.Spare())
		limit = min(limit, time)
		all = append(all, cast{Time: time, About: fmt.Sprintf("%d pieces down %s that share circuits", pieces*c.trees, groves(c.trees)), Build: func() Laid {
			return layRelays(s, nodes, []relay{{growth: c.growth, roots: 1, nodes: nodes, depth: low.Spare() + 1, pieces: pieces, low: low}})
		}})
	}
	return all
}
