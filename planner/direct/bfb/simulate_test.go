package bfb_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// simulation runs the transfers of a schedule on data. It cuts every shard wherever some
// transfer cuts it. For every node and piece it keeps, as bits, the set of nodes whose
// contributions the node's copy contains. In an allgather only the owner's counts.
type simulation struct {
	t     *testing.T
	name  string
	nodes int
	cuts  [][]bfb.Frac     // per shard, ascending
	sets  [][][]uint64     // per node, shard and piece
	spent [][][]bool       // the piece has been sent in a reduce-scatter
	steps [][]bfb.Transfer // from step 1 on
}

func newSimulation(t *testing.T, g *topology.Graph, s *bfb.Schedule) *simulation {
	sim := &simulation{t: t, name: g.Name(), nodes: g.Nodes(), cuts: make([][]bfb.Frac, g.Nodes())}
	for step := 1; step <= s.Steps; step++ {
		transfers := slices.Collect(s.Transfers(step))
		sim.steps = append(sim.steps, transfers)
		for _, x := range transfers {
			sim.cuts[x.Shard] = append(sim.cuts[x.Shard], x.From, x.To)
		}
	}
	for v, cuts := range sim.cuts {
		slices.SortFunc(cuts, compare)
		sim.cuts[v] = slices.Compact(cuts)
	}
	for range sim.nodes {
		sets, spent := make([][]uint64, sim.nodes), make([][]bool, sim.nodes)
		for v, cuts := range sim.cuts {
			sets[v], spent[v] = make([]uint64, max(0, len(cuts)-1)), make([]bool, max(0, len(cuts)-1))
		}
		sim.sets, sim.spent = append(sim.sets, sets), append(sim.spent, spent)
	}
	return sim
}

func compare(a, b bfb.Frac) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// pieces returns the pieces of a transfer as a range.
func (sim *simulation) pieces(x bfb.Transfer) (from, to int) {
	cuts := sim.cuts[x.Shard]
	from, low := slices.BinarySearchFunc(cuts, x.From, compare)
	to, high := slices.BinarySearchFunc(cuts, x.To, compare)
	if !low || !high || from >= to {
		sim.t.Fatalf("%s: empty transfer %v", sim.name, x)
	}
	return from, to
}

// run performs the transfers of a step. All of them read the data from before the step.
func (sim *simulation) run(step int) {
	type arrival struct {
		node, shard, piece int
		set                uint64
	}
	var arrivals []arrival
	for _, x := range sim.steps[step-1] {
		from, to := sim.pieces(x)
		for p := from; p < to; p++ {
			set := sim.sets[x.Src][x.Shard][p]
			if x.Reduce && sim.spent[x.Src][x.Shard][p] {
				sim.t.Fatalf("%s, step %d: %v sends a part for the second time", sim.name, step, x)
			}
			if !x.Reduce && set == 0 {
				sim.t.Fatalf("%s, step %d: %v sends what the sender does not have", sim.name, step, x)
			}
			sim.spent[x.Src][x.Shard][p] = x.Reduce
			arrivals = append(arrivals, arrival{x.Dst, x.Shard, p, set})
		}
	}
	for _, a := range arrivals {
		have := &sim.sets[a.node][a.shard][a.piece]
		if *have&a.set != 0 {
			sim.t.Fatalf("%s, step %d: node %d gets a part of shard %d twice", sim.name, step, a.node, a.shard)
		}
		if sim.spent[a.node][a.shard][a.piece] {
			sim.t.Fatalf("%s, step %d: node %d gets a part of shard %d after sending it", sim.name, step, a.node, a.shard)
		}
		*have |= a.set
	}
}

// reset gives nodes their data: for a reduce-scatter every node has a contribution to
// every shard, for an allgather the owner has all of it.
func (sim *simulation) reset(reduce bool) {
	for u := range sim.nodes {
		for v := range sim.nodes {
			for p := range sim.sets[u][v] {
				sim.sets[u][v][p], sim.spent[u][v][p] = 0, false
				if reduce || u == v {
					sim.sets[u][v][p] = 1 << u
				}
			}
		}
	}
}

// expect checks that the given copies consist of the given contributions, whole.
func (sim *simulation) expect(what string, copies func(u, v int) bool, set func(v int) uint64) {
	for u := range sim.nodes {
		for v := range sim.nodes {
			cuts := sim.cuts[v]
			if sim.nodes > 1 && (cuts[0] != bfb.Frac{Num: 0, Den: 1} || cuts[len(cuts)-1] != bfb.Frac{Num: 1, Den: 1}) {
				sim.t.Fatalf("%s: the parts of shard %d run from %v to %v", sim.name, v, cuts[0], cuts[len(cuts)-1])
			}
			for p, have := range sim.sets[u][v] {
				if copies(u, v) && have != set(v) {
					sim.t.Fatalf("%s: after the %s node %d has %x of piece %d of shard %d, want %x", sim.name, what, u, have, p, v, set(v))
				}
			}
		}
	}
}

