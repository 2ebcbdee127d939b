package flow

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// orbits is a problem reduced by a symmetry that was found in it: every demand is the image of
// a representative.
type orbits struct {
	group topology.Translations
	reps  []Demand
	rep   []int // per demand: its representative
	by    []int // per demand: the element that maps the representative to it
}

// detectDemands is the number of demands from which on searching for symmetries pays: with
// fewer the linear program is small anyway.
const detectDemands = 4

// detect searches for translations that leave both the graph and the demands invariant, among
// those under which the graph looks the same from every node. Nothing is assumed: each
// generator is checked on every bundle and every demand. It reports false if only the identity
// does so. It takes O(bundles + demands), times logarithms, for each candidate side.
func detect(p Problem) (*orbits, bool) {
	if !p.Group.Trivial() || len(p.Demands) < detectDemands {
		return nil, false
	}
	whole, ok := p.Graph.Symmetry()
	if !ok {
		return nil, false
	}
	sorted := slices.SortedFunc(slices.Values(p.Demands), compareDemands)
	group := whole.Restrict(func(part topology.Translations) bool {
		for _, k := range part.Generators() {
			moved := make([]Demand, len(sorted))
			for i, d := range sorted {
				moved[i] = Demand{part.Apply(k, d.Src), part.Apply(k, d.Dst), d.Amount}
			}
			slices.SortFunc(moved, compareDemands)
			if !slices.Equal(moved, sorted) {
				return false
			}
		}
		return true
	})
	if group.Trivial() {
		return nil, false
	}
	o := &orbits{group: group, rep: make([]int, len(p.Demands)), by: make([]int, len(p.Demands))}
	// Identical demands are distinguished by their turn; each orbit has the same number of them at
	// every place.
	type turn struct {
		d Demand
		k int
	}
	turns := map[turn]int{}
	numbers := map[Demand][]int{}
	for i, d := range p.Demands {
		k, home := group.Locate(d.Src)
		at := Demand{home, group.Back(k, d.Dst), d.Amount}
		number := turns[turn{at, k}]
		turns[turn{at, k}]++
		if number == len(numbers[at]) {
			numbers[at] = append(numbers[at], len(o.reps))
			o.reps = append(o.reps, at)
		}
		o.rep[i], o.by[i] = numbers[at][number], k
	}
	return o, true
}

func compareDemands(a, b Demand) int {
	return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst), cmp.Compare(a.Amount, b.Amount))
}

// spreadRoutes gives every demand the image of its representative's routes.
func (o *orbits) spreadRoutes(routes [][]Route) [][]Route {
	all := make([][]Route, len(o.rep))
	var memory routeMemory
	for i, rep := range o.rep {
		k := o.by[i]
		all[i] = memory.list(len(routes[rep]))
		for r, route := range routes[rep] {
			path := memory.path(len(route.Path))
			for h, u := range route.Path {
				path[h] = int32(o.group.Apply(k, int(u)))
			}
			all[i][r] = Route{Path: path, Share: route.Share}
		}
	}
	return all
}
