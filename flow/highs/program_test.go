package highs

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// program is the linear program of the minimum peak load in the form of arcs, the
// dual view of maximum concurrent flow (Shahrokhi and Matula, J. ACM 37(2), 1990):
//
//	minimise   L
//	subject to inflow(s, v) - outflow(s, v) = demand from s to v   for s, v != s
//	           sum of f(s, e) over s and e in class c <= circuits(c) L
//	           f, L >= 0
//
// There is one commodity per source, whatever its number of destinations: a flow
// from one source that delivers the right amounts splits into paths. Bundles from a
// node to itself and into the source of a commodity get no variable, as nothing is
// gained by flow on a cycle.
//
// A class is one bundle, or with a group its orbit. Averaging a routing over the
// group does not raise its peak, and then all bundles of an orbit have the load that
// the representative demands put on the orbit as a whole.
//
// Rows are stored compressed, the variable L is the last. Amounts are divided by
// scale, the largest one, as the tolerances of the solver are absolute.
type program struct {
	scale       float64
	columns     int
	lower       []float64 // of the rows
	upper       []float64
	start       []int // row i is [start[i], start[i+1]), the last row ends with index
	index       []int
	coefficient []float64
}

// newProgram writes the program down in O(sources x (nodes + bundles)), to which a
// group adds bundles x its order.
func newProgram(p flow.Problem) (*program, error) {
	if err := check(p); err != nil {
		return nil, err
	}
	n, edges := p.Graph.Nodes(), slices.Collect(p.Graph.Edges())
	lp := &program{}
	for _, d := range p.Demands {
		lp.scale = max(lp.scale, d.Amount)
	}
	need := map[int][]float64{} // amount per source and destination
	var sources []int
	for _, d := range p.Demands {
		if need[d.Src] == nil {
			need[d.Src] = make([]float64, n)
			sources = append(sources, d.Src)
		}
		need[d.Src][d.Dst] += d.Amount / lp.scale
	}

	carried := make([][]int, len(edges)) // the variables of each bundle
	for _, s := range sources {
		in, out := make([][]int, n), make([][]int, n) // the variables at each node
		for i, e := range edges {
			if e.From == e.To || e.To == s {
				continue
			}
			in[e.To], out[e.From] = append(in[e.To], lp.columns), append(out[e.From], lp.columns)
			carried[i] = append(carried[i], lp.columns)
			lp.columns++
		}
		for v := range n {
			if v != s {
				lp.row(need[s][v], need[s][v])
				lp.add(1, in[v])
				lp.add(-1, out[v])
			}
		}
	}
	peak := []int{lp.columns}
	lp.columns++
	for c, members := range orbits(p.Graph, p.Group) {
		if len(members) == 0 {
			continue
		}
		lp.row(math.Inf(-1), 0)
		for _, i := range members {
			lp.add(1, carried[i])
		}
		lp.add(-float64(edges[c].Count), peak)
	}
	return lp, nil
}

func (lp *program) row(lower, upper float64) {
	lp.lower, lp.upper = append(lp.lower, lower), append(lp.upper, upper)
	lp.start = append(lp.start, len(lp.index))
}

// add appends terms with the same coefficient to the last row.
func (lp *program) add(coefficient float64, columns []int) {
	lp.index = append(lp.index, columns...)
	for range columns {
		lp.coefficient = append(lp.coefficient, coefficient)
	}
}

// orbits lists the members of the class of each bundle under its first member; the
// entries of all other bundles, and of those from a node to itself, are empty.
func orbits(g *topology.Graph, group topology.Translations) [][]int {
	members := make([][]int, g.Bundles())
	i := 0
	for e := range g.Edges() {
		if e.From != e.To {
			first := i
			for k := range group.Order() {
				first = min(first, g.Find(group.Apply(k, e.From), group.Apply(k, e.To)))
			}
			members[first] = append(members[first], i)
		}
		i++
	}
	return members
}

// check refuses the same problems as package flow, with the same errors, except for demands that
// cannot be met, which the solver detects.
func check(p flow.Problem) error {
	n := p.Graph.Nodes()
	for i, d := range p.Demands {
		if min(d.Src, d.Dst) < 0 || max(d.Src, d.Dst) >= n || d.Src == d.Dst || !(d.Amount > 0) || math.IsInf(d.Amount, 1) {
			return fmt.Errorf("%w %d: %v from %d to %d in a graph of %d nodes", flow.ErrDemand, i, d.Amount, d.Src, d.Dst, n)
		}
	}
	if !p.Group.Invariant(p.Graph) {
		return fmt.Errorf("%w: dims %v, stride %v", flow.ErrNotInvariant, p.Group.Dims, p.Group.Stride)
	}
	return nil
}

// Unfold returns the same problem without a group: all the demands, written out.
func Unfold(p flow.Problem) flow.Problem {
	full := flow.Problem{Graph: p.Graph}
	for _, d := range p.Demands {
		for k := range p.Group.Order() {
			full.Demands = append(full.Demands, flow.Demand{
				Src: p.Group.Apply(k, d.Src), Dst: p.Group.Apply(k, d.Dst), Amount: d.Amount,
			})
		}
	}
	return full
}
