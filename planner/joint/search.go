package joint

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
)

// digit is a digit of the GPUs' numbers and how it is processed: by a gather (and its
// reversal), by an exchange, or by a ladder of both.
type digit struct {
	points int
	make   func() *program
}

// solution is a way to carry an operation out, the digits from the outermost, which is
// scattered first and gathered last.
type solution struct {
	digits  []digit
	time    float64 // as predicted, in ns
	changes int     // of circuits
}

// search finds the best ways to split a number of GPUs into digits.
//
// With T the time of a program at some bytes, and w the wait for a change of circuits, an
// allgather of B bytes takes, at best, the smaller of T(gather of n, B) and
//
//	min over P: G(n/P, B/P) + w + T(gather of P, B)
//
// and an allreduce the smallest of T(exchange of n, B), twice T(gather of n, B), because
// the reversed gather leaves the circuits that the gather begins with, and
//
//	min over P: T(exchange of P, B) + w + A(n/P, B)
//	min over P: T(gather of P, B) + w + A(n/P, B/P) + w + T(gather of P, B)
//	min over P and M: T(ladder of P that scatters M, B) + 2w + A(n/P, B/M)
//
// Sub-problems are told by the GPUs that are left and the bytes, which are the whole over
// a divisor of n: there are at most as many as pairs of divisors. It keeps the best few of
// each, for fabrics on which waits differ: those are priced as plans.
type search struct {
	stopped func() bool     // the answer is no longer wanted
	memory  *planner.Memory // of networks and what is known of them
	machine
	limits
	keep   int
	nodes  int
	whole  float64 // bytes
	rings  map[int]*floor
	nets   map[int]*wired
	rungs  map[rungKey]rungChoice // of rings
	climbs map[climbKey]climbed
	known  map[task]solved
	walked map[walks]*walker
	every  bool // all rests are solved, also where digits are too slow
}

// wired is the networks of a number of points and what is known to be done on them.
type wired struct {
	gathers, exchanges []*program
	floors             []*floor
}

// task is what is left to do.
type task struct {
	op      goal
	nodes   int
	scale   int // the bytes are the whole over this
	changes int // of circuits, at most
}

type goal int

const (
	allGather goal = iota
	allReduce
)

// newSearch returns a search that gives up, with nothing found, once stopped says so.
func newSearch(m machine, l limits, keep, nodes int, bytes float64, memory *planner.Memory, stopped func() bool) *search {
	return &search{
		machine: m, limits: l, stopped: stopped, memory: memory, keep: keep, nodes: nodes, whole: bytes, rings: map[int]*floor{}, nets: map[int]*wired{},
		rungs: map[rungKey]rungChoice{}, climbs: map[climbKey]climbed{}, known: map[task]solved{}, walked: map[walks]*walker{},
	}
}

// solved is the best ways to do a task of those that take no longer than most; there may be
// some that take longer, too.
type solved struct {
	list []solution
	most float64
}

// solve returns the best ways to do a task, the fastest first; none where no program fits.
func (s *search) solve(t task) []solution { return s.within(t, math.Inf(1)) }

// within is solve for the ways that take no longer than most; it may return slower ones, too.
// Programs with closed forms come first, so that few networks have to be built: only those
// of numbers of points on which not even a Moore graph would be too slow.
func (s *search) within(t task, most float64) []solution {
	if k, ok := s.known[t]; ok && most <= k.most {
		return k.list
	}
	b := &board{keep: s.keep, most: math.Inf(1)}
	if !s.every {
		b.most = s.quick(t, most)
	}
	for _, points := range divisors(t.nodes)[1:] {
		if points != s.noPoints {
			s.onRings(b, t, points)
		}
	}
	for _, points := range divisors(t.nodes)[1:] {
		if points != s.noPoints {
			s.onWindows(b, t, points)
		}
	}
	s.onFacing(b, t)
	for _, points := range divisors(t.nodes)[1:] {
		if s.stopped() {
			return nil // and nothing is remembered
		}
		if points != s.noPoints && !s.noNetworks {
			s.onNetworks(b, t, points)
			s.onWalks(b, t, points)
		}
	}
	s.known[t] = solved{b.list, most}
	return b.list
}

// board keeps the best few solutions, the fastest first. Where it keeps one, that changes circuits
// least of those that take as long; where it keeps several, they are priced, and which change
// costs what is not known here.
type board struct {
	keep int
	most float64 // a time that none of them will exceed
	list []solution
}

// limit is the time from which on a solution is of no use. What is above most is of none, and
// what is equal to that except for rounding may be of some.
func (b *board) limit() float64 {
	most := b.most * (1 + slack)
	if len(b.list) < b.keep {
		return most
	}
	return min(most, b.list[len(b.list)-1].time)
}

