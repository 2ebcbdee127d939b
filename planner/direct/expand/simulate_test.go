package expand_test

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

// simulation runs transfers on data. It does not depend on how they were made. It cuts all
// shards wherever any transfer cuts one. For every node, shard and piece it keeps the
// contributions that the node's copy holds, one bit each. In an allgather only the owner's
// counts.
type simulation struct {
	name  string
	g     *topology.Graph
	cuts  []int64  // ascending, in units of 1/unit
	unit  int64    // common denominator of all cuts
	words int      // of a set
	sets  []uint64 // that of a piece is the words from place on
	sent  []bool   // per piece: it has been passed on in a reduction
}

type stepper interface {
	Transfers(step int) iter.Seq[bfb.Transfer]
}

func newSimulation(name string, g *topology.Graph, s stepper, first, last int) (*simulation, error) {
	n := g.Nodes()
	sim := &simulation{name: name, g: g, unit: 1, words: (n + 63) / 64}
	seen := map[bfb.Frac]bool{{Num: 0, Den: 1}: true, {Num: 1, Den: 1}: true}
	for step := first; step <= last; step++ {
		for x := range s.Transfers(step) {
			seen[x.From], seen[x.To] = true, true
		}
	}
	for f := range seen {
		common := new(big.Int).GCD(nil, nil, big.NewInt(sim.unit), big.NewInt(f.Den)).Int64()
		if sim.unit *= f.Den / common; sim.unit > 1<<40 {
			return nil, fmt.Errorf("%s: cuts have no common denominator", name)
		}
	}
	for f := range seen {
		sim.cuts = append(sim.cuts, sim.place(f))
	}
	slices.Sort(sim.cuts)
	pieces := n * n * (len(sim.cuts) - 1)
	sim.sets, sim.sent = make([]uint64, pieces*sim.words), make([]bool, pieces)
	return sim, nil
}

// place returns a fraction in units.
func (sim *simulation) place(f bfb.Frac) int64 { return f.Num * (sim.unit / f.Den) }

// piece returns the number of a piece of a node's copy of a shard.
func (sim *simulation) piece(node, shard, p int) int {
	return (node*sim.g.Nodes()+shard)*(len(sim.cuts)-1) + p
}

func (sim *simulation) set(piece int) []uint64 {
	return sim.sets[piece*sim.words : (piece+1)*sim.words]
}

// start gives nodes their data: every node a contribution to every shard, or only to its
// own.
func (sim *simulation) start(reduce bool) {
	for u := range sim.g.Nodes() {
		for v := range sim.g.Nodes() {
			for p := range len(sim.cuts) - 1 {
				if reduce || u == v {
					sim.set(sim.piece(u, v, p))[u/64] |= 1 << (u % 64)
				}
			}
		}
	}
}

// run performs one step, in which all transfers read the data from before the step, and returns
// the load of the busiest circuit.
func (sim *simulation) run(transfers iter.Seq[bfb.Transfer]) (*big.Rat, error) {
	var to []int        // pieces on their way
	var moving []uint64 // and their sets
	loads := make([]int64, sim.g.Bundles())
	for x := range transfers {
		bundle := sim.g.Find(x.Src, x.Dst)
		first, _ := slices.BinarySearch(sim.cuts, sim.place(x.From))
		last, _ := slices.BinarySearch(sim.cuts, sim.place(x.To))
		if bundle < 0 || x.Src == x.Dst || first >= last || last >= len(sim.cuts) {
			return nil, fmt.Errorf("%s: %v has no circuit, is empty or leaves the shard", sim.name, x)
		}
		loads[bundle] += sim.cuts[last] - sim.cuts[first]
		for p := first; p < last; p++ {
			from := sim.piece(x.Src, x.Shard, p)
			if x.Reduce && sim.sent[from] || !slices.ContainsFunc(sim.set(from), func(w uint64) bool { return w != 0 }) {
				return nil, fmt.Errorf("%s: %v sends what the sender does not have, or has passed on", sim.name, x)
			}
			sim.sent[from] = x.Reduce
			to = append(to, sim.piece(x.Dst, x.Shard, p))
			moving = append(moving, sim.set(from)...)
		}
	}
	for i, piece := range to {
		if err := sim.arrive(piece, moving[i*sim.words:(i+1)*sim.words]); err != nil {
			return nil, err
		}
	}
	return sim.busiest(loads), nil
}

