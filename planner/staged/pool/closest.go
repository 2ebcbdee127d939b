package pool

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the search for close graphs of groups.
const (
	circulantStarts = 24      // searches for circulants
	circulantVisits = 1 << 24 // circuits that they look at
	groupStarts     = 4       // searches in every other group
	groupVisits     = 1 << 20 // circuits that they look at
	mostGrouped     = 128     // nodes up to which other groups are searched
	mostOfGroups    = 4       // graphs of other groups
)

// closest returns the circulants with the least sum of distances of all that are found, and the
// graphs of other groups with the least, where it is no larger. Which of those with the same sum
// shares its circuits best depends on more than distances, so there are several.
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
		for _, c := range others[:min(len(others), mostOfGroups)] {
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

func (k knownKey) search(starts, visits int) jumpset.Search {
	return jumpset.Search{Ports: k.ports, TwoWay: k.twoWay, Starts: starts, Visits: visits}
}
