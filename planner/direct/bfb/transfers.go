package bfb

import "iter"

// Transfer sends a part of a shard over a bundle of circuits. The part is the interval
// [From, To) of the shard, which is [0, 1).
//
// In an allgather the sender holds the whole shard before the step: a node at distance t from
// the shard's owner has received all of it by step t, and in step t only nodes one hop closer
// send it. So any interval can be sent, intervals of different steps need not match, and the
// intervals of a shard that a node receives are disjoint and make up the whole shard. A
// reduce-scatter is this in reverse: before it sends an interval, the sender has received and
// added up what all nodes farther away contribute to it. It sends every point of the shard
// once.
type Transfer struct {
	Shard    int // the node that owns the shard, or that collects its sum
	Src, Dst int
	From, To Frac
	Reduce   bool // Dst adds the part to its own instead of keeping it
}

// Transfers yields the transfers of a step, 1 <= step <= Steps; there are none outside.
// They are grouped by the node whose links are balanced, which is Dst or, in a
// reduce-scatter, Src. Parallel circuits share the load of their bundle evenly, or in whole
// chunks if Chunks is set.
//
// They are computed on demand, in the memory of one node. Each node takes a search up to the
// distance of the step; a graph with a symmetry that maps every node to every other takes one
// search in total. For all steps together, All is faster.
func (s *Schedule) Transfers(step int) iter.Seq[Transfer] {
	return func(yield func(Transfer) bool) {
		before := 0
		for i := range s.halves {
			h := &s.halves[i]
			if t := h.distance(step - before); t > 0 {
				h.stream(span{0, s.Nodes, t, t}, func(_ int, transfer Transfer) bool { return yield(transfer) })
				return
			}
			before += len(h.peaks)
		}
	}
}

// All yields every transfer with its step. For each collective that Op consists of and
// each node whose links are balanced, in ascending order, come the transfers of all
// steps. It takes one search per node.
func (s *Schedule) All() iter.Seq2[int, Transfer] { return s.Of(0, s.Nodes) }

// Of is All for the nodes first to last-1 only, whose links are balanced: those into them or,
// in a reduce-scatter, out of them. No other node has transfers over these links in these
// steps, so that ranges of nodes can be streamed in parallel.
func (s *Schedule) Of(first, last int) iter.Seq2[int, Transfer] {
	return func(yield func(int, Transfer) bool) {
		before := 0
		for i := range s.halves {
			h := &s.halves[i]
			all := span{first, last, 1, len(h.peaks)}
			more := h.stream(all, func(t int, transfer Transfer) bool {
				return yield(before+h.distance(t), transfer)
			})
			if !more {
				return
			}
			before += len(h.peaks)
		}
	}
}

// span is what is streamed: nodes from first to last-1, and shards at distances near to far.
type span struct{ first, last, near, far int }

// distance converts between a step of the half and the distance at which shards are
// then delivered, in both directions; 0 if there is none.
func (h *half) distance(step int) int {
	steps := len(h.peaks)
	switch {
	case step < 1 || step > steps:
		return 0
	case h.op == ReduceScatter:
		return steps + 1 - step
	}
	return step
}

// stream yields the transfers of a span, with the distances of their shards, and reports
// whether yield took all of them.
func (h *half) stream(of span, yield func(t int, transfer Transfer) bool) bool {
	r := newReceiver(h.net)
	if h.group.Trivial() {
		for u := of.first; u < of.last; u++ {
			if !h.receive(r, u, of, yield) {
				return false
			}
		}
		return true
	}
	var model []placed
	h.receive(r, 0, of, func(t int, transfer Transfer) bool {
		model = append(model, placed{t, transfer})
		return true
	})
	for u := of.first; u < of.last; u++ {
		k, _ := h.group.Locate(u)
		for _, p := range model {
			image := p.transfer
			image.Shard = h.group.Apply(k, image.Shard)
			image.Src = h.group.Apply(k, image.Src)
			image.Dst = h.group.Apply(k, image.Dst)
			if !yield(p.t, image) {
				return false
			}
		}
	}
	return true
}

// placed is a transfer and the distance of its shard.
type placed struct {
	t        int
	transfer Transfer
}

// receive yields what u gets, as stream does.
func (h *half) receive(r *receiver, u int, of span, yield func(t int, transfer Transfer) bool) bool {
	r.search.run(u, of.far)
	for t := of.near; t <= min(of.far, r.search.steps()); t++ {
		r.assign(u, t)
		for g := range r.delivery.groups() {
			if !h.deal(r, u, t, g, yield) {
				return false
			}
		}
	}
	return true
}

// deal yields the transfers of a group: its shards are laid end to end and cut where
// the amounts of its links end, so that few shards are cut.
func (h *half) deal(r *receiver, u, t, group int, yield func(t int, transfer Transfer) bool) bool {
	b, senders := &r.balancer, h.net.senders(u)
	e := int(b.reach[group])
	left := b.flow[e]
	for _, shard := range b.members[b.first[group]:b.first[group+1]] {
		for at := int64(0); at < b.parts; {
			for left == 0 {
				e++
				left = b.flow[e]
			}
			end := min(b.parts, at+left)
			transfer := Transfer{
				Shard: int(shard),
				Src:   int(senders[b.sender[e]]),
				Dst:   u,
				From:  reduced(at, b.parts),
				To:    reduced(end, b.parts),
			}
			if h.op == ReduceScatter {
				transfer.Src, transfer.Dst, transfer.Reduce = transfer.Dst, transfer.Src, true
			}
			if !yield(t, transfer) {
				return false
			}
			left -= end - at
			at = end
		}
	}
	return true
}
