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
			closed := newRecursiveDoubling(op, n)
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
				total := closed.search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, size)
				if !stagedtest.Near(float64(total), want.Total, 1e-9) || len(closed.intervals)-1 != changes(want) {
					t.Fatalf("%s n=%d %v %v: closed form %v with %d changes, pool %v with %d",
						op, n, f.Reconfig, size, float64(total), len(closed.intervals)-1, want.Total, changes(want))
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
			closed := newRecursiveDoubling(op, n)
			total := closed.search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, size)
			offsets := offsetsOf(op, n)
			time := stagedtest.DoublingTime(offsets, f.Alpha, f.Delta, f.Bandwidth, size)
			sum, next := float64(len(closed.intervals)-1)*float64(f.Reconfig.Base.Time()), 0
			for _, interval := range closed.intervals {
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

// On 4 nodes at 0.01 ns per byte, a change before the second step of the
// reduce-scatter spares one hop of 500 ns and a quarter of 200 kB, another 500 ns. At
// a delay of 1000 ns that is a tie, which fewer changes win; below it is not.
func TestClosedFormTiesGoToFewerChanges(t *testing.T) {
	f := fabric.Default()
	closed := newRecursiveDoubling(collective.ReduceScatter, 4)
	for delay, intervals := range map[units.Duration]int{999: 2, 1000: 1, 1001: 1} {
		closed.search(f.Alpha, f.Delta, delay*units.Nanosecond, f.Bandwidth, 200*units.KB)
		if len(closed.intervals) != intervals {
			t.Errorf("%d ns: intervals %+v, want %d", delay, closed.intervals, intervals)
		}
	}
}
