package packet

import (
	"math/big"
	"math/bits"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// worker serves some of the bundles. Within a round it writes only to them, to the pipes that
// start at them and to streams that end with them; it reads what others have published.
type worker struct {
	k           *Kernel
	index       int32
	first, last int32 // blocks
	merge       merge
	dirty       [][]int32 // outlets written in this round, by the worker of their reader
	posts       [][]post  // deliveries sent to inboxes, likewise
	served      []int32
	soonest     int64 // smallest next of its bundles
	events      int64
	hops        int64
	sum         wide // of arrivals
	fault       *Fault
	list        [blockSize]int32 // of bundles that are due
	seen        int64            // sum of what warm reads, so that the reads are not optimised away
}

// blockSize is the number of bundles that share an entry in the index of next starts: few
// enough to scan, many enough to keep the index small.
const blockSize = 64

// round serves every bundle that starts a packet before until.
func (w *worker) round(now, until int64) {
	k := w.k
	for block := w.first; block < w.last; block++ {
		if k.blocks[block] >= until {
			continue
		}
		from, to := k.span(block)
		due := w.due(from, to, until)
		w.warm(due)
		for _, b := range due {
			w.serve(b, now)
		}
		soonest := int64(traffic.Never)
		for _, at := range k.next[from:to] {
			soonest = min(soonest, at)
		}
		k.blocks[block] = soonest
	}
}

// due returns which bundles of a block start a packet before until.
func (w *worker) due(from, to int32, until int64) []int32 {
	n := 0
	for i, at := range w.k.next[from:to] {
		w.list[n] = from + int32(i)
		if at < until {
			n++
		}
	}
	return w.list[:n]
}

// warm reads ahead what serving bundles will need from the large tables: the next stream, and
// where the first train goes next. Each read may have to wait for memory. None of these reads
// depends on another, so an out-of-order processor has many in flight at once; during service
// every train waits for the one before. warm changes nothing.
func (w *worker) warm(due []int32) {
	k := w.k
	seen := int64(0)
	for _, b := range due {
		bundle := &k.bundles[b]
		if f := &k.sources[b]; f.next < f.last {
			seen += k.streams[f.next].Bytes
		}
		if in := &k.inlets[bundle.firstInlet]; in.head.n != 0 {
			seen += int64(k.steps[in.head.step].next)
		}
		if box := bundle.inbox; box != nil && len(box.waiting) > 0 {
			d := &box.waiting[0]
			seen += k.done[d.stream] + int64(k.steps[d.step].next)
		}
	}
	w.seen = seen
}

func (w *worker) serve(b int32, now int64) {
	switch bundle := &w.k.bundles[b]; {
	case w.k.ranked:
		w.serveRanked(b, now)
	case bundle.width() == 1:
		w.serveFIFO(b, now)
	default:
		w.serveBundle(b, now)
	}
}

// publish shows the worker's bundles what was written for them, and everyone the progress of
// these bundles.
func (w *worker) publish() {
	k := w.k
	for _, b := range w.served {
		k.clock[b] = k.freeAt(b)
	}
	w.served = w.served[:0]
	for _, writer := range k.workers {
		mine := writer.dirty[w.index]
		for _, o := range mine {
			out := &k.outlets[o]
			in := &k.inlets[out.inlet]
			empty := in.head.n == 0 && in.read == in.end
			k.rings[out.ring].publish(in)
			if empty {
				k.wake(out.bundle, in.buf[in.read&uint32(len(in.buf)-1)].at)
			}
		}
		writer.dirty[w.index] = mine[:0]
		w.collect(writer.posts[w.index])
		writer.posts[w.index] = writer.posts[w.index][:0]
	}
	w.soonest = traffic.Never
	for block := w.first; block < w.last; block++ {
		w.soonest = min(w.soonest, k.blocks[block])
	}
}

// wake notes that a train reaches an empty inlet of a bundle whose clock is up to date.
func (k *Kernel) wake(b int32, at int64) {
	if at = max(at, k.clock[b]); at < k.next[b] {
		k.next[b] = at
		block := b / blockSize
		k.blocks[block] = min(k.blocks[block], at)
	}
}

// span returns the bundles of a block.
func (k *Kernel) span(block int32) (from, to int32) {
	return block * blockSize, min((block+1)*blockSize, int32(len(k.bundles)))
}

// deliver counts n packets that reach their destination, the first at at, each further one
// period later.
func (w *worker) deliver(stream int32, at, period, n int64) {
	w.k.done[stream] = max(w.k.done[stream], at+(n-1)*period)
	if n == 1 {
		w.sum.add(0, uint64(at))
		return
	}
	w.sum.addProduct(uint64(at), uint64(n))
	// n (n-1) / 2 is an integer, because one of the factors is even.
	a, b := uint64(n), uint64(n-1)
	if a%2 == 0 {
		a /= 2
	} else {
		b /= 2
	}
	pairs := a * b // below 2^62: n fits 32 bits
	w.sum.addProduct(uint64(period), pairs)
}

// wide is a 128-bit sum: 2^63 packets that each take 2^63 ps fit.
type wide struct{ hi, lo uint64 }

func (s *wide) add(hi, lo uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi, _ = bits.Add64(s.hi, hi, carry)
}

func (s *wide) addProduct(a, b uint64) { s.add(bits.Mul64(a, b)) }

// big returns the sum as an integer.
func (s *wide) big() *big.Int {
	z := new(big.Int).SetUint64(s.hi)
	return z.Lsh(z, 64).Or(z, new(big.Int).SetUint64(s.lo))
}
