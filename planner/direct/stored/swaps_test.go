package stored_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

// swaps is a search that shares nothing with package climb: a random regular graph of up to 32
// nodes, in which two circuits exchange their ends wherever that makes no pair too far apart and
// the bandwidth no larger. After many moves without success it begins anew.
type swaps struct {
	nodes, degree, diameter int
	twoWay                  bool
	gather                  bool // an allgather alone, not an allreduce
	random                  *rand.Rand

	out, in [][]int // per node, the other ends; a two-way graph has only out
	free    int     // the node that has a port less, or -1
}

// begin draws a graph.
func (s *swaps) begin() {
	for !s.draw() {
	}
}

// draw reports false where a two-way circuit would lead from a node to itself.
func (s *swaps) draw() bool {
	s.out, s.in, s.free = make([][]int, s.nodes), make([][]int, s.nodes), -1
	var ends []int
	for range s.degree {
		for u := range s.nodes {
			ends = append(ends, u)
		}
	}
	s.random.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	if !s.twoWay {
		for i, v := range ends {
			s.out[i%s.nodes] = append(s.out[i%s.nodes], v)
			s.in[v] = append(s.in[v], i%s.nodes)
		}
		return true
	}
	if len(ends)%2 == 1 {
		s.free = ends[len(ends)-1]
	}
	for i := 0; i+1 < len(ends); i += 2 {
		u, v := ends[i], ends[i+1]
		if u == v {
			return false
		}
		s.out[u], s.out[v] = append(s.out[u], v), append(s.out[v], u)
	}
	return true
}

// loads are what a broadcast takes: pairs that are too far apart, the time of the busiest circuits
// in twelfths of a shard, and what the nodes take one by one.
type loads struct{ missing, time, sum int }

func (l loads) less(o loads) bool {
	if l.missing != o.missing {
		return l.missing < o.missing
	}
	if l.time != o.time {
		return l.time < o.time
	}
	return l.sum < o.sum
}

// part is a shard: it divides by up to four circuits.
const part = 12

// measure sums up the loads of an allgather in which nodes receive over these circuits.
func (s *swaps) measure(from [][]int) loads {
	var ball, next [32]uint32
	for u := range s.nodes {
		ball[u] = 1 << u
	}
	var total loads
	for range s.diameter {
		peak := 0
		for u := range s.nodes {
			all := ball[u]
			for _, w := range from[u] {
				all |= ball[w]
			}
			next[u] = all
			own := s.busiest(all&^ball[u], from[u], &ball)
			peak = max(peak, own)
			total.sum += own
		}
		total.time += peak
		ball = next
	}
	for u := range s.nodes {
		total.missing += s.nodes - bits.OnesCount32(ball[u])
	}
	return total
}

// busiest is the load of the busiest circuit into a node, over all sets of circuits the most of the
// shards that no other can deliver, over how many they are.
func (s *swaps) busiest(news uint32, from []int, ball *[32]uint32) int {
	most := 0
	for set := 1; set < 1<<len(from); set++ {
		only := news
		for i, w := range from {
			if set>>i&1 == 0 {
				only &^= ball[w]
			}
		}
		most = max(most, bits.OnesCount32(only)*part/bits.OnesCount(uint(set)))
	}
	return most
}

func (s *swaps) worth() loads {
	if s.twoWay {
		return s.measure(s.out)
	}
	a := s.measure(s.in)
	if s.gather {
		return a
	}
	b := s.measure(s.out)
	return loads{a.missing + b.missing, a.time + b.time, a.sum + b.sum}
}

// swap has the circuits u>v and x>y become u>y and x>v. In a two-way graph they turn both ways, and
// a node that has a port less may take one over: u-v becomes free-v. It returns what undoes it.
func (s *swaps) swap() (undo func(), ok bool) {
	u, x := s.random.IntN(s.nodes), s.random.IntN(s.nodes)
	if s.free >= 0 && s.random.IntN(s.nodes) == 0 {
		v := s.out[u][s.random.IntN(len(s.out[u]))]
		f := s.free
		if u == f || v == f || slices.Contains(s.out[f], v) {
			return nil, false
		}
		move := func(u, f int) {
			i := slices.Index(s.out[u], v)
			s.out[u] = slices.Delete(s.out[u], i, i+1)
			s.out[f] = append(s.out[f], v)
			s.out[v][slices.Index(s.out[v], u)] = f
			s.free = u
		}
		move(u, f)
		return func() { move(f, u) }, true
	}
	v, y := s.out[u][s.random.IntN(len(s.out[u]))], s.out[x][s.random.IntN(len(s.out[x]))]
	if u == x || v == y || u == y || x == v {
		return nil, false
	}
	change := func(v, y int) { // u>v, x>y become u>y, x>v
		s.out[u][slices.Index(s.out[u], v)] = y
		s.out[x][slices.Index(s.out[x], y)] = v
		back := s.in
		if s.twoWay {
			back = s.out
		}
		back[v][slices.Index(back[v], u)] = x
		back[y][slices.Index(back[y], x)] = u
	}
	change(v, y)
	return func() { change(y, v) }, true
}

