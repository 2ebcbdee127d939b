package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxRing limits the GPUs for which rings are considered: it takes the cube of their number.
const maxRing = 128

// ring describes plans with one port whose circuits stay: data gets everywhere only if they
// form a ring of all n GPUs. Let a plan have H hops in total, e = H-(n-1) more than the
// distance of the farthest pair. A step from x to y has y-x hops and begins when steps of x
// hops are done. Loads are in buffers.
type ring struct {
	n                   int
	alpha, delta, whole float64
	best                float64
	time                []float64 // scratch, by hops so far
}

// onRing reports whether plans that keep their circuits run on a ring of all GPUs.
func onRing(f *fabric.Fabric, n int) bool {
	return f.Ports == 1 && !f.Duplex && n == f.Nodes && n > 2 && n <= maxRing
}

func newRing(f *fabric.Fabric, n int, size units.Bytes) *ring {
	return &ring{
		n: n, alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()),
		whole: float64(f.Bandwidth.Transmit(float64(size))), best: math.Inf(1),
	}
}

// loads has lower bounds for the steps of plans with a given number of hops.
type loads struct {
	of    func(x, y int) float64
	quick func(x, y int) float64 // a quick lower bound of it
	rest  func(x int) float64    // of all steps that begin after x or more hops
}

// path returns the least time of steps from 0 to H hops, each with its least load, if that is
// below a limit; else a time that is not below it.
func (r *ring) path(hops int, limit float64, l loads) float64 {
	r.time = r.time[:0]
	for range hops + 1 {
		r.time = append(r.time, math.Inf(1))
	}
	r.time[0] = 0
	for x := range hops {
		if r.time[x]+r.alpha+r.delta*float64(hops-x)+r.whole*l.rest(x) >= limit {
			continue
		}
		for y := x + 1; y <= hops; y++ {
			step := r.time[x] + r.alpha + r.delta*float64(y-x)
			if step >= r.time[y] {
				continue
			}
			least := step + r.whole*l.quick(x, y)
			if least >= r.time[y] || least+r.delta*float64(hops-y)+r.whole*l.rest(y) >= limit {
				continue
			}
			r.time[y] = min(r.time[y], step+r.whole*l.of(x, y))
		}
	}
	return r.time[hops]
}

// windows returns how many windows of places spread considers.
func (r *ring) windows(hops, x, y int) int { return (r.n - 1 - x) / (hops - y + 1) }

// spread returns the least load, in circuits used per GPU, of a step in which knowledge of an
// input must move on.
//
// Number the GPUs from one of them, along the ring. Its input is known at most at places 0..x
// before the step. After the step, the GPU at place v needs one at v-(H-y)..v that knows the
// input. So there is one in each of the last k windows of w = H-y+1 places, as long as these
// begin behind x: in window k, at n-k w or behind. Such a place learns the input by a message
// from a place up to x.
//
// This holds with any GPU as the first. A message over h hops moves on the inputs of at most
// x+1 GPUs, and of at most h+x+1-p if all these windows begin at p or behind; for window k it
// has at least n-k w - x hops. So every GPU and window has its share of a message, which uses
// one circuit or more, and the sum of the shares is the load.
func (r *ring) spread(hops, x, y int) float64 {
	w, windows := hops-y+1, r.windows(hops, x, y)
	if windows < 1 {
		return 0
	}
	longest, behind := y-x, r.n-windows*w
	sum := 0.0
	for k := 1; k <= windows; k++ {
		h := min(longest, max(r.n-k*w-x, behind))
		if h < r.n-k*w-x {
			return math.Inf(1) // no message travels that far
		}
		sum += float64(h) / float64(min(x+1, h+x+1-behind))
	}
	return sum
}

