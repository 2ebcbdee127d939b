package iteration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// loose is a random program like those of chained, but communications wait for any jobs before
// them, or for none: then they are ready when the iteration begins.
func loose(random *rand.Rand, jobs, kinds, lanes int) (*Program, *Repertoire) {
	p, r := chained(random, jobs, kinds, lanes)
	for j := range p.Jobs {
		p.Jobs[j].After = nil
		for before := range j {
			if random.IntN(3) == 0 || p.Jobs[j].Work == Computes && before == j-2 {
				p.Jobs[j].After = append(p.Jobs[j].After, before)
			}
		}
	}
	return p, r
}

// cyclic is the twin's model: an order of communications, each over circuits on lanes, which
// may be set up before it.
type cyclic struct {
	program *Program
	delay   units.Time
	order   []int // jobs
	took    []units.Time
	lanes   []int // as a set
	set     []bool
	circuit []int
}

// possible reports whether iterations can follow one another after a period: it delays starts
// as long as any is too early.
func (c *cyclic) possible(period units.Time) bool {
	p := c.program
	start, took := make([]units.Time, len(p.Jobs)), make([]units.Time, len(p.Jobs))
	for j := range p.Jobs {
		took[j] = p.Jobs[j].Compute
	}
	for i, j := range c.order {
		took[j] = c.took[i]
	}
	for range 100 {
		settled := true
		raise := func(j int, to units.Time) {
			if to > start[j]+1e-7 {
				start[j], settled = to, false
			}
		}
		for j := range p.Jobs {
			for _, b := range p.Jobs[j].After {
				raise(j, start[b]+took[b])
			}
		}
		for i, j := range c.order {
			dark := units.Time(0)
			if c.set[i] {
				dark = c.delay
			}
			for back := 1; back <= len(c.order); back++ {
				k, shift := i-back, units.Time(0)
				if k < 0 {
					k, shift = k+len(c.order), period
				}
				if c.lanes[k]&c.lanes[i] != 0 || c.set[i] && c.circuit[k] == c.circuit[i] {
					raise(j, start[c.order[k]]+took[c.order[k]]-shift+dark)
				}
			}
		}
		for j := range p.Jobs {
			if start[j]+took[j] > period+1e-6 {
				return false
			}
		}
		if settled {
			return true
		}
	}
	return false
}

// least is the shortest period, if it is below a limit.
func (c *cyclic) least(limit units.Time) units.Time {
	if !c.possible(limit - 1e-3) {
		return limit
	}
	low := units.Time(0)
	for limit-low > 1e-4 {
		if mid := (low + limit) / 2; c.possible(mid) {
			limit = mid
		} else {
			low = mid
		}
	}
	return limit
}

// steady fills in which circuits are set up if iterations follow one another, and reports whether
// they do the same again.
func (c *cyclic) steady(wanted []int) bool {
	seats := map[int]int{}
	for range 4 {
		before := fmt.Sprint(seats)
		for i := range c.order {
			of := c.circuit[i]
			if c.set[i] = seats[of] == 0; c.set[i] {
				for other, at := range seats {
					if at&wanted[i] != 0 {
						delete(seats, other)
					}
				}
				seats[of] = wanted[i]
			}
			c.lanes[i] = seats[of]
		}
		if fmt.Sprint(seats) == before {
			return true
		}
	}
	return false
}

