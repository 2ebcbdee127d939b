package digit

import "math"

// spacing finds the steps that bring a shard from one point of a ring to the points after it with
// the least load. A step may skip points: a later step brings them the shard from the nearest point
// that has it. On a ring of 16 points, three steps that cover five distances each put 45 shards on
// a link; with skips, 33 are enough.
//
// A dynamic program finds the least load of s steps for the next m points. It chooses the points
// that the first step reaches. Each of them loads as many links as its distance, and later steps
// reach the points between two of them. All these functions are convex in m, so the best split only
// moves forward as m grows, and the table of one more step takes O(far) additions.
//
// Together the steps take as many hops as the distance of the last point.
type spacing struct {
	far  int
	last float64 // the share of the last point's shard that comes this way round: 1, or 1/2
	of   []*spaced

	loads []float64 // of 1, 2, .. steps
	top   *spaced   // the table of as many steps as loads has, without those of later steps
}

// spaced is the table of one step and those after it.
type spaced struct {
	rest  *spaced   // later steps; nil after the last step
	limit int       // most hops of this step
	reach []float64 // by point: the load of the points up to it if this step goes no farther
	all   []float64 // the load for the next m points
	ends  []float64 // the same if the last of them is the last point of all
}

func newSpacing(far int, last float64) *spacing { return &spacing{far: far, last: last} }

// steps returns the table of count steps without limits on hops. Once a further step saves no more
// than one link, it returns the smaller table: a step to the next point alone, put before the
// others, saves as much.
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

// load returns the least load of the given number of steps. Each step beyond the tables saves one
// link. If all steps have one hop, the last one saves only the counted share of its shard. It
// keeps a single table: those of a ring of 65536 points would take over a gigabyte.
func (s *spacing) load(steps int) float64 {
	for k := len(s.loads); k < steps && (k < 2 || s.loads[k-2]-s.loads[k-1] > 1); k++ {
		s.top = s.before(s.top, s.far)
		s.top.rest = nil
		s.loads = append(s.loads, s.top.ends[s.far])
	}
	known := min(steps, len(s.loads))
	return max(s.loads[known-1]-float64(steps-known), float64(s.far-1)+s.last)
}

// count returns the number of steps.
func (c *spaced) count() int {
	if c == nil {
		return 0
	}
	return 1 + c.rest.count()
}

// price returns the load by which Machine.Load prices the given number of steps. A hop of a shard
// loads a link by each. With or without store-and-forward, the busiest link decides: the longest
// way passes it.
func (s *spacing) price(m *Machine, steps int, each, pair float64) float64 {
	if !m.Capped {
		return each * s.load(steps)
	}
	sum := 0.0
	for _, step := range s.sends(steps) {
		load, pairs := 0.0, map[int]float64{} // shards that points exchange, by their distance
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

// best returns the number of steps that takes the least time for a shard of the given bytes.
func (s *spacing) best(m *Machine, bytes, each, pair float64) int {
	return convex(1, s.far, func(steps int) float64 {
		return m.Time(Shape{Steps: steps, Hops: s.far, Load: s.price(m, steps, each, pair)}, bytes)
	})
}

// weight returns the share of a shard that a send carries.
func (s *spacing) weight(x send) float64 {
	if x.to == s.far {
		return s.last
	}
	return 1
}

// send is a transfer of the shard between two points, given by their distances from the first one.
type send struct{ from, to int }

// sends lists the transfers of each of the given number of steps. On its way to the last point the
// shard makes one transfer in each step. The hops of that transfer limit the hops of its step,
// which does not increase the load.
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

// farthest returns the least load for the next m points, and the last point that this step
// reaches. If whole, the last of the m points is the last one of all.
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

// previous returns the point that this step reaches before point x, and the load up to there.
func (c *spaced) previous(x int) (point int, load float64) {
	load = math.Inf(1)
	for y := range x {
		if sum := c.reach[y] + c.rest.load(x-y-1, false); sum < load {
			point, load = y, sum
		}
	}
	return point, load
}

// load returns the load of these steps for the next m points.
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

// send appends to made the transfers to the next m points after the one at distance at.
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

// before returns the table of a step with at most limit hops, followed by rest.
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

// descend returns the first minimum of a convex function from x on, at most end.
func descend(x, end int, f func(int) float64) int {
	for x < end && f(x+1) <= f(x) {
		x++
	}
	return x
}
