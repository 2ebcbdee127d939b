package network

import (
	"math"
	"slices"
)

// spreadRounds is how often the routes of every source are laid; the peak hardly falls after
// that. spreadParts is the number of parts that the data of a pair is cut into; they may take
// different routes.
const (
	spreadRounds = 8
	spreadParts  = 8
)

// maxSpread bounds the points of networks whose routes are laid repeatedly.
const maxSpread = 160

// spreads reports whether the routes of a step are laid repeatedly and not just once: if one step
// covers all distances.
func (n *Network) spreads(t Towards) bool {
	return t.Low == 0 && t.High == n.Diameter && n.Points <= maxSpread
}

// spread finds routes from every source to every point, all in one step, of at most as many hops
// as the diameter. Networks without symmetry have few shortest paths, which load some links far
// more than others. Longer paths within the diameter even that out and cost nothing else. Source
// by source, the routes are taken up and laid again where they cost least, a link costing a power
// of its load. The round with the smallest peak is kept.
//
// A round takes O(points * hops * links). The routes of a part of a source's data are kept as the
// layers of the search for them. The load of the links is counted from the farthest layer back,
// so only the routes of the round that is kept are written out.
func (n *Network) spread(keep bool, stopped func() bool) (Tally, []Way) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.spreading == nil {
		n.spreading = n.findSpread(stopped)
	}
	t := Tally{Hops: n.Diameter, Pair: 1}
	if n.spreading == nil {
		return t, nil
	}
	t.Peak = n.spreading.peak
	if !keep && !n.Dilates {
		return t, nil
	}
	var ways []Way
	for source, paths := range n.spreading.bundled() {
		for _, path := range paths {
			delay := 0.0
			for h := 1; h < len(path.path); h++ {
				delay += path.share / n.Width[n.class(path.path[h-1], path.path[h])]
			}
			t.Dilation = max(t.Dilation, delay)
			if keep {
				ways = append(ways, Way{Source: source, Path: path.path, Share: path.share})
			}
		}
	}
	return t, ways
}

// class returns the class of the link between two points.
func (n *Network) class(u, v int32) int32 {
	for _, a := range n.Out[u] {
		if a.Node == v {
			return a.Class
		}
	}
	return -1
}

// dear returns the cost of a link with a given load. It is a power of the load, high enough that
// the busiest links are avoided, and low enough that many slightly busy links are not preferred.
func dear(load float64) float64 {
	square := load * load
	return square * square * square
}

// shared is a route that carries a share of the data of a pair.
type shared struct {
	path  []int32
	share float64
}

// spreading is the round that is kept.
type spreading struct {
	*spreader
	paths []layers // by source and part
	peak  float64  // of the busiest link
}

// findSpread lays the routes and returns the round to keep; nil once it is stopped.
func (n *Network) findSpread(stopped func() bool) *spreading {
	p := n.Points
	f := newSpreader(n)
	paths := make([]layers, p*spreadParts) // by source and part
	const amount = 1.0 / spreadParts
	best := &spreading{spreader: f, peak: math.Inf(1)}
	for range spreadRounds {
		for i := range paths {
			if stopped() {
				return nil
			}
			// Part by part, and within each part source by source.
			source := i % p
			at := source*spreadParts + i/p
			var room layers // memory that nobody needs any more
			if old := paths[at]; old != nil {
				f.add(old, source, -amount)
				if &best.paths[at][0] != &old[0] {
					room = old
				}
			}
			paths[at] = f.layFrom(source, room)
			f.add(paths[at], source, amount)
		}
		peak := 0.0
		for c, l := range f.load {
			peak = max(peak, l/n.Width[c])
		}
		if peak < best.peak {
			best.peak, best.paths = peak, slices.Clone(paths)
		}
	}
	return best
}

// layers hold the cheapest routes from a source with at most h hops, for every h. Entry [h][v] is
// the link over which the route to v arrives, -1 if the route is no cheaper than with a hop less.
type layers [][]int32

