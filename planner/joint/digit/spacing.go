package digit

import "math"

// spacing finds the steps in which a shard gets from one point to those that follow it on a ring,
// with the least load. A step may pass points by: they get the shard later, from the nearest point
// that has it. On a ring of 16 points, three steps that cover five distances each put 45 shards on
// a link; 33 are enough.
//
// The least load of s steps for the next m points is a dynamic program over the points that get the
// shard in the first of them: each loads as many links as it is far away, and what lies between two
// of them is left for the steps after it. All these functions are convex in m, so that the best
// place to split moves on with m, and a table of one more step takes O(far) additions.
//
// The steps take as many hops as the last point is far, no more.
type spacing struct {
	far  int
	last float64 // what counts of the last point's shard: half of it may come the other way round
	of   []*spaced
}

// spaced is one step with those after it.
type spaced struct {
	rest  *spaced   // nil: this is the last step
	limit int       // of its hops
	reach []float64 // the load of points that this step and the rest reach, if it reaches this one last
	all   []float64 // the load for the next m points
	ends  []float64 // the same where the last of them is the last of all
}

func newSpacing(far int, last float64) *spacing { return &spacing{far: far, last: last} }

// steps returns the table of so many steps without limits, or of as many as save more than a link
// each: before those, every further step brings the shard to the next point alone, and saves one.
func (s *spacing) steps(count int) *spaced {
	for len(s.of) < count {
		var rest *spaced
		if k := len(s.of); k > 0 {
			rest = s.of[k-1]
			if k > 1 && s.of[k-2].ends[s.far]-rest.ends[s.far] <= 1 {
				return rest
			}
		}
		s.of = append(s.of, s.before(rest, s.far))
	}
	return s.of[count-1]
}

// load is the least load of so many steps. If each has one hop, the last of all saves no more than
// what counts of it.
func (s *spacing) load(steps int) float64 {
	c := s.steps(steps)
	return max(c.ends[s.far]-float64(steps-c.count()), float64(s.far-1)+s.last)
}

func (c *spaced) count() int {
	if c == nil {
		return 0
	}
	return 1 + c.rest.count()
}

// price is what so many steps are priced by (Machine.Load), where a hop of a shard loads a link by
// each. Without store-and-forward or with it, the busiest link counts: the longest way passes it.
func (s *spacing) price(m *Machine, steps int, each, pair float64) float64 {
	if !m.Capped {
		return each * s.load(steps)
	}
	sum := 0.0
	for _, step := range s.sends(steps) {
		load, pairs := 0.0, map[int]float64{} // what points so far apart exchange
		for _, x := range step {
			hops := x.to - x.from
			load += s.weight(x) * float64(hops)
			pairs[hops] += s.weight(x)
		}
		peak := each * load
		for _, shards := range pairs {
			peak = max(peak, pair*shards)
		}
		sum += peak
	}
	return sum
}

// best returns in how many steps the shard takes the least time, when its bytes and what a hop of it
// loads are given.
func (s *spacing) best(m *Machine, bytes, each, pair float64) int {
	return convex(1, s.far, func(steps int) float64 {
		return m.Time(Shape{Steps: steps, Hops: s.far, Load: s.price(m, steps, each, pair)}, bytes)
	})
}

// weight is what counts of a shard that is sent.
func (s *spacing) weight(x send) float64 {
	if x.to == s.far {
		return s.last
	}
	return 1
}

// send is that a point brings the shard to another, by their distances from the first.
type send struct{ from, to int }

// sends lists what each of so many steps sends. Its steps take as many hops as one of them takes on
// the way to the last point; nothing else takes more, and the load is no larger for it.
func (s *spacing) sends(steps int) [][]send {
	c := s.steps(steps)
	early := steps - c.count()
	made := make([][]send, steps)
	for i := range early {
		made[i] = []send{{i, i + 1}}
	}
	var limits []int
	left := s.far - early
	for at := c; at != nil; at = at.rest {
		_, x := at.farthest(left, s.last, true)
		limits = append(limits, x)
		left -= x
	}
	var limited *spaced
	for i := len(limits) - 1; i >= 0; i-- {
		limited = s.before(limited, limits[i])
	}
	limited.send(early, s.far-early, s.last, true, made[early:])
	return made
}

// farthest returns the least load for the next m points, the last of which may be the last of all,
// and which of them this step reaches last.
func (c *spaced) farthest(m int, last float64, whole bool) (load float64, point int) {
	load = math.Inf(1)
	for x := range min(m, c.limit) + 1 {
		sum := c.reach[x] + c.rest.load(m-x, whole)
		if x == m && m > 0 && whole {
			_, between := c.previous(m)
			sum = between + last*float64(m)
		}
		if sum < load {
			load, point = sum, x
		}
	}
	return load, point
}

// previous returns which point this step reaches before another, and what it loads until there.
func (c *spaced) previous(x int) (point int, load float64) {
	load = math.Inf(1)
	for y := range x {
		if sum := c.reach[y] + c.rest.load(x-y-1, false); sum < load {
			point, load = y, sum
		}
	}
	return point, load
}

// load is what these steps load for the next m points.
func (c *spaced) load(m int, whole bool) float64 {
	switch {
	case c == nil && m == 0:
		return 0
	case c == nil:
		return math.Inf(1)
	case whole:
		return c.ends[m]
	}
	return c.all[m]
}

// send lists what is sent to the next m points after one.
func (c *spaced) send(at, m int, last float64, whole bool, made [][]send) {
	if m == 0 {
		return
	}
	_, far := c.farthest(m, last, whole)
	c.rest.send(at+far, m-far, last, whole, made[1:])
	for x := far; x > 0; {
		y, _ := c.previous(x)
		made[0] = append(made[0], send{at, at + x})
		c.rest.send(at+y, x-y-1, last, false, made[1:])
		x = y
	}
}

// before returns the table of a step with a limit before others.
func (s *spacing) before(rest *spaced, limit int) *spaced {
	c := &spaced{rest: rest, limit: limit}
	c.reach, c.all, c.ends = make([]float64, s.far+1), make([]float64, s.far+1), make([]float64, s.far+1)
	y, x, z := 0, 0, 0
	for m := 1; m <= s.far; m++ {
		between := func(y int) float64 { return c.reach[y] + rest.load(m-y-1, false) }
		y = descend(y, m-1, between)
		c.reach[m] = math.Inf(1)
		if m <= limit {
			c.reach[m] = between(y) + float64(m)
		}
		x = descend(x, m, func(x int) float64 { return c.reach[x] + rest.load(m-x, false) })
		c.all[m] = c.reach[x] + rest.load(m-x, false)
		z = descend(z, m-1, func(z int) float64 { return c.reach[z] + rest.load(m-z, true) })
		c.ends[m] = c.reach[z] + rest.load(m-z, true)
		if m <= limit {
			c.ends[m] = min(c.ends[m], between(y)+s.last*float64(m))
		}
	}
	return c
}

// descend follows a convex function up from x to where it is least, at most to the end.
func descend(x, end int, f func(int) float64) int {
	for x < end && f(x+1) <= f(x) {
		x++
	}
	return x
}
