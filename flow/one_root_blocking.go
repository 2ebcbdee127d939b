package flow

import "context"

// largeLayered is the number of bundles of all layers from which most of a flow is sent by blocking
// flows: searches that use what they find for all nodes at once leave much to later ones, and tens
// of thousands of nodes took thousands of searches.
const largeLayered = 1 << 18

// blocking sends more as augment does, with fewer searches.
type blocking struct {
	*rootFlow
	level []int32 // of a state: how far it is from the root, and 1; 0: not reached, or of no more use
	arc   []int32 // of a state: the first of its arcs that may be of use
}

// block sends more until no way is left that a search finds. A search tells how far states are, and
// then ways that lead farther with every hop are followed until none is left (Dinitz 1970). Nearly
// all is sent in few searches. As with augment, that need not be the most that there is.
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

// levels finds how far states are.
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

// needs reports whether a state is the total of a node that has not got all it needs.
func (b *blocking) needs(at int32) bool {
	n := int32(b.g.Nodes())
	u := at % n
	return int(at/n) > b.layers && b.need[u] > b.amount[u]*ShareTolerance/2
}

// along returns the state after another by its arc of a number, below 0 where that has no room, and
// the bundle between them, or its complement where its flow is taken back. More is false beyond the
// last arc.
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

// follow sends along ways that lead farther with every hop, until there are none, and reports
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
			// Layers share a bundle that is passed twice.
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
