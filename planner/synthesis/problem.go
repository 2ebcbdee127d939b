package synthesis

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Errors that callers can distinguish with errors.Is.
var (
	// ErrProblem means that a problem, a starting topology or an option makes no sense.
	ErrProblem = errors.New("synthesis: invalid problem")
	// ErrSpent means that the work was used up before a topology was found.
	ErrSpent = errors.New("synthesis: no topology was found within the work allowed")
	// ErrInfeasible means that no topology was found on which every demand has a path. Exact
	// returns it only if there is none.
	ErrInfeasible = errors.New("synthesis: no topology carries all steps")
)

// Step is the demands of one step. If Group is not trivial, Demands are only representatives, as
// in flow.Problem, and the whole step is their images.
type Step struct {
	Demands []flow.Demand
	Group   topology.Translations
}

// Problem asks for the one topology on which an interval of steps takes the least
// time: HARVEST's Eq. 5 for the steps a to b. A step takes
//
//	Alpha + Delta*hops + (bytes of the most loaded circuit)/Bandwidth
//
// and each step is routed on its own.
type Problem struct {
	Nodes int
	Ports int // circuits that may leave and that may enter a node
	// Duplex says that circuits are two-way and take one port at each end.
	Duplex bool

	Alpha, Delta units.Duration
	Bandwidth    units.Bandwidth
	Forwarding   fabric.Forwarding // "" is cut-through
	Routing      flow.Policy       // "" is optimal: the fastest routing of each step
	// CapTheta keeps the concurrent flow of a step at or below 1, as HARVEST's appendix A does
	// (theta in (0, 1]): a step never sends faster than its busiest pair could over one circuit,
	// however many circuits the pair has.
	CapTheta bool

	Steps []Step
}

// check returns an error for the first thing that makes no sense, and fills in defaults.
func (p *Problem) check() error {
	p.Forwarding = cmp.Or(p.Forwarding, fabric.CutThrough)
	p.Routing = cmp.Or(p.Routing, flow.Optimal)
	switch {
	case p.Nodes < fabric.MinNodes || p.Nodes > fabric.MaxNodes:
		return fmt.Errorf("%w: %d nodes, want %d to %d", ErrProblem, p.Nodes, fabric.MinNodes, fabric.MaxNodes)
	case p.Ports < 1 || p.Ports > fabric.MaxPorts:
		return fmt.Errorf("%w: %d ports, want 1 to %d", ErrProblem, p.Ports, fabric.MaxPorts)
	case p.Alpha < 0 || p.Delta < 0:
		return fmt.Errorf("%w: a start-up of %v or %v per hop is negative", ErrProblem, p.Alpha.Time(), p.Delta.Time())
	case p.Bandwidth <= 0:
		return fmt.Errorf("%w: the bandwidth must be above 0", ErrProblem)
	case p.Forwarding != fabric.CutThrough && p.Forwarding != fabric.StoreAndForward:
		return fmt.Errorf("%w: unknown forwarding %q", ErrProblem, p.Forwarding)
	case len(p.Steps) == 0:
		return fmt.Errorf("%w: no steps", ErrProblem)
	}
	if _, err := flow.ParsePolicy(string(p.Routing)); err != nil {
		return fmt.Errorf("%w: %w", ErrProblem, err)
	}
	for i, s := range p.Steps {
		if err := s.check(p.Nodes); err != nil {
			return fmt.Errorf("%w: step %d: %w", ErrProblem, i+1, err)
		}
	}
	return nil
}

// Amounts far outside those of any message are refused, so that products and inverses of amounts
// stay finite.
const (
	leastBytes = 1e-100
	mostBytes  = 1e+100 // of a step, times the number of nodes
)

