package staged

import (
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// RecursiveDoubling finds optimal switching schedules for cyclic recursive doubling
// on a fabric with one port (HARVEST §5) without any pool: by Observation 4 the best
// topology of an interval of steps is the ring of its smallest offset, and Eq. 8 gives
// the interval's time.
//
// With offset 2^e and m/2^(e+1) bytes per step, the ring of jump 2^j carries the step over
// 2^(e-j) hops with the load m/2^(j+1), whatever e is. So an interval of c steps whose smallest
// exponent is j takes c*alpha + delta*sum(2^e)/2^j + c*m/(2^(j+1)*B): a prefix sum. The dynamic
// program over intervals takes O(s^2) for s = O(log n) steps; the paper's listing takes O(s^4).
// Search does not allocate.
//
// A RecursiveDoubling is not safe for concurrent use.
type RecursiveDoubling struct {
	exponents []int
	scale     []float64       // 2^-e of each step
	prefix    []float64       // prefix[i] = sum of 2^e over the first i steps
	best      []pricing.State // of the steps from i on
	end       []int           // where the interval that starts at i ends
	Intervals []Interval

	// For Frontier:
	times []float64 // times[i*steps+j] is of steps i..j
	// rest[k][i] is the time of the steps from i on, for the current number of changes and for
	// one fewer.
	rest     [2][]float64
	lines    []envelope.Line
	segments []envelope.Segment
	frontier []FrontierPoint
}

// Interval is a stage of a schedule: steps First..Last (from 0) on the ring of jump
// 2^Exponent.
type Interval struct {
	First, Last, Exponent int
}

// maxDoublingSteps keeps 2^e exact in a float64; n is at most 2^16.
const maxDoublingSteps = 2 * 16

// NewRecursiveDoubling prepares a search for op (allreduce, reducescatter or allgather) on n
// nodes, a power of two from 2 to fabric.MaxNodes.
func NewRecursiveDoubling(op collective.Op, n int) *RecursiveDoubling {
	logn := bits.Len(uint(n)) - 1
	r := &RecursiveDoubling{
		exponents: make([]int, 0, maxDoublingSteps),
		prefix:    make([]float64, 1, maxDoublingSteps+1),
		Intervals: make([]Interval, 0, maxDoublingSteps),
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

// Search sets Intervals to the best schedule for a message of the given size and
// returns its time. The first configuration is free.
func (r *RecursiveDoubling) Search(alpha, delta, reconfig units.Duration, bandwidth units.Bandwidth, size units.Bytes) units.Time {
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
			interval := scale * (hop*(r.prefix[j+1]-r.prefix[i]) + load)
			if interval > best.Total {
				break // it only grows, and the rest costs something
			}
			s := pricing.State{Total: interval + change + r.best[j+1].Total, Changes: r.best[j+1].Changes + 1}
			if s.Better(best) {
				best, end = s, j
			}
		}
		r.best[i], r.end[i] = best, end
	}
	r.Intervals = r.Intervals[:0]
	for i := 0; i < steps; i = r.end[i] + 1 {
		low := r.exponents[i]
		for j := i; j <= r.end[i]; j++ {
			low = min(low, r.exponents[j])
		}
		r.Intervals = append(r.Intervals, Interval{i, r.end[i], low})
	}
	return units.Time(r.best[0].Total) + alpha.Time()*units.Time(steps)
}

// Frontier returns the best schedules for all delays of a reconfiguration, fewest changes last,
// as the function Frontier does; the first configuration is free. The result is valid until the
// next call. A dynamic program over the number of changes gives the best time for each number, in
// O(s^3) in total, and stops when another change does not help. Frontier keeps the times on the
// lower envelope. It does not allocate after the first call.
func (r *RecursiveDoubling) Frontier(alpha, delta units.Duration, bandwidth units.Bandwidth, size units.Bytes) []FrontierPoint {
	steps := len(r.exponents)
	r.fillTimes(float64(delta.Time()), float64(bandwidth.Transmit(float64(size))))
	fixed := float64(alpha.Time()) * float64(steps)
	before, now := r.rest[0], r.rest[1]
	for i := range steps {
		now[i] = r.times[i*steps+steps-1]
	}
	r.lines = append(r.lines[:0], envelope.Line{Fixed: now[0] + fixed})
	for changes := 1; changes < steps; changes++ {
		before, now = now, before
		if !r.oneChangeMore(before, now) {
			break
		}
		r.lines = envelope.Append(r.lines, envelope.Line{Fixed: now[0] + fixed, Slope: float64(changes)})
	}
	r.segments = envelope.Segments(r.segments[:0], r.lines)
	r.frontier = appendPoints(r.frontier[:0], r.segments)
	return r.frontier
}

// fillTimes computes the time of every interval of steps i..j, without start-up.
func (r *RecursiveDoubling) fillTimes(hop, bytes float64) {
	steps := len(r.exponents)
	if r.times == nil {
		r.times = make([]float64, steps*steps)
		r.rest = [2][]float64{make([]float64, steps+1), make([]float64, steps+1)}
	}
	for i := range steps {
		scale, load := r.scale[i], 0.0
		for j := i; j < steps; j++ {
			if r.scale[j] > scale {
				scale = r.scale[j]
			}
			load += 0.5 * bytes
			r.times[i*steps+j] = scale * (hop*(r.prefix[j+1]-r.prefix[i]) + load)
		}
	}
}

// oneChangeMore sets now[i] to the best time of the steps from i on with one more change than
// before[i], and reports whether that helps anywhere.
func (r *RecursiveDoubling) oneChangeMore(before, now []float64) bool {
	steps := len(r.exponents)
	helps := false
	for i := range steps {
		row := r.times[i*steps+i : i*steps+steps-1]
		rest := before[i+1:][:len(row)]
		best := before[i]
		for j, time := range row {
			if time >= best {
				break // it only grows
			}
			if v := time + rest[j]; v < best {
				best = v
			}
		}
		helps = helps || best < before[i]
		now[i] = best
	}
	return helps
}

// closedFormApplies reports whether RecursiveDoubling solves the request as the pool would: one
// one-way port, a delay that does not depend on what changes, and no initial circuits that would
// be worth keeping. All GPUs must take part. It checks that the steps are those of the algorithm,
// since the algorithm's name proves nothing.
func closedFormApplies(r *planner.Request) bool {
	f := &r.Fabric
	return algorithms.Doubles(r.Collective.Algorithm) && f.Open() && f.Links.IsZero() && f.Nodes&(f.Nodes-1) == 0 && f.Ports == 1 && !f.Duplex &&
		uniform(f) && (f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark) &&
		rotates(r.Collective) && baseIsRing(f)
}

// rotates reports whether in every step all nodes send over the same distance.
func rotates(c *collective.Collective) bool {
	for _, step := range c.Steps {
		if _, ok := step.Rotation(); !ok {
			return false
		}
	}
	return true
}

// uniform reports whether every reconfiguration takes the same time.
func uniform(f *fabric.Fabric) bool {
	_, ok := f.UniformWait()
	return ok
}

// baseIsRing reports whether the pool's shifts would be the directed rings.
func baseIsRing(f *fabric.Fabric) bool {
	base, err := f.BaseTopology()
	return err == nil && base.Equal(topology.DirectedCirculant(f.Nodes, 1))
}

// closedForm turns the schedule of RecursiveDoubling into a pass.Schedule.
func closedForm(r *planner.Request, w *pricing.Workload) *pass.Schedule {
	f := &r.Fabric
	search := NewRecursiveDoubling(r.Collective.Op, f.Nodes)
	wait := f.ConstantWait()
	total := search.Search(f.Alpha, f.Delta, wait, f.Bandwidth, r.Size)
	if f.Initial == fabric.InitialDark {
		total += wait.Time()
	}
	s := &pass.Schedule{Work: w, Choice: make([]*pricing.Candidate, len(w.Steps)), Total: float64(total) + w.Reductions()}
	for _, interval := range search.Intervals {
		ring := pricing.RingCandidate(f.Nodes, 1<<interval.Exponent, 1)
		for i := interval.First; i <= interval.Last; i++ {
			s.Choice[i] = ring
		}
	}
	return s
}
