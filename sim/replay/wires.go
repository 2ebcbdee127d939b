package replay

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
)

// wire is one circuit from when it is set until it is taken down.
type wire struct {
	stepwise.Circuit
	from, to    int
	first, last int   // stages in which it is there; -1 is before the first
	delay       int64 // that it is dark
	wants       int   // ranks that must have left a stage before it can be set
}

// condition is that a rank has left a stage, or with early that it has entered it.
type condition struct {
	rank, stage int
	early       bool
}

// wiring is the circuits of all stages and what they wait for.
type wiring struct {
	wires   []*wire
	waiting map[condition][]*wire
	of      [][][]*wire // those of every stage, by rank at either end
}

// layWires says which circuit takes which port in which stage. Circuits that a stage and the
// one before have in common keep their ports; others take the first that is left. Which port it
// is matters here only for what a circuit waits for; layouts are not asked.
//
// A circuit may be set when the GPUs at its ends have left the stage before, and so have those at
// the other ends of the circuits that its ports led to. With overlap of ports it takes ports that
// lead nowhere in the stage before, if there are any, and may be set when its ends have entered
// that. Parallel switches, which are dark as a whole, change when all GPUs have left the stage
// before, or with overlap of ports, if enough of them have no circuits in it, have entered it.
func layWires(p *plan.Plan) (*wiring, error) {
	f := &p.Fabric
	up, err := f.InitialTopology()
	if err != nil {
		return nil, err
	}
	l := &layer{
		plan: p, wiring: &wiring{waiting: map[condition][]*wire{}, of: make([][][]*wire, len(p.Stages))},
		transmit: newSockets(f), receive: newSockets(f),
	}
	if up == nil {
		up = p.Stages[0].Topology // free: it is there
	}
	if err := l.add(up, -1, nil); err != nil {
		return nil, err
	}
	for _, w := range l.wires {
		w.Up = 0
	}
	before := up
	for k := range p.Stages {
		next := p.Stages[k].Topology
		if err := l.change(before, next, k); err != nil {
			return nil, err
		}
		before = next
	}
	return l.wiring, nil
}

// layer lays wires.
type layer struct {
	*wiring
	plan              *plan.Plan
	transmit, receive [][]socket
	spare             bool // there are switches without circuits for all that change
}

// socket is a port: the wire in it now, if there is one, and the last that was.
type socket struct{ now, was *wire }

func newSockets(f *fabric.Fabric) [][]socket {
	all := make([][]socket, f.Nodes)
	for u := range all {
		all[u] = make([]socket, f.Ports)
	}
	return all
}

// change goes on to the circuits of a stage.
func (l *layer) change(before, next *topology.Graph, stage int) error {
	dark, spare := l.dark(before, next)
	keep := map[[2]int]int{}
	for e := range next.Edges() {
		keep[[2]int{e.From, e.To}] = e.Count
	}
	for _, c := range dark {
		keep[c]--
	}
	for u := range l.transmit {
		for i := range l.transmit[u] {
			s := &l.transmit[u][i]
			if s.now == nil {
				continue
			}
			if ends := [2]int{s.now.from, s.now.to}; keep[ends] > 0 {
				keep[ends]--
				s.now.last = stage
			} else {
				l.unplug(s.now)
			}
		}
	}
	l.spare = spare
	return l.add(next, stage, dark)
}

// dark lists the circuits of parallel switches that change, which are dark even if they
// are there before and after, and reports whether others that have no circuits can have them.
func (l *layer) dark(before, next *topology.Graph) (list [][2]int, spare bool) {
	t := &timeline{plan: l.plan, switches: switchesOf(&l.plan.Fabric, before)}
	if t.switches == nil {
		return nil, false
	}
	for _, s := range t.changing(next) {
		list = append(list, s...)
	}
	return list, t.free(next)
}

