package bfb

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Schedule is the breadth-first-broadcast schedule that is fastest in every step.
type Schedule struct {
	Op     Op
	Nodes  int
	Degree int // ports of a node, circuits to itself included
	Steps  int
	Chunks int // per shard, 0 if shards are cut anywhere
	// PerStep is how long each step takes: the load of the busiest circuit, in shards.
	// With Options.Links it is a time in the unit of the links.
	PerStep []*big.Rat
	// Time is the sum of PerStep.
	Time *big.Rat
	// Bandwidth is the time in units of M/B, where M is the size of all shards together
	// and B what the ports of a node carry: Time x Degree / Nodes. (Zhao et al., Eq. 4.)
	// It is nil with Options.Links.
	Bandwidth *big.Rat
	// BandwidthOptimal says that Bandwidth is (Nodes-1)/Nodes for each of the collectives
	// that Op consists of, which no schedule on any topology can beat.
	// (Zhao et al., Theorem 6.)
	BandwidthOptimal bool
	// Rounded is the most by which rounding (Options.Round) lengthens the time of a shard over
	// any link, as a fraction; 0 means that times are exact.
	Rounded float64

	halves []half
}

// half is one of the collectives that a schedule consists of.
type half struct {
	op    Op
	net   *network
	group topology.Translations
	peaks []Frac
}

// Solve finds the optimal schedule; its transfers are computed on demand.
//
// For every node, or for one node per orbit if it finds a symmetry of the graph, it runs a
// breadth-first search in O(nodes + bundles) and, for every step, a table over the sets of
// senders, k 2^k for k of them, or a small maximum flow, whichever is faster. On graphs of
// small degree and diameter it searches all nodes at once with two bits per pair of nodes, as
// long as these fit in 256 MB; otherwise it stores nothing per pair.
func Solve(ctx context.Context, g *topology.Graph, opts Options) (*Schedule, error) {
	prices, err := opts.price(g)
	if err != nil {
		return nil, err
	}
	diameter, err := estimateDiameter(g)
	if err != nil {
		return nil, err
	}
	found := everyNode(g.Nodes())
	switch {
	case opts.Alike && opts.Links == nil:
		found = symmetry{representatives: []int32{0}, reversible: g.Bidirectional()}
	case !opts.NoSymmetry:
		found = findSymmetry(g, prices.links)
	}
	s := &Schedule{Op: opts.Op, Nodes: g.Nodes(), Degree: g.Degree(), Chunks: opts.Chunks, Rounded: prices.change}
	ops := opts.Op.halves()
	sweeps := len(ops)
	if found.reversible {
		sweeps = 1
	}
	done := counter(opts.Progress, sweeps*len(found.representatives))
	for i, op := range ops {
		net := newNetwork(g, op, prices.links, prices.shard, int64(opts.Chunks))
		h := half{op: op, net: net, group: found.group}
		if i < sweeps {
			h.peaks, err = sweep(ctx, net, found.representatives, diameter, done)
		} else {
			h.peaks = s.halves[0].peaks
		}
		if err != nil {
			return nil, err
		}
		s.halves = append(s.halves, h)
	}
	s.sum(prices.unit)
	if opts.Links == nil {
		s.rate()
	}
	return s, nil
}

// Cost returns the steps and the bandwidth of the optimal schedule on equal circuits,
// as Schedule defines them.
func Cost(ctx context.Context, g *topology.Graph, op Op) (steps int, bandwidth *big.Rat, err error) {
	s, err := Solve(ctx, g, Options{Op: op})
	if err != nil {
		return 0, nil, err
	}
	return s.Steps, s.Bandwidth, nil
}

// Floor returns lower bounds on the steps and the bandwidth of the optimal schedule on equal
// circuits: what a few nodes, evenly spread over the node numbers, need. It takes a
// breadth-first search for each of them, and covers both halves of an allreduce.
func Floor(ctx context.Context, g *topology.Graph, op Op, nodes int) (steps int, bandwidth *big.Rat, err error) {
	opts := Options{Op: op}
	prices, err := opts.price(g)
	if err != nil {
		return 0, nil, err
	}
	if _, err := estimateDiameter(g); err != nil {
		return 0, nil, err
	}
	n := g.Nodes()
	some := each.Below(min(nodes, n), func(i int) int32 { return int32(i * n / min(nodes, n)) })
	s := &Schedule{Op: op, Nodes: n, Degree: g.Degree()}
	twoWay := g.Bidirectional()
	for i, each := range op.halves() {
		if i > 0 && twoWay {
			s.halves = append(s.halves, s.halves[0])
			continue
		}
		net := newNetwork(g, each, prices.links, prices.shard, 0)
		r := newReceiver(net)
		var peaks []Frac
		for _, u := range some {
			if ctx.Err() != nil {
				return 0, nil, ctx.Err()
			}
			peaks = r.raise(int(u), peaks)
		}
		s.halves = append(s.halves, half{op: each, net: net, peaks: peaks})
	}
	s.sum(prices.unit)
	s.rate()
	return s.Steps, s.Bandwidth, nil
}

// estimateDiameter returns the largest distance from or to node 0, which is at least
// half the diameter. The error names two nodes without a path between them.
func estimateDiameter(g *topology.Graph) (int, error) {
	n := g.Nodes()
	if n == 0 {
		return 0, fmt.Errorf("%w: it has no nodes", ErrNotConnected)
	}
	dist, queue := make([]int32, n), make([]int32, 0, n)
	forward, missing := farthest(g, dist, queue)
	if missing >= 0 {
		return 0, fmt.Errorf("%w: node 0 cannot reach node %d", ErrNotConnected, missing)
	}
	backward, missing := farthest(g.Transpose(""), dist, queue)
	if missing >= 0 {
		return 0, fmt.Errorf("%w: node %d cannot reach node 0", ErrNotConnected, missing)
	}
	return max(forward, backward), nil
}

// farthest returns the largest distance from node 0, and a node that cannot be reached,
// or -1.
func farthest(g *topology.Graph, dist, queue []int32) (distance, missing int) {
	reached := g.Distances(0, dist, queue)
	distance = int(dist[reached[len(reached)-1]])
	return distance, slices.Index(dist, -1)
}

// counter returns a function that counts nodes and reports them, safe for concurrent
// use.
func counter(progress func(done, total int), total int) func(nodes int) {
	if progress == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := 0
	return func(nodes int) {
		mu.Lock()
		defer mu.Unlock()
		done += nodes
		progress(done, total)
	}
}

// sum adds up the steps of the halves. A reduce-scatter runs the steps of the
// transposed allgather from the last to the first.
func (s *Schedule) sum(unit *big.Rat) {
	s.Time = new(big.Rat)
	for _, h := range s.halves {
		for i := range h.peaks {
			at := i
			if h.op == ReduceScatter {
				at = len(h.peaks) - 1 - i
			}
			time := h.peaks[at].Rat()
			time.Mul(time, unit)
			s.PerStep = append(s.PerStep, time)
			s.Time.Add(s.Time, time)
		}
	}
	s.Steps = len(s.PerStep)
}

// rate expresses the time as bandwidth.
func (s *Schedule) rate() {
	nodes := int64(s.Nodes)
	s.Bandwidth = new(big.Rat).Mul(s.Time, big.NewRat(int64(s.Degree), nodes))
	least := big.NewRat(int64(len(s.halves))*(nodes-1), nodes)
	s.BandwidthOptimal = s.Bandwidth.Cmp(least) == 0
}
