package fluid

// filling computes max-min fair rates of streams from scratch. It is progressive filling
// (Bertsekas and Gallager, Data Networks, 6.5.2): all rates rise together until a bundle is
// full, the rates of its streams are frozen, and so on. Meanwhile a bundle's share for each
// stream that is not frozen only grows. So the heap may hold old shares: its first bundle is
// moved down until it is first by its current share.
//
// Filling takes O(h + n log n) for h hops of the streams and n bundles on them, and O(log n)
// for every time that a bundle is moved down, at most once for each bundle that is full before
// it. Its buffers are reused by the next filling.
type filling struct {
	left    []filled // by bundle, valid for those in touched
	touched []int32  // bundles that streams pass
	members []int32  // streams of the first touched bundle, of the second, ..
	frozen  []bool   // by stream
	queue   shares
	work    int64 // of the last filling, in the unit of levels.work
}

// These are the costs of the parts of a filling, measured and rounded, in the unit of
// levels.work.
const (
	workOfHop  = 8
	workOfTurn = 40
)

// routes are the bundles of each stream.
type routes struct {
	first []int32 // hop of each stream
	hops  []int32 // bundles of all routes, one route after another
}

// route returns the bundles of a stream.
func (r *routes) route(s int32) []int32 { return r.hops[r.first[s]:r.first[s+1]] }

// filled is the state of filling a bundle.
type filled struct {
	residual float64 // what frozen streams leave of its capacity
	open     int32   // passes of streams that are not frozen
	passes   int32
	last     int32   // end of its members
	level    float64 // at which it was full, or 0
}

// share returns the rate that is left for each open pass.
func (f *filled) share() float64 { return max(0, f.residual) / float64(max(1, f.open)) }

func newFilling(bundles, streams int) *filling {
	return &filling{left: make([]filled, bundles), frozen: make([]bool, streams)}
}

// fill tells freeze the rate of each stream, bundle by bundle, in order of rates.
func (f *filling) fill(streams []int32, routes *routes, capacity []float64, freeze func(bundle, stream int32, rate float64)) {
	f.count(streams, routes, capacity)
	f.work = workOfHop * int64(len(f.members))
	least := 0.0
	for len(f.queue) > 0 {
		f.work += workOfTurn
		b := f.queue[0].bundle
		on := &f.left[b]
		switch now := on.share(); {
		case on.open == 0:
			f.queue[0] = f.queue[len(f.queue)-1]
			f.queue = f.queue[:len(f.queue)-1]
			f.queue.down(0)
		case now > f.queue[0].rate:
			f.queue[0].rate = now
			f.queue.down(0)
		default:
			least = max(least, now)
			on.level = least
			for _, s := range f.members[on.last-on.passes : on.last] {
				if f.frozen[s] {
					continue
				}
				f.frozen[s] = true
				for _, e := range routes.route(s) {
					f.left[e].residual -= least
					f.left[e].open--
				}
				freeze(b, s, least)
			}
		}
	}
}

// count makes the heap of bundles, and lists the streams of each.
func (f *filling) count(streams []int32, routes *routes, capacity []float64) {
	for _, b := range f.touched {
		f.left[b] = filled{}
	}
	f.touched, f.queue = f.touched[:0], f.queue[:0]
	for _, s := range streams {
		f.frozen[s] = false
		for _, b := range routes.route(s) {
			if f.left[b].passes++; f.left[b].passes == 1 {
				f.touched = append(f.touched, b)
			}
		}
	}
	sum := int32(0)
	for _, b := range f.touched {
		on := &f.left[b]
		on.residual, on.open, on.last = capacity[b], on.passes, sum
		sum += on.passes
		f.queue = append(f.queue, share{on.share(), b})
	}
	if int(sum) > cap(f.members) {
		f.members = make([]int32, sum, sum+sum/2)
	}
	f.members = f.members[:sum]
	for _, s := range streams {
		for _, b := range routes.route(s) {
			f.members[f.left[b].last] = s
			f.left[b].last++
		}
	}
	for i := len(f.queue) / 2; i >= 0; i-- {
		f.queue.down(i)
	}
}

// shares is a heap of bundles, by what each of their open streams can get.
type shares []share

type share struct {
	rate   float64
	bundle int32
}

// down moves the share at a place away from the top, to where it belongs.
func (q shares) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

func (s share) before(t share) bool {
	return s.rate < t.rate || s.rate == t.rate && s.bundle < t.bundle
}
