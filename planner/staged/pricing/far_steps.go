package pricing

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
)

// fewFarSteps is the number of different steps from which on one search from every node bounds all
// of them (leastByDistance). With fewer steps, each may as well be priced.
const fewFarSteps = 8

// farDemand is what a node sends in a step of a class.
type farDemand struct {
	class, dst int32
	amount     float64
}

// bySource returns the demands of all classes by their source; nil if there are few classes, if
// one of them has a symmetry, which prices it from few nodes, or if their demands are not kept.
func (w *Workload) bySource() [][]farDemand {
	if w.sorted {
		return w.sources
	}
	w.sorted = true
	if len(w.Classes) < fewFarSteps || w.streams || w.Circuits != nil {
		return nil
	}
	for i := range w.Classes {
		if !w.Classes[i].Step.Group.Trivial() {
			return nil
		}
	}
	w.sources = make([][]farDemand, w.Space.Nodes)
	for i := range w.Classes {
		for _, d := range w.Classes[i].Demands {
			w.sources[d.Src] = append(w.sources[d.Src], farDemand{int32(i), int32(d.Dst), d.Amount})
		}
	}
	return w.sources
}

// searched reports whether the time of a step on a candidate takes a search for every destination,
// so that it pays to bound all classes at once.
func (w *Workload) searched(c *Candidate) bool {
	return c.Jump.Count == 0 && c.Next == nil && c.Own == nil && w.bySource() != nil && c.floor() == nil
}

// leastByDistance returns a lower bound in ns on a step of a class on a candidate: the hops of
// its farthest pair, and its bytes times their hops over all circuits. One search from every node
// gives the distances for all classes. A demand with different amounts that is divided into
// matchings has hundreds of steps, and the pool as many unions of matchings, nearly all of which
// are too slow.
func (w *Workload) leastByDistance(c *Candidate, index int) float64 {
	if c.lows == nil {
		c.lows = w.allByDistance(c)
	}
	return c.lows[index]
}

// allByDistance is leastByDistance for all classes.
func (w *Workload) allByDistance(c *Candidate) []float64 {
	g := c.Topology()
	room := 0.0
	for e := range g.Edges() {
		if e.From != e.To {
			room += float64(e.Count)
		}
	}
	loads := make([]flow.Load, len(w.Classes))
	apart := make([]bool, len(w.Classes)) // some pair is not connected
	dist, queue := make([]int32, g.Nodes()), make([]int32, g.Nodes())
	for u, demands := range w.bySource() {
		if len(demands) == 0 {
			continue
		}
		g.Distances(u, dist, queue)
		for _, d := range demands {
			hops := dist[d.dst]
			if hops < 0 {
				apart[d.class] = true
				continue
			}
			load := &loads[d.class]
			load.Hops = max(load.Hops, int(hops))
			load.Peak += d.amount * float64(hops) / room
		}
	}
	lows := make([]float64, len(w.Classes))
	for i, load := range loads {
		// Sums in another order differ by less than the tolerance.
		lows[i] = w.price(load, &w.Classes[i]) * (1 - TieTolerance)
		if apart[i] {
			lows[i] = math.Inf(1)
		}
	}
	return lows
}