// checkData runs an allreduce on data: every shard must arrive at its owner summed over all
// nodes, once each, and from there whole at every node.
func checkData(t *testing.T, g *topology.Graph, opts bfb.Options) {
	t.Helper()
	opts.Op = bfb.AllReduce
	s := solve(t, g, opts)
	sim := newSimulation(t, g, s)
	everyone := uint64(1)<<g.Nodes() - 1
	sim.reset(true)
	for step := 1; step <= s.Steps/2; step++ {
		sim.run(step)
	}
	sim.expect("reduce-scatter", func(u, v int) bool { return u == v }, func(int) uint64 { return everyone })
	sim.reset(false)
	for step := s.Steps/2 + 1; step <= s.Steps; step++ {
		sim.run(step)
	}
	sim.expect("allgather", func(int, int) bool { return true }, func(v int) uint64 { return 1 << v })
	checkTimes(t, g, s, opts)
}

// checkTimes compares the time of every step with the loads that the transfers put on
// circuits that exist.
func checkTimes(t *testing.T, g *topology.Graph, s *bfb.Schedule, opts bfb.Options) {
	t.Helper()
	for i, loads := range linkLoads(s)[1:] {
		reduce := s.Op == bfb.ReduceScatter || s.Op == bfb.AllReduce && i < s.Steps/2
		worst := new(big.Rat)
		for u, row := range loads {
			for w, load := range row {
				from, to := w, u
				if reduce {
					from, to = u, w
				}
				if time := circuitTime(g, from, to, load, opts); worst.Cmp(time) < 0 {
					worst = time
				}
			}
		}
		if worst.Cmp(s.PerStep[i]) != 0 {
			t.Errorf("%s: the transfers of step %d take %v, the schedule says %v", g.Name(), i+1, worst, s.PerStep[i])
		}
	}
}

// circuitTime returns how long a bundle takes for a number of shards.
func circuitTime(g *topology.Graph, from, to int, load *big.Rat, opts bfb.Options) *big.Rat {
	bundle := g.Find(from, to)
	if bundle < 0 {
		return big.NewRat(1<<40, 1) // no circuit: fails against any claim
	}
	each := new(big.Rat).Mul(load, big.NewRat(1, int64(g.Count(from, to))))
	if opts.Chunks > 0 {
		each = ceilTo(each, opts.Chunks)
	}
	if opts.Links != nil {
		l := opts.Links[bundle]
		each.Mul(each, big.NewRat(opts.Shard, l.Bandwidth))
		each.Add(each, big.NewRat(l.Latency, 1))
	}
	return each
}

// ceilTo rounds up to a multiple of 1/parts.
func ceilTo(x *big.Rat, parts int) *big.Rat {
	scaled := new(big.Rat).Mul(x, big.NewRat(int64(parts), 1))
	whole := new(big.Int).Add(scaled.Num(), scaled.Denom())
	whole.Sub(whole, big.NewInt(1)).Quo(whole, scaled.Denom())
	return new(big.Rat).SetFrac(whole, big.NewInt(int64(parts)))
}

func TestEveryNodeEndsWithEveryShard(t *testing.T) {
	for _, expr := range families {
		g := parse(t, expr)
		checkData(t, g, bfb.Options{})
		if _, transitive := g.Symmetry(); transitive && g.Nodes() <= 32 {
			checkData(t, g, bfb.Options{NoSymmetry: true})
		}
	}
}

func TestEveryNodeEndsWithEveryShardOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 12 {
		g := randomDigraph(r, 1+r.IntN(30), 5)
		links := make([]bfb.Link, g.Bundles())
		for i := range links {
			links[i] = bfb.Link{Bandwidth: int64(1 + r.IntN(4)), Latency: int64(r.IntN(3))}
		}
		for _, opts := range []bfb.Options{
			{},
			{Chunks: 1 + r.IntN(6)},
			{Links: links, Shard: 7},
			{Links: links, Shard: 7, Chunks: 1 + r.IntN(6)},
		} {
			checkData(t, g, opts)
		}
	}
}

// TestTransfersKeepToShortestPaths: Definition 15 of Zhao et al.
func TestTransfersKeepToShortestPaths(t *testing.T) {
	for _, expr := range families {
		g := parse(t, expr)
		dist := distances(g)
		for step, x := range solve(t, g, bfb.Options{}).All() {
			if int(dist[x.Shard][x.Dst]) != step || int(dist[x.Shard][x.Src]) != step-1 {
				t.Fatalf("%s, step %d: %v", expr, step, x)
			}
		}
	}
}

func TestAllYieldsTheTransfersOfAllSteps(t *testing.T) {
	for _, expr := range []string{"GenKautz(2,9)", "Torus(3,4)", "DC(10;1,3,3)"} {
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			s := solve(t, parse(t, expr), bfb.Options{Op: op})
			together := map[int][]bfb.Transfer{}
			for step, x := range s.All() {
				together[step] = append(together[step], x)
			}
			for step := -1; step <= s.Steps+1; step++ {
				if single := slices.Collect(s.Transfers(step)); !slices.Equal(single, together[step]) {
					t.Errorf("%v on %s: step %d differs", op, expr, step)
				}
			}
			if len(together) != s.Steps {
				t.Errorf("%v on %s: transfers in %d steps of %d", op, expr, len(together), s.Steps)
			}
		}
	}
}

func TestStreamsStopWhenAsked(t *testing.T) {
	for _, expr := range []string{"GenKautz(2,9)", "Torus(3,4)"} {
		s := solve(t, parse(t, expr), bfb.Options{Op: bfb.AllReduce})
		for stop := range 200 {
			seen := 0
			for range s.All() {
				if seen++; seen > stop {
					break
				}
			}
			for range s.Transfers(1 + stop%s.Steps) {
				break
			}
		}
	}
}
