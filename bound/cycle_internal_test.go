package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// circle is the circuits from each of n GPUs to the next, and those back if they are two-way.
func circle(n int, duplex bool) [][]int {
	circuits := make([][]int, n)
	for u := range circuits {
		circuits[u] = make([]int, n)
	}
	for u := range n {
		circuits[u][(u+1)%n]++
		if duplex {
			circuits[(u+1)%n][u]++
		}
	}
	return circuits
}

// stepsOn lists steps on given circuits: all ways to divide up to so many hops.
func stepsOn(circuits [][]int, least, most, longest int) [][]boundtest.Step {
	var list [][]boundtest.Step
	for hops := least; hops <= most; hops++ {
		for _, shape := range shapesOf(hops, longest+1) {
			var steps []boundtest.Step
			for _, h := range shape {
				steps = append(steps, boundtest.Step{Hops: h, Circuits: circuits})
			}
			list = append(list, steps)
		}
	}
	return list
}

// timed is a fabric of random times, a size, and what steps take there without their loads.
func timed(r *rand.Rand, n int, duplex bool) (f fabric.Fabric, size units.Bytes, latency func([]boundtest.Step) float64) {
	f = fabric.Default()
	f.Nodes, f.Ports, f.Duplex = n, 1, duplex
	if duplex {
		f.Ports = 2
	}
	f.Alpha, f.Delta = units.Duration(r.IntN(1_000_000)), units.Duration(1+r.IntN(1_000_000))
	size = units.Bytes(math.Exp(r.Float64()*8) * 1024)
	return f, size, func(steps []boundtest.Step) float64 {
		sum := float64(f.Alpha.Time()) * float64(len(steps))
		for _, s := range steps {
			sum += float64(f.Delta.Time()) * float64(s.Hops)
		}
		return sum
	}
}

// leastSummed returns the load of steps on a ring or a cycle according to the bound.
func leastSummed(n int, duplex bool, steps []boundtest.Step) float64 {
	k := (&ring{n: n}).knowing()
	if duplex {
		k = (&cycle{ring: ring{n: n}, far: n / 2}).knowing()
	}
	hops := 0
	for _, s := range steps {
		hops += s.Hops
	}
	passed, moved, saved := k.loads(hops)
	x, messages, moves := 0, 0.0, -saved
	for _, s := range steps {
		y := x + s.Hops
		messages += passed.of(x, y)
		moves += moved.of(x, y)
		if low := passed.quick(x, y); low > passed.of(x, y) {
			return math.Inf(1)
		}
		x = y
	}
	return max(messages, moves)
}

// No steps of an allreduce on a ring or a cycle load less than the bound says, with the best
// messages of an exhaustive search.
func TestSumsAgainstAllMessages(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		near, all := 0, 0
		for n := 3; n <= 4; n++ {
			far := n - 1
			if duplex {
				far = n / 2
			}
			for _, steps := range stepsOn(circle(n, duplex), far, 2*far-1, far) {
				bound, least := leastSummed(n, duplex, steps), boundtest.SumLoad(steps)/float64(n)
				if bound > least*(1+1e-9) {
					t.Errorf("two-way %v, %d GPUs, %v: the bound is %v, but %v is enough", duplex, n, steps, bound, least)
				}
				if all++; bound > least*0.95 {
					near++
				}
			}
		}
		t.Logf("two-way %v: within 5%% in %d of %d cases", duplex, near, all)
		if near < all/4 {
			t.Errorf("two-way %v: within 5%% in %d of %d cases only", duplex, near, all)
		}
	}
}

// The same for more GPUs: of all messages, as many as possible are left out, one after the other
// in a random order.
func TestSumsAgainstFewMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	for _, duplex := range []bool{false, true} {
		near, cases := 0, 400
		for range cases {
			n := 5 + r.IntN(6)
			far := n - 1
			if duplex {
				far = n / 2
			}
			var steps []boundtest.Step
			for left := far + r.IntN(far); left > 0; left -= steps[len(steps)-1].Hops {
				steps = append(steps, boundtest.Step{Hops: 1 + r.IntN(min(left, far))})
			}
			bound, enough := leastSummed(n, duplex, steps), fewMessages(r, n, duplex, steps)/float64(n)
			if bound > enough*(1+1e-9) {
				t.Errorf("two-way %v, %d GPUs, %v: the bound is %v, but %v is enough", duplex, n, steps, bound, enough)
			}
			if bound > enough*0.75 {
				near++
			}
		}
		t.Logf("two-way %v: within a quarter in %d of %d cases", duplex, near, cases)
		if near < cases/10 {
			t.Errorf("two-way %v: within a quarter in %d of %d cases only", duplex, near, cases)
		}
	}
}

