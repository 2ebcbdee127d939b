package digit

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// digit is a digit of the GPUs' numbers and the way to process it: by a gather (and its
// reversal), by an exchange, or by a ladder of both.
type digit struct {
	points int
	Make   func() *program
}

// Solution is a way to carry out an operation. Its digits are listed from the outermost, which is
// scattered first and gathered last.
type Solution struct {
	Digits  []digit
	Time    float64 // as predicted, in ns
	Changes int     // reconfigurations
}

// Search finds the best ways to split a number of GPUs into digits.
//
// With T the time of a program at some bytes, and w the wait for a reconfiguration, an allgather
// of B bytes takes, at best, the smaller of T(gather of n, B) and
//
//	min over P: G(n/P, B/P) + w + T(gather of P, B)
//
// and an allreduce the smallest of T(exchange of n, B), twice T(gather of n, B), because the
// reversed gather leaves the circuits that the gather begins with, and
//
//	min over P: T(exchange of P, B) + w + A(n/P, B)
//	min over P: T(gather of P, B) + w + A(n/P, B/P) + w + T(gather of P, B)
//	min over P and M: T(ladder of P that scatters M, B) + 2w + A(n/P, B/M)
//
// A sub-problem is the number of GPUs left and the bytes, which are the whole over a divisor of
// n, so there are at most as many sub-problems as pairs of divisors. For fabrics on which waits
// differ, the search keeps the best few solutions of each, and those are priced as plans.
type Search struct {
	Question
	rings  map[int]*floor
	nets   map[int]*wired
	rungs  map[rungKey]rungChoice // of rings
	climbs map[climbKey]ladder
	known  map[Task]solved
	walked map[walks]*walker
	every  bool            // all rests are solved, even those of digits that are too slow
	only   *topology.Graph // the only network to look at, if not nil
}

// wired holds the networks with a number of points and the programs known for them.
type wired struct {
	gathers, exchanges []*program
	balls              []*program // exchanges that must come first
	floors             []*floor
}

// Task is what is left to do.
type Task struct {
	Op      goal
	Nodes   int
	Scale   int // the bytes are the whole over this
	Changes int // the most reconfigurations
	// Replaced: values may have been replaced by sums, so that no part of one is apart (windows).
	Replaced bool
}

type goal int

const (
	AllGather goal = iota
	AllReduce
)

// Question is the input of a search.
type Question struct {
	Machine
	Limits
	// Sides, if not nil, are the sides of a grid, the outermost first, whose product is Nodes.
	// Then a digit is one of them or a part of one.
	Sides   []int
	Keep    int // the number of solutions to keep
	Nodes   int
	Bytes   float64         // of the whole operation
	Memory  *planner.Memory // of networks and their programs; nil: none
	Stopped func() bool     // whether the answer is no longer wanted; then the search finds nothing
}

// NewSearch prepares a search.
func NewSearch(q Question) *Search {
	return &Search{
		Question: q, rings: map[int]*floor{}, nets: map[int]*wired{},
		rungs: map[rungKey]rungChoice{}, climbs: map[climbKey]ladder{}, known: map[Task]solved{}, walked: map[walks]*walker{},
	}
}

// solved holds the best solutions of a task that take no longer than most, and perhaps slower
// ones.
type solved struct {
	list []Solution
	most float64
}

// Solve returns the best solutions of a task, the fastest first; none if no program fits.
func (s *Search) Solve(t Task) []Solution { return s.within(t, math.Inf(1)) }

// SolveWithin is Solve for the solutions that take no longer than most; it may return slower
// ones, too.
func (s *Search) SolveWithin(t Task, most float64) []Solution { return s.within(t, most) }

