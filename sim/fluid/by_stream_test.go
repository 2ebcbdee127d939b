package fluid

import (
	"container/heap"
	"math"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// byStream is the reference for levels: it keeps the rates of streams, one by one, max-min fair
// while streams come and go and capacities change.
//
// It is progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all rates rise
// together until a bundle is full, the rates of its streams are frozen, and so on. Frozen
// streams are kept as a stack of levels with ascending rates. A stream that leaves was frozen
// at its own rate, and no bundle on its path was full before that; a new one cannot fill a
// bundle of m streams before each has 1/m of it. So the filling up to that point stays valid,
// and only the levels above are removed and filled again. Among messages of equal size those
// with the highest rate end first, and then little is removed.
//
// An update takes O(h log b) for h hops of the streams that it fills again and b bundles on
// them, and inspects each stream on a bundle that becomes full.
type byStream struct {
	streams  []traffic.Stream
	hops     []traffic.Hop // of bundles numbered as here
	rate     []float64     // of streams, in bytes per ps
	capacity []float64     // by bundle
	residual []float64     // what frozen streams leave of it
	frozen   []int32       // frozen streams on a bundle, each as often as it passes
	open     []int32       // streams that are not frozen
	members  [][]int32     // all of them, and some that have left
	fixed    []bool        // the stream is frozen
	left     []bool
	stack    []int32 // frozen streams
	levels   []level
	floor    float64 // levels from here on must be filled again
	touched  []int32 // bundles with open streams
	marked   []bool
	queue    referees
	// changed is called before a stream gets another rate.
	changed func(stream int32, rate float64)
}

// level is the streams frozen at one rate: on the stack from first up to the first of
// the next level.
type level struct {
	rate  float64
	first int
}

func newByStream(streams []traffic.Stream, hops []traffic.Hop, capacity []float64, changed func(int32, float64)) *byStream {
	n, m := len(capacity), len(streams)
	f := &byStream{
		streams: streams, hops: hops, rate: make([]float64, m), fixed: make([]bool, m), left: make([]bool, m),
		capacity: capacity, residual: append([]float64(nil), capacity...), frozen: make([]int32, n),
		open: make([]int32, n), members: make([][]int32, n), marked: make([]bool, n),
		floor: math.Inf(1), changed: changed,
	}
	passes := make([]int32, n)
	for s := range streams {
		for h := streams[s].First; h != traffic.Arrived; h = hops[h].Next {
			passes[hops[h].Bundle]++
		}
	}
	for b, count := range passes {
		f.members[b] = make([]int32, 0, count)
	}
	return f
}

// enter adds a stream.
func (f *byStream) enter(s int32) {
	for h := f.streams[s].First; h != traffic.Arrived; h = f.hops[h].Next {
		b := f.hops[h].Bundle
		f.members[b] = append(f.members[b], s)
		f.open[b]++
		f.touch(b)
		f.floor = min(f.floor, f.capacity[b]/float64(len(f.members[b])))
	}
}

// leave removes a stream.
func (f *byStream) leave(s int32) {
	f.left[s] = true
	f.floor = min(f.floor, f.rate[s])
}

// resize changes the capacity of a bundle.
func (f *byStream) resize(b int32, capacity float64) {
	f.residual[b] += capacity - f.capacity[b]
	if m := len(f.members[b]); m > 0 {
		f.floor = min(f.floor, min(capacity, f.capacity[b])/float64(m))
	}
	f.capacity[b] = capacity
}

// settle computes the rates after streams have come and gone.
func (f *byStream) settle() {
	f.unwind()
	f.queue = f.queue[:0]
	for _, b := range f.touched {
		f.marked[b] = false
		if f.open[b] > 0 {
			f.queue = append(f.queue, f.share(b))
		}
	}
	f.touched = f.touched[:0]
	heap.Init(&f.queue)
	f.fill()
	f.floor = math.Inf(1)
}

func (f *byStream) touch(b int32) {
	if !f.marked[b] {
		f.marked[b] = true
		f.touched = append(f.touched, b)
	}
}

// unwind removes the levels that may change. Removing too many does no harm.
func (f *byStream) unwind() {
	from := len(f.levels)
	for from > 0 && f.levels[from-1].rate >= f.floor*(1-rateTolerance) {
		from--
	}
	if from == len(f.levels) {
		return
	}
	first := f.levels[from].first
	for _, s := range f.stack[first:] {
		f.thaw(s)
	}
	f.stack, f.levels = f.stack[:first], f.levels[:from]
}

func (f *byStream) thaw(s int32) {
	f.fixed[s] = false
	for h := f.streams[s].First; h != traffic.Arrived; h = f.hops[h].Next {
		b := f.hops[h].Bundle
		f.residual[b] += f.rate[s]
		if f.frozen[b]--; f.frozen[b] == 0 {
			f.residual[b] = f.capacity[b] // rounding ends here
		}
		if !f.left[s] {
			f.open[b]++
			f.touch(b)
		}
	}
}

// fill raises the rates of open streams until all are frozen.
func (f *byStream) fill() {
	for f.queue.Len() > 0 {
		b := f.queue[0].bundle
		if f.open[b] == 0 {
			heap.Pop(&f.queue)
			continue
		}
		// Streams frozen since then may have left it more.
		if now := f.share(b); now.rate > f.queue[0].rate {
			f.queue[0] = now
			heap.Fix(&f.queue, 0)
			continue
		}
		heap.Pop(&f.queue)
		rate := f.share(b).rate
		if n := len(f.levels); n > 0 {
			rate = max(rate, f.levels[n-1].rate)
		}
		f.levels = append(f.levels, level{rate, len(f.stack)})
		f.freeze(b, rate)
	}
}

func (f *byStream) share(b int32) refereed {
	return refereed{max(0, f.residual[b]) / float64(f.open[b]), b}
}

// freeze fixes the open streams of a bundle at a rate.
func (f *byStream) freeze(b int32, rate float64) {
	kept := f.members[b][:0]
	for _, s := range f.members[b] {
		if f.left[s] {
			continue
		}
		kept = append(kept, s)
		if f.fixed[s] {
			continue
		}
		if math.Abs(rate-f.rate[s]) > rateTolerance*rate {
			f.changed(s, rate)
			f.rate[s] = rate
		}
		f.fixed[s] = true
		f.stack = append(f.stack, s)
		for h := f.streams[s].First; h != traffic.Arrived; h = f.hops[h].Next {
			on := f.hops[h].Bundle
			f.residual[on] -= f.rate[s]
			f.frozen[on]++
			f.open[on]--
		}
	}
	f.members[b] = kept
}

// referees is a heap of bundles, by the rate that each of their open streams can get.
type referees []refereed

type refereed struct {
	rate   float64
	bundle int32
}

func (s referees) Len() int           { return len(s) }
func (s referees) Less(i, j int) bool { return s[i].rate < s[j].rate }
func (s referees) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *referees) Push(x any)        { *s = append(*s, x.(refereed)) }
func (s *referees) Pop() any {
	x := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return x
}
