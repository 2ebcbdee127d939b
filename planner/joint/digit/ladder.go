package digit

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// A ladder processes a digit of P = p1*p2*.. points by sub-digits on fixed circuits, on a
// network with a group of rotations. Rung (w, p) is the sub-digit of p values and weight w: x
// sends to the nearest x+t with t = w*j modulo w*p, for j = 1..p-1. Between the rungs x holds
// the data of its residue modulo w.
//
// A gather takes the rungs with the highest weight first, because then little data goes far ("far
// digits first"). An allreduce scatters by the rungs from weight 1 up to some weight. The rungs
// above that weight exchange the partial sums, which are small by then. Then the scattering rungs
// gather back down. So an allreduce is a gather and its reversal if all rungs scatter, and an
// exchange of the whole vector if none does.

// rung is a sub-digit, cut into a number of steps (always 1, except on a one-way ring).
type rung struct {
	weight, radix, steps int
}

// ladder lists the rungs that scatter and gather, by ascending weight, and above them the rungs
// that exchange.
type ladder struct {
	time      float64
	bounded   bool // the time is a lower bound, because some rung was not counted
	scattered []rung
	exchanged []rung
}

// floor is a network for ladders, with the tallies of its rungs.
type floor struct {
	points int
	name   string
	net    func() *network.Network
	width  int // of the bundles of a one-way ring; 0 for other networks
	parts  int
	counts map[[2]int]*rungCount // of rungs of other networks, by weight and radix

	spacings map[int]*spacing // of rungs of a one-way ring, by radix
}

// rungCount is the tally of a rung: a lower bound until the rung is counted.
type rungCount struct {
	mutex sync.Mutex
	takes network.Tally
	whole bool
}

// at returns the tally, and whether it has been counted; otherwise it is a lower bound.
func (r *rungCount) at() (network.Tally, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.takes, r.whole
}

// count counts a rung by routing it, unless it has been counted.
func (f *floor) count(r rung) {
	c := f.counts[[2]int{r.weight, r.radix}]
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.whole {
		net := f.net()
		c.takes, _ = net.Route(network.Towards{High: net.Diameter, Only: nearest(net.Distances(0), r.weight, r.radix)}, f.parts, false, never)
		c.whole = true
	}
}

func (m *Machine) ringFloor(points int) *floor {
	return &floor{
		points: points, name: ringName(points, m.Ports, false), width: m.Ports, parts: 1,
		net:      func() *network.Network { return ring(points, m.Ports, false) },
		spacings: map[int]*spacing{},
	}
}

func netFloor(sk *sketch, parts int) *floor {
	f := &floor{points: sk.Points, name: sk.name, parts: parts, net: sk.net, counts: map[[2]int]*rungCount{}}
	for _, w := range arithmetic.Divisors(sk.Points) {
		for _, p := range arithmetic.Divisors(sk.Points / w)[1:] {
			f.counts[[2]int{w, p}] = &rungCount{takes: sk.leastOf(nearest(sk.dist, w, p))}
		}
	}
	return f
}

// leastOf returns a lower bound on the tally of a step from point 0 to some points. It assumes
// that every link carries the same load.
func (s *sketch) leastOf(targets []int) network.Tally {
	var t network.Tally
	sum := 0
	for _, v := range targets {
		t.Hops = max(t.Hops, int(s.dist[v]))
		sum += int(s.dist[v])
	}
	t.Peak = float64(sum) / s.Links * under
	return t
}

// under lowers a bound by more than the rounding error of a sum of fractions.
const under = 1 - 1e-12

