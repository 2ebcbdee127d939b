package pricing

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
)

// LeastStaying returns a lower bound in ns on the time of all steps on any circuits that never
// change: the sum of the steps' own bounds (least, from LeastFrom) plus the time of hops beyond
// the first.
//
// A node with d ports has at most d nodes at distance 1, d^2 at distance 2, and so on: r_h nodes
// within h hops (see bound.OfAlgorithm). A step takes at most h hops only if all destinations of
// the node are among them. Count a destination once for every step that has it. The steps of at
// most h hops then have no more destinations in total than the r_h most frequent destinations
// have. So there are at most as many such steps as fit into this total, those with the fewest
// destinations first. For every h, each of the other steps takes one more hop.
//
// If all nodes do the same in every step, a circuit carries on average what a node sends to each
// destination, times the hops to it, divided by d. This is least if the destinations that get
// most are nearest. It holds for every node and hence for the mean. The hops and the bytes are
// each bounded from below, so the sum of both is a lower bound.
//
// The hops are the maximum over some nodes: one sender of every class. For example, Bruck's
// algorithm on 4096 GPUs with 6 ports has 10 steps; in eight of them a GPU sends to 6 others. On
// any circuits that stay, the steps take 17 hops, and the bytes take an eighth longer than over
// all ports directly.
func (w *Workload) LeastStaying(least float64) float64 {
	f := w.Fabric.Ideal()
	hops := 0
	for _, u := range w.someSenders() {
		hops = max(hops, extraHops(w.destinations(u), f.Ports, f.Duplex))
	}
	least += float64(f.Delta.Time()) * float64(hops)
	if !f.CapTheta && !slices.ContainsFunc(w.Classes, func(c Class) bool { return c.Step.Group.Order() != w.Space.Nodes }) {
		least += float64(f.Bandwidth.Transmit(extraBytes(w.bytesTo(0), f.Ports, f.Duplex) / float64(f.Ports)))
	}
	return least
}

// mostSenders is the largest number of nodes that LeastStaying examines.
const mostSenders = 16

// someSenders returns some nodes that send, at most one for every class.
func (w *Workload) someSenders() (nodes []int) {
	for i := range w.Classes {
		if d := w.Classes[i].Demands; len(d) > 0 && len(nodes) < mostSenders && !slices.Contains(nodes, d[0].Src) {
			nodes = append(nodes, d[0].Src)
		}
	}
	return nodes
}

// from yields the destinations of a node in a step of a class, and the bytes for each.
func (c *Class) from(u int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		group := c.Step.Group
		to, home := group.Locate(u)
		for _, d := range c.Demands {
			if k, start := group.Locate(d.Src); start == home && !yield(group.Apply(to, group.Back(k, d.Dst)), d.Amount) {
				return
			}
		}
	}
}

// destinations returns the destinations of a node, for every step in which it sends.
func (w *Workload) destinations(u int) [][]int {
	byClass := make([][]int, len(w.Classes))
	for i := range w.Classes {
		for v := range w.Classes[i].from(u) {
			byClass[i] = append(byClass[i], v)
		}
		slices.Sort(byClass[i])
		byClass[i] = slices.Compact(byClass[i])
	}
	var all [][]int
	for _, class := range w.ClassOf {
		if len(byClass[class]) > 0 {
			all = append(all, byClass[class])
		}
	}
	return all
}

// bytesTo returns what a node sends to each of the others in all steps.
func (w *Workload) bytesTo(u int) []float64 {
	bytes := make([]float64, w.Space.Nodes)
	for _, i := range w.ClassOf {
		for v, amount := range w.Classes[i].from(u) {
			bytes[v] += amount
		}
	}
	return bytes
}

// nearest yields the distances h = 1, 2, .. and how many nodes can be at each.
func nearest(ports int, duplex bool) iter.Seq2[int, int] {
	grow := ports
	if duplex {
		grow-- // a two-way circuit also leads back
	}
	return func(yield func(int, int) bool) {
		for h, level := 1, ports; level > 0 && yield(h, level); h++ {
			level = min(level*grow, fabric.MaxNodes)
		}
	}
}

// extraHops returns a lower bound on the hops beyond one each that steps take together, from the
// destinations of one node in every step.
func extraHops(steps [][]int, ports int, duplex bool) int {
	times := map[int]int{} // the number of steps that have a destination
	var sizes []int
	for _, to := range steps {
		sizes = append(sizes, len(to))
		for _, v := range to {
			times[v]++
		}
	}
	slices.Sort(sizes)
	often := slices.SortedFunc(maps.Values(times), func(a, b int) int { return cmp.Compare(b, a) })
	extra, room := 0, 0 // room: occurrences of the destinations within h hops, over all steps
	for _, level := range nearest(ports, duplex) {
		if len(often) == 0 {
			break
		}
		for ; level > 0 && len(often) > 0; level-- {
			room, often = room+often[0], often[1:]
		}
		fit, left := 0, room
		for fit < len(sizes) && sizes[fit] <= left {
			left -= sizes[fit]
			fit++
		}
		extra += len(sizes) - fit
	}
	return extra
}

// extraBytes returns the least sum of bytes times hops beyond the first, for a node that sends
// the given bytes to each of the others.
func extraBytes(bytes []float64, ports int, duplex bool) float64 {
	heaviest := slices.SortedFunc(slices.Values(bytes), func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for h, level := range nearest(ports, duplex) {
		for ; level > 0 && len(heaviest) > 0; level-- {
			sum += heaviest[0] * float64(h-1)
			heaviest = heaviest[1:]
		}
		if len(heaviest) == 0 {
			break
		}
	}
	return sum
}
