package digit

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// Gathers on circulants for any number of points (Bruck et al. 1997, and Kolmakov and
// Zhang's recursive doubling, which these generalise): the far digits first, on circuits
// that are changed where it pays.
//
// Everything looks the same from every point, so the distances from which a point has shards
// describe a gather. At first that is 0. A digit of weight w takes the distances 0, W, 2W, ..
// < n to 0, w, 2w, .. < n, where w divides W; the first digit has W = n, and its w need not
// divide. With r = ceil(W/w) values it brings the shards of the distances a*W + j*w < n for
// j = 1..r-1: over j*w/o hops if the circuits lead from x to x+o, for an o that divides w, and in
// any number of steps, each of which continues where the one before ended. So circuits may stay
// for several digits, and serve all weights that their offset divides, for more hops; or they
// change. Far digits come first, because then few shards go far.
//
// The total load without relaying over several hops is n-1 shards, whatever the digits.

// leg is one digit of such a gather.
type leg struct {
	spacing int // W
	weight  int // w
	offset  int // o of the circuits
	steps   int
	// fan: every value of the digit has circuits of its own, w, 2w, .., and gets there in
	// one hop; width is how many each has.
	fan   bool
	width int
}

// before orders digits that take equally long: of the smallest weight, with circuits for every
// value, or of the smallest offset.
func (l leg) before(k leg) bool {
	return l.weight < k.weight || l.weight == k.weight && l.offset < k.offset
}

// radix returns how many values the digit has.
func (l leg) radix() int { return (l.spacing + l.weight - 1) / l.weight }

// cuts returns where the steps of the digit end, in values of the digit. Where fewer shards come to
// the last values, the longer steps are the last.
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

// chainSearch finds the best such gather for given bytes of a shard by a dynamic program
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

// chainKey is a spacing, the offset of the circuits that are up and the changes that are
// left.
type chainKey struct{ spacing, offset, changes int }

// chainFloor is a spacing and the changes that are left.
type chainFloor struct{ spacing, changes int }

// chainChoice is the best digit and the time from there on; +Inf where none takes less than the
// limit that was asked for.
type chainChoice struct {
	time  float64
	leg   leg
	limit float64
}

// chain returns the best gather of this family that changes circuits at most so often; nil if
// it takes longer than most.
func (m *Machine) chain(points int, shard float64, changes int, most float64) *program {
	if m.Duplex && points > 2 {
		return nil // circulants of one jump are one-way
	}
	s := &chainSearch{Machine: m, points: points, shard: shard, most: most * (1 + slack),
		known: map[chainKey]chainChoice{}, floors: map[chainFloor]float64{}}
	// Where more than one change is too long, few weights are as good as all.
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

// best returns the best way on from a spacing, with circuits of an offset up: 0 at the
// beginning, negative where they are not all of one offset. One that takes as long as a limit is
// of no use: what a better one leaves room for decides, and few of the first weights leave any.
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
		for _, o := range slices.Backward(divisors(l.weight)) {
			l.offset, l.width = o, s.Ports
			if (s.leastTime(l)+s.rest(l.weight, changes))*(1-slack) >= best.time {
				break // and more hops take longer
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

// rest is less than what is left takes when points have the shards of every distance that a
// spacing divides: the others come over all ports.
func (s *chainSearch) rest(spacing, changes int) float64 {
	if spacing == 1 {
		return 0
	}
	missing := s.points - (s.points+spacing-1)/spacing
	return s.latency(spacing, changes) + s.PerByte*s.shard*float64(missing)/float64(s.Ports)
}

// promise is what digits of a weight and those after them take at least.
type promise struct {
	weight int
	least  float64
}

// promising lists the weights that the digit after a spacing may have, those that promise most
// first: then few others are looked at. No way takes less than the latencies of the digits, on
// whatever circuits, and all shards that are missing; nor less than this digit and what is left.
func (s *chainSearch) promising(spacing, changes int) []promise {
	missing := s.points - (s.points+spacing-1)/spacing
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

// latency is no more than the start-ups, hops and changes of digits from a spacing on. Those on
// circuits of one offset have as many hops as one digit with the product of their values. So it is
// the least over all factors of the spacing, with a change between any two; the first of them is no
// larger than the root.
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
	for values := 2; values*values <= spacing; values++ {
		if spacing%values == 0 {
			least = min(least, s.Alpha+s.Delta*s.fewest(values)+s.Wait+s.latency(spacing/values, changes-1))
		}
	}
	s.floors[key] = least
	return least
}

// fewest is the hops of a digit of so many values: one if each has circuits of its own.
func (s *chainSearch) fewest(values int) float64 {
	if values-1 <= s.Ports {
		return 1
	}
	return float64(values - 1)
}

// weights lists the weights that a digit may have: the divisors of the spacing and, at the
// beginning, also the least weights for a number of values, and of few GPUs all.
func (s *chainSearch) weights(spacing int) []int {
	list := divisors(spacing)
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
		list = append(list, (spacing+values-1)/values, values)
	}
	// Powers, after which every digit has the same number of values.
	for radix := 2; radix <= s.Ports+1 || radix == 2; radix++ {
		for w := radix; w < spacing; w *= radix {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// allWeights is the number of GPUs up to which every first weight is tried, and manyWeights the
// number up to which it is where there may be three digits or more.
const (
	allWeights  = 48
	manyWeights = 1 << 12
)

// bestSteps returns in how many steps a digit takes the least time: its load is convex in
// their number, nearly so where the last distances are missing.
func (s *chainSearch) bestSteps(l leg) int {
	return convex(1, l.radix()-1, func(steps int) float64 {
		l.steps = steps
		return s.Time(s.takes(l), s.shard)
	})
}

// least is what a digit takes at least, in whatever steps: all hops, and every shard over each.
func (s *chainSearch) least(l leg) Shape {
	n, d, far := s.points, l.radix()-1, l.weight/l.offset
	full := l.count(n, 1)
	shards := full * d
	if l.count(n, d) < full {
		shards -= d - (n-(full-1)*l.spacing-1)/l.weight
	}
	return Shape{Steps: 1, Hops: d * far, Load: float64(shards*far) / float64(l.width)}
}

// leastTime is what a digit on circuits of one offset takes at least, in however many steps. A step
// of g values sends full shards, or one less, over 1 to g values each: g(g+1)/2. So k steps that
// share d values send the least where they are equal, and a closed form has the best k.
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

// takes counts a digit.
func (s *chainSearch) takes(l leg) Shape {
	n, d := s.points, l.radix()-1
	if l.fan {
		most := float64(l.count(n, 1))
		return Shape{Steps: 1, Hops: 1, Load: s.Load(network.Tally{Hops: 1, Peak: most / float64(l.width), Dilation: 1 / float64(l.width), Pair: most})}
	}
	far := l.weight / l.offset // hops per value
	full := l.count(n, 1)
	whole := d // values that all shards of the spacing come to
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
			// The farthest shards stop at value whole: one less for each beyond it.
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
		// As cuts. The first steps, to which all shards come, are alike.
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
func (l leg) count(n, j int) int { return (n - j*l.weight + l.spacing - 1) / l.spacing }

// layLegs lists what is sent.
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