// within is Solve for the solutions that take no longer than most; it may return slower ones,
// too. Programs with closed forms come first, so that few networks have to be built: only those
// with a number of points for which a Moore graph would not be too slow.
func (s *Search) within(t Task, most float64) []Solution {
	if s.only != nil {
		return s.staying(t)
	}
	if k, ok := s.known[t]; ok && most <= k.most {
		return k.list
	}
	b := &Board{Keep: s.Keep, Most: math.Inf(1)}
	if !s.every {
		b.Most = s.quick(t, most)
	}
	for _, points := range arithmetic.Divisors(t.Nodes)[1:] {
		if s.may(t, points) {
			s.OnRings(b, t, points)
		}
	}
	for _, points := range arithmetic.Divisors(t.Nodes)[1:] {
		if s.may(t, points) {
			s.onWindows(b, t, points)
			s.onSides(b, t, points)
		}
	}
	s.onFacing(b, t)
	if s.may(t, t.Nodes) {
		s.onCrossing(b, t)
	}
	for _, points := range arithmetic.Divisors(t.Nodes)[1:] {
		if s.Stopped() {
			return nil // and nothing is remembered
		}
		if s.may(t, points) && !s.NoNetworks {
			s.OnNetworks(b, t, points)
			s.onWalks(b, t, points)
			s.onBalls(b, t, points)
		}
	}
	s.known[t] = solved{b.List, most}
	return b.List
}

// may reports whether the next digit of a task may have the given number of points.
func (s *Search) may(t Task, points int) bool {
	if points == s.NoPoints {
		return false
	}
	if s.Sides == nil {
		return true
	}
	above := 1 // the weight of the last side
	for _, side := range slices.Backward(s.Sides) {
		if t.Nodes <= above*side {
			return t.Nodes%above == 0 && above*side%t.Nodes == 0 && t.Nodes/points%above == 0
		}
		above *= side
	}
	return false
}

// Board keeps the best few solutions, the fastest first. A board that keeps one solution prefers
// fewer reconfigurations in a tie. A board that keeps several does not, because it does not know
// what each reconfiguration costs: its solutions are priced as plans.
type Board struct {
	Keep int
	Most float64 // a time that none of them will exceed
	List []Solution
}

// limit returns the time from which on a solution is useless. A solution above Most is useless;
// one that equals Most up to rounding may still be useful.
func (b *Board) limit() float64 {
	most := b.Most * (1 + slack)
	if len(b.List) < b.Keep {
		return most
	}
	return min(most, b.List[len(b.List)-1].Time)
}

// add adds a solution that has changes reconfigurations besides those of the rest.
func (b *Board) add(time float64, d digit, changes int, rest Solution) {
	changes += rest.Changes
	limit := b.limit()
	if math.IsInf(time, 1) || time > limit {
		return
	}
	if len(b.List) == b.Keep && time == limit {
		if b.Keep > 1 || changes >= b.List[0].Changes {
			return
		}
		b.List = b.List[:0]
	}
	b.List = append(b.List, Solution{append([]digit{d}, rest.Digits...), time, changes})
	slices.SortStableFunc(b.List, func(x, y Solution) int { return cmp.Compare(x.Time, y.Time) })
	b.List = b.List[:min(len(b.List), b.Keep)]
}

// after returns the solutions for what is left after a digit of the given number of points that
// cuts the vector into scattered shards, of those that take no longer than most. It also returns
// the number of reconfigurations before and after them.
func (s *Search) after(t Task, points, scattered int, most float64) (rests []Solution, changes float64) {
	if points == t.Nodes {
		return []Solution{{}}, 0
	}
	changes = 1
	if t.Op == AllReduce && scattered > 1 {
		changes = 2
	}
	left := Spend(t.Changes, int(changes))
	if left < 0 {
		return nil, changes
	}
	return s.within(Task{t.Op, t.Nodes / points, t.Scale * scattered, left, t.Replaced}, most), changes
}

// OnRings tries the programs that need no network with counted loads.
func (s *Search) OnRings(b *Board, t Task, points int) {
	s.onClosed(b, t, points)
	s.onChains(b, t, points)
	s.onPairs(b, t, points)
}

// onClosed tries the programs that have closed forms and stay on their circuits.
func (s *Search) onClosed(b *Board, t Task, points int) {
	shard := s.Bytes / float64(t.Scale) / float64(points)
	if s.oneWay(points) {
		if s.rings[points] == nil {
			s.rings[points] = s.ringFloor(points)
		}
		s.onFloor(b, t, points, s.rings[points])
	}
	if s.Ports >= 2 && points > 2 {
		s.offer(b, t, s.twoWayGather(points, s.Ports/2, shard), t.Changes)
	}
	if !s.NoNetworks {
		for _, r := range s.rotatedTori(points) {
			s.offer(b, t, s.gatherOn(r, shard), t.Changes)
		}
	}
}