// run tries so many swaps and returns the graphs that are better than all before them.
func (s *swaps) run(moves int, better func(loads)) {
	const patience = 4000
	best := loads{missing: 1}
	var now loads
	for i, stale := 0, patience; i < moves; i++ {
		if stale == patience {
			s.begin()
			now, stale = s.worth(), 0
		}
		stale++
		undo, ok := s.swap()
		if !ok {
			continue
		}
		after := s.worth()
		if now.less(after) {
			undo()
			continue
		}
		if after.less(now) {
			stale = 0
		}
		now = after
		if now.less(best) && !s.loops() {
			best = now
			better(now)
		}
	}
}

// loops reports whether a circuit leads from a node to itself.
func (s *swaps) loops() bool {
	for u, to := range s.out {
		if slices.Contains(to, u) {
			return true
		}
	}
	return false
}

// graph has a circuit to itself at a port that is not used.
func (s *swaps) graph() *topology.Graph {
	var edges []topology.Edge
	for u, to := range s.out {
		for _, v := range to {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	if s.free >= 0 {
		edges = append(edges, topology.Edge{From: s.free, To: s.free, Count: 1})
	}
	return topology.New(s.nodes, "", edges)
}

// TestSwapsDoNotBeatTheFrontier: random regular graphs, after some exchanges of ends, do not beat
// what the finder knows. LIGHTPATH_SWAPS in the environment is how many exchanges are tried, for
// every number of nodes up to 32 and not only for some.
func TestSwapsDoNotBeatTheFrontier(t *testing.T) {
	moves, step, seed := 1500, 5, uint64(1)
	if text := os.Getenv("LIGHTPATH_SWAPS"); text != "" {
		var err error
		if moves, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		step = 1
	}
	if text := os.Getenv("LIGHTPATH_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, op := range []bfb.Op{bfb.AllReduce, bfb.AllGather} {
		for degree := 2; degree <= 4; degree++ {
			for _, twoWay := range []bool{false, true} {
				if twoWay && (op == bfb.AllGather || degree == 2) {
					continue // half an allreduce, and rings
				}
				opts := finder.Options{Op: op, Bidirectional: twoWay}
				f := finder.New(degree, opts)
				for nodes := degree + 2 + degree%2; nodes <= 32; nodes += step {
					swapped(t, f, opts, swaps{nodes: nodes, degree: degree, twoWay: twoWay, gather: op == bfb.AllGather}, moves, seed)
				}
			}
		}
	}
}

func swapped(t *testing.T, f *finder.Finder, opts finder.Options, s swaps, moves int, seed uint64) {
	t.Helper()
	points, err := f.Frontier(t.Context(), s.nodes)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := finder.Bound(s.nodes, s.degree, opts)
	if err != nil {
		t.Fatal(err)
	}
	halves := 2
	if s.gather {
		halves = 1
	}
	covered := func(c finder.Cost) bool {
		return slices.ContainsFunc(points, func(p finder.Point) bool {
			return p.Steps <= c.Steps && p.Bandwidth.Cmp(c.Bandwidth) <= 0
		})
	}
	for s.diameter = bound.Steps / halves; !covered(finder.Cost{Steps: halves * s.diameter, Bandwidth: bound.Bandwidth}); s.diameter++ {
		s.random = rand.New(rand.NewPCG(seed, uint64(s.nodes*s.degree*s.diameter)))
		var worst string
		s.run(moves, func(l loads) {
			units := l.time
			if s.twoWay {
				units *= halves
			}
			cost := finder.Cost{Steps: halves * s.diameter, Bandwidth: big.NewRat(int64(units*s.degree), int64(part*s.nodes))}
			if covered(cost) {
				return
			}
			g := s.graph()
			steps, bandwidth, err := bfb.Cost(t.Context(), g, opts.Op)
			if err != nil || steps > cost.Steps || bandwidth.Cmp(cost.Bandwidth) != 0 {
				t.Errorf("%v: %d steps and %v, want %v (%v)", topology.EdgesOf(g), steps, bandwidth, cost, err)
				return
			}
			worst = fmt.Sprintf("%v, %d nodes of degree %d, two-way %v: %d steps and %v, not covered by %v: %v",
				opts.Op, s.nodes, s.degree, s.twoWay, steps, bandwidth, points, topology.EdgesOf(g))
		})
		if worst != "" {
			t.Error(worst)
		}
	}
}
