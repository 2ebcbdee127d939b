package staggered

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/units"
)

// TestSearchFindsTheBestPatternsOfAlgorithms: on two planes, no patterns of an algorithm's steps
// over its own circuits, with any number of hops, are better than those found. So the search does
// not limit the gain of staggering over harvest.
func TestSearchFindsTheBestPatternsOfAlgorithms(t *testing.T) {
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		nodes     int
	}{
		{collective.AllGather, "recursive-doubling", 8},
		{collective.AllReduce, "halving-doubling", 8},
		{collective.AllToAll, "shift", 4},
	} {
		for _, delay := range []units.Duration{5, 20, 60, 150} {
			f := fabric.Default()
			f.Nodes, f.Ports = c.nodes, 2
			f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
			f.Reconfig.Base = delay * units.Microsecond
			laid, err := algorithms.New(c.op, c.algorithm, f.Nodes, f.Ports)
			if err != nil {
				t.Fatal(err)
			}
			r := &planner.Request{Fabric: f, Collective: laid, Size: 8 * units.MiB}
			problem, err := newTask(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			found, err := planes.Search(t.Context(), &problem.Problem, func(int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			patterns, best := patternsOf(&problem.Problem), units.Time(math.Inf(1))
			for i := range patterns {
				for j := range i + 1 {
					if timing := problem.Time([]planes.Pattern{patterns[i], patterns[j]}); timing != nil {
						best = min(best, timing.Total)
					}
				}
			}
			if found.Total > best*(1+tieTolerance) || found.Total < best*(1-tieTolerance) {
				t.Errorf("%s on %d GPUs, %v: %v, the best of %d patterns %v", c.algorithm, c.nodes, delay*units.Microsecond, found.Total, len(patterns), best)
			}
		}
	}
}

// patternsOf lists all patterns of a plane.
func patternsOf(p *planes.Problem) []planes.Pattern {
	all := []planes.Pattern{nil}
	for _, row := range p.Services {
		var longer []planes.Pattern
		for _, pattern := range all {
			longer = append(longer, append(pattern[:len(pattern):len(pattern)], planes.Skip))
			for c, s := range row {
				if s.Whole > 0 {
					longer = append(longer, append(pattern[:len(pattern):len(pattern)], c))
				}
			}
		}
		all = longer
	}
	return all
}