// sums bounds the time of an allreduce on a ring, in ns.
//
// Follow one byte position through all buffers; loads are the circuits that it uses, over n.
// Inputs must move on as in spread, and in reverse so must what can still reach the outputs.
//
// An input on its way to the farthest GPU is at a place in x-e..x, so a message moves on at most
// e+1 such inputs. Over all steps, each of them falls behind the hops of the steps by e in all.
// If the mean input falls behind by b in a step of h hops,
//
//   - it moves h-b places, so the load is at least (h-b)/(e+1);
//   - it moves at least h-b-1 places beyond the first of a message, so the load is at least
//     that over e+1, and the messages, over n.
//
// All n inputs leave their GPUs before no GPU reaches everyone any more, in a step with
// x <= e < y or before; and all outputs get a message once some GPU can know all, from the step
// with x < n-1 <= y on. That is 2n messages if these are two steps, and always 2n-2 (see
// knownBound). So up to the former and from the latter on the second line counts, and in between
// the first. Alternatively, each step uses at least h-1 circuits more than it has messages.
//
// With e >= n-1 only the latter is known: hops cost a start-up or a circuit, whichever is less.
func (r *ring) sums(limit float64) float64 { return r.summed(limit, r.knowing()) }

func (r *ring) knowing() *knowing {
	return &knowing{
		n: r.n, far: r.n - 1,
		spread:  r.spread,
		windows: r.windows,
		moves: func(hops int) (rate, saved float64) {
			e := float64(hops - (r.n - 1))
			return 1 / (e + 1), e / (e + 1)
		},
	}
}

// knowing has what summed needs to know about a ring or a cycle.
type knowing struct {
	n, far  int // far: hops to the farthest GPU
	spread  func(hops, x, y int) float64
	windows func(hops, x, y int) int // a lower bound of spread
	// moves returns the load per hop of moving all inputs on, for plans with so many hops, and
	// what is saved in all because inputs fall behind.
	moves func(hops int) (rate, saved float64)
}

// loads returns two bounds for plans with the given hops: of the messages and the circuits that
// they pass, and of the inputs that move on, which saves a load in all.
func (k *knowing) loads(hops int) (passed, moved loads, saved float64) {
	n := float64(k.n)
	e := hops - k.far
	rate, saved := k.moves(hops)
	messages := func(x, y int) float64 {
		first, last := x <= e && e < y, x < k.far && k.far <= y
		switch {
		case first && last:
			return 2 - 2/n
		case first || last:
			return 1
		}
		return 0
	}
	rest := func(x int) float64 {
		switch {
		case x <= e:
			return 2 - 2/n
		case x < k.far:
			return 1
		}
		return 0
	}
	// With steps of one hop each, at most e+1 of them on either side, moves and messages may add
	// up to less than the moves of all hops.
	lost := max(0, 2*float64(e+1)*rate-(2-2/n))
	left := func(x int) float64 {
		if x < k.far {
			return max(rest(x), float64(hops-x)*rate-lost)
		}
		return 0
	}
	with := func(least func(x, y int) float64, rest func(x int) float64) loads {
		return loads{
			of: func(x, y int) float64 {
				return max(k.spread(hops, x, y), k.spread(hops, hops-y, hops-x), least(x, y))
			},
			quick: func(x, y int) float64 {
				return max(float64(max(k.windows(hops, x, y), k.windows(hops, hops-y, hops-x))), least(x, y))
			},
			rest: rest,
		}
	}
	passed = with(func(x, y int) float64 { return messages(x, y) + float64(y-x-1)/n }, rest)
	moved = with(func(x, y int) float64 {
		if x > e && y < k.far {
			return float64(y-x) * rate
		}
		return messages(x, y) + float64(y-x-1)*rate
	}, left)
	return passed, moved, saved
}

func (r *ring) summed(limit float64, k *knowing) float64 {
	n := float64(r.n)
	twice := 2 - 2/n
	most := 2 * k.far
	r.best = min(limit, r.alpha+r.delta*float64(most)+float64(most-1)*min(r.alpha, r.whole/n)+r.whole*twice)
	for hops := k.far; hops < most; hops++ {
		rate, saved := k.moves(hops)
		if r.alpha+r.delta*float64(hops)+r.whole*max(twice, rate*float64(hops)-saved) >= r.best {
			continue
		}
		passed, moved, saved := k.loads(hops)
		time := r.path(hops, r.best, passed)
		if time < r.best {
			time = max(time, r.path(hops, r.best+r.whole*saved, moved)-r.whole*saved)
			r.best = min(r.best, time)
		}
	}
	return r.best
}

