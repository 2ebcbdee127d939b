package packet

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// passage is a connection from one bundle of the kernel to another at a node, used by routes.
// It has a pipe for each circuit of the first bundle.
type passage struct {
	from, to int32
	// rank orders the passages into one queue. It is the node at which the first bundle starts,
	// after the group has moved the node of the queue home, so that a tie has the same result in
	// every image.
	rank   int32
	outlet int32 // of the first pipe, or the code of the inbox
	first  int32 // rank of its first circuit among all that lead into the inbox
}

// makePipes connects the bundles that are consecutive on routes.
func (b *assembly) makePipes(smallest int64) error {
	k := b.k
	passages := b.findPassages()
	into := make([]int, len(k.bundles)) // pipes
	pipes := 0
	for i := range passages {
		width := k.bundles[passages[i].from].width()
		into[passages[i].to] += width
		pipes += width
	}
	if pipes > math.MaxInt32-len(k.bundles) {
		return fmt.Errorf("sim: more than %d pairs of circuits in a row", math.MaxInt32)
	}
	start, order := traffic.GroupBy(len(passages), len(k.bundles), func(i int) int { return int(passages[i].to) })
	b.makeInboxes(into)
	// Outlets are in the order of the bundles that write to them, so that those of one bundle are
	// close in memory.
	pipes = 0
	for i := range passages {
		if p := &passages[i]; k.bundles[p.to].inbox == nil {
			p.outlet = int32(pipes)
			pipes += k.bundles[p.from].width()
		}
	}
	k.outlets = make([]outlet, pipes)
	k.lookout = traffic.Longest
	for i := range k.bundles {
		k.bundles[i].firstInlet = int32(len(k.inlets))
		k.inlets = append(k.inlets, inlet{from: source})
		here := order[start[i]:start[i+1]]
		slices.SortFunc(here, func(p, q int32) int { return cmp.Compare(passages[p].rank, passages[q].rank) })
		for _, p := range here {
			b.join(&passages[p], smallest)
		}
		k.bundles[i].lastInlet = int32(len(k.inlets))
	}
	for i := range k.steps {
		if at := &k.steps[i]; at.outlet != traffic.Arrived {
			p := &passages[at.outlet]
			at.outlet, at.rank = p.outlet, p.first
		}
	}
	return nil
}

// makeInboxes gives every bundle with many pipes an inbox instead, and allocates the ends of
// all other pipes. All inboxes, with the first delivery of each, are in one array: there may be
// one per bundle, with little in each.
func (b *assembly) makeInboxes(into []int) {
	k := b.k
	boxes, feeders, inlets := 0, 0, len(into)
	isBox := func(pipes int) bool { return pipes > manyPipes || b.Pace }
	for _, pipes := range into {
		if isBox(pipes) {
			boxes++
			feeders += pipes
		} else {
			inlets += pipes
		}
	}
	k.inlets = make([]inlet, 0, inlets)
	box, feeder, room := make([]inbox, boxes), make([]feeder, feeders), make([]delivery, boxes*smallestInbox)
	for i, pipes := range into {
		if !isBox(pipes) {
			continue
		}
		box[0] = inbox{feeders: feeder[:0:pipes], nearest: traffic.Longest, waiting: room[:0:smallestInbox]}
		k.bundles[i].inbox = &box[0]
		box, feeder, room = box[1:], feeder[pipes:], room[smallestInbox:]
	}
}

// findPassages makes the steps, with the index of a passage in place of an outlet. Hops are in
// the order of their bundles, so what was found for one bundle need not be kept for the next.
func (b *assembly) findPassages() []passage {
	k := b.k
	symmetry := b.Group
	passages := make([]passage, 0, len(b.Hops))
	latest := make([]int32, len(k.bundles)) // the passage found last, by the bundle that it leads into
	for i := range latest {
		latest[i] = -1
	}
	k.steps = make([]step, len(b.Hops))
	for i, h := range b.Hops {
		k.steps[i] = step{outlet: traffic.Arrived, next: h.Next}
		if h.Next == traffic.Arrived {
			continue
		}
		from, to := b.Class[h.Bundle], b.Class[b.Hops[h.Next].Bundle]
		p := latest[to]
		if p < 0 || passages[p].from != from {
			p = int32(len(passages))
			latest[to] = p
			e, _ := symmetry.Locate(int(b.To[h.Bundle]))
			rank := int32(symmetry.Back(e, int(b.From[h.Bundle])))
			passages = append(passages, passage{from: from, to: to, rank: rank})
		}
		k.steps[i].outlet = p
	}
	return passages
}

// join makes the pipes of a passage.
func (b *assembly) join(p *passage, smallest int64) {
	k := b.k
	from, to := &k.bundles[p.from], &k.bundles[p.to]
	shortest, _ := traffic.Transmit(smallest, from.bps)
	lag, least := from.delay+from.tx, from.delay+shortest
	if to.cut {
		// The bits must not run out on a faster circuit.
		lag, least = from.delay+max(0, from.tx-to.tx), from.delay
	}
	k.lookout = min(k.lookout, least)
	if box := to.inbox; box != nil {
		p.outlet, p.first = toInbox(p.to), int32(len(box.feeders))+1
		box.nearest = min(box.nearest, least)
		for range from.width() {
			box.feeders = append(box.feeders, feeder{p.from, least})
		}
		return
	}
	for i := range from.width() {
		out := &k.outlets[int(p.outlet)+i]
		*out = outlet{inlet: int32(len(k.inlets)), bundle: p.to, ring: int32(len(k.rings)), lag: lag}
		k.rings = append(k.rings, ring{})
		k.inlets = append(k.inlets, inlet{from: p.from, lag: least})
	}
}

// lagTo returns the time from the start of a train's packet, which takes tx on bundle b, to its
// arrival in the queue of bundle to.
func (k *Kernel) lagTo(to, b int32, r *train, tx int64) int64 {
	lag := k.bundles[b].delay
	switch {
	case !k.bundles[to].cut:
		return lag + tx
	case k.alike:
		return lag
	}
	next, _ := k.txOf(&k.bundles[to], r)
	return lag + max(0, tx-next)
}
