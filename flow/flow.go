package flow

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// Callers can tell these errors apart with errors.Is. Each is wrapped with the demand, route or
// name at fault.
var (
	// ErrUnreachable says that no path leads from the source of a demand to its destination.
	ErrUnreachable = errors.New("destination cannot be reached")
	// ErrDemand says that a demand has nodes outside the graph, equal ends, or an amount that is
	// not a positive number.
	ErrDemand = errors.New("invalid demand")
	// ErrRoute says that routes do not carry the demands over the graph.
	ErrRoute = errors.New("invalid route")
	// ErrNotInvariant says that the group does not map the graph onto itself.
	ErrNotInvariant = errors.New("graph is not invariant under the group")
	// ErrPolicy says that a routing policy does not exist.
	ErrPolicy = errors.New("unknown routing policy")
)

// Demand asks for Amount (bytes, > 0) to be moved from Src to Dst (Src != Dst).
type Demand struct {
	Src, Dst int
	Amount   float64
}

// Route is one path (node list, from Src to Dst) and the share of the demand that takes it.
// Paths may share memory with each other and must not be modified.
type Route struct {
	Path  []int32
	Share float64
}

// Problem is one communication step on a graph.
//
// If Group is not trivial, Demands are only the representatives: the whole step is their images
// under every element of Group, and Graph must be invariant under Group. The routes of the
// images are the images of the routes.
//
// MaxHops, if above 0, limits the hops of the routes of the optimal policy (it must be at least
// the largest distance of a demand), so that propagation can be traded against congestion.
type Problem struct {
	Graph   *topology.Graph
	Demands []Demand
	Group   topology.Translations
	MaxHops int
	// Exact makes the optimal policy solve exactly even problems that are so large that it would
	// approximate them; it may take minutes.
	Exact bool
}

// Policy says how to route.
type Policy string

const (
	// Optimal minimises the peak load over all routings, splitting demands over paths where that
	// helps and, among those routings, the total of bytes x hops (nearly, if an interior point
	// method answers). Very large problems without symmetry are approximated, mostly to within a
	// hundredth; Result.Bound says how close.
	Optimal Policy = "optimal"
	// Shortest sends every demand over one shortest path, ties going clockwise.
	Shortest Policy = "shortest"
	// ShortestSplit divides every demand at every node over all the next hops on
	// shortest paths, in proportion to their circuits (ECMP).
	ShortestSplit Policy = "shortest-split"
)

// ParsePolicy returns the policy of that name.
func ParsePolicy(name string) (Policy, error) {
	switch p := Policy(name); p {
	case Optimal, Shortest, ShortestSplit:
		return p, nil
	}
	return "", fmt.Errorf("%w %q: want %q, %q or %q", ErrPolicy, name, Optimal, Shortest, ShortestSplit)
}

// Load is the summary of a routing's load.
type Load struct {
	// Peak is the largest (bytes on a bundle)/(its circuits).
	Peak float64
	// Hops is the length of the longest route.
	Hops int
	// Dilation is the largest sum, over the hops of a route, of (bytes of the route)/(circuits of
	// the bundle): the time of store-and-forward in bytes.
	Dilation float64
}

// These are the values of Result.Method.
const (
	MethodUnique      = "unique-path"           // no node has a choice
	MethodShortest    = "shortest"              // one shortest path per demand
	MethodBalanced    = "shortest-balanced"     // two shortest paths per demand, one in each direction
	MethodSplit       = "shortest-split"        // ECMP over shortest paths
	MethodColumns     = "column-generation"     // linear program over paths
	MethodMaxFlow     = "maximum-flow"          // one node sends to all others, or receives from them
	MethodInterior    = "interior-point"        // linear program over the flows of each source
	MethodApproximate = "exponential-potential" // approximation of that program
)

// Result is a routing of a step.
type Result struct {
	Routes [][]Route // per demand, in the order of Problem.Demands
	Load   Load
	Bound  float64 // no routing (within MaxHops, if that is set) has a smaller Peak
	Method string  // how the routes were made
	// Work counts the work of finding the routes, approximately in numbers touched. It is the same
	// for the same problem on every machine, and 0 if no linear program was solved.
	Work int64
	// Symmetry is the order of the group of translations under which the problem was solved, given
	// or found; 1 if none.
	Symmetry int
	// Approximate says that the search for the best routes stopped short of them, and that nothing
	// proves these to be as good.
	Approximate bool

	open    float64   // lower bound on the Peak for any MaxHops; 0: unknown
	lengths []float64 // of the classes of bundles, proving the bound; nil: unknown
}