// add adds a solution that changes circuits so often besides what the rest does.
func (b *board) add(time float64, d digit, changes int, rest solution) {
	changes += rest.changes
	limit := b.limit()
	if math.IsInf(time, 1) || time > limit {
		return
	}
	if len(b.list) == b.keep && time == limit {
		if b.keep > 1 || changes >= b.list[0].changes {
			return
		}
		b.list = b.list[:0]
	}
	b.list = append(b.list, solution{append([]digit{d}, rest.digits...), time, changes})
	slices.SortStableFunc(b.list, func(x, y solution) int { return cmp.Compare(x.time, y.time) })
	b.list = b.list[:min(len(b.list), b.keep)]
}

// after returns the ways to go on with a digit of so many points off, when the vector is
// cut by scattered, of those that take no longer than most, and how often circuits change
// before and after them.
func (s *search) after(t task, points, scattered int, most float64) (rests []solution, changes float64) {
	if points == t.nodes {
		return []solution{{}}, 0
	}
	changes = 1
	if t.op == allReduce && scattered > 1 {
		changes = 2
	}
	left := spend(t.changes, int(changes))
	if left < 0 {
		return nil, changes
	}
	return s.within(task{t.op, t.nodes / points, t.scale * scattered, left}, most), changes
}

// onRings tries the programs that need no network whose loads are counted.
func (s *search) onRings(b *board, t task, points int) {
	s.onClosed(b, t, points)
	s.onChains(b, t, points)
}

// onClosed tries the programs on circuits that stay which have closed forms.
func (s *search) onClosed(b *board, t task, points int) {
	shard := s.whole / float64(t.scale) / float64(points)
	if s.oneWay(points) {
		if s.rings[points] == nil {
			s.rings[points] = s.ringFloor(points)
		}
		s.onFloor(b, t, points, s.rings[points])
	}
	if s.ports >= 2 && points > 2 {
		s.offer(b, t, s.twoWayGather(points, s.ports/2, shard), t.changes)
	}
	if !s.noNetworks {
		for _, r := range s.rotatedTori(points) {
			s.offer(b, t, s.gatherOn(r, shard), t.changes)
		}
	}
}

// onChains tries the programs that change circuits: within a number that divides, digits of
// their own do what these do.
func (s *search) onChains(b *board, t task, points int) {
	if !s.oneWay(points) || points != s.nodes && !prime(points) {
		return
	}
	bytes := s.whole / float64(t.scale)
	if t.op == allReduce && !s.noExchange {
		s.onUneven(b, t, points, bytes)
	}
	rests, _, least := s.rests(b, t, points, points)
	if len(rests) == 0 {
		return
	}
	for of := range chainChanges(t.changes, int(s.halves(t))) {
		most := (b.limit() - least) / s.halves(t)
		s.offer(b, t, s.chain(points, bytes/float64(points), of, most), spend(t.changes, int(s.halves(t))*of))
	}
}

// oneWay reports whether rings of so many points may lead one way.
func (s *search) oneWay(points int) bool { return !s.duplex || points == 2 }

// halves is how often a task does a gather: an allreduce its reversal, too.
func (s *search) halves(t task) float64 {
	if t.op == allReduce {
		return 2
	}
	return 1
}

// offer adds a gather, nil for none, before which and after which circuits may change so often.
func (s *search) offer(b *board, t task, p *program, left int) {
	if p == nil || left < 0 {
		return
	}
	shard, halves := s.whole/float64(t.scale)/float64(p.points), s.halves(t)
	t.changes = left
	rests, changes, _ := s.rests(b, t, p.points, p.points)
	for _, rest := range rests {
		b.add(rest.time+changes*s.wait+halves*s.time(p.shape, shard), digit{p.points, func() *program { return p }}, int(changes)+int(halves)*p.changes, rest)
	}
}

// onUneven tries exchanges on rings that change; what is left of the GPUs takes a change
// before it.
func (s *search) onUneven(b *board, t task, points int, bytes float64) {
	// Rings that multiply to so many points have at least as many others as it has binary
	// digits: everybody gets so many vectors.
	vectors := math.Log2(float64(points)) / float64(s.ports)
	if (&unevenSearch{machine: &s.machine}).least(points)+s.perByte*bytes*vectors >= b.limit() {
		return
	}
	for of := range chainChanges(t.changes, 1) {
		p := s.uneven(points, bytes, of)
		if p == nil {
			continue
		}
		within := t
		if within.changes = spend(t.changes, p.changes); within.changes < 0 {
			continue
		}
		rests, changes, _ := s.rests(b, within, points, 1)
		for _, rest := range rests {
			b.add(rest.time+changes*s.wait+s.time(p.shape, bytes), digit{points, func() *program { return p }}, int(changes)+p.changes, rest)
		}
	}
}