// check returns an error for the first demand that makes no sense on n nodes.
func (s *Step) check(n int) error {
	if err := s.Group.Check(n); err != nil {
		return err
	}
	sum := 0.0
	for _, d := range s.Demands {
		switch {
		case d.Src < 0 || d.Src >= n || d.Dst < 0 || d.Dst >= n:
			return fmt.Errorf("demand %d -> %d: nodes are 0..%d", d.Src, d.Dst, n-1)
		case d.Src == d.Dst:
			return fmt.Errorf("demand of node %d to itself", d.Src)
		case !(d.Amount >= leastBytes):
			return fmt.Errorf("demand %d -> %d: amount %v, want at least %g", d.Src, d.Dst, d.Amount, leastBytes)
		}
		sum += d.Amount
	}
	if total := sum * float64(s.Group.Order()) * float64(n); total > mostBytes {
		return fmt.Errorf("amounts sum to %v bytes, on the way to more than %g", sum, mostBytes)
	}
	return nil
}

// fits returns why the circuits of g cannot be up at once, or nil. Self-loops occupy a port.
func (p *Problem) fits(g *topology.Graph) error {
	machine := fabric.Fabric{Nodes: p.Nodes, Ports: p.Ports, Duplex: p.Duplex}
	if err := machine.Fits(g); err != nil {
		return fmt.Errorf("%w: topology %s: %w", ErrProblem, g.Name(), err)
	}
	return nil
}

// StepCost is the time of one step on a topology.
type StepCost struct {
	Time units.Time
	Hops int // of the longest route
	// Bytes determines the transmission time: those of the most loaded circuit, with
	// store-and-forward those of the slowest route, and with CapTheta at least those of the
	// busiest pair.
	Bytes float64
	// Congestion is Bytes divided by the bytes of the busiest pair: 1/theta.
	Congestion float64
}

// Result is a topology for the interval.
type Result struct {
	Graph *topology.Graph
	Cost  units.Time // the time of all steps together
	Steps []StepCost // in the order of Problem.Steps
	Bound units.Time // no topology that the ports allow costs less
	// Proven says that Cost exceeds Bound by no more than a relative 1e-8, so the topology is
	// optimal.
	Proven bool
	// Evaluations counts the topologies whose cost was computed or bounded, including Exact's
	// partial ones.
	Evaluations int
	// Work is the work done, roughly in numbers touched. The same problem and options take the
	// same work on every machine.
	Work int64
	// Spent says that the search ended because its work was used up.
	Spent bool
	// Earlier are the topologies that were the best before Graph, in the order in which they were
	// found. A search with less work finds a prefix of them.
	Earlier []*topology.Graph
}

// Progress is how far a search has come. Before the first feasible topology Cost is
// +Inf.
type Progress struct {
	Cost, Bound units.Time
	Evaluations int
}

// provenGap is the relative gap between cost and bound up to which a topology counts as optimal.
// It is ten times the gap that flow allows a routing, and far too small to measure.
const provenGap = 1e-8

var inf = math.Inf(1)

// newResult returns the result of a search that has found a topology and proven a bound.
func newResult(iv *interval, best *priced, bound units.Time, evaluations int, earlier []*topology.Graph) *Result {
	r := &Result{
		Graph: named(best.graph), Cost: best.cost, Steps: iv.stepCosts(best), Bound: min(bound, best.cost),
		Evaluations: evaluations, Work: iv.work, Spent: iv.spent(),
	}
	for _, g := range earlier {
		r.Earlier = append(r.Earlier, named(g))
	}
	if r.Proven = proven(r.Cost, r.Bound); r.Proven {
		r.Bound = r.Cost
	}
	return r
}

// synthesised is the name of topologies that are neither given nor named by an expression.
const synthesised = "synthesised"

// named gives a synthesised circulant its proper name.
func named(g *topology.Graph) *topology.Graph {
	if jumps, ok := g.Jumps(); ok && g.Name() == synthesised && len(jumps) > 0 {
		return topology.DirectedCirculant(g.Nodes(), jumps...)
	}
	return g
}
