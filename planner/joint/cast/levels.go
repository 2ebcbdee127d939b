package cast

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// levelCasts returns the pipeline down a tree of shortest paths over the one network that a search
// knows: everybody gets a piece a step after the node before it, over the circuit between them, so
// K pieces take K-1 steps more than the farthest node is away.
func levelCasts(s *digit.Search, nodes int, bytes float64) []cast {
	g := s.Only()
	t, ok := treeOn(g)
	if !ok {
		return nil
	}
	over := func(width int) float64 {
		w := float64(width)
		return s.PerByte * bytes * s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	}
	pieces, _ := bestPieces(t.depth-1, over(slices.Min(t.widths)), s.Alpha+s.Delta, mostPieces(nodes, 1, bytes))
	time := 0.0
	for step := range pieces + t.depth - 1 {
		narrowest := slices.Min(t.widths[max(0, step-pieces+1):min(step+1, t.depth)])
		time += s.Alpha + s.Delta + over(narrowest)/float64(pieces)
	}
	about := fmt.Sprintf("%d pieces down a tree of %s", pieces, g.Name())
	if pieces == 1 {
		about = "down a tree of " + g.Name()
	}
	return []cast{{Time: time, About: about, Build: func() Laid {
		return Laid{Stages: []plan.Stage{{Topology: g, Steps: t.steps(pieces)}}, Space: collective.SpaceOf(collective.Broadcast, nodes, pieces)}
	}}}
}

// spanning is a tree of shortest paths from node 0.
type spanning struct {
	parent, level []int
	depth         int
	widths        []int // by level, of the narrowest bundle of circuits that leads there
}

// treeOn finds such a tree. Of the nodes that may be before another, the first that was reached
// over the widest bundle is; false if some node cannot be reached.
func treeOn(g *topology.Graph) (spanning, bool) {
	n := g.Nodes()
	t := spanning{parent: make([]int, n), level: make([]int, n)}
	over := make([]int32, n) // circuits from the parent
	order := make([]int, 1, n)
	for i := 0; i < len(order); i++ {
		u := order[i]
		to, count := g.Row(u)
		for k, v := range to {
			switch {
			case v == 0 || int(v) == u:
			case t.level[v] == 0:
				t.level[v] = t.level[u] + 1
				order = append(order, int(v))
				fallthrough
			case t.level[v] == t.level[u]+1 && int32(count[k]) > over[v]:
				t.parent[v], over[v] = u, int32(count[k])
			}
		}
	}
	if len(order) < n || n == 1 {
		return t, false
	}
	t.depth = t.level[order[n-1]]
	t.widths = slices.Repeat([]int{math.MaxInt32}, t.depth)
	for v := 1; v < n; v++ {
		narrowest := &t.widths[t.level[v]-1]
		*narrowest = min(*narrowest, int(over[v]))
	}
	return t, true
}

// steps sends so many pieces down the tree.
func (t *spanning) steps(pieces int) []plan.Step {
	steps := make([]plan.Step, pieces+t.depth-1)
	for v := 1; v < len(t.parent); v++ {
		path := []int32{int32(t.parent[v]), int32(v)}
		for k := range pieces {
			step := &steps[k+t.level[v]-1]
			step.Base = append(step.Base, copyOver(path, collective.Single(k)))
		}
	}
	return steps
}
