package sim

import (
	"cmp"
	"slices"
)

// arrival is the head of an inlet: when it arrives, and the rank of its inlet among
// those of the bundle. Of two arrivals in the same picosecond, the lower rank is
// first.
type arrival struct {
	at   int64
	rank int32
}

func (a arrival) before(b arrival) bool {
	return a.at < b.at || a.at == b.at && a.rank < b.rank
}

// merge takes the trains that reach one bundle in the order of their arrival.
type merge struct {
	k      *kernel
	bundle int32
	now    int64 // no bundle starts a packet sooner
	inlets []inlet
	heads  []arrival // of the inlets that have one, ascending
	limit  arrival   // the first that is not known yet
}

// manyHeads is the number of inlets from which on sorting them by insertion no
// longer pays.
const manyHeads = 32

// open looks at all inlets of a bundle.
func (m *merge) open(k *kernel, b int32, now int64) {
	bundle := &k.bundles[b]
	m.k, m.bundle, m.now = k, b, now
	m.inlets = k.inlets[bundle.firstInlet:bundle.lastInlet]
	m.heads = m.heads[:0]
	m.limit = arrival{at: never}
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

// exhausted notes from when on an empty inlet may bring something.
func (m *merge) exhausted(in *inlet, rank int32) {
	if in.from == source {
		return
	}
	if soonest := (arrival{max(m.k.clock[in.from], m.now) + in.lag, rank}); soonest.before(m.limit) {
		m.limit = soonest
	}
}

// head returns the train that arrives first and how many of its packets arrive before
// anything else can: 0 if it is not known what arrives first.
func (m *merge) head() (*inlet, int64) {
	if len(m.heads) == 0 {
		return nil, 0
	}
	first, rival := m.heads[0], m.limit
	if len(m.heads) > 1 && m.heads[1].before(rival) {
		rival = m.heads[1]
	}
	if !first.before(rival) {
		return nil, 0
	}
	in := &m.inlets[first.rank]
	r := &in.head
	if r.n <= 1 || r.gap == 0 {
		return in, r.count()
	}
	until := rival.at // what arrives before is ours
	if first.rank < rival.rank && until < never {
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
	r := &in.head
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
