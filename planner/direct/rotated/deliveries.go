package rotated

import (
	"iter"
	"slices"
)

// Delivery is what goes along one path in a step.
type Delivery struct {
	Path   []int32 // of nodes, from the sender to the receiver, which is below the width
	Shards []int   // in ascending order
}

// Deliveries yields what the nodes below the width receive in a step, counted from 0. All other
// nodes receive the same, moved by multiples of the width.
func (g *Gather) Deliveries(step int) iter.Seq[Delivery] {
	begin := 0
	if step > 0 {
		begin = g.Ends[step-1]
	}
	var later []late
	if g.later != nil {
		later = slices.Clone(g.later[step])
		slices.SortStableFunc(later, func(x, y late) int { return int(x.to - y.to) })
	}
	return func(yield func(Delivery) bool) {
		later := later
		for b := range g.Width {
			all := map[string]*Delivery{}
			var order []*Delivery
			var ports []byte
			add := func(v int32, hops int) {
				ports = ports[:0]
				u := int32(b)
				for range hops {
					_, by, from := g.last(u, v)
					ports = append(ports, by)
					u = from
				}
				known := all[string(ports)]
				if known == nil {
					known = &Delivery{Path: g.path(b, v, hops)}
					all[string(ports)] = known
					order = append(order, known)
				}
				known.Shards = append(known.Shards, int(v))
			}
			for t := begin + 1; t <= g.Ends[step]; t++ {
				for _, v := range g.at(b, t) {
					if g.stays(b, v) {
						add(v, t-begin)
					}
				}
			}
			for ; len(later) > 0 && later[0].to == int32(b); later = later[1:] {
				add(later[0].shard, 1)
			}
			for _, d := range order {
				slices.Sort(d.Shards)
				if !yield(*d) {
					return
				}
			}
		}
	}
}

// path returns the last hops of a shard on its way to a node below the width.
func (g *Gather) path(b int, v int32, hops int) []int32 {
	path := make([]int32, hops+1)
	u := int32(b)
	path[hops] = u
	for i := range slices.Backward(path[:hops]) {
		_, _, u = g.last(u, v)
		path[i] = u
	}
	return path
}
