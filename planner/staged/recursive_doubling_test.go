package staged

import (
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// recursiveDoubling finds optimal switching schedules for cyclic recursive doubling
// on a fabric with one port (HARVEST §5) without any pool: by Observation 4 the best
// topology of an interval of steps is the ring of its smallest offset, and Eq. 8 gives
// the interval's time.
//
// With offset 2^e and m/2^(e+1) bytes per step, the ring of jump 2^j carries the step over
// 2^(e-j) hops with the load m/2^(j+1), whatever e is. So an interval of c steps whose smallest
// exponent is j takes c*alpha + delta*sum(2^e)/2^j + c*m/(2^(j+1)*B): a prefix sum. The dynamic
// program over intervals takes O(s^2) for s = O(log n) steps; the paper's listing takes O(s^4).
// It does not allocate.
//
// A recursiveDoubling is not safe for concurrent use.
type recursiveDoubling struct {
	exponents []int
	scale     []float64       // 2^-e of each step
	prefix    []float64       // prefix[i] = sum of 2^e over the first i steps
	best      []pricing.State // of the steps from i on
	end       []int           // where the interval that starts at i ends
	intervals []interval
}

// interval is a stage of a schedule: steps First..Last (from 0) on the ring of jump
// 2^Exponent.
type interval struct {
	First, Last, Exponent int
}

// maxDoublingSteps keeps 2^e exact in a float64; n is at most 2^16.
const maxDoublingSteps = 2 * 16

// newRecursiveDoubling prepares a search for op (allreduce, reducescatter or allgather) on n
// nodes, a power of two from 2 to fabric.MaxNodes.
func newRecursiveDoubling(op collective.Op, n int) *recursiveDoubling {
	logn := bits.Len(uint(n)) - 1
	r := &recursiveDoubling{
		exponents: make([]int, 0, maxDoublingSteps),
		prefix:    make([]float64, 1, maxDoublingSteps+1),
		intervals: make([]interval, 0, maxDoublingSteps),
	}
	if op != collective.AllGather {
		for e := range logn {
			r.exponents = append(r.exponents, e)
		}
	}
	if op != collective.ReduceScatter {
		for e := logn - 1; e >= 0; e-- {
			r.exponents = append(r.exponents, e)
		}
	}
	for i, e := range r.exponents {
		r.scale = append(r.scale, 1/float64(int(1)<<e))
		r.prefix = append(r.prefix, r.prefix[i]+float64(int(1)<<e))
	}
	r.best = make([]pricing.State, len(r.exponents)+1)
	r.end = make([]int, len(r.exponents)+1)
	return r
}

// search sets intervals to the best schedule for a message of the given size and
// returns its time. The first configuration is free.
func (r *recursiveDoubling) search(alpha, delta, reconfig units.Duration, bandwidth units.Bandwidth, size units.Bytes) units.Time {
	steps := len(r.exponents)
	hop, bytes, change := float64(delta.Time()), float64(bandwidth.Transmit(float64(size))), float64(reconfig.Time())
	// No change follows the last interval of a schedule, so the empty rest has a credit of one
	// change.
	r.best[steps] = pricing.State{Total: -change, Changes: -1}
	for i := steps - 1; i >= 0; i-- {
		best, end := pricing.State{Total: math.Inf(1)}, i
		scale := r.scale[i] // 2^-low, low the smallest exponent of the interval
		load := 0.0
		for j := i; j < steps; j++ {
			scale = max(scale, r.scale[j])
			load += 0.5 * bytes
			time := scale * (hop*(r.prefix[j+1]-r.prefix[i]) + load)
			if time > best.Total {
				break // it only grows, and the rest costs something
			}
			s := pricing.State{Total: time + change + r.best[j+1].Total, Changes: r.best[j+1].Changes + 1}
			if s.Better(best) {
				best, end = s, j
			}
		}
		r.best[i], r.end[i] = best, end
	}
	r.intervals = r.intervals[:0]
	for i := 0; i < steps; i = r.end[i] + 1 {
		low := r.exponents[i]
		for j := i; j <= r.end[i]; j++ {
			low = min(low, r.exponents[j])
		}
		r.intervals = append(r.intervals, interval{i, r.end[i], low})
	}
	return units.Time(r.best[0].Total) + alpha.Time()*units.Time(steps)
}
