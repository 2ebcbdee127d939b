package standin

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// If circuits are all alike, a plan is as good with its GPUs renumbered. If some circuits are bad
// or missing, the renumbered plan may do without them: a ring of eight GPUs one apart needs the
// circuit from 0 to 1, a ring of GPUs three apart does not.

// numbering says which GPU takes the place of each. GPU 0, the root of operations that have one,
// stays in place.
type numbering struct {
	to []int
	// factor, if not 0, is the k for which GPU k*u takes the place of GPU u, modulo the number of
	// GPUs, so that rotations stay rotations.
	factor int
}

// At least fewestTried and at most mostTried multiples are tried; in between, as many as make
// triedPlaces GPUs together.
const (
	fewestTried = 4
	mostTried   = 16
	triedPlaces = 1 << 11
)

// multiples returns numberings that turn a circulant into another.
func multiples(nodes int) []numbering {
	var all []numbering
	for k := 2; k < nodes && len(all) < min(max(fewestTried, triedPlaces/nodes), mostTried); k++ {
		if arithmetic.GCD(int64(k), int64(nodes)) == 1 {
			n := numbering{make([]int, nodes), k}
			for u := range n.to {
				n.to[u] = k * u % nodes
			}
			all = append(all, n)
		}
	}
	return all
}

// mostEvery is the largest number of GPUs for which all numberings, 120, are tried. The choice of
// numberings then does not depend on the circuits, so better circuits leave the same plans to
// choose from.
const mostEvery = 6

// every returns all numberings except the one that changes nothing, in order.
func every(nodes int) []numbering {
	var all []numbering
	to := make([]int, nodes)
	var place func(u int, left []int)
	place = func(u int, left []int) {
		if u == nodes {
			all = append(all, numbering{to: slices.Clone(to)})
			return
		}
		for i, v := range left {
			to[u] = v
			place(u+1, slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	left := make([]int, 0, nodes)
	for u := 1; u < nodes; u++ {
		left = append(left, u)
	}
	place(1, left)
	return all[1:]
}

// renumberable reports whether a plan with other numbers is a plan for the same operation: all
// GPUs take part, and its chunks belong to GPUs by number and are alike.
func renumberable(p *plan.Plan) bool {
	s := &p.Collective.Space
	return s.Members == nil && s.Homogeneous() && !p.Staggered() &&
		(s.Kind == collective.Blocks || s.Kind == collective.Pairs || s.Kind == collective.Whole)
}

// graph returns a graph with its nodes renumbered.
func (n *numbering) graph(g *topology.Graph) *topology.Graph {
	return g.Renumber(g.Name()+" renumbered", g.Nodes(), n.to)
}

// graphs returns the renumbered circuits of the stages of a plan, one graph for stages with the
// same graph; nil if a fabric does not have these circuits.
func (n *numbering) graphs(p *plan.Plan, f *fabric.Fabric) []*topology.Graph {
	known := map[*topology.Graph]*topology.Graph{}
	list := make([]*topology.Graph, len(p.Stages))
	for i := range p.Stages {
		g := p.Stages[i].Topology
		if known[g] == nil {
			known[g] = n.graph(g)
			if f.Fits(known[g]) != nil {
				return nil
			}
		}
		list[i] = known[g]
	}
	return list
}

// plan returns a plan with its GPUs renumbered, on graphs that have been renumbered.
func (n *numbering) plan(p *plan.Plan, graphs []*topology.Graph) *plan.Plan {
	other := *p
	other.Stages = slices.Clone(p.Stages)
	space := p.Collective.Space
	for i := range other.Stages {
		stage := &other.Stages[i]
		stage.Topology, stage.Steps = graphs[i], slices.Clone(stage.Steps)
		for j := range stage.Steps {
			step := &stage.Steps[j]
			if n.factor == 0 || len(step.Group.Dims) > 1 {
				step.Unfold(space)
			}
			base := make([]plan.Transfer, len(step.Base))
			for k, t := range step.Base {
				base[k] = plan.Transfer{
					Transfer: collective.Transfer{Src: n.to[t.Src], Dst: n.to[t.Dst], Chunks: space.Renumber(n.to, t.Chunks), Action: t.Action, Part: t.Part, Sides: t.Sides},
					Routes:   plan.RenumberRoutes(n.to, t.Routes),
				}
			}
			step.Base = base
		}
	}
	return &other
}

// Swapped returns a plan in which two GPUs have changed places, nil if that would be another
// operation or too long a list of transfers. Operations with a root have it at GPU 0.
func Swapped(p *plan.Plan, u, v int) *plan.Plan {
	n := numbering{to: make([]int, p.Fabric.Nodes)}
	for w := range n.to {
		n.to[w] = w
	}
	n.to[u], n.to[v] = v, u
	if !renumberable(p) || n.unfolds(p) > mostUnfolded {
		return nil
	}
	graphs := make([]*topology.Graph, len(p.Stages))
	for i := range p.Stages {
		graphs[i] = n.graph(p.Stages[i].Topology)
	}
	return n.plan(p, graphs)
}
