package pass

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// table is a problem for the dynamic program with made-up costs: topologies that are random
// permutations (some with holes), and a cost for every step on each of them.
type table struct {
	request planner.Request
	work    *pricing.Workload
	pool    []*pricing.Candidate
}

func randomTable(t *testing.T, rng *rand.Rand, model, initial string) *table {
	const n = 6
	f := fabric.Default()
	f.Nodes, f.Initial = n, initial
	f.Reconfig = stagedtest.Reconfig(t, model)
	s := &table{request: planner.Request{Fabric: f}}
	// The number of sequences is topologies^steps.
	steps := 1 + rng.IntN(12)
	most := max(2, int(math.Pow(100_000, 1/float64(steps))))
	p := pool.New(&s.request.Fabric)
	for range 1 + rng.IntN(min(most, 9)) {
		var edges []topology.Edge
		for u, v := range rng.Perm(n) {
			if u != v && rng.IntN(8) > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
		// The costs are made up, so a ring must not be recognised as one.
		p.Add(&pricing.Candidate{N: n, Graph: topology.New(n, "random", edges)})
	}
	s.pool = p.Candidates
	s.work = &pricing.Workload{
		Fabric: &s.request.Fabric, Steps: make([]collective.Step, steps), Classes: make([]pricing.Class, steps),
		RingDelay: map[int]float64{},
	}
	for i := range steps {
		s.work.ClassOf = append(s.work.ClassOf, i)
	}
	for _, c := range s.pool {
		costs := make([]float64, steps)
		for i := range costs {
			costs[i] = float64(rng.IntN(3000))
			if rng.IntN(6) == 0 {
				costs[i] = math.Inf(1) // does not connect the pairs
			}
		}
		c.Known = exactly(costs)
	}
	return s
}

// tables returns what the twins need: costs through the workload, delays from the
// circuits themselves.
func (s *table) tables(t *testing.T) (cost, delay [][]float64, first []float64) {
	t.Helper()
	f := &s.request.Fabric
	for i := range s.work.Steps {
		row := make([]float64, len(s.pool))
		for j, c := range s.pool {
			var err error
			if row[j], err = exactCost(t.Context(), s.work, c, s.work.ClassOf[i]); err != nil {
				t.Fatal(err)
			}
		}
		cost = append(cost, row)
	}
	up, err := f.InitialTopology()
	if err != nil {
		t.Fatal(err)
	}
	first = make([]float64, len(s.pool))
	for i, a := range s.pool {
		row := make([]float64, len(s.pool))
		for j, b := range s.pool {
			row[j] = float64(f.Reconfig.Delay(a.Topology(), b.Topology()))
		}
		delay = append(delay, row)
		if up != nil {
			first[i] = float64(f.Reconfig.Delay(up, a.Topology()))
		}
	}
	return cost, delay, first
}

// check compares the search with both twins.
func (s *table) check(t *testing.T) {
	t.Helper()
	// The search runs first, so that nothing is computed already.
	got, err := Search(t.Context(), &s.request, Problem{Work: s.work, Pool: s.pool})
	cost, delay, first := s.tables(t)
	want := stagedtest.EverySequence(cost, delay, first)
	if math.IsInf(want, 1) {
		if !errors.Is(err, planner.ErrInfeasible) {
			t.Fatalf("no sequence is possible, but the search says %v, %v", got, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !stagedtest.Near(got.Total, want, 1e-12) {
		t.Fatalf("%d steps, %d topologies: search %v, all sequences %v", len(cost), len(s.pool), got.Total, want)
	}
	if again := s.price(cost, delay, first, got); !stagedtest.Near(again, want, 1e-12) {
		t.Fatalf("the schedule costs %v, the search says %v", again, want)
	}
	// The listing knows one delay for all changes and a first configuration that
	// costs the same whatever it is.
	f := &s.request.Fabric
	if f.Reconfig.Model != fabric.Constant || f.Initial != fabric.InitialFree && f.Initial != fabric.InitialDark {
		return
	}
	l := stagedtest.Listing{Steps: len(cost), CompletionTime: stagedtest.PoolTime(cost), Reconfig: float64(f.Reconfig.Base.Time())}
	total, cuts := l.Best()
	if f.Initial == fabric.InitialDark {
		total += l.Reconfig
	}
	if !stagedtest.Near(total, want, 1e-12) {
		t.Fatalf("Algorithm 1 gives %v, all sequences %v", total, want)
	}
	if changesOf(got) > len(cuts) {
		t.Fatalf("%d changes for the time that %d give", changesOf(got), len(cuts))
	}
}

// price adds up a schedule from the tables.
func (s *table) price(cost, delay [][]float64, first []float64, got *Schedule) float64 {
	sum, up := 0.0, -1
	for i, choice := range got.Choice {
		for j, c := range s.pool {
			if c != choice {
				continue
			}
			if up < 0 {
				sum += first[j]
			} else {
				sum += delay[up][j]
			}
			sum += cost[i][j]
			up = j
		}
	}
	return sum
}

// The dynamic program is exact for its pool: it finds the best of all partitions of
// the steps with all choices of topologies (§4.2, Lemma 1 and Theorem 1 of HARVEST,
// here also for delays that depend on what changes), and so does Algorithm 1.
func TestSearchEqualsAllPartitionsAndTopologies(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, model := range models {
		for _, initial := range []string{"free", "dark", "DC(6;1)", "base"} {
			for range 20 {
				randomTable(t, rng, model, initial).check(t)
			}
		}
	}
}

// The same on the pools and costs of real collectives.
func TestSearchEqualsAllPartitionsOnCollectives(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, workload := range []struct {
		nodes, ports int
		op           collective.Op
		algorithm    string
	}{
		{8, 1, collective.AllReduce, "recursive-doubling"},
		{8, 1, collective.ReduceScatter, "swing"},
		{8, 1, collective.AllGather, "halving-doubling"},
		{4, 1, collective.AllReduce, "halving-doubling"},
		{4, 1, collective.AllReduce, "ring"},
		{5, 1, collective.AllToAll, "shift"},
		{6, 1, collective.AllToAll, "shift"},
		{6, 1, collective.Broadcast, "binomial"},
		{4, 2, collective.AllReduce, "recursive-doubling"},
		{5, 2, collective.AllToAll, "shift"},
		{4, 2, collective.AllToAll, "direct"},
	} {
		for _, model := range models {
			ring := fmt.Sprintf("DC(%d;1)", workload.nodes)
			for _, initial := range []string{"free", "dark", ring, "base"} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Initial = workload.nodes, workload.ports, initial
				f.Alpha = units.Duration(rng.IntN(1000)) * units.Nanosecond
				f.Delta = units.Duration(rng.IntN(1000)) * units.Nanosecond
				f.Reconfig = stagedtest.Reconfig(t, model)
				r := stagedtest.Request(t, f, workload.op, workload.algorithm, units.Bytes(1+rng.IntN(1<<18)))
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				p, err := pool.Harvest(context.Background(), &r, w)
				if err != nil {
					t.Fatal(err)
				}
				(&table{request: r, work: w, pool: p.Candidates}).check(t)
			}
		}
	}
}

// Of two schedules with the same time, the one with fewer changes is chosen, as the strict
// comparison in line 35 of Algorithm 1 does.
func TestTiesGoToFewerChanges(t *testing.T) {
	for _, tie := range []struct {
		name  string
		model string
		costs [][]float64 // per topology and step
	}{
		// 0 + 1000 on the first topology, or 0 + a change of 1000 + 0.
		{"the delay is what a change gains", "1us", [][]float64{{0, 1000}, {5000, 0}}},
		{"the same with the topologies swapped", "1us", [][]float64{{5000, 0}, {0, 1000}}},
		{"changes are free", "0ns", [][]float64{{7, 7, 7, 7}, {7, 7, 7, 7}, {9, 7, 9, 7}}},
		// The two rings share none of their 3 circuits.
		{"the delay of three circuits", "per-circuit:0ns+100ns", [][]float64{{0, 300}, {900, 0}}},
	} {
		t.Run(tie.name, func(t *testing.T) {
			f := fabric.Default()
			f.Nodes, f.Reconfig = 3, stagedtest.Reconfig(t, tie.model)
			r := planner.Request{Fabric: f}
			steps := len(tie.costs[0])
			w := &pricing.Workload{
				Fabric: &r.Fabric, Steps: make([]collective.Step, steps), Classes: make([]pricing.Class, steps),
				RingDelay: map[int]float64{},
			}
			for i := range steps {
				w.ClassOf = append(w.ClassOf, i)
			}
			graphs := []*topology.Graph{
				topology.DirectedCirculant(3, 1), topology.DirectedCirculant(3, 2), topology.DirectedCirculant(3, 1, 2),
			}
			var pool []*pricing.Candidate
			for j, costs := range tie.costs {
				pool = append(pool, &pricing.Candidate{N: 3, Graph: graphs[j], Known: exactly(costs)})
			}
			s, err := Search(t.Context(), &r, Problem{Work: w, Pool: pool})
			if err != nil {
				t.Fatal(err)
			}
			if changesOf(s) != 0 {
				t.Errorf("%d changes", changesOf(s))
			}
		})
	}
}

// If steps are charged, staying on circuits other than the base's costs as much as a change.
func TestSearchEqualsAllSequencesWhereStepsAreCharged(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 7))
	for range 300 {
		s := randomTable(t, rng, fmt.Sprintf("%dns", rng.IntN(1500)), []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)])
		f := &s.request.Fabric
		// A base that is not recognised as a ring: the costs are made up.
		f.Charge, f.Ports, f.Base = fabric.ChargeSteps, 2, "Kautz(2,1)"
		base, err := f.BaseTopology()
		if err != nil {
			t.Fatal(err)
		}
		known := make([]float64, len(s.work.Steps))
		for i := range known {
			known[i] = float64(rng.IntN(6000))
		}
		resting := &pricing.Candidate{N: f.Nodes, Graph: base, Known: exactly(known)}
		s.pool = append(s.pool, resting)
		cost, delay, first := s.tables(t)
		for j, c := range s.pool {
			if c.Graph.Equal(base) {
				continue
			}
			delay[j][j] = float64(f.Reconfig.Base.Time())
			if f.Initial != fabric.InitialFree {
				first[j] = float64(f.Reconfig.Base.Time())
			}
		}
		want := stagedtest.EverySequence(cost, delay, first)
		got, err := Search(t.Context(), &s.request, Problem{Work: s.work, Pool: s.pool})
		if err != nil {
			t.Fatal(err)
		}
		if !stagedtest.Near(got.Total, want, 1e-12) {
			t.Fatalf("%d steps, %d topologies: search %v, all sequences %v", len(cost), len(s.pool), got.Total, want)
		}
		charged, err := got.Charged()
		if err != nil {
			t.Fatal(err)
		}
		sent := 0.0
		for i, c := range got.Choice {
			for j := range s.pool {
				if s.pool[j] == c {
					sent += cost[i][j]
				}
			}
		}
		if paid := float64(charged) * float64(f.Reconfig.Base.Time()); !stagedtest.Near(sent+paid, want, 1e-12) {
			t.Fatalf("%d charges of %v and %v for the steps are not %v", charged, f.Reconfig, sent, want)
		}
	}
}
