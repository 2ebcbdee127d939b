package sim_test

import (
	"cmp"
	"container/heap"
	"errors"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
)

// twin is the straightforward packet level: one heap of events, one packet at a time, one event
// for every arrival and for every moment at which a circuit may start something. It knows
// nothing of runs, rounds and pipes.
type twin struct {
	phase  *sim.Phase
	o      sim.Options
	events twinEvents
	queues map[[2]int]*twinQueue
	faults []twinFault
	now    int64

	last  int64
	sum   *big.Int
	hops  int64
	flows []int64
}

type twinPacket struct {
	flow, size int
	priority   int32
	path       []int32
	hop        int // position on the path of the node where it is
	transit    bool
}

type twinQueue struct {
	u, v           int
	count          int
	waiting        []twinPacket
	free           []int64
	present        []twinPresence // of relayed packets
	bytes, packets int64
	busy, peak     int64
	relayPeak      int
}

type twinPresence struct {
	size int
	end  int64 // -1 while it waits
	id   int64
}

type twinFault struct {
	at   int64
	u, v int
	kind error
}

// twinEvent is an arrival at a queue, or a check of it; checks come after arrivals.
type twinEvent struct {
	at     int64
	look   bool
	order  [4]int64 // of arrivals in the same picosecond
	u, v   int
	packet twinPacket
}

type twinEvents []twinEvent

func (e twinEvents) Len() int { return len(e) }
func (e twinEvents) Less(i, j int) bool {
	a, b := &e[i], &e[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.look != b.look {
		return b.look
	}
	return slices.Compare(a.order[:], b.order[:]) < 0
}
func (e twinEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *twinEvents) Push(x any)   { *e = append(*e, x.(twinEvent)) }
func (e *twinEvents) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

// twinRoute is the part of a flow that takes one path, in bytes.
type twinRoute struct {
	flow  int // of the result
	bytes int
	start int64
	path  []int32
	prio  int32
}

// twinRun simulates routes on the circuits of a phase.
func twinRun(p *sim.Phase, o sim.Options, flows int, routes []twinRoute) *twin {
	t := &twin{phase: p, o: o, queues: map[[2]int]*twinQueue{}, sum: new(big.Int), flows: make([]int64, flows)}
	if t.o.Packet == 0 {
		t.o.Packet = sim.DefaultPacket
	}
	for i, r := range routes {
		for j := 0; r.bytes > 0; j++ {
			size := min(r.bytes, int(t.o.Packet))
			r.bytes -= size
			heap.Push(&t.events, twinEvent{
				at: r.start, order: [4]int64{-1, int64(i), int64(j)}, u: int(r.path[0]), v: int(r.path[1]),
				packet: twinPacket{flow: r.flow, size: size, priority: r.prio, path: r.path},
			})
		}
	}
	for len(t.events) > 0 {
		e := heap.Pop(&t.events).(twinEvent)
		if len(t.faults) > 0 && e.at > t.faults[0].at {
			break
		}
		t.now = e.at
		if e.look {
			t.look(t.queue(e.u, e.v), e.at)
		} else {
			t.arrive(t.queue(e.u, e.v), e.at, e.packet)
		}
	}
	slices.SortStableFunc(t.faults, func(a, b twinFault) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v))
	})
	return t
}

func (t *twin) queue(u, v int) *twinQueue {
	q := t.queues[[2]int{u, v}]
	if q == nil {
		q = &twinQueue{u: u, v: v, count: t.phase.Network.Graph.Count(u, v)}
		for _, c := range t.phase.Changes {
			q.count = max(q.count, c.Graph.Count(u, v))
		}
		q.free = make([]int64, q.count)
		t.queues[[2]int{u, v}] = q
		for _, c := range t.phase.Changes {
			if at := int64(c.At + c.Delay); at > t.now {
				heap.Push(&t.events, twinEvent{at: at, look: true, u: u, v: v})
			}
		}
	}
	return q
}

func (t *twin) speed(u, v int) (bps, delay int64) {
	if t.phase.Network.Vary != nil {
		b, d := t.phase.Network.Vary(u, v)
		return int64(b), int64(d)
	}
	return int64(t.phase.Network.Bandwidth), int64(t.phase.Network.Delay)
}

func (t *twin) tx(u, v, size int) int64 {
	bps, _ := t.speed(u, v)
	ps := new(big.Int).Mul(big.NewInt(int64(size)), big.NewInt(8e12))
	ps.Add(ps, big.NewInt(bps-1))
	return ps.Div(ps, big.NewInt(bps)).Int64()
}

// up reports whether the i-th circuit is up at a time, from what the phase says.
func (t *twin) up(q *twinQueue, i int, at int64) bool {
	for _, f := range t.phase.Failures {
		if f.From == q.u && f.To == q.v && at >= int64(f.At) && (f.Circuits == 0 || i >= q.count-f.Circuits) {
			return false
		}
	}
	g := t.phase.Network.Graph
	for _, c := range t.phase.Changes {
		if at < int64(c.At) {
			break
		}
		both := i < g.Count(q.u, q.v) && i < c.Graph.Count(q.u, q.v)
		if at < int64(c.At+c.Delay) {
			return both && c.Partial
		}
		g = c.Graph
	}
	return i < g.Count(q.u, q.v)
}

