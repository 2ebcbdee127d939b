package pricing

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/flow"
)

// A demand matrix with different amounts is divided into a hundred matchings or more, each a step
// with its own pairs. Bounding these one by one on circuits without symmetry takes, for every
// step, a search for every destination. Bounding all steps together takes one search from every
// node.

// fewTogether is the number of classes from which all are bounded together. For fewer classes,
// that takes about as long as bounding the first of them.
const fewTogether = 8

// mostTogether is the number of demands of all classes up to which they are bounded together.
const mostTogether = keptDemands

// sent is a demand of a node in a step of a class.
type sent struct {
	class, dst int32
	amount     float64
}

// senders lists what every node sends in all classes; nil if they are not bounded together.
func (w *Workload) senders() [][]sent {
	if w.sent.looked {
		return w.sent.by
	}
	w.sent.looked = true
	if len(w.Classes) < fewTogether {
		return nil
	}
	demands := 0
	for i := range w.Classes {
		demands += len(w.Classes[i].Demands)
		if !w.Classes[i].Step.Group.Trivial() || demands > mostTogether {
			return nil
		}
	}
	by := make([][]sent, w.Space.Nodes)
	for i := range w.Classes {
		for _, d := range w.Classes[i].Demands {
			by[d.Src] = append(by[d.Src], sent{int32(i), int32(d.Dst), d.Amount})
		}
	}
	w.sent.by = by
	return by
}

// LookTogether computes lower bounds for the steps of all classes on a candidate without
// symmetry, if there are many classes; LeastOn then uses them. A bound consists of the distance
// of the pair that is farthest apart, and all bytes times their distances, spread evenly over all
// circuits.
func (w *Workload) LookTogether(ctx context.Context, c *Candidate) error {
	if c.Jump.Count > 0 || c.Jumps != nil || c.Translate != nil || c.Own != nil || c.Next != nil || c.lows != nil || w.Circuits != nil {
		return nil
	}
	by := w.senders()
	if by == nil || c.floor() != nil {
		return nil
	}
	g := c.Topology()
	room := 0.0
	for e := range g.Edges() {
		if e.From != e.To {
			room += float64(e.Count)
		}
	}
	hops, work := make([]int32, len(w.Classes)), make([]float64, len(w.Classes))
	apart := make([]bool, len(w.Classes)) // some pair is not connected
	dist, queue := make([]int32, g.Nodes()), make([]int32, 0, g.Nodes())
	for u, list := range by {
		if len(list) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		g.Distances(u, dist, queue)
		for _, s := range list {
			far := dist[s.dst]
			apart[s.class] = apart[s.class] || far < 0
			hops[s.class] = max(hops[s.class], far)
			work[s.class] += s.amount * float64(far)
		}
	}
	c.lows = make([]float64, len(w.Classes))
	for i := range c.lows {
		if apart[i] {
			c.lows[i] = math.Inf(1)
			continue
		}
		load := flow.Load{Hops: int(hops[i])}
		if work[i] > 0 {
			load.Peak = work[i] / room
		}
		// Sums in another order differ by less than TieTolerance.
		c.lows[i] = w.price(load, &w.Classes[i]) * (1 - TieTolerance)
	}
	return nil
}
