package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// ringSum is what all GPUs on a small ring know of one byte position: n bits each.
type ringSum uint32

// passedBy returns the least number of circuits that a byte position of an allreduce uses on a
// ring, in steps of given hops, by exhaustive search over its messages.
func passedBy(n int, hops []int) float64 {
	full := ringSum(1)<<n - 1
	row := func(s ringSum, u int) ringSum { return s >> (u * n) & full }
	start := ringSum(0)
	for u := range n {
		start |= 1 << (u*n + u)
	}
	states := map[ringSum]float64{start: 0}
	for _, h := range hops {
		next := map[ringSum]float64{}
		for s, paid := range states {
			choices := make([]map[ringSum]float64, n) // by receiver: what it then knows, at which cost
			for v := range n {
				of := map[ringSum]float64{row(s, v): 0}
				for senders := 1; senders < 1<<h; senders++ {
					knows, cost := row(s, v), 0.0
					for q := 1; q <= h; q++ {
						if senders>>(q-1)&1 == 1 {
							knows |= row(s, (v-q+n)%n)
							cost += float64(q)
						}
					}
					if before, ok := of[knows]; !ok || cost < before {
						of[knows] = cost
					}
				}
				choices[v] = of
			}
			var all func(v int, after ringSum, paid float64)
			all = func(v int, after ringSum, paid float64) {
				if v == n {
					if before, ok := next[after]; !ok || paid < before {
						next[after] = paid
					}
					return
				}
				for knows, cost := range choices[v] {
					all(v+1, after|knows<<(v*n), paid+cost)
				}
			}
			all(0, 0, paid)
		}
		states = next
	}
	if least, ok := states[ringSum(1)<<(n*n)-1]; ok {
		return least
	}
	return math.Inf(1)
}

// shapesOf lists the ways to divide hops into steps of fewer than n.
func shapesOf(hops, n int) [][]int {
	if hops == 0 {
		return [][]int{nil}
	}
	var list [][]int
	for h := 1; h <= min(hops, n-1); h++ {
		for _, rest := range shapesOf(hops-h, n) {
			list = append(list, append([]int{h}, rest...))
		}
	}
	return list
}

// The bound on the load of steps on a ring never exceeds the load of the best messages; for few
// hops it is often equal.
func TestRingLoadsAgainstAllMessages(t *testing.T) {
	const n = 4
	tight, all := 0, 0
	for hops := n - 1; hops < 2*(n-1); hops++ {
		for _, shape := range shapesOf(hops, n) {
			if len(shape) > 4 {
				continue // as many as are quick
			}
			r := &ring{n: n}
			e, cuts, moves, x := hops-(n-1), 0.0, 0.0, 0
			for _, h := range shape {
				cut := max(r.spread(hops, x, x+h), r.spread(hops, hops-x-h, hops-x))
				cuts += cut
				moves += max(cut, float64(h)/float64(e+1))
				x += h
			}
			moves -= float64(e) / float64(e+1)
			least, exact := max(cuts, moves), passedBy(n, shape)/n
			if least > exact+1e-9 {
				t.Errorf("hops %v: %v, but %v is enough", shape, least, exact)
			}
			all++
			if least > exact-1e-9 {
				tight++
			}
		}
	}
	if tight < 4 {
		t.Errorf("%d of %d are tight", tight, all)
	}
}

// Paths find the best way to cut hops into steps, and limits change nothing below them.
func TestRingPathsEqualEnumeration(t *testing.T) {
	for _, n := range []int{3, 5, 7} {
		for _, size := range []units.Bytes{4 * units.KiB, 64 * units.KiB, 512 * units.KiB} {
			f := fabric.Default()
			f.Nodes = n
			r := newRing(&f, n, size)
			for hops := n - 1; hops <= n+2; hops++ {
				load := func(x, y int) float64 { return r.spread(hops, x, y) }
				want := math.Inf(1)
				for _, shape := range shapesOf(hops, n+3) {
					x, time := 0, 0.0
					for _, h := range shape {
						time += r.alpha + r.delta*float64(h) + r.whole*load(x, x+h)
						x += h
					}
					want = min(want, time)
				}
				all := loads{load, func(int, int) float64 { return 0 }, func(int) float64 { return 0 }}
				if got := r.path(hops, math.Inf(1), all); math.Abs(got-want) > 1e-6 {
					t.Errorf("%d GPUs, %v, %d hops: %v, want %v", n, size, hops, got, want)
				}
				if got := r.path(hops, want*1.001, all); math.Abs(got-want) > 1e-6 {
					t.Errorf("%d GPUs, %v, %d hops, limited: %v, want %v", n, size, hops, got, want)
				}
			}
		}
	}
}

func BenchmarkRing(b *testing.B) {
	for _, n := range []int{16, 64, 128} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			f := fabric.Default()
			f.Nodes, f.Ports = n, 1
			for b.Loop() {
				r := newRing(&f, n, 256*units.KiB)
				r.sums(math.Inf(1))
				r.cast(math.Inf(1))
			}
		})
	}
}

// No steps on a ring take less than the last GPU waits for: random steps, start-ups and hops,
// with messages for which about as many steps are best.
func TestNoStepsOnARingLoadLessThanItsChain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	near, cases := 0, 500
	for range cases {
		f := fabric.Default()
		f.Nodes, f.Ports = 3+r.IntN(3), 1
		ring := make([][]int, f.Nodes)
		for u := range ring {
			ring[u] = make([]int, f.Nodes)
			ring[u][(u+1)%f.Nodes] = 1
		}
		steps, longest := []boundtest.Step{{Hops: 1 + r.IntN(f.Nodes-1), Circuits: ring}}, 1+r.IntN(2)
		for hops := steps[0].Hops; hops < f.Nodes-1 || r.IntN(6) > 0; hops += steps[len(steps)-1].Hops {
			steps = append(steps, boundtest.Step{Hops: 1 + r.IntN(longest), Circuits: ring})
		}
		f.Alpha, f.Delta = units.Duration(r.IntN(1_000_000)), units.Duration(1+r.IntN(1_000_000))
		latency := 0.0
		for _, s := range steps {
			latency += float64(f.Alpha.Time()) + float64(s.Hops)*float64(f.Delta.Time())
		}
		load, _ := boundtest.BroadcastLoad(steps)
		x := float64(f.Nodes-2) * float64(f.Alpha.Time()+f.Delta.Time())
		size := units.Bytes(latency*latency/x*(0.5+r.Float64())/float64(f.Bandwidth.Transmit(1))) + 1
		whole := float64(f.Bandwidth.Transmit(float64(size)))
		bound := newRing(&f, f.Nodes, size).chain()
		if takes := latency + whole*load; bound > takes*(1+1e-6) {
			t.Errorf("%d GPUs, %d steps, start-up %v, hop %v, %v: %v, the bound is %v", f.Nodes, len(steps), f.Alpha, f.Delta, size, takes, bound)
		} else if bound > takes*0.95 {
			near++
		}
	}
	t.Logf("within 5%% of the bound: %d of %d", near, cases)
	if near < cases/20 {
		t.Errorf("within 5%% of the bound: %d of %d only", near, cases)
	}
}
