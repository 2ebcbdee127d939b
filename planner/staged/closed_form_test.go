package staged

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

var reductions = []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather}

// offsetsOf lists the offsets of recursive doubling (§5.1: up for the reduce-scatter,
// back down for the all-gather).
func offsetsOf(op collective.Op, n int) []int {
	var offsets []int
	if op != collective.AllGather {
		for o := 1; o < n; o *= 2 {
			offsets = append(offsets, o)
		}
	}
	if op != collective.ReduceScatter {
		for o := n / 2; o >= 1; o /= 2 {
			offsets = append(offsets, o)
		}
	}
	return offsets
}

// randomDoubling draws a fabric and a size over the ranges of Fig. 5 and beyond.
func randomDoubling(rng *rand.Rand, n int) (fabric.Fabric, units.Bytes) {
	spread := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*rng.Float64()) }
	f := fabric.Default()
	f.Nodes = n
	f.Alpha = units.Duration(spread(3, 7))
	f.Delta = units.Duration(spread(3, 7))
	f.Bandwidth = units.Bandwidth(spread(9, 13))
	f.Reconfig.Base = units.Duration(spread(3, 10))
	return f, units.Bytes(1) << rng.IntN(31)
}

// The closed form of §5 (Observation 4 and Eq. 8) and the dynamic program over the
// pool of all rings find schedules of the same time with as many reconfigurations, and
// so does Algorithm 1 with Eq. 8 as its inner solution.
func TestClosedFormEqualsThePool(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for n := 2; n <= 128; n *= 2 {
		for _, op := range reductions {
			closed := NewRecursiveDoubling(op, n)
			for range 12 {
				f, size := randomDoubling(rng, n)
				r := stagedtest.Request(t, f, op, "recursive-doubling", size)
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				p, err := pool.Harvest(context.Background(), &r, w)
				if err != nil {
					t.Fatal(err)
				}
				want, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: p.Candidates})
				if err != nil {
					t.Fatal(err)
				}
				total := closed.Search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, size)
				if !stagedtest.Near(float64(total), want.Total, 1e-9) || len(closed.Intervals)-1 != changes(want) {
					t.Fatalf("%s n=%d %v %v: closed form %v with %d changes, pool %v with %d",
						op, n, f.Reconfig, size, float64(total), len(closed.Intervals)-1, want.Total, changes(want))
				}
				l := stagedtest.Listing{
					Steps:          len(w.Steps),
					CompletionTime: stagedtest.DoublingTime(offsetsOf(op, n), f.Alpha, f.Delta, f.Bandwidth, size),
					Reconfig:       float64(f.Reconfig.Base.Time()),
				}
				naive, cuts := l.Best()
				if !stagedtest.Near(naive, want.Total, 1e-9) || len(cuts) != changes(want) {
					t.Fatalf("%s n=%d: Algorithm 1 gives %v with %d changes, pool %v with %d",
						op, n, naive, len(cuts), want.Total, changes(want))
				}
			}
		}
	}
}

// The intervals of a schedule follow one another and have the smallest exponent of
// their steps; their times by Eq. 8 add up to the total.
func TestClosedFormIntervalsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, op := range reductions {
		for n := 2; n <= fabric.MaxNodes; n *= 2 {
			f, size := randomDoubling(rng, n)
			closed := NewRecursiveDoubling(op, n)
			total := closed.Search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, size)
			offsets := offsetsOf(op, n)
			time := stagedtest.DoublingTime(offsets, f.Alpha, f.Delta, f.Bandwidth, size)
			sum, next := float64(len(closed.Intervals)-1)*float64(f.Reconfig.Base.Time()), 0
			for _, interval := range closed.Intervals {
				low := n
				for _, o := range offsets[interval.First : interval.Last+1] {
					low = min(low, o)
				}
				if interval.First != next || low != 1<<interval.Exponent {
					t.Fatalf("%s n=%d: interval %+v after step %d", op, n, interval, next)
				}
				sum += time(interval.First+1, interval.Last+1)
				next = interval.Last + 1
			}
			if next != len(offsets) || !stagedtest.Near(sum, float64(total), 1e-9) {
				t.Fatalf("%s n=%d: %d of %d steps, sum %v, total %v", op, n, next, len(offsets), sum, float64(total))
			}
		}
	}
}

// The closed form is used only if it is right: not on fabrics for which the pool knows more, and
// on a dark fabric with the first configuration charged.
func TestClosedFormApplies(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f *fabric.Fabric)
		want   bool
	}{
		{"default", func(*fabric.Fabric) {}, true},
		{"dark", func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }, true},
		{"store and forward", func(f *fabric.Fabric) { f.Forwarding = fabric.StoreAndForward }, true},
		{"initial base", func(f *fabric.Fabric) { f.Initial = fabric.InitialBase }, false},
		{"initial topology", func(f *fabric.Fabric) { f.Initial = "DC(16;2)" }, false},
		{"two ports", func(f *fabric.Fabric) { f.Ports = 2 }, false},
		{"per port", func(f *fabric.Fabric) { f.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Each: 1} }, false},
		{"another base", func(f *fabric.Fabric) { f.Base = "DC(16;3)" }, false},
	} {
		f := fabric.Default()
		f.Nodes = 16
		c.change(&f)
		r := stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", units.MiB)
		if got := closedFormApplies(&r); got != c.want {
			t.Errorf("%s: closed form applies: %v", c.name, got)
		}
		// If it applies, the plan is that of the pool.
		w := pricing.NewWorkload(&r, r.Collective.Steps)
		p, err := pool.Harvest(context.Background(), &r, w)
		if err != nil {
			t.Fatal(err)
		}
		pooled, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: p.Candidates})
		if err != nil {
			t.Fatal(err)
		}
		if planned := planWith(t, "harvest", r); !stagedtest.Near(float64(planned.Cost.Total()), pooled.Total, 1e-9) {
			t.Errorf("%s: plan %v, pool %v", c.name, planned.Cost.Total(), pooled.Total)
		}
		if chosen, err := (HarvestOptions{}).harvest(t.Context(), &r, newVariants(&r)); err != nil || !stagedtest.Near(chosen.Total, pooled.Total, 1e-9) {
			t.Errorf("%s: schedule %+v, pool %v, %v", c.name, chosen, pooled.Total, err)
		}
	}
}

// On 4 nodes at 0.01 ns per byte, a change before the second step of the
// reduce-scatter spares one hop of 500 ns and a quarter of 200 kB, another 500 ns. At
// a delay of 1000 ns that is a tie, which fewer changes win; below it is not.
func TestClosedFormTiesGoToFewerChanges(t *testing.T) {
	f := fabric.Default()
	closed := NewRecursiveDoubling(collective.ReduceScatter, 4)
	for delay, intervals := range map[units.Duration]int{999: 2, 1000: 1, 1001: 1} {
		closed.Search(f.Alpha, f.Delta, delay*units.Nanosecond, f.Bandwidth, 200*units.KB)
		if len(closed.Intervals) != intervals {
			t.Errorf("%d ns: intervals %+v, want %d", delay, closed.Intervals, intervals)
		}
	}
}

func TestClosedFormSearchAllocatesNothing(t *testing.T) {
	f := fabric.Default()
	closed := NewRecursiveDoubling(collective.AllReduce, 1024)
	size := units.Bytes(1)
	allocations := testing.AllocsPerRun(200, func() {
		size = size*3%units.GiB + 1
		closed.Search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, size)
	})
	if allocations != 0 {
		t.Errorf("%v allocations per search", allocations)
	}
}
