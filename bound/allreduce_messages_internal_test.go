package bound

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/bound/sets"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestKnownBoundIsTheLeastOfAllPaths compares the search with limits and memory, for any order
// of calls, with an exhaustive search over all stages and hops.
func TestKnownBoundIsTheLeastOfAllPaths(t *testing.T) {
	for _, n := range []int{2, 3, 7, 16, 25} {
		for ports := 1; ports <= 4; ports++ {
			for _, size := range []units.Bytes{1, 10_000, 1 << 20, 1 << 28} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, ports, ports%2 == 0
				all := allPaths(&f, n, size, false)
				if onRing(&f, n) {
					all[1] = max(all[1], newRing(&f, n, size).sums(math.Inf(1)))
				}
				if onCycle(&f, n) {
					all[1] = max(all[1], newCycle(&f, n, size).sums(math.Inf(1)))
				}
				if ports == 1 {
					for stages := 1; stages <= sets.MaxStages; stages++ {
						c := sets.Costs{Start: float64(f.Alpha.Time()), Hop: float64(f.Delta.Time()), Whole: float64(f.Bandwidth.Transmit(float64(size)))}
						if time, known := all[stages]; known {
							all[stages] = max(time, sets.NewLoads(n).Least(stages, c, math.Inf(1)))
						}
					}
				}
				// Short and long delays alternate, so that remembered limits are below and above.
				for _, wait := range []string{"10us", "0ns", "100ms", "1ns", "1us"} {
					var err error
					if f.Reconfig, err = fabric.ParseReconfig(wait); err != nil {
						t.Fatal(err)
					}
					want := math.Inf(1)
					for stages, time := range all {
						want = min(want, float64(f.LeastWait())*float64(stages-1)+time)
					}
					got := knownBound(&f, n, size, 0)
					if math.Abs(got-want) > 1e-9*want {
						t.Errorf("%d GPUs, %d ports, %v, delay %v: %g, of all paths %g", n, ports, size, wait, got, want)
					}
					if enough := knownBound(&f, n, size, want); enough > want*(1+1e-9) {
						t.Errorf("%d GPUs, %d ports, %v, delay %v: %g where %g is enough", n, ports, size, wait, enough, want)
					}
				}
			}
		}
	}
}

// The same for broadcasts.
func TestCastStepsAreTheLeastOfAllPaths(t *testing.T) {
	for _, n := range []int{2, 3, 7, 16, 25} {
		for ports := 1; ports <= 4; ports++ {
			for _, size := range []units.Bytes{1, 10_000, 1 << 18, 1 << 20, 1 << 28} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, ports, ports == 3
				all := allPaths(&f, n, size, true)
				for _, wait := range []units.Duration{10 * units.Microsecond, 0, 300 * units.Nanosecond} {
					f.Reconfig.Base = wait
					for first := 1; first <= 2; first++ {
						want := math.Inf(1)
						for stages, time := range all {
							if stages >= first {
								want = min(want, float64(f.LeastWait())*float64(stages-1)+time)
							}
						}
						if got := castSteps(&f, n, size, first, 0); math.Abs(got-want) > 1e-9*want {
							t.Errorf("%d GPUs, %d ports, %v, delay %v: %g, of all paths %g", n, ports, size, wait, got, want)
						}
					}
				}
			}
		}
	}
}

// allPaths returns the least time of a path by its number of stages, without changes.
func allPaths(f *fabric.Fabric, n int, size units.Bytes, cast bool) map[int]float64 {
	known := knowledgeOf(f, n, size, cast)
	more := known.hops + 1 // more than needed
	c := &knowledge{knowledgeKey: known.knowledgeKey, balls: known.balls, hops: more}
	all := map[int]float64{}
	for stages := 1; stages <= c.hops; stages++ {
		c.grow(stages)
		all[stages] = math.Inf(1)
		for hops := stages; hops <= c.hops; hops++ {
			if c.most[stages][hops] >= c.nodes {
				all[stages] = min(all[stages], c.path(stages, hops, math.Inf(1)))
			}
		}
	}
	return all
}

// TestKnownBoundIsTheSameOnAnyNumberOfThreads: sweeps ask for many delays of a size at once.
func TestKnownBoundIsTheSameOnAnyNumberOfThreads(t *testing.T) {
	ask := func(delay int) float64 {
		f := fabric.Default()
		var err error
		if f.Reconfig, err = fabric.ParseReconfig(fmt.Sprintf("%dns", 100*delay)); err != nil {
			t.Error(err)
		}
		return knownBound(&f, f.Nodes, 3*units.MiB, 0)
	}
	const delays = 40
	var at [delays]float64
	var all sync.WaitGroup
	for i := range delays {
		all.Go(func() { at[i] = ask(i) })
	}
	all.Wait()
	for i, got := range at {
		if want := ask(i); got != want {
			t.Errorf("delay %d: %g at once, %g alone", i, got, want)
		}
	}
}

// Where plans can have more hops than are considered, the bound is the least of the paths that are
// and of the latency of all others.
func TestPlansOfMoreHopsAreBoundedByTheirLatency(t *testing.T) {
	cut := 0
	for _, n := range []int{9, 14} {
		for ports := 1; ports <= 2; ports++ {
			for _, size := range []units.Bytes{1, 100_000} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, ports, ports == 2
				all := knowledgeOf(&f, n, size, false)
				for most := 4; most < all.hops; most += 5 {
					c := newKnowledge(&f, n, all.knowledgeKey, most)
					for stages := 1; stages <= most; stages++ {
						longer := c.floor(stages) + c.delta*float64(most+1-stages)
						want := longer
						c.grow(stages)
						for hops := stages; hops <= most; hops++ {
							if c.most[stages][hops] >= c.nodes {
								want = min(want, c.path(stages, hops, math.Inf(1)))
							}
						}
						got := c.least(stages, math.Inf(1))
						if math.Abs(got-want) > 1e-9*want {
							t.Errorf("%d GPUs, %d ports, %v, %d stages of at most %d hops: %v, not %v", n, ports, size, stages, most, got, want)
						}
						if least := all.least(stages, math.Inf(1)); got > least*(1+1e-9) {
							t.Errorf("%d GPUs, %d ports, %v, %d stages of at most %d hops: %v, with more hops %v", n, ports, size, stages, most, got, least)
						} else if got < least {
							cut++
						}
					}
				}
			}
		}
	}
	if cut == 0 {
		t.Error("no limit has cut anything")
	}
}