// onWindows tries sums of windows, which are the first that is done, and on one-way circuits.
func (s *search) onWindows(b *board, t task, points int) {
	if t.op != allReduce || t.nodes != s.nodes || t.scale != 1 || s.noExchange || s.noWindows || s.duplex {
		return
	}
	_, _, least := s.rests(b, t, points, 1)
	for of := range chainChanges(t.changes, 1) {
		ways := newWindowSearch(&s.machine, s.memory, points, s.whole, b.limit()-least)
		if least+ways.least(points) >= b.limit() {
			return
		}
		p := ways.program(of)
		if p == nil {
			continue
		}
		within := t
		if within.changes = spend(t.changes, p.changes); within.changes < 0 {
			continue
		}
		rests, changes, _ := s.rests(b, within, points, 1)
		for _, rest := range rests {
			b.add(rest.time+changes*s.wait+s.time(p.shape, s.whole), digit{points, func() *program { return p }}, int(changes)+p.changes, rest)
		}
	}
}

// onFloor tries the ladders on a network.
func (s *search) onFloor(b *board, t task, points int, f *floor) {
	if t.op == allGather {
		rests, changes, _ := s.rests(b, t, points, points)
		if len(rests) == 0 {
			return
		}
		l, ok := f.fastest(s, t.scale, points, func(time float64) bool {
			return rests[0].time+changes*s.wait+time/2 > b.limit()
		})
		if !ok {
			return
		}
		for _, rest := range rests {
			b.add(rest.time+changes*s.wait+l.time/2, digit{points, func() *program { return f.program(&s.machine, l, false) }}, int(changes), rest)
		}
		return
	}
	for _, until := range divisors(points) {
		if s.noExchange && until < points {
			continue
		}
		rests, changes, _ := s.rests(b, t, points, until)
		if len(rests) == 0 {
			continue
		}
		l, ok := f.fastest(s, t.scale, until, func(time float64) bool {
			return rests[0].time+changes*s.wait+time > b.limit()
		})
		if !ok {
			continue
		}
		for _, rest := range rests {
			b.add(rest.time+changes*s.wait+l.time, digit{points, func() *program { return f.program(&s.machine, l, true) }}, int(changes), rest)
		}
	}
}

// onNetworks tries the programs whose loads are counted.
func (s *search) onNetworks(b *board, t task, points int) {
	if s.ports == 1 || points == 2 || points > maxRouted {
		return
	}
	bytes := s.whole / float64(t.scale)
	shard := bytes / float64(points)
	gathered, changes, least := s.rests(b, t, points, points)
	var summed []solution
	var change float64
	halves := s.halves(t)
	least += halves * s.moore(points, shard)
	if t.op == allReduce {
		for _, until := range slices.Backward(divisors(points)[:len(divisors(points))-1]) { // of a ladder; 1 is an exchange
			var so float64
			summed, change, so = s.rests(b, t, points, until)
			least = min(least, so+s.moore(points, halves*shard))
		}
	}
	if least >= b.limit() {
		return
	}
	if s.nets[points] == nil {
		s.nets[points] = s.wiredFor(points)
	}
	w := s.nets[points]
	for _, rest := range gathered {
		so := rest.time + changes*s.wait
		pick := s.pick
		if t.op == allReduce && points == t.nodes {
			pick = s.pickPair
		}
		p, time := pick(w.gathers, shard, (b.limit()-so)/halves)
		if p == nil {
			continue
		}
		if points < t.nodes || t.op == allGather {
			time *= halves
		}
		b.add(so+time, digit{points, func() *program { return p }}, int(changes), rest)
	}
	if t.op == allReduce && !s.noExchange {
		for _, rest := range summed {
			so := rest.time + change*s.wait
			if p, time := s.pick(w.exchanges, bytes, b.limit()-so); p != nil {
				b.add(so+time, digit{points, func() *program { return p }}, int(change), rest)
			}
		}
	}
	for _, f := range w.floors {
		s.onFloor(b, t, points, f)
	}
}

// moore is less than anything takes on a network of so many points: one start-up, as many
// hops as the ports need to reach them, and what a point must receive.
func (s *search) moore(points int, bytes float64) float64 {
	return s.alpha + s.delta*float64(s.reach(points)) + s.perByte*bytes*float64(points-1)/float64(s.ports)
}

// reach is the hops in which the ports reach so many points at best.
func (m *machine) reach(points int) int {
	hops, ball, level := 0, 1, 1
	for ball < points {
		level *= m.ports
		ball += level
		hops++
	}
	return hops
}

func prime(n int) bool { return len(divisors(n)) == 2 }