func (sim *simulation) arrive(piece int, set []uint64) error {
	if sim.sent[piece] {
		return fmt.Errorf("%s: piece %d arrives where it has been passed on", sim.name, piece)
	}
	have := sim.set(piece)
	for i, word := range set {
		if have[i]&word != 0 {
			return fmt.Errorf("%s: piece %d arrives twice", sim.name, piece)
		}
		have[i] |= word
	}
	return nil
}

func (sim *simulation) busiest(loads []int64) *big.Rat {
	worst, bundle := new(big.Rat), 0
	for e := range sim.g.Edges() {
		if load := big.NewRat(loads[bundle], sim.unit*int64(e.Count)); load.Cmp(worst) > 0 {
			worst = load
		}
		bundle++
	}
	return worst
}

// whole checks that the copies that matter hold all contributions, or the owner's.
func (sim *simulation) whole(reduce bool) error {
	n := sim.g.Nodes()
	for u := range n {
		for v := range n {
			if reduce && u != v {
				continue
			}
			want := make([]uint64, sim.words)
			for c := range n {
				if reduce || c == v {
					want[c/64] |= 1 << (c % 64)
				}
			}
			for p := range len(sim.cuts) - 1 {
				if !slices.Equal(sim.set(sim.piece(u, v, p)), want) {
					return fmt.Errorf("%s: node %d ends with a wrong piece %d of shard %d", sim.name, u, p, v)
				}
			}
		}
	}
	return nil
}

// checkCollective runs the steps from the first to the last of two, one collective, and compares
// every load with the claim.
func checkCollective(name string, g *topology.Graph, s stepper, steps [2]int, perStep []*big.Rat, reduce bool) error {
	first, last := steps[0], steps[1]
	sim, err := newSimulation(name, g, s, first, last)
	if err != nil {
		return err
	}
	sim.start(reduce)
	for step := first; step <= last; step++ {
		load, err := sim.run(s.Transfers(step))
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if load.Cmp(perStep[step-1]) != 0 {
			return fmt.Errorf("%s: step %d: the busiest circuit carries %v, the claim is %v", name, step, load, perStep[step-1])
		}
	}
	return sim.whole(reduce)
}

// checkAllgather checks that every node ends with every shard, in the claimed loads.
func checkAllgather(t *testing.T, a *expand.Allgather) {
	t.Helper()
	if err := checkCollective(a.Derivation, a.Graph, a, [2]int{1, a.Steps}, a.PerStep, false); err != nil {
		t.Error(err)
	}
	checkFigures(t, a.Derivation, a.Figures, a.Graph, 1)
}

// checkSchedule does the same for an operation, whose halves are told apart by Reduce.
func checkSchedule(t *testing.T, s *expand.Schedule) {
	t.Helper()
	scatter := 0
	for step := 1; step <= s.Steps; step++ {
		for x := range s.Transfers(step) {
			if x.Reduce {
				scatter = step
			}
			break
		}
	}
	name := fmt.Sprintf("%v on %s by %s", s.Op, s.Graph.Name(), s.Derivation)
	collectives := 0
	if s.Op != bfb.AllGather {
		collectives++
		if err := checkCollective(name, s.Graph, s, [2]int{1, scatter}, s.PerStep, true); err != nil {
			t.Error(err)
		}
	}
	if s.Op != bfb.ReduceScatter {
		collectives++
		if err := checkCollective(name, s.Graph, s, [2]int{scatter + 1, s.Steps}, s.PerStep, false); err != nil {
			t.Error(err)
		}
	}
	checkFigures(t, name, s.Figures, s.Graph, collectives)
}

func checkFigures(t *testing.T, name string, f expand.Figures, g *topology.Graph, collectives int) {
	t.Helper()
	time := new(big.Rat)
	for _, load := range f.PerStep {
		time.Add(time, load)
	}
	n := int64(g.Nodes())
	bandwidth := new(big.Rat).Mul(time, big.NewRat(int64(g.Degree()), n))
	least := big.NewRat(int64(collectives)*(n-1), n)
	if f.Nodes != g.Nodes() || f.Degree != g.Degree() || f.Steps != len(f.PerStep) || f.Time.Cmp(time) != 0 ||
		f.Bandwidth.Cmp(bandwidth) != 0 || f.BandwidthOptimal != (bandwidth.Cmp(least) == 0) || bandwidth.Cmp(least) < 0 {
		t.Errorf("%s: figures %+v, want %d nodes, time %v, bandwidth %v, at least %v", name, f, n, time, bandwidth, least)
	}
}