// shortest returns the least period of all orders, offers and lanes, computed independently.
func shortest(p *Program, r *Repertoire) units.Time {
	best := units.Time(1e6)
	var moves []int
	for j := range p.Jobs {
		if p.Jobs[j].Work != Computes {
			moves = append(moves, j)
		}
	}
	waits := make([][]bool, len(p.Jobs))
	for j := range p.Jobs {
		waits[j] = make([]bool, len(p.Jobs))
		for _, b := range p.Jobs[j].After {
			waits[j][b] = true
			for k := range waits[b] {
				waits[j][k] = waits[j][k] || waits[b][k]
			}
		}
	}
	n := len(moves)
	c := &cyclic{program: p, delay: r.Delay, took: make([]units.Time, n), lanes: make([]int, n), set: make([]bool, n), circuit: make([]int, n)}
	wanted := make([]int, n)
	var next func()
	next = func() {
		if len(c.order) == n {
			if c.steady(wanted) {
				best = c.least(best)
			}
			return
		}
		for _, j := range moves {
			if slices.Contains(c.order, j) || slices.ContainsFunc(moves, func(k int) bool { return waits[j][k] && !slices.Contains(c.order, k) }) {
				continue
			}
			at := len(c.order)
			c.order = append(c.order, j)
			for k := range r.Offers[p.Jobs[j].Work] {
				o := &r.Offers[p.Jobs[j].Work][k]
				c.took[at], c.circuit[at] = o.Time, o.First
				for _, take := range choices(r.Circuits[o.First].Claims[0], r.Lines.Lanes(0)) {
					wanted[at] = 0
					for _, l := range take {
						wanted[at] |= 1 << l.Lane
					}
					next()
				}
			}
			c.order = c.order[:at]
		}
	}
	next()
	return best
}

// TestWhatIsReadyAtOnceMayWait: with communications that are ready when the iteration begins,
// the result is as fast as the best of all orders, offers and lanes, timed independently; on
// one port it is equal.
func TestWhatIsReadyAtOnceMayWait(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 9))
	waited := 0
	for range samples.Draws(60, 120) {
		lanes := 1 + random.IntN(4)/3
		p, r := loose(random, 2+random.IntN(3), 2+random.IntN(2), lanes)
		made, err := Fastest(t.Context(), p, r, Best)
		if err != nil {
			t.Fatal(err)
		}
		least := shortest(p, r)
		if made.Iteration > least+1e-2 || lanes == 1 && math.Abs(float64(made.Iteration-least)) > 1e-2 {
			t.Errorf("%d lanes: it takes %v, the best %v", lanes, made.Iteration, least)
		}
		if again := made.Course.Time(p, r).Iteration; math.Abs(float64(again-made.Iteration)) > 1e-4 {
			t.Errorf("it takes %v, and then %v", made.Iteration, again)
		}
		if early, _ := made.Course.run(p, r, &clock{}, nil, 0); early.Iteration > made.Iteration+1e-2 {
			waited++
		}
	}
	if waited == 0 {
		t.Error("in no program it helps to wait")
	}
}

// plainlyHolds reports whether iterations can follow one another after a period, by many of them.
func plainlyHolds(c *Course, p *Program, r *Repertoire, period units.Time) bool {
	on := &clock{}
	var before *occupancy
	for range 200 {
		_, b := c.run(p, r, on, before, period)
		if on.last > period*(1+1e-12) {
			return false
		}
		if b.wrap() <= period*(1+1e-12) {
			return true
		}
		before = b
	}
	return false
}

// TestTangentsFindWhatHalvingFinds: bisection without tangents finds the same shortest time of
// a course.
func TestTangentsFindWhatHalvingFinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(32, 1))
	shorter, between := 0, 0
	for i := range samples.Draws(120, 300) {
		p, r := loose(random, 4+random.IntN(30), 2+random.IntN(3), 1+random.IntN(3))
		s := newSearch(p, r)
		rules := s.rules(8)
		made, err := dispatch(t.Context(), p, r, rules[i%len(rules)], s.tails)
		if err != nil || made.course == nil {
			t.Fatal(err)
		}
		on := &clock{}
		early, b := made.course.run(p, r, on, nil, 0)
		whole, low, high := early.Iteration, on.last, early.Iteration
		ends := low
		if c := made.course.explicit(p, r, b); c != nil {
			if plainlyHolds(c, p, r, low) {
				high = low
			}
			for high-low > 1e-10*high {
				if mid := (low + high) / 2; plainlyHolds(c, p, r, mid) {
					high = mid
				} else {
					low = mid
				}
			}
		}
		got := made.course.Time(p, r).Iteration
		if math.Abs(float64(got-high)) > 1e-8*float64(high) {
			t.Errorf("program %d: %v, by halving %v", i, got, high)
		}
		if got < whole*(1-1e-6) {
			shorter++
			if got > ends*(1+1e-6) {
				between++
			}
		}
	}
	if shorter < samples.Draws(4, 10) || between == 0 {
		t.Errorf("%d courses are shorter than with every job as early as it can be, %d by tangents", shorter, between)
	}
}