// Theta is the concurrent flow that the routing achieves on circuits that carry one byte per
// unit of time: the fraction of every demand that can be served in that time, all together.
func (r *Result) Theta() float64 { return 1 / r.Load.Peak }

// optimalityGap is the relative distance of Peak and Bound at which a routing
// counts as optimal. It is far below anything that a time measurement could show
// and some thousand times the rounding errors of the linear program.
const optimalityGap = 1e-9

// meets reports whether a routing with this peak is optimal by the bound.
func meets(peak, bound float64) bool { return peak <= bound*(1+optimalityGap) }

// Solve routes the step, trying methods from the cheapest to the most expensive. If no node has
// a choice of circuits, the paths are unique for any policy. The two shortest-path policies
// cost one search per destination. The optimal policy takes shortest paths if a simple bound
// proves them optimal: one per demand or, if the problem has a symmetry, two. Next are a closed
// form, if there is one, and the linear program over the orbits of the problem's symmetry (see
// symmetry.go and columns.go). If most pairs of nodes have demands and there is no symmetry, an
// interior point method solves that program (see interior_solve.go). If all that is too large,
// it approximates (see approximate.go). Result.Method says which method was used.
//
// Results are deterministic: the same problem gives the same routes, bit for bit.
func Solve(ctx context.Context, p Problem, policy Policy) (*Result, error) {
	l, err := ladderFor(ctx, p, policy)
	if err != nil {
		return nil, err
	}
	res, err := l.solve(ctx, policy, p.MaxHops, math.Inf(1))
	if err != nil {
		return nil, err
	}
	res = res.signed(&p, 0)
	res.Approximate = res.Method == MethodApproximate && !meets(res.Load.Peak, res.Bound)
	return res, nil
}

// ladderFor is newLadder for a policy that must exist, unless the context has ended.
func ladderFor(ctx context.Context, p Problem, policy Policy) (*ladder, error) {
	if _, err := ParsePolicy(string(policy)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newLadder(p)
}

// checkDemands reports the first demand that is invalid on the graph.
func checkDemands(g *topology.Graph, demands []Demand) error {
	for i, d := range demands {
		if !d.valid(g.Nodes()) {
			return d.fault(i, g.Nodes())
		}
	}
	return nil
}

// valid reports whether a demand is valid on a graph of the given number of nodes.
func (d Demand) valid(nodes int) bool {
	return d.Src >= 0 && d.Src < nodes && d.Dst >= 0 && d.Dst < nodes && d.Src != d.Dst && d.Amount > 0 && !math.IsInf(d.Amount, 1)
}

// fault says why demand i is not valid.
func (d Demand) fault(i, nodes int) error {
	switch {
	case d.Src < 0 || d.Src >= nodes || d.Dst < 0 || d.Dst >= nodes:
		return fmt.Errorf("%w %d: %d -> %d in a graph of %d nodes", ErrDemand, i, d.Src, d.Dst, nodes)
	case d.Src == d.Dst:
		return fmt.Errorf("%w %d: node %d to itself", ErrDemand, i, d.Src)
	}
	return fmt.Errorf("%w %d: amount %v from %d to %d", ErrDemand, i, d.Amount, d.Src, d.Dst)
}

// unreachable wraps ErrUnreachable with the pair.
func unreachable(d Demand) error {
	return fmt.Errorf("%w: %d -> %d", ErrUnreachable, d.Src, d.Dst)
}

// solveUnique routes a step on a graph on which paths are unique. Without a group
// the load takes O(nodes + demands); with one, the length of the representatives'
// paths.
func solveUnique(p Problem, cl *classes, s *Successor) (*Result, error) {
	res := &Result{Routes: make([][]Route, len(p.Demands)), Method: MethodUnique}
	routes := make([]Route, len(p.Demands))
	for i, d := range p.Demands {
		path := s.path(d.Src, d.Dst)
		if path == nil {
			return nil, unreachable(d)
		}
		routes[i] = Route{Path: path, Share: 1}
		res.Routes[i] = routes[i : i+1 : i+1]
	}
	if p.Group.Trivial() {
		res.Load, _ = s.Evaluate(p.Demands)
	} else {
		var err error
		if res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes); err != nil {
			return nil, err
		}
	}
	res.Bound = res.Load.Peak
	return res, nil
}
