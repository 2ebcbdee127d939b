package digit

import (
	"fmt"
	"math"
	"testing"
)

// chainTwin finds the best gather on circulants of one offset with one port by trying everything:
// all first weights, all divisors after them, all circuits, and all places where the steps of a
// digit may end. It counts loads shard by shard.
type chainTwin struct {
	m     Machine
	n     int
	shard float64
	known map[[2]int]float64
}

func (x *chainTwin) best(spacing, offset int) float64 {
	if spacing == 1 {
		return 0
	}
	key := [2]int{spacing, offset}
	if time, ok := x.known[key]; ok {
		return time
	}
	least := math.Inf(1)
	for w := 1; w < spacing; w++ {
		if spacing != x.n && spacing%w != 0 {
			continue
		}
		for o := 1; o <= w; o++ {
			if w%o != 0 {
				continue
			}
			time := x.digit(spacing, w, o)
			if offset != 0 && offset != o {
				time += x.m.Wait
			}
			least = min(least, time+x.best(w, o))
		}
	}
	x.known[key] = least
	return least
}

// digit returns the least time of a digit in steps that may end at any value, the last at the
// last value.
func (x *chainTwin) digit(spacing, w, o int) float64 {
	last := (spacing - 1) / w
	come := make([]int, last+1) // shards, by value
	for at := range x.n {
		if at%spacing%w == 0 {
			come[at%spacing/w]++
		}
	}
	until := make([]float64, last+1)
	for high := 1; high <= last; high++ {
		until[high] = math.Inf(1)
	}
	for low := range last {
		passed := 0 // circuits, by all shards of the step
		for high := low + 1; high <= last; high++ {
			passed += (high - low) * w / o * come[high]
			until[high] = min(until[high], until[low]+x.m.Alpha+x.m.Delta*float64((high-low)*w/o)+x.m.PerByte*x.shard*float64(passed))
		}
	}
	return until[last]
}

// Chains are the best of all weights, for more than a few dozen GPUs as well.
func TestChainsEqualEnumeration(t *testing.T) {
	for _, n := range []int{13, 36, 48, 49, 50, 53, 64, 77, 100} {
		for _, wait := range []float64{0, 100, 1000, 3000} {
			for _, bytes := range []float64{1 << 10, 1 << 17, 1 << 20, 1 << 24} {
				m := Machine{Alpha: 500, Delta: 500, PerByte: 0.01, Wait: wait, Ports: 1}
				twin := chainTwin{m: m, n: n, shard: bytes / float64(n), known: map[[2]int]float64{}}
				want := twin.best(n, 0)
				got := m.Time(m.chain(n, bytes/float64(n), AnyChanges, 1.01*want+2*wait).Shape, bytes/float64(n))
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("%d GPUs, %v ns, %v bytes: %v, want %v", n, wait, bytes, got, want)
				}
			}
		}
	}
}

// The order in which weights are tried does not change the choice: in a tie, the first one.
func TestChainsTellWhatTheyAre(t *testing.T) {
	m := Machine{Alpha: 500, Delta: 500, PerByte: 0.01, Wait: 1000, Ports: 1}
	p := m.chain(100, 1<<20/100.0, AnyChanges, math.Inf(1))
	if got := fmt.Sprint(p.Shape.Steps, p.Shape.Hops, p.Shape.Changes, p.Shape.Load); got != "6 9 3 106" {
		t.Errorf("got %s, want 6 9 3 106: values 4, 3, 3, 3, the first two in a step each", got)
	}
}
