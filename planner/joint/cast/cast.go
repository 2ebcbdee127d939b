package cast

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/topology"
)

// cast is a way to broadcast from node 0, with the time that it will take. A reduction is its
// reversal, in the opposite order and direction on reversed circuits: every node got exactly one
// copy in the broadcast, so it adds its own vector exactly once in the reduction.
type cast struct {
	Time    float64
	Changes int // reconfigurations
	About   string
	Build   func() Laid
	Family  digit.CastFamily
}

// Laid is a broadcast laid out.
type Laid struct {
	Stages []plan.Stage
	Space  collective.Space
	About  string // a description in a few words
	// deals says in which steps a root deals out blocks. In the reversal these blocks come back
	// to it complete, so those steps copy. Steps beyond the end of deals deal out nothing.
	deals []bool
}

// dealt reports whether a step deals out blocks.
func (l *Laid) dealt(step int) bool { return step < len(l.deals) && l.deals[step] }

// All returns the broadcasts that may be the best, the fastest first.
func All(s *digit.Search, nodes int, bytes float64) []cast {
	var all []cast
	add := func(of digit.CastFamily, find func(s *digit.Search, nodes int, bytes float64) []cast) {
		if s.Stopped() || of == s.NoCast || s.NoLines && of == digit.Digits {
			return
		}
		for _, c := range find(s, nodes, bytes) {
			c.Family = of
			all = append(all, c)
		}
		slices.SortStableFunc(all, func(a, b cast) int { return cmp.Compare(a.Time, b.Time) })
		all = all[:min(len(all), s.Keep)]
	}
	// limit returns the time that a cast must beat to be among those returned.
	limit := func() float64 {
		if len(all) < s.Keep {
			return math.Inf(1)
		}
		return all[len(all)-1].Time
	}
	add(digit.Trees, treeCasts)
	add(digit.Pipelines, pipelineCasts)
	add(digit.Relays, relayCasts)
	add(digit.Cubes, cubeCasts)
	add(digit.Circulants, circulantCasts)
	add(digit.Calls, func(s *digit.Search, nodes int, bytes float64) []cast { return callCasts(s, nodes, bytes, limit()) })
	add(digit.Deals, dealCasts)
	// Gathers take the longest to find, and only a few of them can still be the best.
	add(digit.Scatters, func(s *digit.Search, _ int, bytes float64) []cast { return scatterCasts(s, bytes, limit()) })
	add(digit.Digits, func(s *digit.Search, _ int, _ float64) []cast { return digitCasts(s, limit()) })
	return all
}

// Staying returns the broadcasts over the one network that a search knows, the fastest first.
func Staying(s *digit.Search, nodes int, bytes float64) []cast {
	all := levelCasts(s, nodes, bytes)
	if bytes >= float64(nodes) { // else a block would be less than a byte
		all = append(all, stayingScatters(s, bytes, math.Inf(1))...)
	}
	slices.SortStableFunc(all, func(a, b cast) int { return cmp.Compare(a.Time, b.Time) })
	return all[:min(len(all), s.Keep)]
}

// Reversed turns a broadcast into a reduction.
func Reversed(l Laid) []plan.Stage {
	graphs := map[*topology.Graph]*topology.Graph{}
	total, seen := 0, 0
	for _, st := range l.Stages {
		total += len(st.Steps)
	}
	var all []plan.Stage
	for i := len(l.Stages) - 1; i >= 0; i-- {
		g := l.Stages[i].Topology
		if graphs[g] == nil {
			graphs[g] = g.Transpose("Transpose(" + g.Name() + ")")
			if graphs[g].Equal(g) {
				graphs[g] = g
			}
		}
		made := plan.Stage{Topology: graphs[g]}
		for j := len(l.Stages[i].Steps) - 1; j >= 0; j-- {
			seen++
			action := collective.Reduce
			if l.dealt(total - seen) {
				action = collective.Copy
			}
			made.Steps = append(made.Steps, l.Stages[i].Steps[j].Backward(action))
		}
		all = append(all, made)
	}
	return all
}

// copyOver returns the transfer that copies chunks along a path.
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
