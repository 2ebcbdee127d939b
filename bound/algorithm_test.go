package bound_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// wiring is a topology of one port: the successor of each node, or -1.
type wiring []int

// wirings lists every way to connect n nodes with one port without loops, including the dark
// one: partial permutations, and for duplex only those that are their own inverse.
func wirings(n int, duplex bool) []wiring {
	var all []wiring
	next, used := make(wiring, n), make([]bool, n)
	var choose func(u int)
	choose = func(u int) {
		if u == n {
			for v, w := range next {
				if duplex && w >= 0 && next[w] != v {
					return
				}
			}
			all = append(all, append(wiring(nil), next...))
			return
		}
		next[u] = -1
		choose(u + 1)
		for v := range n {
			if v != u && !used[v] {
				next[u], used[v] = v, true
				choose(u + 1)
				used[v] = false
			}
		}
		next[u] = -1
	}
	choose(0)
	return all
}

func (w wiring) graph() *topology.Graph {
	var edges []topology.Edge
	for u, v := range w {
		if v >= 0 {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	return topology.New(len(w), "wiring", edges)
}

// job is one transfer of a step.
type job struct {
	src, dst int
	bytes    float64
}

// time returns the time of the jobs as one step: alpha + delta per hop of the longest path +
// the bytes of the most loaded circuit.
func (w wiring) time(f *fabric.Fabric, jobs []job) float64 {
	load, hops := make([]float64, len(w)), 0
	for _, j := range jobs {
		at, way := j.src, 0
		for at != j.dst {
			if w[at] < 0 || way == len(w) {
				return math.Inf(1)
			}
			load[at] += j.bytes
			at = w[at]
			way++
		}
		hops = max(hops, way)
	}
	peak := 0.0
	for _, l := range load {
		peak = max(peak, l)
	}
	return float64(f.Alpha.Time()) + float64(f.Delta.Time())*float64(hops) + float64(f.Bandwidth.Transmit(peak))
}

// optimum returns the least time of any schedule: any wiring before any step, and every step
// whole or divided in any way. It ignores dependencies between parts, and so may be below what
// is possible, which is a harder test of a bound.
func optimum(f *fabric.Fabric, all []wiring, delay [][]float64, c *collective.Collective, size units.Bytes) float64 {
	up := make([]float64, len(all)) // least time so far, by wiring
	if f.Initial == fabric.InitialDark {
		up = delay[0] // the first wiring is the dark one
	}
	chunk := c.Space.Bytes(float64(size), collective.Single(0))
	for _, step := range c.Steps {
		var jobs []job
		for t := range step.All(c.Space) {
			jobs = append(jobs, job{t.Src, t.Dst, chunk * float64(t.Chunks.Len())})
		}
		up = stepOptimum(f, all, delay, up, jobs)
	}
	best := math.Inf(1)
	for _, total := range up {
		best = min(best, total)
	}
	return best
}

// delays returns the time to change from each wiring to each other.
func delays(f *fabric.Fabric, all []wiring) [][]float64 {
	graphs := make([]*topology.Graph, len(all))
	for i, w := range all {
		graphs[i] = w.graph()
	}
	delay := make([][]float64, len(all))
	for i := range all {
		delay[i] = make([]float64, len(all))
		for j := range all {
			delay[i][j] = float64(f.Reconfig.Delay(graphs[i], graphs[j]))
		}
	}
	return delay
}

// stepOptimum goes through the sets of jobs that are done.
func stepOptimum(f *fabric.Fabric, all []wiring, delay [][]float64, up []float64, jobs []job) []float64 {
	sets := 1 << len(jobs)
	after := make([][]float64, sets)
	for s := range after {
		after[s] = make([]float64, len(all))
		for i := range all {
			after[s][i] = math.Inf(1)
		}
	}
	after[0] = up
	cost := make([][]float64, sets) // of doing a set at once, by wiring
	for s := 1; s < sets; s++ {
		var some []job
		for j, x := range jobs {
			if s>>j&1 == 1 {
				some = append(some, x)
			}
		}
		cost[s] = make([]float64, len(all))
		for i, w := range all {
			cost[s][i] = w.time(f, some)
		}
	}
	for done := range sets {
		rewired := make([]float64, len(all))
		for j := range all {
			rewired[j] = after[done][j]
			for i := range all {
				rewired[j] = min(rewired[j], after[done][i]+delay[i][j])
			}
		}
		rest := (sets - 1) &^ done
		for s := rest; s > 0; s = (s - 1) & rest {
			for i := range all {
				after[done|s][i] = min(after[done|s][i], rewired[i]+cost[s][i])
			}
		}
	}
	return after[sets-1]
}

func TestWiringsAreAllThereAre(t *testing.T) {
	// Partial permutations without fixed points, by inclusion and exclusion of the fixed
	// points sum_k (-1)^k C(n,k) P(n-k), with P = 1, 2, 7, 34, 209 partial permutations
	// of 0..4 nodes; and matchings.
	for n, want := range map[int][2]int{2: {4, 2}, 3: {18, 4}, 4: {108, 10}} {
		if got := [2]int{len(wirings(n, false)), len(wirings(n, true))}; got != want {
			t.Errorf("n=%d: %v wirings, want %v", n, got, want)
		}
	}
}

// TestScheduleBoundHoldsForEverySchedule compares the bound with the best of all schedules on
// few nodes, and that with the planners' results.
func TestScheduleBoundHoldsForEverySchedule(t *testing.T) {
	type tally struct {
		cases, met   int
		loosest, sum float64
	}
	tallies := map[bool]*tally{false: {}, true: {}} // by duplex
	for n := 2; n <= 4; n++ {
		for turn, f := range boundFabrics(n) {
			all := wirings(f.Nodes, f.Duplex)
			delay := delays(&f, all)
			for _, op := range collective.Ops() {
				for _, a := range algorithms.For(op, collective.Shape{Nodes: n, Ports: 1}) {
					c, err := algorithms.New(op, a.Name, n, 1)
					if err != nil {
						t.Fatal(err)
					}
					if len(c.Steps) > 4 || c.Steps[0].Len() > 6 {
						continue
					}
					size := []units.Bytes{1000, 100_000, 10_000_000}[turn%3]
					name := fmt.Sprintf("%s/%s/n%d/duplex=%v/%s/%s/%v", op, a.Name, n, f.Duplex, f.Initial, f.Reconfig, size)
					bounds := bound.OfAlgorithm(&f, c, size)
					best := optimum(&f, all, delay, c, size)
					if math.IsInf(best, 1) {
						t.Fatalf("%s: no schedule at all", name)
					}
					if float64(bounds.Schedule) > best*(1+1e-9) || bounds.PerStep > bounds.Schedule {
						t.Errorf("%s: bounds %v and %v, but %v can be done", name, bounds.PerStep, bounds.Schedule, units.Time(best))
					}
					ratio, of := best/float64(bounds.Schedule), tallies[f.Duplex]
					of.cases++
					of.sum += ratio
					of.loosest = max(of.loosest, ratio)
					if ratio <= 1+1e-9 {
						of.met++
					}
					noPlanBeats(t, name, best, planner.Request{Fabric: f, Collective: c, Size: size})
				}
			}
		}
	}
	for duplex, of := range tallies {
		t.Logf("duplex=%v, %d cases: the bound is met in %d; the optimum is %.2f times the bound on average and %.1f at most",
			duplex, of.cases, of.met, of.sum/float64(of.cases), of.loosest)
		if of.met < of.cases/3 {
			t.Errorf("duplex=%v: the bound is met in %d of %d cases only", duplex, of.met, of.cases)
		}
	}
}

// boundFabrics are fabrics with one port on which rewiring is cheap, expensive or neither.
func boundFabrics(n int) []fabric.Fabric {
	var all []fabric.Fabric
	for _, duplex := range []bool{false, true} {
		for _, initial := range []string{fabric.InitialFree, fabric.InitialDark} {
			for _, r := range []fabric.Reconfig{
				{Model: fabric.Constant},
				{Model: fabric.Constant, Base: 700 * units.Nanosecond},
				{Model: fabric.Constant, Base: 50 * units.Microsecond},
				{Model: fabric.PerPort, Base: 100 * units.Nanosecond, Each: 300 * units.Nanosecond},
				{Model: fabric.PerCircuit, Base: 100 * units.Nanosecond, Each: 300 * units.Nanosecond},
			} {
				f := fabric.Default()
				f.Nodes, f.Duplex, f.Initial, f.Reconfig = n, duplex, initial, r
				all = append(all, f)
			}
		}
	}
	return all
}

// noPlanBeats checks the brute force itself.
func noPlanBeats(t *testing.T, name string, best float64, r planner.Request) {
	t.Helper()
	for _, p := range staged.Planners() {
		made, err := p.Plan(context.Background(), r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", name, p.Name(), err)
		}
		if total := float64(made.Cost.Total()); total < best*(1-1e-9) {
			t.Errorf("%s: %s takes %v, less than the best of all, %v", name, p.Name(), made.Cost.Total(), units.Time(best))
		}
	}
}
