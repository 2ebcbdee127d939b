package pricing

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
)

// LeastStaying is what all steps take at least, in ns, on circuits that stay as they are, whatever
// these are: what they take at least each (leastFrom), and for hops beyond the first.
//
// A node of d ports has at most d nodes at distance 1, d^2 at distance 2, and so on: r_h within h
// hops (see bound.OfAlgorithm). A step takes at most h hops only if all to whom the node sends in
// it are among them. So the steps of at most h hops have together no more destinations, each
// counted once in every step, than the r_h that are in most steps have: there are at most as many
// such steps as of those with the fewest destinations fit. The others take a hop more for every
// h.
//
// Where all nodes do the same in every step, the circuits carry on average what a node sends to
// each destination as often as that is hops away, over d circuits. That is least where those are
// nearest to whom it sends most. It holds for every node, and so for the mean; hops and bytes are
// each as few as can be, so that both together take no less.
//
// Hops are the most of some nodes: one that sends in the step, for every class. Bruck's algorithm
// on 4096 GPUs of 6 ports has 10 steps, in eight of which a GPU sends to 6 others: on any circuits
// they take 17 hops, and the bytes an eighth longer than all ports take.
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

// mostSenders is how many nodes are looked at.
const mostSenders = 16

// someSenders returns nodes that send.
func (w *Workload) someSenders() (nodes []int) {
	for i := range w.Classes {
		if d := w.Classes[i].Demands; len(d) > 0 && len(nodes) < mostSenders && !slices.Contains(nodes, d[0].Src) {
			nodes = append(nodes, d[0].Src)
		}
	}
	return nodes
}

// from yields to whom a node sends in a step of a class, and how much.
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

// destinations returns to whom a node sends, for every step in which it does.
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

// extraHops is how many hops some steps together take beyond one each, at least, of a node that
// sends to some others in every step.
func extraHops(steps [][]int, ports int, duplex bool) int {
	times := map[int]int{} // in how many steps a destination is
	var sizes []int
	for _, to := range steps {
		sizes = append(sizes, len(to))
		for _, v := range to {
			times[v]++
		}
	}
	slices.Sort(sizes)
	often := slices.SortedFunc(maps.Values(times), func(a, b int) int { return cmp.Compare(b, a) })
	extra, room := 0, 0 // room: in how many steps those within h hops are together
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

// extraBytes is the least sum of bytes times the hops beyond the first of a node that sends so
// much to each of the others.
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