// cast bounds the time of a broadcast on a ring, in ns, and of a reduction, its reverse.
//
// Number the GPUs from the root on. Before a step from x to y no data is behind place x. After
// it, every byte is in each of the last windows of H-y+1 places (see spread), so it uses the
// circuit from x to x+1 once for each. In addition, all bytes leave the root before one place
// can no longer reach all, in the step with x <= e < y or before; and all arrive at the last
// place from the step with x < n-1 <= y on.
func (r *ring) cast(limit float64) float64 {
	most := 2 * (r.n - 1)
	r.best = min(limit, r.alpha+r.delta*float64(most)+r.whole)
	for hops := r.n - 1; hops < most; hops++ {
		e := hops - (r.n - 1)
		if r.alpha+r.delta*float64(hops)+r.whole >= r.best {
			break
		}
		load := func(x, y int) float64 {
			count := 0
			if x <= e && e < y || x < r.n-1 && r.n-1 <= y {
				count = 1
			}
			return float64(max(count, r.windows(hops, x, y)))
		}
		r.best = min(r.best, r.path(hops, r.best, loads{of: load, quick: load, rest: func(x int) float64 {
			if x < r.n-1 {
				return 1
			}
			return 0
		}}))
	}
	return r.best
}

// chain bounds the time of a broadcast on a ring, in ns, and of a reduction, by what the last
// GPU waits for: it is castBound if the same node is always the last.
//
// Number the GPUs from the root on, and the circuits like the GPUs they leave. Let h be a
// start-up and a hop, L the latency of all steps, B that of the steps up to the end of a step,
// y their hops, and m the smaller of alpha and delta. With D = h + (n-3)m and
// V = L + (n-3)(alpha-m), price the load of the step
//
//   - on the last circuit, n-2, at max(0, B-D),
//   - on each circuit from 1 to n-3 that data can have reached, because it is below y, at alpha,
//   - on the root's circuit at the rest of V.
//
// The root's price is at least h+L-B: if B < D, then D-B <= (n-3)m - (y-1)delta, which is at
// most what the root does not share with the circuits from y to n-3. The prices of a step add
// up to V, so the loads of all steps are at least what a byte pays, over V.
//
// Each GPU gets the byte from one before it, and GPU v from 2 to n-2 pays alpha or more for the
// circuit into it.
//
//   - To bring the byte to GPUs 1 to k < n-1 takes k h or more. Let the root send it to GPU g
//     first on the way to k. The other s GPUs on the way take s alpha + (k-g) delta, so the root
//     paid h more than that. The k-g-s GPUs that are passed beyond g pay alpha each: k-g+1 times
//     h in all, without GPUs 1 to g-1, which cost (g-1) h as well.
//   - On the way to GPU n-1, the root's circuit and the last one cost h+L-D and what the s GPUs
//     after g take, s alpha + (n-1-g) delta; the circuits in between cost (n-3) alpha. That is V
//     and, with the GPUs that are passed beyond g, (n-1-g) h. GPUs 1 to g-1 cost (g-1) h.
//
// So a byte pays V+x with x = (n-2) h, and the time is at least L + a (1 + x/V), where a is the
// time of the message: with V = sqrt(a x), or the least L, as data passes n-1 hops.
func (r *ring) chain() float64 {
	between := float64(r.n - 3)
	x := float64(r.n-2) * (r.alpha + r.delta)
	more := between * max(0, r.alpha-r.delta) // V-L
	latency := max(r.alpha+float64(r.n-1)*r.delta, math.Sqrt(r.whole*x)-more)
	if latency+more == 0 { // nothing but bytes takes time
		return r.whole
	}
	return latency + r.whole*(1+x/(latency+more))
}