// onChains tries the programs that change circuits. If the number of points divides that of the
// nodes and is not prime, digits of their own do the same.
func (s *Search) onChains(b *Board, t Task, points int) {
	if !s.oneWay(points) || points != s.Nodes && !arithmetic.Prime(points) {
		return
	}
	bytes := s.Bytes / float64(t.Scale)
	if t.Op == AllReduce && !s.NoExchange {
		s.onUneven(b, t, points, bytes)
	}
	rests, _, least := s.rests(b, t, points, points)
	if len(rests) == 0 {
		return
	}
	for of := range chainChanges(t.Changes, int(s.halves(t))) {
		most := (b.limit() - least) / s.halves(t)
		s.offer(b, t, s.chain(points, bytes/float64(points), of, most), Spend(t.Changes, int(s.halves(t))*of))
	}
}

// oneWay reports whether rings of the given number of points may be one-way.
func (s *Search) oneWay(points int) bool { return !s.Duplex || points == 2 }

// halves returns how many times a task gathers: an allreduce also runs the reversal.
func (s *Search) halves(t Task) float64 {
	if t.Op == AllReduce {
		return 2
	}
	return 1
}

// offer adds a gather, unless it is nil, and leaves the given number of reconfigurations for what
// comes before and after it.
func (s *Search) offer(b *Board, t Task, p *program, left int) {
	if p == nil || left < 0 || s.cutsBytes(p.parts) {
		return
	}
	shard, halves := s.Bytes/float64(t.Scale)/float64(p.points), s.halves(t)
	t.Changes = left
	rests, changes, _ := s.rests(b, t, p.points, p.points)
	for _, rest := range rests {
		b.add(rest.Time+changes*s.Wait+halves*s.Time(p.Shape, shard), digit{p.points, func() *program { return p }}, int(changes)+int(halves)*p.Changes, rest)
	}
}

// onUneven tries exchanges on rings that change. What is left of the GPUs needs a reconfiguration
// first.
func (s *Search) onUneven(b *Board, t Task, points int, bytes float64) {
	// If the sizes of rings multiply to the number of points, a point has at least log2 of that
	// number of others on its rings, and gets a vector from each.
	vectors := math.Log2(float64(points)) / float64(s.Ports)
	if (&unevenSearch{Machine: &s.Machine}).least(points)+s.PerByte*bytes*vectors >= b.limit() {
		return
	}
	for of := range chainChanges(t.Changes, 1) {
		s.offerSum(b, t, s.uneven(points, bytes, of), bytes)
	}
}

// offerSum adds an exchange of vectors of the given bytes, unless it is nil. It may change
// circuits.
func (s *Search) offerSum(b *Board, t Task, p *program, bytes float64) {
	if p == nil {
		return
	}
	if t.Changes = Spend(t.Changes, p.Changes); t.Changes < 0 {
		return
	}
	rests, changes, _ := s.rests(b, t, p.points, 1)
	for _, rest := range rests {
		b.add(rest.Time+changes*s.Wait+s.Time(p.Shape, bytes), digit{p.points, func() *program { return p }}, int(changes)+p.Changes, rest)
	}
}

// onWindows tries sums of windows. They need one-way circuits, and all digits before them must
// scatter all that they can.
func (s *Search) onWindows(b *Board, t Task, points int) {
	if !s.apart(t) || s.Duplex {
		return
	}
	_, _, least := s.rests(b, t, points, 1)
	bytes := s.Bytes / float64(t.Scale)
	for of := range chainChanges(t.Changes, 1) {
		ways := newWindowSearch(&s.Machine, s.Memory, points, bytes, b.limit()-least)
		ways.stopped = s.Stopped
		if least+ways.least(points) >= b.limit() {
			return
		}
		s.offerWindows(b, t, ways.program(of), bytes)
	}
}

