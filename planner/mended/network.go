package mended

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/heap"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// network is everything that is up in a stage: the remaining circuits, fixed links and islands.
// Its hops are those of package plan (plan.TierOf).
type network struct {
	hops [][]hop // by source GPU, in the order of the target GPUs
	each []units.Time
	// load is how long each resource is busy so far. peak is the longest such time, or a time up
	// to which a resource may be busy at no cost.
	load []units.Time
	peak units.Time

	// state of a search for a path
	reached []reached
	round   int
	queue   *heap.Heap[at] // of the GPUs that a search has found, the nearest first
}

// hop leads from one GPU to another. It is a circuit or a link, which is one resource, or goes
// through the island of both GPUs, which takes two resources: what the source sends and what the
// target receives. Each resource takes some time for a byte.
type hop struct {
	to    int32
	first int32
	other int32 // -1: none
	delay units.Time
}

// newNetwork returns the network of the given circuits and everything else that is up.
func newNetwork(f *fabric.Fabric, g *topology.Graph) *network {
	n := &network{hops: make([][]hop, f.Nodes), reached: make([]reached, f.Nodes), queue: heap.New((*at).before)}
	add := func(each units.Time) int32 {
		n.each = append(n.each, each)
		return int32(len(n.each) - 1)
	}
	join := func(u, v int, each units.Time, delay units.Duration) {
		n.hops[u] = append(n.hops[u], hop{int32(v), add(each), -1, delay.Time()})
	}
	for e := range g.Edges() {
		if e.From != e.To {
			join(e.From, e.To, f.Bandwidth.Transmit(1)/units.Time(e.Count), f.Delta)
		}
	}
	if links := f.FixedGraph(); links != nil {
		for e := range links.Edges() {
			if g.Count(e.From, e.To) == 0 && f.OverFixed(e.From, e.To) > 0 {
				join(e.From, e.To, f.FixedBandwidth().Transmit(1)/units.Time(e.Count), f.FixedDelta())
			}
		}
	}
	if size := f.Island.Size; size > 0 {
		each, delay := f.Island.Bandwidth.Transmit(1), f.IslandDelta().Time()
		enter, leave := int32(len(n.each)), int32(len(n.each)+f.Nodes)
		for range 2 * f.Nodes {
			add(each)
		}
		for u := range f.Nodes {
			for v := u - u%size; v < u-u%size+size; v++ {
				if u != v && plan.Electrical(f, g, u, v) {
					n.hops[u] = append(n.hops[u], hop{int32(v), enter + int32(u), leave + int32(v), delay})
				}
			}
		}
	}
	for u := range n.hops {
		slices.SortFunc(n.hops[u], func(a, b hop) int { return cmp.Compare(a.to, b.to) })
	}
	n.load = make([]units.Time, len(n.each))
	return n
}

// find returns the hop from a GPU to another, or nil.
func (n *network) find(u, v int32) *hop {
	i, ok := slices.BinarySearchFunc(n.hops[u], v, func(h hop, v int32) int { return cmp.Compare(h.to, v) })
	if !ok {
		return nil
	}
	return &n.hops[u][i]
}

// follows reports whether the network has all hops of a route.
func (n *network) follows(path []int32) bool {
	for i := 1; i < len(path); i++ {
		if n.find(path[i-1], path[i]) == nil {
			return false
		}
	}
	return len(path) > 1
}

// carry adds bytes to every hop of a path and of its images.
func (n *network) carry(path []int32, bytes float64, group topology.Translations) {
	for k := range group.Order() {
		for i := 1; i < len(path); i++ {
			h := n.find(int32(group.Apply(k, int(path[i-1]))), int32(group.Apply(k, int(path[i]))))
			for _, r := range [...]int32{h.first, h.other} {
				if r >= 0 {
					n.load[r] += n.each[r] * units.Time(bytes)
					n.peak = max(n.peak, n.load[r])
				}
			}
		}
	}
}

// takes returns how long a step takes: the delay of its longest route plus the time of the
// busiest resource.
func (n *network) takes(base []plan.Transfer) units.Time {
	longest := units.Time(0)
	for i := range base {
		for _, route := range base[i].Routes {
			delay := units.Time(0)
			for k := 1; k < len(route.Path); k++ {
				delay += n.find(route.Path[k-1], route.Path[k]).delay
			}
			longest = max(longest, delay)
		}
	}
	return longest + slices.Max(n.load)
}

// clear removes all load.
func (n *network) clear() {
	clear(n.load)
	n.peak = 0
}

// reached is what a search knows of a GPU.
type reached struct {
	round int // of the search; older entries are stale
	done  bool
	cost  units.Time
	from  int32
}

// at is a GPU that a search has found.
type at struct {
	cost units.Time
	gpu  int32
}

func (a *at) before(b *at) bool { return a.cost < b.cost || a.cost == b.cost && a.gpu < b.gpu }

// settling is the cost of a hop besides its delay, as a fraction of the time that it is busy: of
// equally long paths, one over idle hops is better.
const settling = 1.0 / 1024

// path returns the path on which some bytes prolong the step least. The cost of a hop is its
// delay plus the time that it is busy beyond the peak. path returns nil if there is none.
func (n *network) path(src, dst int32, bytes float64) []int32 {
	n.round++
	n.queue.Clear()
	n.queue.Push(at{0, src})
	n.reached[src] = reached{round: n.round, from: -1}
	for n.queue.Len() > 0 {
		now := n.queue.Pop()
		if now.gpu == dst {
			break
		}
		if n.reached[now.gpu].done {
			continue
		}
		n.reached[now.gpu].done = true
		for _, h := range n.hops[now.gpu] {
			r := &n.reached[h.to]
			if r.round == n.round && r.done {
				continue
			}
			cost := now.cost + h.delay + n.prolongs(h.first, bytes) + n.prolongs(h.other, bytes)
			if r.round < n.round || cost < r.cost {
				*r = reached{round: n.round, cost: cost, from: now.gpu}
				n.queue.Push(at{cost, h.to})
			}
		}
	}
	if n.reached[dst].round < n.round {
		return nil
	}
	var path []int32
	for v := dst; v >= 0; v = n.reached[v].from {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}

// prolongs returns how long beyond the peak a resource is busy with more bytes.
func (n *network) prolongs(r int32, bytes float64) units.Time {
	if r < 0 {
		return 0
	}
	busy := n.load[r] + n.each[r]*units.Time(bytes)
	return max(0, busy-n.peak) + busy*settling
}

// mostParts is the largest number of parts into which a transfer is divided, each with its own
// route.
const mostParts = 8

// routes returns routes for some bytes and adds the bytes to their hops.
func (n *network) routes(src, dst int, bytes float64, parts int, group topology.Translations) []flow.Route {
	var all []flow.Route
	for range parts {
		path := n.path(int32(src), int32(dst), bytes/float64(parts))
		if path == nil {
			return nil
		}
		n.carry(path, bytes/float64(parts), group)
		i := slices.IndexFunc(all, func(r flow.Route) bool { return slices.Equal(r.Path, path) })
		if i < 0 {
			i, all = len(all), append(all, flow.Route{Path: path})
		}
		all[i].Share += 1 / float64(parts)
	}
	return all
}
