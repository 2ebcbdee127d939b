package finder

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// lineBroadcast computes the best breadth-first broadcast on a line graph from the graph
// itself. It does not build the line graph, in which every search takes d^k times as long.
//
// Let G be simple with in- and out-degrees d. The nodes of L^k(G) are the walks of k circuits,
// and the walk U = u_0..u_k receives over the circuits into u_0. A walk V is at distance s <= k
// from U if s is the least number for which v_s..v_k is u_0..u_(k-s); its shard then comes over
// the circuit from v_(s-1). If there is no such s, the distance is k+t, where t is the distance
// from v_k to u_0 in G. The shard may then come over the circuits that may bring the shard of
// v_k to u_0 in step t of a broadcast on G. So step k+t is step t of G with d^k shards for
// every one, less the shards of the few walks that end in u_1..u_k the way U begins.
//
// Only these few walks can make the computed broadcast better than Theorem 1 of Zhao et al.
// says. For simple two-way graphs it is never better (Theorem 10): of the walks that the walk u
// v u v .. loses, none comes from farther than one step of G, and the circuits to u other than
// the one from v carry as much as if no walk were lost.
type lineBroadcast struct {
	out, in *topology.Graph
	degree  int64
	lines   int   // k
	copies  int64 // d^k
	unit    int64 // loads are in 1/unit shards

	search levels
	whole  []int64 // load of step t of G, times d^k
	peaks  []int64 // largest load of every step of L^k(G)
	walk   []int   // U
	sets   []int64 // work: shards that only a set of circuits can deliver
}

// widestTable bounds the degrees for which sets of circuits are tabulated, 2^d a step.
const widestTable = 8

// lineCosts returns the cost of the best breadth-first broadcast on L^k(G) for a simple
// regular graph whose degree is at most widestTable. For every node, or for one if G has
// a transitive symmetry, it takes a search of G, and for each of the d^k walks that leave
// the node O(k (k^2 + d 2^d)).
func lineCosts(ctx context.Context, g *topology.Graph, k int, op bfb.Op, reversible bool) (Cost, error) {
	if op == bfb.ReduceScatter {
		g = g.Transpose("")
	}
	gather, err := newLineBroadcast(g, k).run(ctx)
	if err != nil || op != bfb.AllReduce {
		return gather, err
	}
	if reversible {
		return gather.and(gather), nil
	}
	scatter, err := newLineBroadcast(g.Transpose(""), k).run(ctx)
	if err != nil {
		return Cost{}, err
	}
	return gather.and(scatter), nil
}

func newLineBroadcast(g *topology.Graph, k int) *lineBroadcast {
	b := &lineBroadcast{out: g, in: g.Transpose(""), degree: int64(g.OutDegree(0)), lines: k, copies: 1, unit: 1}
	for range k {
		b.copies *= b.degree
	}
	for i := int64(2); i <= b.degree; i++ {
		b.unit *= i / new(big.Int).GCD(nil, nil, big.NewInt(b.unit), big.NewInt(i)).Int64()
	}
	b.search = newLevels(g.Nodes())
	b.sets = make([]int64, 1<<b.degree)
	return b
}

// run returns the cost of the allgather.
func (b *lineBroadcast) run(ctx context.Context) (Cost, error) {
	starts := b.out.Nodes()
	if _, transitive := b.out.Symmetry(); transitive {
		starts = 1
	}
	for u := range starts {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		b.search.run(b.in, u)
		b.measure()
		b.walk = append(b.walk[:0], u)
		b.extend()
	}
	return b.cost(), nil
}

// cost sums the peaks up, as bfb.Schedule does.
func (b *lineBroadcast) cost() Cost {
	time := arithmetic.Sum(b.peaks)
	nodes := b.copies * int64(b.out.Nodes())
	return Cost{len(b.peaks), new(big.Rat).Mul(big.NewRat(time, b.unit), big.NewRat(b.degree, nodes))}
}