// apart reports whether the next digit of a task may send parts of values: nothing has come yet
// but what has been scattered.
func (s *Search) apart(t Task) bool {
	return t.Op == AllReduce && t.Nodes*t.Scale == s.Nodes && !t.Replaced && !s.NoExchange && !s.NoWindows
}

// offerWindows adds an exchange by windows, which must come first or after a scatter.
func (s *Search) offerWindows(b *Board, t Task, p *program, bytes float64) {
	if p != nil && t.Scale > 1 {
		p = p.afterScatter()
	}
	s.offerSum(b, t, p, bytes)
}

// onFloor tries the ladders on a network.
func (s *Search) onFloor(b *Board, t Task, points int, f *floor) {
	if t.Op == AllGather {
		rests, changes, _ := s.rests(b, t, points, points)
		if len(rests) == 0 {
			return
		}
		l, ok := f.fastest(s, t.Scale, points, func(time float64) bool {
			return rests[0].Time+changes*s.Wait+time/2 > b.limit()
		})
		if !ok {
			return
		}
		for _, rest := range rests {
			b.add(rest.Time+changes*s.Wait+l.time/2, digit{points, func() *program { return f.program(&s.Machine, l, false) }}, int(changes), rest)
		}
		return
	}
	for _, until := range arithmetic.Divisors(points) {
		if s.NoExchange && until < points {
			continue
		}
		rests, changes, _ := s.rests(b, t, points, until)
		if len(rests) == 0 {
			continue
		}
		l, ok := f.fastest(s, t.Scale, until, func(time float64) bool {
			return rests[0].Time+changes*s.Wait+time > b.limit()
		})
		if !ok {
			continue
		}
		for _, rest := range rests {
			b.add(rest.Time+changes*s.Wait+l.time, digit{points, func() *program { return f.program(&s.Machine, l, true) }}, int(changes), rest)
		}
	}
}

// OnNetworks tries the programs whose loads are counted.
func (s *Search) OnNetworks(b *Board, t Task, points int) {
	if s.Ports == 1 || points == 2 || points > maxRouted {
		return
	}
	bytes := s.Bytes / float64(t.Scale)
	shard := bytes / float64(points)
	gathered, changes, least := s.rests(b, t, points, points)
	var summed []Solution
	var change float64
	halves := s.halves(t)
	least += halves * s.moore(points, shard)
	if t.Op == AllReduce {
		// The ladders that scatter up to a weight; 1 is an exchange.
		for _, until := range slices.Backward(arithmetic.Divisors(points)[:len(arithmetic.Divisors(points))-1]) {
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
		so := rest.Time + changes*s.Wait
		pick := s.pick
		if t.Op == AllReduce && points == t.Nodes {
			pick = s.pickPair
		}
		p, time := pick(w.gathers, shard, (b.limit()-so)/halves)
		if p == nil {
			continue
		}
		if points < t.Nodes || t.Op == AllGather {
			time *= halves
		}
		b.add(so+time, digit{points, func() *program { return p }}, int(changes), rest)
	}
	if t.Op == AllReduce && !s.NoExchange {
		for _, rest := range summed {
			so := rest.Time + change*s.Wait
			if p, time := s.pick(w.exchanges, bytes, b.limit()-so); p != nil {
				b.add(so+time, digit{points, func() *program { return p }}, int(change), rest)
			}
		}
	}
	for _, f := range w.floors {
		s.onFloor(b, t, points, f)
	}
}

// moore returns a lower bound on the time of anything on a network with the given number of
// points: one start-up, the hops that the ports need to reach the points, and what a point must
// receive.
func (s *Search) moore(points int, bytes float64) float64 {
	return s.Alpha + s.Delta*float64(s.reach(points)) + s.PerByte*bytes*float64(points-1)/float64(s.Ports)
}

// reach returns the fewest hops in which the ports can reach the given number of points.
func (m *Machine) reach(points int) int {
	hops, ball, level := 0, 1, 1
	for ball < points {
		level *= m.Ports
		ball += level
		hops++
	}
	return hops
}
