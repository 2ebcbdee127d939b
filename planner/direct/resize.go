package direct

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Limits on the work for sizes without a good known topology.
const (
	resizedNodes = 1 << 12 // GPUs: a schedule without symmetry takes O(n^2 d)
	resizedWork  = 1 << 12 // total GPUs of the schedules compared for one topology
	worthwhile   = 1.1     // a nearby size is tried if it is faster by this factor
	near         = 1.15    // a time within this factor of the least possible is good enough
)

// resized returns a topology and its schedule that are faster than schedule s, or nil if it
// finds none. It takes a topology with a few GPUs fewer and inserts GPUs into circuits, or one
// with a few GPUs more and removes some. Prime numbers of GPUs, and numbers for which all
// groups commute, have no good topology of their own, but the numbers next to them do.
func resized(ctx context.Context, r *planner.Request, s *source) (*topology.Graph, *source, error) {
	n := r.Fabric.Nodes
	if n > resizedNodes || n < 8 || r.Fabric.Duplex || float64(s.least(r)) <= near*float64(ideal(r)) {
		return nil, nil, nil
	}
	var best *topology.Graph
	fastest := s
	for _, from := range []int{n - 1, n + 1, n - 2, n + 2, n - 3, n - 4} {
		beside := *r
		beside.Fabric.Nodes = from
		// Stored graphs have less room for inserted nodes than graphs with more steps.
		g, err := topologyOf(ctx, &beside, finder.Options{Unstored: true})
		if errors.Is(err, planner.ErrInfeasible) || err == nil && g.Degree() != r.Fabric.Ports {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		there, err := bestOn(ctx, &beside, g)
		if err != nil {
			return nil, nil, err
		}
		if float64(fastest.least(r)) < worthwhile*float64(there.least(&beside)) {
			continue
		}
		other, its, err := fastestFitted(ctx, r, g, fastest)
		if err != nil {
			return nil, nil, err
		}
		if other != nil {
			best, fastest = other, its
		}
	}
	if best == nil {
		return nil, nil, nil
	}
	return best, fastest, nil
}

// fastestFitted resizes a topology in a few random ways to the nodes of the request, and
// returns the fastest result if it is faster than the known schedule.
func fastestFitted(ctx context.Context, r *planner.Request, g *topology.Graph, known *source) (*topology.Graph, *source, error) {
	n := r.Fabric.Nodes
	var best *topology.Graph
	fastest := known
	random := rand.New(rand.NewPCG(uint64(n), uint64(g.Nodes())))
	for range max(1, resizedWork/n) {
		other := fitted(g, n, random)
		if other == nil {
			continue
		}
		one, err := bestOn(ctx, r, other)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if one.least(r) < fastest.least(r) {
			best, fastest = other, &one
		}
	}
	return best, fastest, nil
}

// ideal returns a lower bound: the time of a schedule with the fewest steps and the least
// bandwidth that any topology of one-way circuits can have.
func ideal(r *planner.Request) units.Time {
	n, halves := r.Fabric.Nodes, 1
	if r.Collective.Op == collective.AllReduce {
		halves = 2
	}
	steps, _ := topology.MooreDiameter(n, r.Fabric.Ports, false)
	s := source{steps: halves * steps, time: big.NewRat(int64(halves*(n-1)), int64(r.Fabric.Ports))}
	return s.least(r)
}

// fitted returns a topology resized to the given number of nodes. It inserts each new node into
// as many circuits as a node has ports, or removes the last nodes and joins their circuits. It
// returns nil if that is impossible.
func fitted(g *topology.Graph, nodes int, random *rand.Rand) *topology.Graph {
	var list [][2]int
	for e := range g.Edges() {
		for range e.Count {
			list = append(list, [2]int{e.From, e.To})
		}
	}
	for x := g.Nodes(); x < nodes; x++ {
		order := random.Perm(len(list))
		from, to := map[int]bool{}, map[int]bool{}
		for _, i := range order {
			if e := list[i]; !from[e[0]] && !to[e[1]] && len(from) < g.Degree() {
				from[e[0]], to[e[1]] = true, true
				list[i] = [2]int{e[0], x}
				list = append(list, [2]int{x, e[1]})
			}
		}
		if len(from) < g.Degree() {
			return nil
		}
	}
	for x := g.Nodes() - 1; x >= nodes; x-- {
		var in, out []int
		var rest [][2]int
		for _, e := range list {
			switch {
			case e[0] == x:
				out = append(out, e[1])
			case e[1] == x:
				in = append(in, e[0])
			default:
				rest = append(rest, e)
			}
		}
		random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		for i := range in {
			if i >= len(out) || in[i] == out[i] {
				return nil
			}
			rest = append(rest, [2]int{in[i], out[i]})
		}
		list = rest
	}
	edges := make([]topology.Edge, len(list))
	for i, e := range list {
		edges[i] = topology.Edge{From: e[0], To: e[1], Count: 1}
	}
	return topology.New(nodes, g.Name()+" resized", edges)
}
