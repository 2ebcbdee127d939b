package packet

import (
	"context"
	"sync"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// fewestBlocks is how many blocks of bundles make a thread for another worker worthwhile.
const fewestBlocks = 4

// patience is the number of rounds after which progress is reported.
const patience = 64

// divide gives every worker its share of the bundles.
func (k *Kernel) divide(threads int) {
	blocks := len(k.blocks)
	threads = max(1, min(threads, blocks/fewestBlocks))
	k.owner = make([]int32, blocks)
	for i := range threads {
		w := &worker{
			k: k, index: int32(i), dirty: make([][]int32, threads), posts: make([][]post, threads),
			first: int32(i * blocks / threads), last: int32((i + 1) * blocks / threads),
		}
		for b := w.first; b < w.last; b++ {
			k.owner[b] = w.index
		}
		k.workers = append(k.workers, w)
	}
	for i := range k.outlets {
		k.outlets[i].reader = k.owner[k.outlets[i].bundle/blockSize]
	}
	for block := range k.blocks {
		k.blocks[block] = traffic.Never
		from, to := k.span(int32(block))
		for b := from; b < to; b++ {
			k.blocks[block] = min(k.blocks[block], k.next[b])
		}
	}
}

// Run simulates until every packet has arrived. In each round, all bundles that start a packet
// before a horizon serve what they can: the earliest start of all bundles, plus the shortest
// time from a packet's start to the next queue. Then what they sent becomes visible. The result
// does not depend on the order within a round.
func (k *Kernel) Run(ctx context.Context, threads int, progress func(now, done, total int64)) (*Fault, error) {
	k.divide(threads)
	crew := newCrew(k.workers)
	defer crew.dismiss()
	crew.all((*worker).publish)
	for round := 0; ; round++ {
		now, first := k.state()
		if now == traffic.Never || first != nil && first.At < k.certain(now) {
			return k.outside(first), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if round%patience == 0 {
			progress(now, k.hops(), k.total)
		}
		crew.all(func(w *worker) { w.round(now, now+k.lookout) })
		crew.all((*worker).publish)
	}
}

// outside returns a fault with the stream's number in the layout.
func (k *Kernel) outside(f *Fault) *Fault {
	if f != nil {
		f.Stream, f.End = k.number[f.Stream], f.At+k.bundles[f.Bundle].tx
	}
	return f
}

// state returns the earliest start of a packet that is still pending, and the first fault so
// far.
func (k *Kernel) state() (now int64, first *Fault) {
	now = traffic.Never
	for _, w := range k.workers {
		now = min(now, w.soonest)
		if w.fault != nil && w.fault.before(first) {
			first = w.fault
		}
	}
	return now, first
}

// certain returns the time before which all faults are known. Packets to be relayed are checked
// when it is their turn, which may be long after they have arrived.
func (k *Kernel) certain(now int64) int64 {
	if k.relay == 0 {
		return now
	}
	for i := range k.bundles {
		if box := k.bundles[i].inbox; box != nil && len(box.waiting) > 0 {
			now = min(now, box.waiting[0].at)
		}
	}
	for i := range k.inlets {
		in := &k.inlets[i]
		if in.from == source {
			continue
		}
		if in.head.n != 0 {
			now = min(now, in.head.at)
		} else if in.read != in.end {
			now = min(now, in.buf[in.read&uint32(len(in.buf)-1)].at)
		}
	}
	return now
}

// hops returns how many packet-hops have been simulated.
func (k *Kernel) hops() int64 {
	sum := int64(0)
	for _, w := range k.workers {
		sum += w.hops
	}
	return sum
}

// crew runs the workers in step. The first one uses the caller's thread.
type crew struct {
	workers []*worker
	orders  []chan func(*worker)
	busy    sync.WaitGroup
}

func newCrew(workers []*worker) *crew {
	c := &crew{workers: workers}
	for _, w := range workers[1:] {
		orders := make(chan func(*worker))
		c.orders = append(c.orders, orders)
		go func() {
			for do := range orders {
				do(w)
				c.busy.Done()
			}
		}()
	}
	return c
}

// all makes every worker do something, and waits for all.
func (c *crew) all(do func(*worker)) {
	c.busy.Add(len(c.orders))
	for _, orders := range c.orders {
		orders <- do
	}
	do(c.workers[0])
	c.busy.Wait()
}

// dismiss ends the threads.
func (c *crew) dismiss() {
	for _, orders := range c.orders {
		close(orders)
	}
}
