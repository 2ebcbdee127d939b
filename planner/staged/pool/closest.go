package pool

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the search for close graphs of groups.
const (
	circulantStarts = 24      // number of searches for circulants
	circulantVisits = 1 << 24 // circuits that they look at
	groupStarts     = 4       // number of searches in every other group
	groupVisits     = 1 << 20 // circuits that they look at
	mostGrouped     = 128     // nodes up to which other groups are searched
	mostOfGroups    = 4       // graphs of other groups
	fewGrouped      = 64      // nodes above which half as many are kept: each is slow to price
	regularSeeds    = 100     // two-way graphs that look random
)

// closest searches for the circulants with the least sum of distances, and for graphs of other
// groups whose sum is the least among them and no larger than that of the circulants. It returns
// several graphs with the same sum, because how well a graph shares its circuits depends on more
// than distances.
func (k knownKey) closest(ctx context.Context) []*topology.Graph {
	found := jumpset.Closest(ctx, model.Rotations(k.nodes), k.search(circulantStarts, circulantVisits))
	least := math.MaxInt
	if len(found) > 0 {
		least = found[0].Total
	}
	if k.nodes <= mostGrouped {
		var others []jumpset.Close
		for _, g := range model.Groups(k.nodes)[1:] {
			others = append(others, jumpset.Closest(ctx, g, k.search(groupStarts, groupVisits))...)
		}
		slices.SortStableFunc(others, func(a, b jumpset.Close) int { return a.Total - b.Total })
		most := mostOfGroups
		if k.nodes > fewGrouped {
			most /= 2
		}
		for _, c := range others[:min(len(others), most)] {
			if c.Total <= min(least, others[0].Total) {
				found = append(found, c)
			}
		}
	}
	var graphs []*topology.Graph
	for _, c := range found {
		expr := topology.Expr{Family: "Cayley", Numbers: append([]int{c.Group.M, c.Group.Q, c.Group.R}, c.Generators...)}
		if c.Group.Q == 1 {
			expr = topology.Expr{Family: "DC", Numbers: append([]int{c.Group.M}, c.Generators...)}
		}
		if g, err := expr.Build(); err == nil {
			graphs = append(graphs, g)
		}
	}
	return graphs
}

// closestRandom returns the two-way graph with the least average distance among some that look
// random, or nil if no average is below those of the given graphs.
func (k knownKey) closestRandom(ctx context.Context, given []*topology.Graph) (closest *topology.Graph) {
	if !k.twoWay || k.nodes > mostGrouped {
		return nil
	}
	least := each.Min(math.Inf(1), given, averageDistance)
	for seed := range regularSeeds {
		if ctx.Err() != nil {
			return nil
		}
		g, err := topology.Expr{Family: "Regular", Numbers: []int{k.nodes, k.ports, seed}}.Build()
		if err != nil {
			return nil // there are none with so few nodes or ports
		}
		if average := averageDistance(g); average < least {
			closest, least = g, average
		}
	}
	return closest
}

// averageDistance is infinite if some node cannot reach another.
func averageDistance(g *topology.Graph) float64 {
	average, ok := g.AverageDistance()
	if !ok {
		return math.Inf(1)
	}
	f, _ := average.Float64()
	return f
}

func (k knownKey) search(starts, visits int) jumpset.Search {
	return jumpset.Search{Ports: k.ports, TwoWay: k.twoWay, Starts: starts, Visits: visits}
}