// takes returns the shape of a rung, with its load in units of one point's message, and whether
// the rung has been counted; otherwise the shape is a lower bound. Other searches may count a
// rung at any time, so takes reads both values under one lock.
func (f *floor) takes(m *Machine, r rung) (takes Shape, counted bool) {
	if f.width == 0 {
		t, counted := f.counts[[2]int{r.weight, r.radix}].at()
		return Shape{Steps: 1, Hops: t.Hops, Load: m.Load(t)}, counted
	}
	way := f.spacings[r.radix]
	if way == nil {
		way = newSpacing(r.radix-1, 1)
		f.spacings[r.radix] = way
	}
	each := float64(r.weight) / float64(f.width)
	return Shape{Steps: r.steps, Hops: way.far * r.weight, Load: way.price(m, r.steps, each, 1)}, true
}

// rungKey identifies the rungs of one-way rings, whose cost does not depend on the ring.
type rungKey struct{ weight, radix, scale int }

type rungChoice struct {
	rung rung
	time float64
}

// best returns the fastest scattering rung of a weight and radix, for points that send the vector
// divided by scale.
func (f *floor) best(s *Search, weight, radix, scale int) (choice rungChoice, counted bool) {
	at := func(steps int) (rungChoice, bool) {
		r := rung{weight, radix, steps}
		takes, counted := f.takes(&s.Machine, r)
		return rungChoice{r, s.Time(takes, s.Bytes/float64(scale))}, counted
	}
	if f.width == 0 {
		return at(1)
	}
	key := rungKey{weight, radix, scale}
	if c, ok := s.rungs[key]; ok {
		return c, true
	}
	choice, _ = at(convex(1, radix-1, func(steps int) float64 {
		c, _ := at(steps)
		return c.time
	}))
	s.rungs[key] = choice
	return choice, true
}

// climbKey identifies the result of climb.
type climbKey struct {
	*floor
	scale, until int
}

// fastest returns the ladder that climb would return if all rungs were counted, unless the
// ladder is too slow to be useful. As long as the fastest ladder has rungs that are only
// bounded, fastest counts these and climbs again. Once all rungs of the result are counted, no
// other ladder can be faster, and the result is the first among equals.
func (f *floor) fastest(s *Search, scale, until int, useless func(time float64) bool) (ladder, bool) {
	key := climbKey{f, scale, until}
	known, ok := s.climbs[key]
	for {
		if ok && f.width == 0 && (useless(known.time) || s.Stopped()) {
			return ladder{}, false
		}
		if ok && !known.bounded {
			return known, true
		}
		known, ok = f.climb(s, scale, until), true
		if known.bounded && !useless(known.time) && !s.Stopped() {
			f.countAll(known)
		}
		s.climbs[key] = known
	}
}

// countAll counts the rungs of a ladder that have not been counted yet.
func (f *floor) countAll(l ladder) {
	for _, rungs := range [][]rung{l.scattered, l.exchanged} {
		for _, r := range rungs {
			f.count(r)
		}
	}
}

// climb returns the fastest ladder for 1/scale of the vector that scatters up to the weight until
// and exchanges above it, given the counts and bounds of the rungs. If until is the number of
// points, no rung exchanges: the ladder is a gather, or a scatter and a gather. The time includes
// scatter and gather of the scattering rungs, and the exchanges.
func (f *floor) climb(s *Search, scale, until int) ladder {
	best := map[int]ladder{f.points: {}} // by the weight of the lowest rung
	list := arithmetic.Divisors(f.points)
	for i := len(list) - 2; i >= 0; i-- {
		w := list[i]
		if until%w != 0 && w%until != 0 {
			continue
		}
		least := ladder{time: math.Inf(1)}
		for _, next := range list[i+1:] {
			rest, ok := best[next]
			if !ok || next%w != 0 || w < until && next > until || s.NoRungs && !whole(w, next, until, f.points) {
				continue
			}
			p := next / w
			if w >= until {
				r := rung{w, p, 1}
				takes, counted := f.takes(&s.Machine, r)
				if time := rest.time + s.Time(takes, s.Bytes/float64(scale*until)); time < least.time {
					least = ladder{time: time, bounded: rest.bounded || !counted, exchanged: append([]rung{r}, rest.exchanged...)}
				}
				continue
			}
			choice, counted := f.best(s, w, p, scale*next)
			if time := 2*choice.time + rest.time; time < least.time {
				least = ladder{
					time: time, bounded: rest.bounded || !counted,
					scattered: append([]rung{choice.rung}, rest.scattered...), exchanged: rest.exchanged,
				}
			}
		}
		if !math.IsInf(least.time, 1) {
			best[w] = least
		}
	}
	return best[1]
}

