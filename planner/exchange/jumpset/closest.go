package jumpset

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Close is a set of generators: circuits lead from every node to its products with these.
type Close struct {
	Group      model.Group
	Generators []int // ascending
	Total      int   // the sum of distances from a node
}

// Search says how to look for generators.
type Search struct {
	Ports  int
	TwoWay bool // each generator comes with its inverse; that of an odd port is its own inverse
	Starts int  // sets of generators from which to start a search
	Visits int  // about how many circuits all searches look at
}

// Closest returns the sets of generators of a group with the least sum of distances that it
// finds. An odd port stays unused if no element is its own inverse. Sets of jumps mod n that
// are multiples of one another make the same graph with its nodes renumbered; only one of these
// sets is returned. There is none if every search leaves nodes unreached, or if the context
// ends.
func Closest(ctx context.Context, g model.Group, o Search) []Close {
	all := UpTo(g.Nodes() - 1)
	units, ok := UnitsOf(g, o.Ports, o.TwoWay, all)
	if !ok {
		units, ok = UnitsOf(g, o.Ports-1, o.TwoWay, all)
	}
	if !ok || len(units) == 0 {
		return nil
	}
	var closest []Close
	least := Far - 1
	w := NewWordSearch(g, units, 1)
	for start := 0; start < o.Starts && w.Visits < o.Visits; start++ {
		if err := w.Begin(ctx, start, nil); err != nil {
			return nil
		}
		total, err := w.Descend(ctx, 0, o.Visits)
		if err != nil {
			return nil
		}
		if total > least {
			continue
		}
		if total < least {
			least, closest = total, nil
		}
		set := slices.Sorted(slices.Values(w.generators[0]))
		if g.Q == 1 {
			set = leastMultiple(g.M, set)
		}
		if !slices.ContainsFunc(closest, func(other Close) bool { return slices.Equal(set, other.Generators) }) {
			closest = append(closest, Close{g, set, total})
		}
	}
	return closest
}

// leastMultiple returns the lexically first of the multiples of a set of jumps, each in
// ascending order. The factors are those coprime to the number of nodes.
func leastMultiple(nodes int, jumps []int) []int {
	var least []int
	for factor := 1; factor < nodes; factor++ {
		if arithmetic.GCD(nodes, factor) > 1 {
			continue
		}
		moved := make([]int, len(jumps))
		for i, j := range jumps {
			moved[i] = j * factor % nodes
		}
		slices.Sort(moved)
		if least == nil || slices.Compare(moved, least) < 0 {
			least = moved
		}
	}
	return least
}
