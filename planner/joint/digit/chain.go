package digit

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has gathers on circulants for any number of points (Bruck et al. 1997, and Kolmakov
// and Zhang's recursive doubling, which these generalise): far digits first, on circuits that
// change where it pays.
//
// Everything looks the same from every point, so the distances from which a point has shards
// describe a gather. At first that is only 0. A digit of weight w extends the distances 0, W, 2W,
// .. < n to 0, w, 2w, .. < n, where w divides W; the first digit has W = n, and its w need not
// divide n. With r = ceil(W/w) values the digit brings the shards of the distances a*W + j*w < n
// for j = 1..r-1. If circuits lead from x to x+o, for an o that divides w, that takes j*w/o hops,
// in any number of steps; each continues where the one before ended. So circuits may stay for
// several digits, as their offset serves every weight that it divides, at the cost of more hops;
// or they change. Far digits come first, because then few shards go far.
//
// Without relaying over several hops, the total load is n-1 shards, whatever the digits.

// leg is one digit of such a gather.
type leg struct {
	spacing int // W
	weight  int // w
	offset  int // o of the circuits
	steps   int
	// fan: every value of the digit has its own circuits, over w, 2w, .., and takes one hop;
	// width is how many circuits each value has.
	fan   bool
	width int
}

// before orders digits that take equally long: smaller weights first, then digits with circuits
// for every value, then smaller offsets.
func (l leg) before(k leg) bool {
	return l.weight < k.weight || l.weight == k.weight && l.offset < k.offset
}

// radix returns how many values the digit has.
func (l leg) radix() int { return arithmetic.CeilDiv(l.spacing, l.weight) }

// cuts returns where the steps of the digit end, in values of the digit. The longer steps come
// first, or last if fewer shards come to the last values.
func (l leg) cuts(n int) []int {
	d := l.radix() - 1
	cuts := evenCuts(d, l.steps)
	if l.count(n, d) == l.count(n, 1) {
		return cuts
	}
	slices.Reverse(cuts)
	for i := range cuts {
		cuts[i] = d - cuts[i]
	}
	return cuts
}

// chainSearch finds the best such gather for a given size of the shards, by a dynamic program
// over the spacing and the circuits that are up.
type chainSearch struct {
	*Machine
	points int
	shard  float64 // bytes
	most   float64 // a gather that takes longer cannot win
	known  map[chainKey]chainChoice
	wide   bool                   // every first weight is tried
	floors map[chainFloor]float64 // see latency
}

// chainKey is a spacing, the offset of the circuits that are up, and the reconfigurations left.
type chainKey struct{ spacing, offset, changes int }

// chainFloor is a spacing and the reconfigurations left.
type chainFloor struct{ spacing, changes int }

// chainChoice is the best digit and the time from there on; +Inf if nothing beats the limit that
// was asked for.
type chainChoice struct {
	time  float64
	leg   leg
	limit float64
}

// chain returns the best gather of this family with at most the given number of reconfigurations;
// nil if it takes longer than most.
func (m *Machine) chain(points int, shard float64, changes int, most float64) *program {
	if m.Duplex && points > 2 {
		return nil // circulants of one jump are one-way
	}
	s := &chainSearch{Machine: m, points: points, shard: shard, most: most * (1 + slack),
		known: map[chainKey]chainChoice{}, floors: map[chainFloor]float64{}}
	// If more than one reconfiguration takes too long, few weights are as good as all.
	s.wide = changes == AnyChanges && 2*m.Wait <= most && points <= manyWeights
	var legs []leg
	takes := Shape{}
	for spacing, offset := points, 0; spacing > 1; {
		found := s.best(chainKey{spacing, offset, changes}, s.most)
		if math.IsInf(found.time, 1) {
			return nil
		}
		l := found.leg
		if offset != 0 && (l.fan || l.offset != offset) {
			takes.Changes++
			changes = Spend(changes, 1)
		}
		takes = takes.plus(s.takes(l))
		legs = append(legs, l)
		spacing, offset = l.weight, l.offset
		if l.fan {
			offset = -l.weight
		}
	}
	lay := func() []stage { return layLegs(points, m.Ports, legs) }
	return &program{
		Shape: takes, points: points, kind: gather, scattered: points, parts: 1, about: fmt.Sprintf("gather on %d circulants of %d", takes.Changes+1, points),
		Lay: lay, turned: lay,
	}
}

// best returns the best way on from a spacing. The circuits that are up have the given offset: 0
// means that there are none yet, and a negative offset that they have several. A way that takes
// as long as limit is useless. The limit is what the better ways found so far leave, and few first
// weights stay below it.
func (s *chainSearch) best(key chainKey, limit float64) chainChoice {
	spacing, offset, changes := key.spacing, key.offset, key.changes
	if spacing == 1 {
		return chainChoice{}
	}
	if c, ok := s.known[key]; ok && (!math.IsInf(c.time, 1) || limit <= c.limit) {
		return c
	}
	best, found := chainChoice{time: limit}, false
	try := func(l leg, next int) {
		time, left := s.Time(s.takes(l), s.shard), changes
		if offset != 0 && (l.fan || l.offset != offset) {
			time += s.Wait
			if left = Spend(changes, 1); left < 0 {
				return
			}
		}
		if (time+s.rest(l.weight, left))*(1-slack) >= best.time {
			return
		}
		time += s.best(chainKey{l.weight, next, left}, best.time*(1+slack)-time).time
		if time < best.time || found && time == best.time && l.before(best.leg) {
			best, found = chainChoice{time: time, leg: l}, true
		}
	}
	for _, p := range s.promising(spacing, changes) {
		if p.least*(1-slack) >= best.time {
			break
		}
		l := leg{spacing: spacing, weight: p.weight}
		if r := l.radix(); r-1 <= s.Ports {
			fan := l
			fan.fan, fan.steps, fan.width = true, 1, s.Ports/(r-1)
			try(fan, -l.weight)
		}
		for _, o := range slices.Backward(arithmetic.Divisors(l.weight)) {
			l.offset, l.width = o, s.Ports
			if (s.leastTime(l)+s.rest(l.weight, changes))*(1-slack) >= best.time {
				break // smaller offsets take more hops, and so longer
			}
			l.steps = s.bestSteps(l)
			try(l, o)
		}
	}
	if !found {
		best = chainChoice{time: math.Inf(1), limit: limit}
	}
	s.known[key] = best
	return best
}

// rest returns a lower bound on the remaining time when points have the shards of every distance
// that the spacing divides: the other shards come over all ports.
func (s *chainSearch) rest(spacing, changes int) float64 {
	if spacing == 1 {
		return 0
	}
	missing := s.points - arithmetic.CeilDiv(s.points, spacing)
	return s.latency(spacing, changes) + s.PerByte*s.shard*float64(missing)/float64(s.Ports)
}

// promise is a lower bound on the time of a digit of some weight and all digits after it.
type promise struct {
	weight int
	least  float64
}

// promising lists the weights that the digit after a spacing may have, by ascending lower bound,
// so that few of them have to be tried. No way takes less than the latencies of its digits, on
// any circuits, plus the time of all missing shards; nor less than this digit plus the rest.
func (s *chainSearch) promising(spacing, changes int) []promise {
	missing := s.points - arithmetic.CeilDiv(s.points, spacing)
	weights := s.weights(spacing)
	list := make([]promise, len(weights))
	for i, w := range weights {
		l := leg{spacing: spacing, weight: w}
		floor := s.Alpha + s.Delta*s.fewest(l.radix()) + s.latency(w, changes) + s.PerByte*s.shard*float64(missing)/float64(s.Ports)
		if l.radix()-1 > s.Ports { // one offset for all values
			l.offset, l.width = w, s.Ports
			floor = max(floor, s.leastTime(l)+s.rest(w, changes))
		}
		list[i] = promise{w, floor}
	}
	slices.SortStableFunc(list, func(a, b promise) int { return cmp.Compare(a.least, b.least) })
	return list
}

// latency returns a lower bound on the time of start-ups, hops and reconfigurations from a
// spacing on. Digits on circuits of one offset have as many hops as one digit with the product of
// their values. So the bound is the least over all factorisations of the spacing, with a
// reconfiguration between any two factors. The first factor need not be larger than the square
// root.
func (s *chainSearch) latency(spacing, changes int) float64 {
	if spacing == 1 {
		return 0
	}
	least := s.Alpha + s.Delta*s.fewest(spacing)
	if changes <= 0 {
		return least
	}
	key := chainFloor{spacing, min(changes, bits.Len(uint(spacing)))} // no factor is 1
	if known, ok := s.floors[key]; ok {
		return known
	}
	for _, values := range arithmetic.Divisors(spacing) {
		if values > 1 && values*values <= spacing {
			least = min(least, s.Alpha+s.Delta*s.fewest(values)+s.Wait+s.latency(spacing/values, changes-1))
		}
	}
	s.floors[key] = least
	return least
}

// fewest returns the fewest hops of a digit with the given number of values: one if each value
// has its own circuits.
func (s *chainSearch) fewest(values int) float64 {
	if values-1 <= s.Ports {
		return 1
	}
	return float64(values - 1)
}

// weights lists the weights that a digit may have: the divisors of the spacing and, at the
// beginning, also the least weight for each number of values. For few GPUs these are all weights.
func (s *chainSearch) weights(spacing int) []int {
	list := arithmetic.Divisors(spacing)
	list = list[:len(list)-1]
	if spacing != s.points {
		return list
	}
	if spacing <= allWeights || s.wide {
		list = list[:0]
		for w := 1; w < spacing; w++ {
			list = append(list, w)
		}
		return list
	}
	for values := 2; values*values <= spacing; values++ {
		list = append(list, arithmetic.CeilDiv(spacing, values), values)
	}
	// Powers give every later digit the same number of values.
	for radix := 2; radix <= s.Ports+1 || radix == 2; radix++ {
		for w := radix; w < spacing; w *= radix {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// allWeights is the largest number of GPUs for which every first weight is tried. manyWeights is
// the largest number if there may be three digits or more.
const (
	allWeights  = 48
	manyWeights = 1 << 12
)

// bestSteps returns the number of steps in which a digit takes the least time. Its load is convex
// in that number, or nearly so if the last distances are missing.
func (s *chainSearch) bestSteps(l leg) int {
	return convex(1, l.radix()-1, func(steps int) float64 {
		l.steps = steps
		return s.Time(s.takes(l), s.shard)
	})
}

// least returns a lower bound on the shape of a digit in any number of steps: all hops, and every
// shard over each of its hops.
func (s *chainSearch) least(l leg) Shape {
	n, d, far := s.points, l.radix()-1, l.weight/l.offset
	full := l.count(n, 1)
	shards := full * d
	if l.count(n, d) < full {
		shards -= d - (n-(full-1)*l.spacing-1)/l.weight
	}
	return Shape{Steps: 1, Hops: d * far, Load: float64(shards*far) / float64(l.width)}
}

// leastTime returns a lower bound on the time of a digit on circuits of one offset, in any number
// of steps. A step of g values sends full shards, or one less, over 1 to g values each: g(g+1)/2.
// So k steps that share d values send the least if they are equal, and a closed form gives the
// best k.
func (s *chainSearch) leastTime(l leg) float64 {
	n, d, far := s.points, float64(l.radix()-1), float64(l.weight/l.offset)
	full := l.count(n, 1)
	if l.count(n, l.radix()-1) < full {
		full--
	}
	perValue := s.PerByte * s.shard * float64(full) * far / float64(l.width)
	k := d
	if s.Alpha > 0 {
		k = min(max(1, d*math.Sqrt(perValue/(2*s.Alpha))), d)
	}
	return max(s.Time(s.least(l), s.shard), s.Alpha*k+s.Delta*d*far+perValue*(d*d/k+d)/2)
}

// takes returns the shape of a digit.
func (s *chainSearch) takes(l leg) Shape {
	n, d := s.points, l.radix()-1
	if l.fan {
		most := float64(l.count(n, 1))
		return Shape{Steps: 1, Hops: 1, Load: s.Load(network.Tally{Hops: 1, Peak: most / float64(l.width), Dilation: 1 / float64(l.width), Pair: most})}
	}
	far := l.weight / l.offset // hops per value
	full := l.count(n, 1)
	whole := d // values that all shards of the spacing reach
	if l.count(n, d) < full {
		whole = (n - (full-1)*l.spacing - 1) / l.weight
	}
	sum := 0.0
	step := func(low, high, times int) {
		if times == 0 || high == low {
			return
		}
		g := high - low
		tri := full * g * (g + 1) / 2
		if high > whole {
			// The farthest shards stop at value whole: one shard less for each value beyond it.
			from := max(low, whole)
			tri -= (high-low)*(high-low+1)/2 - (from-low)*(from-low+1)/2
		}
		t := network.Tally{
			Hops: g * far, Peak: float64(tri*far) / float64(l.width), Dilation: float64(g*far) / float64(l.width),
			Pair: float64(l.count(n, low+1)),
		}
		sum += float64(times) * s.Load(t)
	}
	short, long := d/l.steps, d%l.steps
	if whole == d {
		step(0, short+1, long)
		step(0, short, l.steps-long)
	} else {
		// As in cuts. The first steps, which all shards reach, are alike.
		alike := min(l.steps-long, whole/short)
		step(0, short, alike)
		low := alike * short
		for i := alike; i < l.steps; i++ {
			high := low + short
			if l.steps-i <= long {
				high++
			}
			step(low, high, 1)
			low = high
		}
	}
	return Shape{Steps: l.steps, Hops: d * far, Load: sum}
}

// count returns how many shards come to value j of the digit.
func (l leg) count(n, j int) int { return arithmetic.CeilDiv(n-j*l.weight, l.spacing) }

// layLegs lays out the digits.
func layLegs(n, ports int, legs []leg) []stage {
	var all []stage
	for _, l := range legs {
		jumps, mult := []int{l.offset}, []int{l.width}
		if l.fan {
			jumps, mult = nil, nil
			for j := 1; j < l.radix(); j++ {
				jumps, mult = append(jumps, j*l.weight), append(mult, l.width)
			}
		}
		g := topology.DirectedCirculant(n, Repeat(jumps, mult)...)
		if k := len(all); k == 0 || !all[k-1].Net.Graph.Equal(g) {
			all = append(all, stage{Net: network.New(g, topology.Rotations(n, 1))})
		}
		at := &all[len(all)-1]
		cuts := l.cuts(n)
		for i := range l.steps {
			var step []network.Way
			for j := cuts[i] + 1; j <= cuts[i+1]; j++ {
				for a := 0; a*l.spacing+j*l.weight < n; a++ {
					from := a*l.spacing + cuts[i]*l.weight
					path := []int32{int32(from)}
					hop := l.offset
					if l.fan {
						hop = j * l.weight
					}
					for v := from + hop; v <= a*l.spacing+j*l.weight; v += hop {
						path = append(path, int32(v))
					}
					step = append(step, network.Way{Path: path})
				}
			}
			at.steps = append(at.steps, step)
		}
	}
	return all
}
