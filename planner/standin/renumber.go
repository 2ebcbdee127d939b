package standin

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/gcd"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// A plan is as good with its GPUs numbered otherwise, where circuits are alike. Where some are
// bad or missing, it may then do without these: a ring of eight GPUs one apart needs the circuit
// from 0 to 1, one of GPUs three apart does not.

// numbering says which GPU takes the place of each. It leaves 0, the root of what has one,
// where it is.
type numbering struct {
	to []int
	// factor: GPU u takes the place k where k times it is u, so that rotations stay rotations;
	// 0 where it is another numbering.
	factor int
}

// The multiples that are tried are at least fewestTried, and at most as many as make
// triedPlaces GPUs together, or mostTried.
const (
	fewestTried = 4
	mostTried   = 16
	triedPlaces = 1 << 11
)

// multiples returns numberings that turn a circulant into another.
func multiples(nodes int) []numbering {
	var all []numbering
	for k := 2; k < nodes && len(all) < min(max(fewestTried, triedPlaces/nodes), mostTried); k++ {
		if gcd.Of(int64(k), int64(nodes)) == 1 {
			n := numbering{make([]int, nodes), k}
			for u := range n.to {
				n.to[u] = k * u % nodes
			}
			all = append(all, n)
		}
	}
	return all
}

// mostEvery is the number of GPUs up to which all numberings are tried, 120: which they are then
// does not depend on what circuits are like, so that better ones leave the same plans to choose
// from.
const mostEvery = 6

// every returns all numberings but that which changes nothing, in order.
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

// renumberable reports whether a plan is one for the same operation with other numbers: its
// chunks belong to GPUs, all of which take part, by number, and are alike.
func renumberable(p *plan.Plan) bool {
	s := &p.Collective.Space
	return s.Members == nil && s.Homogeneous() && !p.Staggered() &&
		(s.Kind == collective.Blocks || s.Kind == collective.Pairs || s.Kind == collective.Whole)
}

// graph returns a graph with other numbers.
func (n *numbering) graph(g *topology.Graph) *topology.Graph {
	return g.Renumber(g.Name()+" renumbered", g.Nodes(), n.to)
}

// graphs returns the circuits of the stages of a plan with other numbers, the same graph for
// the same, nil where a fabric does not have them.
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

// plan returns a plan with other numbers on the graphs that these give.
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
					Transfer: collective.Transfer{Src: n.to[t.Src], Dst: n.to[t.Dst], Chunks: space.Renumber(n.to, t.Chunks), Action: t.Action, Part: t.Part},
					Routes:   plan.RenumberRoutes(n.to, t.Routes),
				}
			}
			step.Base = base
		}
	}
	return &other
}

// Swapped returns a plan in which two GPUs have changed places, nil where that would be another
// operation or too long a list of transfers. What has a root has it at GPU 0.
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