// measure computes the loads of the steps on G.
func (b *lineBroadcast) measure() {
	b.whole = b.whole[:0]
	for t := 1; t <= b.search.last(); t++ {
		b.whole = append(b.whole, b.load(t, nil))
	}
	for len(b.peaks) < b.lines+len(b.whole) {
		b.peaks = append(b.peaks, 0)
	}
}

// removal is a number of walks that end in a node and arrive earlier than the others.
type removal struct {
	node  int
	walks int64
}

// load returns the load of step k+t: the maximum, over sets of circuits, of the number of
// shards that only the set can deliver, divided by the number of its circuits. (Zhao et al.,
// Theorem 19.)
func (b *lineBroadcast) load(t int, removed []removal) int64 {
	clear(b.sets)
	for _, v := range b.search.level(t) {
		b.sets[b.search.masks[v]] += b.copies
	}
	for _, r := range removed {
		if int(b.search.dist[r.node]) == t {
			b.sets[b.search.masks[r.node]] -= r.walks
		}
	}
	for bit := 1; bit < len(b.sets); bit <<= 1 {
		for set := range b.sets {
			if set&bit != 0 {
				b.sets[set] += b.sets[set&^bit]
			}
		}
	}
	var most int64
	for set, shards := range b.sets[1:] {
		most = max(most, shards*b.unit/int64(bits.OnesCount(uint(set+1))))
	}
	return most
}

// extend visits all walks that begin with the present one.
func (b *lineBroadcast) extend() {
	if len(b.walk) > b.lines {
		b.raise()
		return
	}
	to, _ := b.out.Row(b.walk[len(b.walk)-1])
	for _, v := range to {
		b.walk = append(b.walk, int(v))
		b.extend()
		b.walk = b.walk[:len(b.walk)-1]
	}
}

// raise raises the peaks to what the present walk needs.
func (b *lineBroadcast) raise() {
	u := b.walk
	removed := []removal{{u[b.lines], 1}} // U itself
	arrived := b.degree                   // walks of s circuits into u_0
	for s := 1; s <= b.lines; s++ {
		early := b.earlier(s)
		b.peaks[s-1] = max(b.peaks[s-1], b.unit*b.busiest(arrived/b.degree, early))
		walks := arrived
		for _, r := range early {
			walks -= r.walks
		}
		removed = append(removed, removal{u[b.lines-s], walks})
		arrived *= b.degree
	}
	for t := range b.whole {
		peak := &b.peaks[b.lines+t]
		switch {
		case *peak >= b.whole[t]:
		case slices.ContainsFunc(removed, func(r removal) bool { return int(b.search.dist[r.node]) == t+1 }):
			*peak = max(*peak, b.load(t+1, removed))
		default:
			*peak = b.whole[t]
		}
	}
}

// busiest returns the largest number of shards on a circuit into u_0 if every circuit has each
// shards less those that are removed.
func (b *lineBroadcast) busiest(each int64, early []removal) int64 {
	from, _ := b.in.Row(b.walk[0])
	var most int64
	for _, w := range from {
		shards := each
		for _, r := range early {
			if r.node == int(w) {
				shards -= r.walks
			}
		}
		most = max(most, shards)
	}
	return most
}

// earlier looks at the walks V for which v_s..v_k is u_0..u_(k-s). It returns, by the node
// before u_0, how many of them have that property for a smaller s too, or are U. V has it for
// s-p if p is a period of u_0..u_(k-s+p) and v_(s-p)..v_(s-1) is u_0..u_(p-1). If several p
// apply to V, the smallest counts.
func (b *lineBroadcast) earlier(s int) []removal {
	u := b.walk
	var found []removal
	var periods []int
	walks := int64(1)
	for range s - 1 {
		walks *= b.degree
	}
	for p := 1; p <= s; p++ {
		if slices.Equal(u[p:b.lines-s+p+1], u[:b.lines-s+1]) {
			counted := slices.ContainsFunc(periods, func(q int) bool { return slices.Equal(u[p-q:p], u[:q]) })
			if !counted {
				found = append(found, removal{u[p-1], walks})
			}
			periods = append(periods, p)
		}
		walks /= b.degree
	}
	return found
}
