package joint

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// cast is a way to broadcast from node 0, with the time that it will take. A reduction is
// its reversal: everything in the opposite order and direction, on circuits turned round,
// where every node got a copy exactly once and now adds its own up.
type cast struct {
	time    float64
	changes int // of circuits
	about   string
	build   func() laidCast
	family  castFamily
}

// laidCast is a broadcast laid out.
type laidCast struct {
	stages []plan.Stage
	space  collective.Space
	about  string // how it goes, in a few words
	// scattering is the number of steps at the beginning in which the root deals out
	// blocks: they come back to it whole, so the reversal copies.
	scattering int
}

// castsOf returns the broadcasts that may be the best, the fastest first.
func castsOf(s *search, nodes int, bytes float64) []cast {
	var all []cast
	for _, family := range []struct {
		of  castFamily
		all func(s *search, nodes int, bytes float64) []cast
	}{
		{trees, treeCasts}, {pipelines, pipelineCasts}, {relays, relayCasts},
		{cubes, cubeCasts}, {circulants, circulantCasts}, {scatters, scatterCasts},
	} {
		if family.of == s.noCast {
			continue
		}
		for _, c := range family.all(s, nodes, bytes) {
			c.family = family.of
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b cast) int { return cmp.Compare(a.time, b.time) })
	return all[:min(len(all), s.keep)]
}

// reversedStages turns a broadcast into a reduction.
func reversedStages(l laidCast) []plan.Stage {
	graphs := map[*topology.Graph]*topology.Graph{}
	total, seen := 0, 0
	for _, st := range l.stages {
		total += len(st.Steps)
	}
	var all []plan.Stage
	for i := len(l.stages) - 1; i >= 0; i-- {
		g := l.stages[i].Topology
		if graphs[g] == nil {
			graphs[g] = g.Transpose("Transpose(" + g.Name() + ")")
			if graphs[g].Equal(g) {
				graphs[g] = g
			}
		}
		made := plan.Stage{Topology: graphs[g]}
		for j := len(l.stages[i].Steps) - 1; j >= 0; j-- {
			seen++
			action := collective.Reduce
			if total-seen < l.scattering {
				action = collective.Copy
			}
			step := l.stages[i].Steps[j]
			back := plan.Step{Group: step.Group, Base: make([]plan.Transfer, len(step.Base))}
			for k, t := range step.Base {
				routes := make([]flow.Route, len(t.Routes))
				for r, route := range t.Routes {
					path := slices.Clone(route.Path)
					slices.Reverse(path)
					routes[r] = flow.Route{Path: path, Share: route.Share}
				}
				back.Base[k] = plan.Transfer{
					Transfer: collective.Transfer{Src: t.Dst, Dst: t.Src, Action: action, Chunks: t.Chunks},
					Routes:   routes,
				}
			}
			made.Steps = append(made.Steps, back)
		}
		all = append(all, made)
	}
	return all
}

// copyOver is the copy of chunks along a path.
func copyOver(path []int32, chunks collective.Chunks) plan.Transfer {
	return plan.Transfer{
		Transfer: collective.Transfer{Src: int(path[0]), Dst: int(path[len(path)-1]), Action: collective.Copy, Chunks: chunks},
		Routes:   []flow.Route{{Path: path, Share: 1}},
	}
}

// tieUp adds, on a duplex fabric, the other direction of every circuit.
func tieUp(edges []topology.Edge, duplex bool) []topology.Edge {
	if !duplex {
		return edges
	}
	for _, e := range edges {
		edges = append(edges, topology.Edge{From: e.To, To: e.From, Count: e.Count})
	}
	return edges
}
