package paced

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// walk is the state of an allgather between two steps.
type walk struct {
	*network
	held, next holdings
	sets       []int32 // by node: how many shards it lacks, by the set of senders
	rooms      []*room
}

func (net *network) newWalk(ctx context.Context) *walk {
	w := &walk{network: net, held: net.noHoldings(), next: net.noHoldings(), sets: make([]int32, net.nodes<<net.widest)}
	for range threads.Of(ctx) {
		w.rooms = append(w.rooms, net.newRoom())
	}
	return w
}

// begin resets the allgather to its start.
func (w *walk) begin() { w.held.own(w.nodes) }

// of returns how many shards u lacks, by the set of senders that have them.
func (w *walk) of(u int) []int32 { return w.sets[u<<w.widest : (u+1)<<w.widest] }

// atOnce is how many nodes a goroutine takes at a time.
const atOnce = 64

// each calls f for every node, in parallel, with working memory.
func (w *walk) each(ctx context.Context, f func(u int, r *room)) error {
	var next atomic.Int64
	threads.Each(ctx, len(w.rooms), func(i int) {
		for first := int(next.Add(atOnce)) - atOnce; first < w.nodes && ctx.Err() == nil; first = int(next.Add(atOnce)) - atOnce {
			for u := first; u < min(first+atOnce, w.nodes); u++ {
				f(u, w.rooms[i])
			}
		}
	})
	return ctx.Err()
}

// outlook says what the next step can deliver.
type outlook struct {
	most int // the pace that delivers everything that senders have
	all  int // shards delivered at that pace
	last bool
}

// look counts the shards that senders have for each node.
func (w *walk) look(ctx context.Context) (outlook, error) {
	var most, all, nowhere atomic.Int64
	err := w.each(ctx, func(u int, r *room) {
		sets := w.of(u)
		w.count(w.held, u, sets, r)
		_, circuits := w.senders(u)
		if pace := int64(r.densest(sets, circuits)); pace > most.Load() {
			for old := most.Load(); pace > old && !most.CompareAndSwap(old, pace); old = most.Load() {
			}
		}
		sum := each.Sum(sets[1:], func(shards int32) int64 { return int64(shards) })
		all.Add(sum)
		nowhere.Add(int64(sets[0]))
	})
	return outlook{int(most.Load()), int(all.Load()), nowhere.Load() == 0}, err
}

// step lets every node receive what a pace allows; look must have run before. Several
// goroutines call deliver, if it is not nil, with what u receives from each of its senders.
// deliver must not keep it.
func (w *walk) step(ctx context.Context, pace int, deliver func(u int, from []int32, got [][]uint64, r *room)) error {
	err := w.each(ctx, func(u int, r *room) {
		from, circuits := w.senders(u)
		r.flow.solve(w.of(u), circuits, pace)
		w.take(u, r)
		if deliver != nil {
			deliver(u, from, r.got[:len(from)], r)
		}
	})
	w.held, w.next = w.next, w.held
	return err
}

// take divides the shards that u lacks among its senders as the flow says. Each node begins at
// a different shard, so that different shards wait at different nodes.
func (w *walk) take(u int, r *room) {
	rows, own, next := r.rows(w.network, w.held, u), w.held.of(u), w.next.of(u)
	for j := range rows {
		clear(r.got[j])
	}
	const scatter = 40503 // 2^16/phi: neighbours begin far apart
	begin := u * scatter % w.words
	for i := range own {
		at := begin + i
		if at >= w.words {
			at -= w.words
		}
		all := own[at]
		parts, _ := w.divide(rows, own, at, r.parts)
		for _, p := range parts {
			amounts := &r.flow.amount[p.set]
			for j := 0; p.bits != 0 && j < len(rows); j++ {
				if amounts[j] == 0 {
					continue
				}
				taken := lowest(p.bits, int(amounts[j]))
				amounts[j] -= int32(bits.OnesCount64(taken))
				r.got[j][at] |= taken
				all |= taken
				p.bits &^= taken
			}
		}
		next[at] = all
	}
}

// lowest returns the lowest bits of a set, at most count of them.
func lowest(set uint64, count int) uint64 {
	if bits.OnesCount64(set) <= count {
		return set
	}
	rest := set
	for range count {
		rest &= rest - 1
	}
	return set &^ rest
}
