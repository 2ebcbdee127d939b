package flow

import "context"

// rootFlow is what bundles carry in a step with one root. If all of it is on shortest paths, a
// bundle has one number. Otherwise there are layers: the flow over a bundle as its first hop,
// as its second and so on, so that nothing makes more hops than there are layers. The layers of
// a bundle share its circuits.
type rootFlow struct {
	*oneRoot
	// layers is the most hops of the flow; 0: all flow is on shortest paths, so a bundle is passed
	// at the distance of its start.
	layers int
	on     []float64 // by layer and bundle
	room   []float64 // left on the circuits of a bundle
	got    []float64 // by hops and node: what arrives there after that many; nil without layers
	need   []float64 // by node: what has not arrived

	// State of the search for a path that sends more:
	from   []int32 // 1 + the previous state; 0: not reached
	via    []int32 // bundle between them, or its complement if its flow is taken back
	queue  []int32
	ends   []int32
	passed map[int32]float64 // how often a path uses each bundle
}

// mostLayered is the most bundles, over all layers, for which layers are used: each search may
// visit all of them.
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

// complete reports whether all is carried, up to rounding.
func (f *rootFlow) complete() bool {
	for _, v := range f.nodes {
		if f.need[v] > f.amount[v]*ShareTolerance/2 {
			return false
		}
	}
	return true
}

// layered converts a flow over shortest paths to one in layers.
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

// augment sends more along paths that may take flow back from where it is, as for a maximum
// flow (Edmonds and Karp 1972), until there is no such path. Because the layers of a bundle
// share its circuits, the result need not be the maximum. A state is a node after some hops or,
// after the last layer, the total of a node. Amounts are relative to the largest demand, and
// none below shareFloor are sent. A search takes O(layers x bundles), and finds paths to all
// nodes that need something: as many are used as the others leave room for.
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

// mostAugmented is the most searches per demand: mostly each adds at least a demand's worth.
const mostAugmented = 4

// search returns the states with a need that paths lead to.
func (f *rootFlow) search() []int32 {
	n := int32(f.g.Nodes())
	clear(f.from)
	f.ends = f.ends[:0]
	f.queue = append(f.queue[:0], f.root)
	f.from[f.root] = f.root + 1
	for head := 0; head < len(f.queue); head++ {
		at := f.queue[head]
		hops, u := at/n, at%n
		if int(hops) > f.layers { // the total of a node
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

// push sends as much as possible along the path to a state that was found, and reports whether
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

// way visits the hops of the path to a state, the last first.
func (f *rootFlow) way(end int32, visit func(before, at int32)) {
	for at := end; at != f.root; {
		before := f.from[at] - 1
		visit(before, at)
		at = before
	}
}

// largeLayered is the number of bundles, over all layers, from which on most of a flow is sent
// by blocking flows. Plain searches use their results for all nodes at once and leave much to
// later ones: tens of thousands of nodes took thousands of searches.
const largeLayered = 1 << 18

// blocking sends more as augment does, but with fewer searches.
type blocking struct {
	*rootFlow
	level []int32 // 1 + the distance of a state from the root; 0: not reached, or no longer useful
	arc   []int32 // first arc of a state that may still be useful
}

// block sends more until a search finds no path. A search computes how far states are. Then
// paths on which every hop leads farther are followed until none is left (Dinitz 1970). Few
// searches send nearly everything. As with augment, that need not be the maximum.
func (f *rootFlow) block(ctx context.Context) error {
	b := &blocking{rootFlow: f, level: make([]int32, len(f.from)), arc: make([]int32, len(f.from))}
	for range mostAugmented * len(f.nodes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.levels()
		sent, err := b.follow(ctx)
		if err != nil || !sent {
			return err
		}
	}
	return nil
}

// levels computes how far states are.
func (b *blocking) levels() {
	clear(b.level)
	clear(b.arc)
	b.level[b.root] = 1
	b.queue = append(b.queue[:0], b.root)
	for head := 0; head < len(b.queue); head++ {
		at := b.queue[head]
		if b.needs(at) {
			continue
		}
		for k := int32(0); ; k++ {
			next, _, more := b.along(at, k)
			if !more {
				break
			}
			if next >= 0 && b.level[next] == 0 {
				b.level[next] = b.level[at] + 1
				b.queue = append(b.queue, next)
			}
		}
	}
}

// needs reports whether a state is the total of a node that has not received all it needs.
func (b *blocking) needs(at int32) bool {
	n := int32(b.g.Nodes())
	u := at % n
	return int(at/n) > b.layers && b.need[u] > b.amount[u]*ShareTolerance/2
}

// along returns the state at the end of the given arc of a state, below 0 if the arc has no
// room, and the bundle between them, or its complement if flow is taken back. more is false
// after the last arc.
func (b *blocking) along(at, arc int32) (next, via int32, more bool) {
	n := int32(b.g.Nodes())
	hops, u := at/n, at%n
	if int(hops) > b.layers {
		if int(arc) >= b.layers {
			return -1, 0, false
		}
		if to := (arc+1)*n + u; b.got[to] > shareFloor {
			return to, 0, true
		}
		return -1, 0, true
	}
	if arc == 0 {
		if b.amount[u] > 0 {
			return int32(b.layers+1)*n + u, 0, true
		}
		return -1, 0, true
	}
	arc--
	if int(hops) < b.layers {
		to, _ := b.g.Row(int(u))
		if int(arc) < len(to) {
			bundle, v := int32(b.g.RowStart(int(u)))+arc, to[arc]
			if v != u && v != b.root && b.room[bundle] > shareFloor {
				return (hops+1)*n + v, bundle, true
			}
			return -1, 0, true
		}
		arc -= int32(len(to))
	}
	if i := b.in.start[u] + arc; hops > 0 && i < b.in.start[u+1] {
		if bundle := b.in.bundle[i]; b.on[int(hops-1)*b.g.Bundles()+int(bundle)] > shareFloor {
			return (hops-1)*n + b.in.from[i], ^bundle, true
		}
		return -1, 0, true
	}
	return -1, 0, false
}

// follow sends along paths on which every hop leads farther, until there are none, and reports
// whether it sent anything.
func (b *blocking) follow(ctx context.Context) (sent bool, err error) {
	at := b.root
	for ways := 0; ; {
		if b.needs(at) {
			if ways++; ways%1024 == 0 {
				if err := ctx.Err(); err != nil {
					return sent, err
				}
			}
			if b.push(at) {
				sent, at = true, b.root
				continue
			}
			// Layers share a bundle that is used twice.
			at = b.from[at] - 1
			b.arc[at]++
			continue
		}
		next, via, more := b.along(at, b.arc[at])
		switch {
		case next >= 0 && b.level[next] == b.level[at]+1:
			b.from[next], b.via[next] = at+1, via
			at = next
		case more:
			b.arc[at]++
		case at == b.root:
			return sent, nil
		default:
			b.level[at] = 0
			at = b.from[at] - 1
			b.arc[at]++
		}
	}
}
