package packet

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// arrival is the head of an inlet: when it arrives, and the rank of its inlet at the bundle. If
// two arrive in the same picosecond, the lower rank is first.
type arrival struct {
	at   int64
	rank int32
}

func (a arrival) before(b arrival) bool { return a.at < b.at || a.at == b.at && a.rank < b.rank }

// merge takes the trains that reach one bundle in the order of their arrival.
type merge struct {
	k      *Kernel
	bundle int32
	now    int64 // no bundle starts a packet sooner
	inlets []inlet
	heads  []arrival // of the inlets that are not empty, ascending
	limit  arrival   // the first arrival that may still be unknown
	box    *inbox    // in place of all inlets except the source, or nil
	front  inlet     // shows the first delivery of the box
	wide   bool      // all feeders of the box have been looked at
}

// manyHeads is the number of inlets from which on insertion sort no longer pays.
const manyHeads = 32

// soonest returns when the first known train arrives, or never.
func (m *merge) soonest() int64 {
	at := int64(traffic.Never)
	if m.box == nil {
		if len(m.heads) > 0 {
			at = m.heads[0].at
		}
		return at
	}
	if in := &m.inlets[0]; in.head.n != 0 {
		at = in.head.at
	}
	if len(m.box.waiting) > 0 {
		at = min(at, m.box.waiting[0].at)
	}
	return at
}

// open inspects all inlets of a bundle.
func (m *merge) open(k *Kernel, b int32, now int64) {
	bundle := &k.bundles[b]
	m.k, m.bundle, m.now = k, b, now
	m.inlets = k.inlets[bundle.firstInlet:bundle.lastInlet]
	m.heads = m.heads[:0]
	m.limit = arrival{at: traffic.Never}
	if m.box = bundle.inbox; m.box != nil {
		m.limit.at, m.wide = now+m.box.nearest, false
		if in := &m.inlets[0]; in.head.n == 0 {
			m.load(in)
		}
		return
	}
	for rank := range m.inlets {
		in := &m.inlets[rank]
		if in.head.n == 0 && !m.load(in) {
			m.exhausted(in, int32(rank))
			continue
		}
		m.heads = append(m.heads, arrival{in.head.at, int32(rank)})
		if len(m.heads) <= manyHeads {
			m.sift(len(m.heads) - 1)
		}
	}
	if len(m.heads) > manyHeads {
		slices.SortFunc(m.heads, func(a, b arrival) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
		})
	}
}

// sift moves the i-th head to its place among those before it, which are sorted.
func (m *merge) sift(i int) {
	h := m.heads[i]
	for ; i > 0 && h.before(m.heads[i-1]); i-- {
		m.heads[i] = m.heads[i-1]
	}
	m.heads[i] = h
}

func (m *merge) load(in *inlet) bool {
	if in.from == source {
		return m.k.inject(m.bundle, in)
	}
	return in.load()
}

// exhausted notes from when on an empty inlet may bring a train.
func (m *merge) exhausted(in *inlet, rank int32) {
	if in.from == source {
		return
	}
	if soonest := (arrival{max(m.k.clock[in.from], m.now) + in.lag, rank}); soonest.before(m.limit) {
		m.limit = soonest
	}
}

// head returns the train that arrives first and how many of its packets arrive before anything
// else can: 0 if the first arrival is not known.
func (m *merge) head() (*inlet, int64) {
	if m.box != nil {
		return m.headOfBox()
	}
	if len(m.heads) == 0 {
		return nil, 0
	}
	first, rival := m.heads[0], m.limit
	if len(m.heads) > 1 && m.heads[1].before(rival) {
		rival = m.heads[1]
	}
	return m.until(&m.inlets[first.rank], first, rival)
}

// headOfBox is head for a bundle with an inbox: its own packets are in an inlet, all others in
// the box.
func (m *merge) headOfBox() (*inlet, int64) {
	in, box := &m.inlets[0], m.box
	own := in.head.n != 0
	first, rival := arrival{at: traffic.Never}, arrival{at: traffic.Never}
	if own {
		first = arrival{at: in.head.at}
	}
	if len(box.waiting) > 0 {
		d := &box.waiting[0]
		rival = arrival{d.at, d.rank}
		if rival.before(first) {
			m.front.head, m.front.from = d.train, d.rank-1 // of rank 0, the source
			in = &m.front
			first, rival = rival, first
			if second := box.second(); second != nil && (arrival{second.at, second.rank}).before(rival) {
				rival = arrival{second.at, second.rank}
			}
			if rival == first { // over the same circuit, later
				rival.rank++
			}
		}
	} else if !own {
		return nil, 0
	}
	if !first.before(m.limit) && !m.wide && max(manyPipes, in.head.count()) >= int64(len(box.feeders)) {
		m.wide = true
		m.limit.at = max(m.limit.at, box.horizon(m.k, m.now))
	}
	if m.limit.before(rival) {
		rival = m.limit
	}
	return m.until(in, first, rival)
}

// until returns an inlet and how many packets at its head arrive before a rival.
func (m *merge) until(in *inlet, first, rival arrival) (*inlet, int64) {
	if !first.before(rival) {
		return nil, 0
	}
	r := &in.head
	if r.n <= 1 || r.gap == 0 {
		return in, r.count()
	}
	until := rival.at // what arrives earlier is ours
	if first.rank < rival.rank && until < traffic.Never {
		until++
	}
	gap := int64(r.gap)
	switch {
	case r.at+gap >= until:
		return in, 1
	case r.at+int64(r.n-1)*gap < until:
		return in, int64(r.n)
	}
	return in, (until-r.at-1)/gap + 1
}

// take removes n packets from the head of the first inlet.
func (m *merge) take(in *inlet, n int64) {
	if in == &m.front {
		m.box.take(n)
		return
	}
	r := &in.head
	if m.box != nil {
		if n < int64(r.n) {
			r.n -= int32(n)
			r.at += n * int64(r.gap)
		} else {
			m.load(in)
		}
		return
	}
	if n < int64(r.n) {
		r.n -= int32(n)
		r.at += n * int64(r.gap)
	} else if !m.load(in) {
		m.exhausted(in, m.heads[0].rank)
		m.heads = m.heads[:copy(m.heads, m.heads[1:])]
		return
	}
	h := arrival{r.at, m.heads[0].rank}
	i := 1
	for ; i < len(m.heads) && m.heads[i].before(h); i++ {
		m.heads[i-1] = m.heads[i]
	}
	m.heads[i-1] = h
}
