package harvest

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// synthesis reimplements the program that the authors publish (STyGIANet/Harvest, synthesis),
// from what it computes: the best of a pool of topologies for every interval of steps, and the
// best division of the steps into intervals for every number of changes. It charges
//
//	alpha + (delta + beta*m)/theta
//
// for a step, so that it charges hops in proportion to congestion. Our clock charges delta*hops.
// On a one-way ring both are the same. On a two-way ring, a step of Swing over 11 hops has a
// congestion of 12, because both ports of a GPU have only one route to its peer.
//
// The pool has the base and, for every step, circuits of its own: d parallel circuits to the
// only peer. With these, the published costs come out. The authors' later versions add shifted
// bases.
type synthesis struct {
	work  claim.Work
	bytes []float64 // sent by a GPU in a step, for a buffer of one byte
	// congestion and hops of steps on topologies; infinite if a step's pairs are not connected
	congestion, hops [][]float64
	own              []int // the topology of each step's own circuits
	byHops           bool  // charge hops of the curve as in the paper, not as in the program
}

// base is the index of the base in the pool.
const base = 0

// newSynthesis routes every step on every topology of the pool.
func newSynthesis(ctx context.Context, w claim.Work) (*synthesis, error) {
	w.Size = units.MiB
	r, err := w.Request()
	if err != nil {
		return nil, err
	}
	n, ports := w.Fabric.Nodes, w.Fabric.Ports
	s := &synthesis{work: w}
	var pool []*topology.Graph
	enter := func(g *topology.Graph) int {
		for i, other := range pool {
			if g.Equal(other) {
				return i
			}
		}
		pool = append(pool, g)
		return len(pool) - 1
	}
	ring, err := w.Fabric.BaseTopology()
	if err != nil {
		return nil, err
	}
	enter(ring)
	var demands [][]flow.Demand
	for _, step := range r.Collective.Steps {
		var list []flow.Demand
		var edges []topology.Edge
		bytes := 0.0
		for t := range step.All(r.Collective.Space) {
			list = append(list, flow.Demand{Src: t.Src, Dst: t.Dst, Amount: float64(ports)})
			edges = append(edges, topology.Edge{From: t.Src, To: t.Dst, Count: ports})
			bytes = r.Collective.Space.Bytes(1, t.Chunks)
		}
		demands, s.bytes, s.own = append(demands, list), append(s.bytes, bytes), append(s.own, enter(topology.New(n, "", edges)))
	}
	for _, list := range demands {
		var congestion, hops []float64
		for _, g := range pool {
			c, h := math.Inf(1), math.Inf(1)
			if connects(g, list) {
				routed, err := flow.Solve(ctx, flow.Problem{Graph: g, Demands: list}, flow.Optimal)
				if err != nil {
					return nil, err
				}
				c, h = max(1, routed.Load.Peak), float64(routed.Load.Hops)
			}
			congestion, hops = append(congestion, c), append(hops, h)
		}
		s.congestion, s.hops = append(s.congestion, congestion), append(s.hops, hops)
	}
	return s, nil
}

// connects reports whether every demand has a path.
func connects(g *topology.Graph, demands []flow.Demand) bool {
	dist, queue := make([]int32, g.Nodes()), make([]int32, g.Nodes())
	for _, d := range demands {
		if g.Distances(d.Src, dist, queue); dist[d.Dst] < 0 {
			return false
		}
	}
	return true
}

// time returns the time of a step on a topology: by the program, or by our clock.
func (s *synthesis) time(step, topology int, size units.Bytes, byHops bool) float64 {
	f := &s.work.Fabric
	away := s.congestion[step][topology]
	if byHops {
		away = s.hops[step][topology]
	}
	sent := float64(f.Bandwidth.Transmit(s.bytes[step]*float64(size))) / float64(f.Ports)
	return float64(f.Alpha.Time()) + float64(f.Delta.Time())*away + sent*s.congestion[step][topology]
}

// interval returns the time of the steps from (inclusive) to to (exclusive) on the best topology
// for all of them.
func (s *synthesis) interval(from, to int, size units.Bytes) float64 {
	best := math.Inf(1)
	for g := range s.congestion[0] {
		sum := 0.0
		for i := from; i < to; i++ {
			sum += s.time(i, g, size, s.byHops)
		}
		best = min(best, sum)
	}
	return best
}

// curve returns the times of the best division for every number of changes, of the base for all
// steps, and of each step on its own circuits, with a change before every step whose circuits
// differ.
func (s *synthesis) curve(size units.Bytes) *claim.Curve {
	steps := len(s.bytes)
	c := &claim.Curve{Steps: steps}
	least := make([]float64, steps+1) // of the steps from each on, with one interval less
	for i := range least {
		least[i] = math.Inf(1)
	}
	least[steps] = 0
	for changes := -1; changes < steps-1; changes++ {
		next := make([]float64, steps+1)
		for from := range next {
			next[from] = math.Inf(1)
			for to := from + 1; to <= steps; to++ {
				next[from] = min(next[from], s.interval(from, to, size)+least[to])
			}
		}
		least = next
		c.Best = append(c.Best, staged.FrontierPoint{Communication: units.Time(least[0]), Reconfigurations: changes + 1})
	}
	for i := range steps {
		c.Static += units.Time(s.time(i, base, size, s.byHops))
		c.Every.Communication += units.Time(s.time(i, s.own[i], size, s.byHops))
		if i > 0 && s.own[i] != s.own[i-1] {
			c.Every.Reconfigurations++
		}
	}
	return c
}

// published returns the time of a schedule with some steps on the circuits of the first of them
// and all others on the base or, if own is empty, with every step on its own circuits.
func (s *synthesis) published(own []int, size units.Bytes, delay units.Duration, byHops bool) float64 {
	sum, up := 0.0, -1
	for i := range s.bytes {
		on := base
		switch {
		case len(own) == 0:
			on = s.own[i]
		case slices.Contains(own, i):
			on = s.own[own[0]]
		}
		if up >= 0 && on != up {
			sum += float64(delay.Time())
		}
		up = on
		sum += s.time(i, on, size, byHops)
	}
	return sum
}
