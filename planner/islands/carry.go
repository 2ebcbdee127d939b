package islands

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// carry makes the transfers of a step of the core. All pieces have the same routes.
func (l *lifter) carry(s *slot) {
	step := *s.core
	if !step.Group.Equal(l.group) {
		step = under(step, l.core.Collective.Space, l.group)
	}
	places := l.shares.places
	if l.alike {
		places = 1
	}
	known := l.routes[s.core]
	crossings := map[[2]int32][][]part{}
	add := func(t *plan.Transfer, chunks collective.Chunks, from, to, place int) {
		lifted := plan.Transfer{Transfer: t.Transfer}
		lifted.Src, lifted.Dst, lifted.Chunks = t.Src*l.shares.places+from, t.Dst*l.shares.places+to, chunks
		if at := len(s.base); at < len(known) {
			lifted.Routes = known[at]
		} else {
			lifted.Routes = l.wires[s.stage].routes(t.Routes, crossings, l.shares.places, l.span, ends{from, to}, place)
			l.routes[s.core] = append(l.routes[s.core], lifted.Routes)
		}
		s.base = append(s.base, lifted)
	}
	for i := range step.Base {
		t := &step.Base[i]
		own, passed := l.own(t)
		for p := range places {
			from, to := p, p
			if l.direct && l.core.Collective.Op == collective.Scatter && t.Src == 0 {
				from = 0
			}
			if l.direct && l.core.Collective.Op == collective.Gather && t.Dst == 0 {
				to = 0
			}
			if len(passed) > 0 {
				add(t, l.shares.of(passed, p, s.from, s.to), from, to, p)
			}
			for x := range l.shares.places {
				if len(own) > 0 {
					add(t, l.shares.sentBy(own, x, p, s.from, s.to), x, p, p)
				}
			}
		}
	}
}

// own divides the chunks of a transfer into those that every GPU of the source sends by itself,
// because they are its own, and the others.
func (l *lifter) own(t *plan.Transfer) (own, passed collective.Chunks) {
	if !l.direct || l.shares.core.Kind != collective.Pairs {
		return nil, t.Chunks
	}
	row := l.core.Fabric.Nodes * l.core.Collective.Space.Parts
	if all := t.Chunks.Within(t.Src*row, row); all.Len() == t.Chunks.Len() {
		return t.Chunks, nil
	}
	var first, others []int
	for c := range t.Chunks.All() {
		if c/row == t.Src {
			first = append(first, c)
		} else {
			others = append(others, c)
		}
	}
	return collective.Of(first), collective.Of(others)
}

// mostDirect bounds the transfers of a step in which GPUs send their own data directly.
const mostDirect = 1 << 17

// sendsDirectly reports whether a GPU's data for others goes to the circuits at once, through the
// island in the same step, instead of to the place of its destination first. That takes no longer
// and loads islands less, but it needs a transfer for each pair of places.
func (l *lifter) sendsDirectly() bool {
	switch l.core.Collective.Op {
	case collective.Scatter, collective.Gather:
		return true
	case collective.AllToAll:
		for _, step := range l.core.Steps() {
			count := len(step.Base) * step.Group.Order() / max(1, l.group.Order())
			if count*l.shares.places*l.shares.places > mostDirect {
				return false
			}
		}
		return true
	}
	return false
}

// left sets how many bytes GPUs can send in their islands besides the hops of the core's routes
// there.
func (l *lifter) left(s *slot, bytes float64) {
	through, root := l.through(s)
	s.room = make([]float64, len(l.homes))
	for i := range through {
		s.room[i] = max(0, bytes-through[i])
	}
	s.roots = max(0, bytes-root)
}

// sameGPU reports whether two places belong to one GPU.
func (l *lifter) sameGPU(u, v int) bool {
	return l.of.uneven != nil && l.of.uneven.hosts[u] == l.of.uneven.hosts[v]
}

// through returns, by home, the most bytes that a GPU sends or receives in its island for routes
// of the core, and the same for the very first GPU.
func (l *lifter) through(s *slot) (most []float64, root float64) {
	size := l.shares.places
	enter, leave := map[int]float64{}, map[int]float64{}
	total := float64(l.size)
	for i := range s.base[:s.sent] {
		t := &s.base[i]
		amount := l.space.Bytes(total, t.Chunks)
		for _, r := range t.Routes {
			for h := 1; h < len(r.Path); h++ {
				if u, v := int(r.Path[h-1]), int(r.Path[h]); u/size == v/size && !l.sameGPU(u, v) {
					_, from := l.lifted.Locate(u)
					_, to := l.lifted.Locate(v)
					enter[from] += r.Share * amount
					leave[to] += r.Share * amount
				}
			}
		}
	}
	most = make([]float64, len(l.homes))
	for i, home := range l.homes {
		for p := range size {
			most[i] = max(most[i], enter[home*size+p], leave[home*size+p])
		}
	}
	return most, max(enter[0], leave[0])
}