// spreader lays routes. It has the links in the order of the points that they leave, and their
// load by class.
type spreader struct {
	*Network
	first    []int32 // links of point u: first[u] to first[u+1]
	from, to []int32
	class    []int32
	load     []float64
	price    []float64
	cost     []float64 // of the routes to points, so far
	before   []float64 // with a hop less
	count    []float64 // data that passes through a point of a layer
	nearer   []float64 // the same for the layer before
}

func newSpreader(n *Network) *spreader {
	p := n.Points
	f := &spreader{
		Network: n, first: make([]int32, p+1), load: make([]float64, len(n.Width)), price: make([]float64, len(n.Width)),
		cost: make([]float64, p), before: make([]float64, p), count: make([]float64, p), nearer: make([]float64, p),
	}
	for u, arcs := range n.Out {
		for _, a := range arcs {
			f.from, f.to, f.class = append(f.from, int32(u)), append(f.to, a.Node), append(f.class, a.Class)
		}
		f.first[u+1] = int32(len(f.to))
	}
	for c := range f.price {
		f.change(int32(c), 0)
	}
	return f
}

// change adds to the load of a link and updates its price: the cost of the next route over it.
func (f *spreader) change(class int32, by float64) {
	f.load[class] += by
	f.price[class] = dear((f.load[class] + 1.0/spreadParts) / f.Width[class])
}

// add adds the load of a source that sends the given amount to every point along its layers.
func (f *spreader) add(l layers, source int, amount float64) {
	for v := range f.count {
		f.count[v] = amount
	}
	f.count[source] = 0
	for h := len(l) - 1; h > 0; h-- {
		clear(f.nearer)
		for v, arc := range l[h] {
			if f.count[v] == 0 {
				continue
			}
			if arc < 0 {
				f.nearer[v] += f.count[v]
				continue
			}
			f.change(f.class[arc], f.count[v])
			f.nearer[f.from[arc]] += f.count[v]
		}
		f.count, f.nearer = f.nearer, f.count
	}
}

// layFrom finds the cheapest routes from a source and writes them to room, or to new memory if
// that is nil. In a layer, only points whose route is new extend it: the others did so with fewer
// hops.
func (f *spreader) layFrom(source int, room layers) layers {
	for v := range f.cost {
		f.cost[v] = math.Inf(1)
	}
	f.cost[source] = 0
	made := room
	if made == nil {
		made = make(layers, f.Diameter+1)
		all := make([]int32, f.Diameter*f.Points)
		for h := 1; h <= f.Diameter; h++ {
			made[h] = all[(h-1)*f.Points : h*f.Points]
		}
	}
	for h := 1; h <= f.Diameter; h++ {
		layer := made[h]
		for v := range layer {
			layer[v] = -1
		}
		copy(f.before, f.cost)
		for u, so := range f.before {
			if h == 1 && u != source || h > 1 && made[h-1][u] < 0 {
				continue
			}
			for arc := f.first[u]; arc < f.first[u+1]; arc++ {
				v := f.to[arc]
				if c := so + f.price[f.class[arc]]; c < f.cost[v] {
					f.cost[v], layer[v] = c, arc
				}
			}
		}
	}
	return made
}

// trace returns the path to a point.
func (f *spreader) trace(l layers, source, v int) []int32 {
	at := int32(v)
	path := []int32{at}
	for h := len(l) - 1; at != int32(source); h-- {
		if arc := l[h][at]; arc >= 0 {
			at = f.from[arc]
			path = append(path, at)
		}
	}
	slices.Reverse(path)
	return path
}

// bundled returns the routes by source. Parts of a pair that take the same route are joined.
func (f *spreading) bundled() [][]shared {
	all := make([][]shared, f.Points)
	for source := range all {
		parts := f.paths[source*spreadParts : (source+1)*spreadParts]
		for t := range f.Points {
			if t == source {
				continue
			}
			first := len(all[source])
			for _, l := range parts {
				path := f.trace(l, source, t)
				i := slices.IndexFunc(all[source][first:], func(s shared) bool { return slices.Equal(s.path, path) })
				if i < 0 {
					i = len(all[source]) - first
					all[source] = append(all[source], shared{path: path})
				}
				all[source][first+i].share += 1.0 / spreadParts
			}
		}
	}
	return all
}
