package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// passage is a way through a node that routes take, between two bundles of the
// kernel. It has a pipe for each circuit of the first.
type passage struct {
	from, to int32
	// rank orders the passages into one queue: it is the node at which the first
	// bundle starts, when the group has moved the node of the queue home. So a tie
	// falls the same way in every image.
	rank   int32
	outlet int32 // of the first pipe
}

// makePipes joins the bundles that follow each other on routes.
func (b *builder) makePipes(smallest int64) error {
	k := b.k
	passages := b.findPassages()
	pipes := 0
	for i := range passages {
		pipes += k.bundles[passages[i].from].width()
	}
	if pipes > math.MaxInt32-len(k.bundles) {
		return fmt.Errorf("sim: more than %d pairs of circuits in a row", math.MaxInt32)
	}
	start, order := group(len(passages), len(k.bundles), func(i int) int { return int(passages[i].to) })
	// Outlets are in the order of the bundles that write to them: what one looks up is in one place.
	k.outlets = make([]outlet, pipes)
	into := make([]int32, len(k.bundles))
	pipes = 0
	for i := range passages {
		p := &passages[i]
		p.outlet = int32(pipes)
		width := k.bundles[p.from].width()
		into[p.to] += int32(width)
		pipes += width
	}
	b.makeInboxes(into)
	k.lookout = longest
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
		if at := &k.steps[i]; at.outlet != arrived {
			at.outlet = passages[at.outlet].outlet
		}
	}
	return nil
}

// makeInboxes gives every bundle that many pipes lead into an inbox in their place, and makes
// room for the ends of all others. All inboxes, and the first that waits in each, are in one
// place: there are as many as bundles, and little at a time is in any of them.
func (b *builder) makeInboxes(into []int32) {
	k := b.k
	boxes, feeders, inlets := 0, 0, len(into)
	isBox := func(pipes int32) bool { return pipes > manyPipes || b.phase.Pace }
	for _, pipes := range into {
		if isBox(pipes) {
			boxes++
			feeders += int(pipes)
		} else {
			inlets += int(pipes)
		}
	}
	k.inlets = make([]inlet, 0, inlets)
	box, feeder, room := make([]inbox, boxes), make([]feeder, feeders), make([]delivery, boxes*smallestInbox)
	for i, pipes := range into {
		if !isBox(pipes) {
			continue
		}
		box[0] = inbox{feeders: feeder[:0:pipes], nearest: longest, waiting: room[:0:smallestInbox]}
		k.bundles[i].inbox = &box[0]
		box, feeder, room = box[1:], feeder[pipes:], room[smallestInbox:]
	}
}

// findPassages makes the steps, with the index of a passage in place of an outlet. Hops
// are in the order of their bundles, so what was found for one need not be kept for the
// next.
func (b *builder) findPassages() []passage {
	k := b.k
	symmetry := b.phase.Group
	passages := make([]passage, 0, len(b.hops))
	latest := make([]int32, len(k.bundles)) // passage into a bundle that was found last
	for i := range latest {
		latest[i] = -1
	}
	k.steps = make([]step, len(b.hops))
	for i, h := range b.hops {
		k.steps[i] = step{outlet: arrived, next: h.next}
		if h.next == arrived {
			continue
		}
		from, to := b.class[h.bundle], b.class[b.hops[h.next].bundle]
		p := latest[to]
		if p < 0 || passages[p].from != from {
			p = int32(len(passages))
			latest[to] = p
			e, _ := symmetry.Locate(int(b.to[h.bundle]))
			rank := int32(symmetry.Back(e, int(b.from[h.bundle])))
			passages = append(passages, passage{from: from, to: to, rank: rank})
		}
		k.steps[i].outlet = p
	}
	return passages
}

// join adds the pipes of a passage.
func (b *builder) join(p *passage, smallest int64) {
	k := b.k
	from, to := &k.bundles[p.from], &k.bundles[p.to]
	shortest, _ := transmit(smallest, from.bps)
	lag, least := from.delay+from.tx, from.delay+shortest
	if k.cut {
		// Bits must not run out on a faster circuit.
		lag, least = from.delay+max(0, from.tx-to.tx), from.delay
	}
	k.lookout = min(k.lookout, least)
	for i := range from.width() {
		out := &k.outlets[int(p.outlet)+i]
		if box := to.inbox; box != nil {
			box.feeders = append(box.feeders, feeder{p.from, least})
			box.nearest = min(box.nearest, least)
			*out = outlet{inlet: int32(len(box.feeders)), bundle: p.to, ring: boxed, lag: lag}
			continue
		}
		*out = outlet{inlet: int32(len(k.inlets)), bundle: p.to, ring: int32(len(k.rings)), lag: lag}
		k.rings = append(k.rings, ring{})
		k.inlets = append(k.inlets, inlet{from: p.from, lag: least})
	}
}

// lagOf returns the time from the start of a stream's last packet, which takes tx on
// bundle b, to its arrival in the queue behind an outlet.
func (k *kernel) lagOf(b int32, o *outlet, r *train, tx int64) int64 {
	lag := k.bundles[b].delay
	if !k.cut {
		return lag + tx
	}
	next, _ := k.txOf(&k.bundles[o.bundle], r)
	return lag + max(0, tx-next)
}