// whole reports whether a rung does all of the scattering or all of the exchanging.
func whole(weight, next, until, points int) bool {
	return weight == 1 && next == until || weight == until && next == points
}

// program turns a ladder into the program of a digit. The load is in units of a point's shard
// for a gather, and of the vector for a sum.
func (f *floor) program(m *Machine, l ladder, sum bool) *program {
	p := &program{points: f.points, kind: gather, scattered: f.points, parts: f.parts}
	p.has = Uses{
		Exchange: len(l.exchanged) > 0, Rungs: len(l.scattered) > 1 || len(l.exchanged) > 1, Networks: f.width == 0,
	}
	each := 1.0 // a rung's message, as a fraction of the vector
	gathered := Shape{}
	var rungs []string
	for _, r := range l.scattered {
		each /= float64(r.radix)
		s, _ := f.takes(m, r)
		s.Load *= each
		gathered = gathered.plus(s)
		rungs = append(rungs, fmt.Sprintf("gather %d", r.radix))
	}
	p.Lay = func() []stage { return []stage{f.layScattered(l)} }
	p.turned = p.Lay
	if !sum {
		p.Shape = gathered
		p.Load *= float64(f.points)
		p.about = strings.Join(rungs, ", ") + " on " + f.name
		return p
	}
	p.kind, p.scattered = total, int(math.Round(1/each))
	p.Shape = gathered.plus(gathered)
	for _, r := range l.exchanged {
		s, _ := f.takes(m, r)
		s.Load *= each
		p.Shape = p.plus(s)
		rungs = append(rungs, fmt.Sprintf("exchange %d", r.radix))
	}
	p.about = strings.Join(rungs, ", ") + " on " + f.name
	p.core = func() []stage { return []stage{f.layExchanged(l)} }
	return p
}

// layScattered lays out the gather down the scattering rungs.
func (f *floor) layScattered(l ladder) stage {
	net := f.net()
	made := stage{Net: net, kind: gather}
	for i := len(l.scattered) - 1; i >= 0; i-- {
		r := l.scattered[i]
		made.steps = append(made.steps, f.layRung(net, r, r.weight*r.radix)...)
	}
	return made
}

// layExchanged lays out the exchanges. Each covers all data of one residue modulo the scattered
// weight.
func (f *floor) layExchanged(l ladder) stage {
	net := f.net()
	made := stage{Net: net, kind: exchange}
	modulus := 1
	for _, r := range l.scattered {
		modulus *= r.radix
	}
	for _, r := range l.exchanged {
		made.steps = append(made.steps, f.layRung(net, r, modulus)...)
	}
	return made
}

// layRung lays out the steps of a rung from point 0, which sends the data of its residue modulo
// the given number.
func (f *floor) layRung(net *network.Network, r rung, modulus int) [][]network.Way {
	if f.width == 0 {
		_, ways := net.Route(network.Towards{High: net.Diameter, Only: nearest(net.Distances(0), r.weight, r.radix)}, f.parts, true, never)
		for i := range ways {
			ways[i].Modulus = modulus
		}
		return [][]network.Way{ways}
	}
	var steps [][]network.Way
	for _, sends := range newSpacing(r.radix-1, 1).sends(r.steps) {
		var step []network.Way
		for _, x := range sends {
			path := make([]int32, 0, (x.to-x.from)*r.weight+1)
			for v := x.from * r.weight; v <= x.to*r.weight; v++ {
				path = append(path, int32(v%f.points))
			}
			step = append(step, network.Way{Modulus: modulus, Path: path})
		}
		steps = append(steps, step)
	}
	return steps
}
