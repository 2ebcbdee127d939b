package flow

import "context"

// rootFlow is what the bundles carry of a step with one root. Where all of it is on shortest
// paths a bundle has one number. Else there are layers: what passes a bundle as its first hop,
// as its second and so on, so that nothing makes more hops than there are layers. The layers of
// a bundle share its circuits.
type rootFlow struct {
	*oneRoot
	// layers is how many hops it makes at most; 0: a bundle is passed as far from the root as
	// it begins.
	layers int
	on     []float64 // by layer and bundle
	room   []float64 // that circuits of a bundle have left
	got    []float64 // by hops and node: what arrives there after so many; nil without layers
	need   []float64 // by node: what does not

	// Of the search for a way to send more.
	from   []int32 // state before a state, and 1; 0: not reached
	via    []int32 // bundle between them, or its complement where its flow is taken back
	queue  []int32
	ends   []int32
	passed map[int32]float64 // bundles on a way, and how often
}

// mostLayered is the number of bundles of all layers up to which layers are looked at: each
// search may go through all of them.
const mostLayered = 1 << 22

func newRootFlow(r *oneRoot, peak float64) *rootFlow {
	f := &rootFlow{oneRoot: r, need: make([]float64, len(r.amount)),
		on: make([]float64, r.g.Bundles()), room: make([]float64, r.g.Bundles())}
	for u := range r.g.Nodes() {
		_, count := r.g.Row(u)
		for i, c := range count {
			f.room[r.g.RowStart(u)+i] = peak * float64(c)
		}
	}
	return f
}

// complete reports whether all is carried, except for rounding.
func (f *rootFlow) complete() bool {
	for _, v := range f.nodes {
		if f.need[v] > f.amount[v]*ShareTolerance/2 {
			return false
		}
	}
	return true
}

// layered is a flow over shortest paths, in so many layers.
func (f *rootFlow) layered(layers int) *rootFlow {
	n, bundles := f.g.Nodes(), f.g.Bundles()
	l := &rootFlow{oneRoot: f.oneRoot, layers: layers, room: f.room, need: f.need,
		on: make([]float64, layers*bundles), got: make([]float64, (layers+1)*n),
		from: make([]int32, (layers+2)*n), via: make([]int32, (layers+2)*n), passed: map[int32]float64{}}
	for u := range n {
		if f.dist[u] < 0 || int(f.dist[u]) >= layers {
			continue
		}
		first, end := f.g.RowStart(u), f.g.RowStart(u+1)
		copy(l.on[int(f.dist[u])*bundles+first:], f.on[first:end])
	}
	for _, v := range f.nodes {
		l.got[int(f.dist[v])*n+int(v)] = f.amount[v] - f.need[v]
	}
	return l
}

// augment sends more along ways that may take flow back from where it is, as for a maximum flow
// (Edmonds and Karp 1972), until there is no such way. As the layers of a bundle share its
// circuits, what is then carried need not be the most that there is. States are a node after some
// hops, and beyond those, what a node has got in total. Amounts are of the largest demand, and
// none below shareFloor are sent. A search takes O(layers x bundles), and finds ways to all nodes
// that need something: as many are used as the others leave room for.
func (f *rootFlow) augment(ctx context.Context) error {
	for range mostAugmented * len(f.nodes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		sent := false
		for _, end := range f.search() {
			sent = f.push(end) || sent
		}
		if !sent {
			return nil
		}
	}
	return nil
}

// mostAugmented is how many searches there are at most, for every demand: each adds a demand's
// worth or more, mostly.
const mostAugmented = 4

// search returns the states in which something is needed that ways lead to.
func (f *rootFlow) search() []int32 {
	n := int32(f.g.Nodes())
	clear(f.from)
	f.ends = f.ends[:0]
	f.queue = append(f.queue[:0], f.root)
	f.from[f.root] = f.root + 1
	for head := 0; head < len(f.queue); head++ {
		at := f.queue[head]
		hops, u := at/n, at%n
		if int(hops) > f.layers { // what the node has got in total
			if f.need[u] > f.amount[u]*ShareTolerance/2 {
				f.ends = append(f.ends, at)
				continue
			}
			for h := int32(1); int(h) <= f.layers; h++ {
				if f.got[h*n+u] > shareFloor {
					f.reach(at, h*n+u, 0)
				}
			}
			continue
		}
		if f.amount[u] > 0 {
			f.reach(at, int32(f.layers+1)*n+u, 0)
		}
		if int(hops) < f.layers {
			to, _ := f.g.Row(int(u))
			first := int32(f.g.RowStart(int(u)))
			for i, v := range to {
				if v != u && v != f.root && f.room[first+int32(i)] > shareFloor {
					f.reach(at, (hops+1)*n+v, first+int32(i))
				}
			}
		}
		if hops > 0 {
			on := f.on[int(hops-1)*f.g.Bundles():]
			for i := f.in.start[u]; i < f.in.start[u+1]; i++ {
				if b := f.in.bundle[i]; on[b] > shareFloor {
					f.reach(at, (hops-1)*n+f.in.from[i], ^b)
				}
			}
		}
	}
	return f.ends
}

func (f *rootFlow) reach(at, next, via int32) {
	if f.from[next] == 0 {
		f.from[next], f.via[next] = at+1, via
		f.queue = append(f.queue, next)
	}
}

// push sends as much as possible along the way to a state that was found, and reports whether
// that is anything.
func (f *rootFlow) push(end int32) bool {
	n := int32(f.g.Nodes())
	total := int32(f.layers+1) * n
	amount := f.need[end%n]
	clear(f.passed)
	f.way(end, func(before, at int32) {
		switch via := f.via[at]; {
		case before >= total:
			amount = min(amount, f.got[at])
		case at >= total:
		case via >= 0:
			f.passed[via]++
		default:
			amount = min(amount, f.on[at/n*int32(f.g.Bundles())+^via])
		}
	})
	for b, times := range f.passed {
		amount = min(amount, f.room[b]/times)
	}
	if amount <= shareFloor {
		return false
	}
	f.need[end%n] -= amount
	f.way(end, func(before, at int32) {
		switch via := f.via[at]; {
		case before >= total:
			f.got[at] -= amount
		case at >= total:
			f.got[before] += amount
		case via >= 0:
			f.on[before/n*int32(f.g.Bundles())+via] += amount
			f.room[via] -= amount
		default:
			f.on[at/n*int32(f.g.Bundles())+^via] -= amount
			f.room[^via] += amount
		}
	})
	return true
}

// way visits the hops of the way to a state, the last first.
func (f *rootFlow) way(end int32, visit func(before, at int32)) {
	for at := end; at != f.root; {
		before := f.from[at] - 1
		visit(before, at)
		at = before
	}
}