// fewMessages returns how many circuits the messages use that remain when none can be left out:
// then some GPU would not know all inputs. Half of the time the long ones are left out first.
func fewMessages(r *rand.Rand, n int, duplex bool, steps []boundtest.Step) float64 {
	type message struct{ step, from, to, hops int }
	var list []message
	for t, s := range steps {
		for u := range n {
			for h := 1; h <= s.Hops; h++ {
				list = append(list, message{t, u, (u + h) % n, h})
				if duplex {
					list = append(list, message{t, u, (u - h + n) % n, h})
				}
			}
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if r.IntN(2) == 0 {
		slices.SortStableFunc(list, func(a, b message) int { return b.hops - a.hops })
	}
	out := make([]bool, len(list))
	enough := func() bool {
		know := make([]uint, n)
		for u := range know {
			know[u] = 1 << u
		}
		for t := range steps {
			next := slices.Clone(know)
			for i, m := range list {
				if m.step == t && !out[i] {
					next[m.to] |= know[m.from]
				}
			}
			know = next
		}
		for _, k := range know {
			if k != 1<<n-1 {
				return false
			}
		}
		return true
	}
	circuits := 0.0
	for i, m := range list {
		out[i] = true
		if !enough() {
			out[i] = false
			circuits += float64(m.hops)
		}
	}
	return circuits
}

// No broadcast on a cycle is faster than the bound: all steps, each with the best that bytes can
// do, by a linear program.
func TestCycleCastsAgainstAllCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for n := 3; n <= 6; n++ {
		far := n / 2
		list := stepsOn(circle(n, true), far, 2*far+1, far)
		load := make([]float64, len(list))
		for i, steps := range list {
			load[i], _ = boundtest.BroadcastLoad(steps)
		}
		near, cases := 0, 300
		for range cases {
			f, size, latency := timed(r, n, true)
			bound := newCycle(&f, n, size).cast(newPipelines(&f, n, size).least)
			best := math.Inf(1)
			for i, steps := range list {
				best = min(best, latency(steps)+float64(f.Bandwidth.Transmit(float64(size)))*load[i])
			}
			if bound > best*(1+1e-6) {
				t.Errorf("%d GPUs, start-up %v, hop %v, %v: the bound is %v, but %v is enough", n, f.Alpha, f.Delta, size, bound, best)
			}
			if bound > best*0.95 {
				near++
			}
		}
		t.Logf("%d GPUs: within 5%% in %d of %d cases", n, near, cases)
		if near < cases/10 {
			t.Errorf("%d GPUs: within 5%% in %d of %d cases only", n, near, cases)
		}
	}
}

// What prunes the search for the best steps leaves out none of them.
func TestSumsWithLimitsAreTheLeastOfAllPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for i := range 200 {
		n := 3 + r.IntN(22)
		f, size, _ := timed(r, n, i%2 == 0)
		on, k := newRing(&f, n, size), newRing(&f, n, size).knowing()
		if f.Duplex {
			c := newCycle(&f, n, size)
			on, k = &c.ring, c.knowing()
		}
		for hops := k.far; hops < 2*k.far; hops++ {
			passed, moved, _ := k.loads(hops)
			for _, l := range []loads{passed, moved} {
				none := loads{l.of, func(int, int) float64 { return 0 }, func(int) float64 { return 0 }}
				want := on.path(hops, math.Inf(1), none)
				if got := on.path(hops, want*1.0001, l); math.Abs(got-want) > 1e-6*want {
					t.Errorf("%d GPUs, two-way %v, %d hops: %v, want %v", n, f.Duplex, hops, got, want)
				}
			}
		}
	}
}