// unplug takes a wire out of its ports.
func (l *layer) unplug(w *wire) {
	for _, side := range [][]socket{l.transmit[w.from], l.receive[w.to]} {
		for i := range side {
			if side[i].now == w {
				side[i] = socket{was: w}
			}
		}
	}
}

// add plugs in what is missing of a stage.
func (l *layer) add(g *topology.Graph, stage int, dark [][2]int) error {
	missing := map[[2]int]int{}
	for e := range g.Edges() {
		missing[[2]int{e.From, e.To}] = e.Count
	}
	for _, w := range l.wires {
		if w.last == stage {
			missing[[2]int{w.from, w.to}]--
		}
	}
	delay := l.delay(stage)
	for e := range g.Edges() {
		for range missing[[2]int{e.From, e.To}] {
			w := &wire{from: e.From, to: e.To, first: stage, last: stage, delay: delay, Circuit: stepwise.Circuit{Up: stepwise.Never}}
			out, in := l.vacant(l.transmit[e.From], stage), l.vacant(l.receive[e.To], stage)
			if out == nil || in == nil {
				return errPorts(e.From, e.To)
			}
			l.require(w, out.was, in.was, slices.Contains(dark, [2]int{e.From, e.To}))
			out.now, in.now = w, w
			l.wires = append(l.wires, w)
		}
	}
	if stage < 0 {
		return nil
	}
	l.of[stage] = make([][]*wire, l.plan.Fabric.Nodes)
	for _, w := range l.wires {
		if w.last == stage {
			l.of[stage][w.from] = append(l.of[stage][w.from], w)
			l.of[stage][w.to] = append(l.of[stage][w.to], w)
		}
	}
	return nil
}

// delay returns for how long the new circuits of a stage are dark.
func (l *layer) delay(stage int) int64 {
	if stage < 0 {
		return 0
	}
	f := &l.plan.Fabric
	before := l.plan.Stages[0].Topology
	if stage > 0 {
		before = l.plan.Stages[stage-1].Topology
	} else if up, err := f.InitialTopology(); err == nil && up != nil {
		before = up
	}
	delay := picoseconds(f.Reconfig.Delay(before, l.plan.Stages[stage].Topology))
	if f.Overlap.Kind == fabric.OverlapCompute {
		delay = max(0, delay-f.Overlap.Compute)
	}
	return int64(delay)
}

// vacant returns the first port without a wire; with overlap of ports, if there is one that had
// none in the stage before either, that.
func (l *layer) vacant(side []socket, stage int) *socket {
	i := -1
	if l.plan.Fabric.Overlap.Kind == fabric.OverlapPorts {
		i = slices.IndexFunc(side, func(s socket) bool { return s.now == nil && s.was.idle(stage-1) })
	}
	if i < 0 {
		i = slices.IndexFunc(side, func(s socket) bool { return s.now == nil })
	}
	if i < 0 {
		return nil
	}
	return &side[i]
}

// idle reports whether the port that a wire was the last in leads nowhere in a stage.
func (w *wire) idle(stage int) bool { return w == nil || w.last < stage }

// require notes what a wire waits for.
func (l *layer) require(w, out, in *wire, whole bool) {
	if w.first < 0 {
		return
	}
	var wants []condition
	for _, old := range []*wire{out, in} {
		if old != nil {
			wants = append(wants, condition{old.from, old.last, false}, condition{old.to, old.last, false})
		}
	}
	early := l.plan.Fabric.Overlap.Kind == fabric.OverlapPorts && out.idle(w.first-1) && in.idle(w.first-1) && (!whole || l.spare)
	wants = append(wants, condition{w.from, w.first - 1, early}, condition{w.to, w.first - 1, early})
	if whole {
		for r := range l.plan.Fabric.Nodes {
			wants = append(wants, condition{r, w.first - 1, early})
		}
	}
	for i, c := range wants {
		if c.stage < 0 || slices.Contains(wants[:i], c) {
			continue
		}
		l.waiting[c] = append(l.waiting[c], w)
		w.wants++
	}
}