// upUntil reports whether the circuit stays up for a whole transmission. Outages that
// begin and end within it count, too.
func (t *twin) upUntil(q *twinQueue, i int, from, until int64) bool {
	if !t.up(q, i, from) {
		return false
	}
	for _, c := range t.phase.Changes {
		if at := int64(c.At); from < at && at < until && !t.up(q, i, at) {
			return false
		}
	}
	for _, f := range t.phase.Failures {
		if at := int64(f.At); from < at && at < until && !t.up(q, i, at) {
			return false
		}
	}
	return true
}

func (t *twin) arrive(q *twinQueue, at int64, p twinPacket) {
	q.waiting = append(q.waiting, p)
	work := int64(0)
	for _, w := range q.waiting {
		work += t.tx(q.u, q.v, w.size)
	}
	for _, f := range q.free {
		work += max(0, f-at)
	}
	q.peak = max(q.peak, work)
	if p.transit {
		q.present = append(q.present, twinPresence{p.size, -1, id(p)})
		there := 0
		for _, x := range q.present {
			if x.end < 0 || x.end > at {
				there += x.size
			}
		}
		q.relayPeak = max(q.relayPeak, there)
		if t.o.Relay > 0 && there > int(t.o.Relay) {
			t.faults = append(t.faults, twinFault{at, q.u, q.v, sim.ErrRelay})
		}
	}
	heap.Push(&t.events, twinEvent{at: at, look: true, u: q.u, v: q.v})
}

// id distinguishes packets of equal flow and size only as far as presence needs it.
func id(p twinPacket) int64 { return int64(p.flow)<<20 + int64(p.size) }

// look starts what can start now.
func (t *twin) look(q *twinQueue, now int64) {
	for len(q.waiting) > 0 {
		idle, later := -1, false
		for i, f := range q.free {
			if f <= now && idle < 0 && t.up(q, i, now) {
				idle = i
			}
			later = later || f > now && t.up(q, i, f)
		}
		if idle < 0 {
			first := q.free[0]
			for _, f := range q.free {
				first = min(first, f)
			}
			if first <= now && !later {
				t.faults = append(t.faults, twinFault{now, q.u, q.v, t.cause(q, now)})
			}
			return
		}
		t.start(q, idle, now)
	}
}

// cause says why a circuit is down.
func (t *twin) cause(q *twinQueue, at int64) error {
	for _, f := range t.phase.Failures {
		if f.From == q.u && f.To == q.v && at >= int64(f.At) {
			return sim.ErrFailed
		}
	}
	return sim.ErrDark
}

func (t *twin) start(q *twinQueue, circuit int, now int64) {
	best := 0
	for i := range q.waiting {
		if t.o.Priorities && q.waiting[i].priority < q.waiting[best].priority {
			best = i
		}
	}
	p := q.waiting[best]
	q.waiting = slices.Delete(q.waiting, best, best+1)
	tx := t.tx(q.u, q.v, p.size)
	end := now + tx
	if !t.upUntil(q, circuit, now, end) {
		t.faults = append(t.faults, twinFault{now, q.u, q.v, t.cause(q, end)})
	}
	q.free[circuit] = end
	q.bytes += int64(p.size)
	q.packets++
	q.busy += tx
	t.hops++
	if p.transit {
		i := slices.IndexFunc(q.present, func(x twinPresence) bool { return x.end < 0 && x.id == id(p) })
		q.present[i].end = end
	}
	heap.Push(&t.events, twinEvent{at: end, look: true, u: q.u, v: q.v})
	t.pass(q, circuit, p, now, tx)
}

// pass forwards a packet from a circuit.
func (t *twin) pass(q *twinQueue, circuit int, p twinPacket, now, tx int64) {
	_, delay := t.speed(q.u, q.v)
	p.hop++
	p.transit = true
	if p.hop == len(p.path)-1 {
		at := now + tx + delay
		t.last = max(t.last, at)
		t.sum.Add(t.sum, big.NewInt(at))
		t.flows[p.flow] = max(t.flows[p.flow], at)
		return
	}
	next := int(p.path[p.hop+1])
	at := now + delay + tx
	if t.o.Forwarding == fabric.CutThrough {
		at = now + delay + max(0, tx-t.tx(q.v, next, p.size))
	}
	k, _ := t.phase.Group.Locate(q.v)
	heap.Push(&t.events, twinEvent{
		at: at, u: q.v, v: next, packet: p,
		order: [4]int64{0, int64(t.phase.Group.Back(k, q.u)), int64(circuit), t.hops},
	})
}

// fault returns the first thing that went wrong.
func (t *twin) fault() (twinFault, bool) {
	if len(t.faults) == 0 {
		return twinFault{}, false
	}
	return t.faults[0], true
}

// explains reports whether an error is of the kind of the fault.
func (f twinFault) explains(err error) bool { return errors.Is(err, f.kind) }
