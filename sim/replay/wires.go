package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
)

// wire is one circuit from its setting until it is taken down.
type wire struct {
	stepwise.Circuit
	from, to    int
	first, last int   // stages in which it exists; -1 is before the first
	delay       int64 // how long it is dark
	wants       int   // number of conditions that must be met before it can be set
}

// condition says that a rank has left a stage or, if early, that it has entered it.
type condition struct {
	rank, stage int
	early       bool
}

// wiring holds the circuits of all stages and what they wait for.
type wiring struct {
	wires   []*wire
	waiting map[condition][]*wire
	of      [][][]*wire // of every stage, by rank at either end
}

// layWires assigns circuits to ports in each stage, as timetables and emulations do
// (plan.Wire): circuits that stay keep their ports, and layouts are respected. Here the port
// determines what a circuit waits for.
//
// A circuit may be set when the GPUs at its ends have left the previous stage, and so have
// those at the other ends of the circuits that its ports had. With overlap of ports, a circuit
// whose ports are free in the previous stage may be set when its ends have entered that stage.
// Parallel switches are dark as a whole. They change when all GPUs have left the previous stage
// or, with overlap of ports and if enough switches have no circuits in it, when all have
// entered it.
func layWires(p *plan.Plan) (*wiring, error) {
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	l := &layer{
		plan: p, wiring: &wiring{waiting: map[condition][]*wire{}, of: make([][][]*wire, len(p.Stages))},
		transmit: map[ports.Fibre]*wire{}, receive: map[ports.Fibre]*wire{},
	}
	if err := l.begin(up); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	_, whole := p.Fabric.Switches()
	before := up
	if up == nil {
		before = p.Stages[0].Topology
	}
	for k := range p.Stages {
		next := p.Stages[k].Topology
		if whole {
			l.changeSwitches(before, next, k)
		} else if err := l.changePorts(k); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		l.enter(k)
		before = next
	}
	return l.wiring, nil
}

// layer assigns wires to ports.
type layer struct {
	*wiring
	plan *plan.Plan
	now  *ports.Wiring
	// transmit and receive are the wires in fibres: the present ones, or the last before.
	transmit, receive map[ports.Fibre]*wire
}

// begin adds the circuits that are there before the first stage; nil means those of that stage.
func (l *layer) begin(up *topology.Graph) (err error) {
	if up == nil {
		l.now, err = l.plan.Wire(nil, 0)
	} else {
		l.now, err = ports.None(&l.plan.Fabric).Next(up)
	}
	if err != nil {
		return err
	}
	for c := range l.now.Circuits() {
		w := l.add(c.In.GPU, c.Out.GPU, -1)
		w.Up = 0
		l.transmit[c.In], l.receive[c.Out] = w, w
	}
	return nil
}

// add adds a wire from a stage on.
func (l *layer) add(from, to, stage int) *wire {
	w := &wire{from: from, to: to, first: stage, last: stage, Circuit: stepwise.Circuit{Up: stepwise.Never}}
	if stage >= 0 {
		w.delay = l.delay(stage)
	}
	l.wires = append(l.wires, w)
	return w
}

// enter lists the wires of a stage at the ranks at their ends.
func (l *layer) enter(stage int) {
	l.of[stage] = make([][]*wire, l.plan.Fabric.Nodes)
	for _, w := range l.wires {
		if w.last == stage {
			l.of[stage][w.from] = append(l.of[stage][w.from], w)
			l.of[stage][w.to] = append(l.of[stage][w.to], w)
		}
	}
}

// changePorts changes to the circuits of a stage, port by port.
func (l *layer) changePorts(stage int) error {
	next, err := l.plan.Wire(l.now, stage)
	if err != nil {
		return err
	}
	var fresh []ports.Circuit
	for c := range next.Circuits() {
		if l.now.To(c.In) == c.Out {
			l.transmit[c.In].last = stage
		} else {
			fresh = append(fresh, c)
		}
	}
	slices.SortStableFunc(fresh, func(a, b ports.Circuit) int {
		return cmp.Or(cmp.Compare(a.In.GPU, b.In.GPU), cmp.Compare(a.Out.GPU, b.Out.GPU))
	})
	for _, c := range fresh {
		out, in := l.transmit[c.In], l.receive[c.Out]
		w := l.add(c.In.GPU, c.Out.GPU, stage)
		l.transmit[c.In], l.receive[c.Out] = w, w
		var wants []condition
		for _, old := range []*wire{out, in} {
			if old != nil {
				wants = append(wants, condition{old.from, old.last, false}, condition{old.to, old.last, false})
			}
		}
		early := l.plan.Fabric.Overlap.Kind == fabric.OverlapPorts && out.idle(stage-1) && in.idle(stage-1)
		l.require(w, append(wants, condition{w.from, stage - 1, early}, condition{w.to, stage - 1, early}))
	}
	l.now = next
	return nil
}

// idle reports whether the port whose last wire is w is free in a stage.
func (w *wire) idle(stage int) bool { return w == nil || w.last < stage }

// changeSwitches changes to the circuits of a stage on parallel switches. Those that change are
// dark as a whole, including circuits that exist before and after.
func (l *layer) changeSwitches(before, next *topology.Graph, stage int) {
	t := &timeline{plan: l.plan, switches: switchesOf(&l.plan.Fabric, before)}
	keep, missing := map[[2]int]int{}, map[[2]int]int{}
	for e := range next.Edges() {
		keep[[2]int{e.From, e.To}], missing[[2]int{e.From, e.To}] = e.Count, e.Count
	}
	for _, s := range t.changing(next) {
		for _, c := range s {
			keep[c]--
		}
	}
	for _, w := range l.wires {
		if ends := [2]int{w.from, w.to}; w.last == stage-1 && keep[ends] > 0 {
			keep[ends]--
			missing[ends]--
			w.last = stage
		}
	}
	early := l.plan.Fabric.Overlap.Kind == fabric.OverlapPorts && t.free(next)
	var wants []condition
	for r := range l.plan.Fabric.Nodes {
		wants = append(wants, condition{r, stage - 1, early})
	}
	for e := range next.Edges() {
		for range missing[[2]int{e.From, e.To}] {
			l.require(l.add(e.From, e.To, stage), wants)
		}
	}
}

// delay returns how long the new circuits of a stage are dark.
func (l *layer) delay(stage int) int64 {
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

// require records what a wire waits for.
func (l *layer) require(w *wire, wants []condition) {
	for i, c := range wants {
		if c.stage < 0 || slices.Contains(wants[:i], c) {
			continue
		}
		l.waiting[c] = append(l.waiting[c], w)
		w.wants++
	}
}
