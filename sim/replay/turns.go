package replay

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/stepwise"
)

// turns is the order in which packets go with barriers, circuit by circuit. Without barriers
// they keep it: a packet that is there before its turn waits.
//
// So nothing is later than with barriers. By induction over what happens there, in the order of
// time: a packet starts on a circuit when it has come, the circuit is up and the packet before it
// in turn has left, each of which is no later than with barriers. It is handed over when its GPU
// has received, and reduced, what it is to receive in the steps before; with barriers, when all
// GPUs have. A circuit is set when the GPUs at its ends are done with the stage before; with
// barriers, when all are. On parallel circuits packets start in turn, on the one that is free
// first; when the i-th of them is free again, counted in that order, is no later either, since
// the earliest of times that are no later is not (Kiefer and Wolfowitz, On the theory of queues
// with many servers, 1955).
//
// First come, first served has no such bound: a packet that a GPU sends early delays one that
// another waits for, and also if steps had priorities, since what comes in another order
// leaves in another order, after which anything may be late.
type turns struct {
	*stepwise.Engine
	nodes  int
	steps  []*plan.Step
	firsts [][]int32 // stream of every flow, by step
	orders []int     // of the group under which flows are listed, by step
	again  bool      // a route passes a circuit twice
	sent   []sim.Transmission
	cut    func(*sim.Phase) ([]sim.Stream, error)
	err    error
}

// learn simulates a plan with barriers, and has the queues of an engine serve packets in the same
// order. Of a single step that would be the order anyway. What passes a circuit twice, which no
// planner lets it, has no place in such an order: then packets go as they come.
func (t *turns) learn(ctx context.Context, p *plan.Plan, pace Pace, o sim.Options) error {
	if len(t.firsts) == 1 || t.again {
		return nil
	}
	if t.nodes = p.Fabric.Nodes; !p.Staggered() {
		t.nodes = newTiers(p).nodes()
	}
	for _, step := range p.Steps() {
		t.steps = append(t.steps, step)
	}
	how := sim.Options{Packet: o.Packet, Forwarding: p.Fabric.Forwarding}
	t.cut = func(phase *sim.Phase) ([]sim.Stream, error) { return sim.Streams(ctx, phase, how) }
	watched := how
	watched.Observer = t
	if _, err := sim.Run(ctx, sim.PacketLevel, Paced(p, pace), watched); err != nil {
		return err
	}
	return t.err
}

// note remembers the streams of a phase, in the order of its flows, the first of which has a
// number.
func (t *turns) note(streams []sim.Stream, phase *sim.Phase, number int32) {
	firsts := make([]int32, phase.Count())
	t.orders = append(t.orders, phase.Group.Order())
	for i := len(streams) - 1; i >= 0; i-- {
		firsts[streams[i].Flow] = number + int32(i)
		t.again = t.again || repeats(streams[i].Path)
	}
	t.firsts = append(t.firsts, firsts)
}

// repeats reports whether a path has a hop twice. It may pass the switch of an island twice, but in
// different ways.
func repeats(path []int32) bool {
	for h := 1; h < len(path); h++ {
		for k := h + 1; k < len(path); k++ {
			if path[h-1] == path[k-1] && path[h] == path[k] {
				return true
			}
		}
	}
	return false
}

// Transmission implements sim.Observer.
func (t *turns) Transmission(x sim.Transmission) { t.sent = append(t.sent, x) }

// Phase implements sim.Observer.
func (t *turns) Phase(index int, phase *sim.Phase, _ *sim.PhaseResult) {
	number := func(flow int) int32 {
		step := t.steps[index]
		if phase.Group.Order() < t.orders[index] { // it lists all images: see timeline.stagger
			flow = flow%len(step.Base)*step.Group.Order() + flow/len(step.Base)
		}
		return t.firsts[index][flow]
	}
	for i := range t.sent {
		x := &t.sent[i]
		stream := number(x.Flow) + int32(x.Route)
		t.Turn(stream, t.hop(stream, x), x.Packets, int64(x.Bytes))
	}
	t.sent = t.sent[:0]
	if phase.Pace && slices.ContainsFunc(phase.Flows, func(f sim.Flow) bool { return f.Start > 0 }) {
		t.repace(phase, number)
	}
}

// repace gives streams the gaps that they have with barriers: those depend on who can start when.
func (t *turns) repace(phase *sim.Phase, number func(flow int) int32) {
	streams, err := t.cut(phase)
	if err != nil {
		t.err = err
		return
	}
	route := int32(0)
	for i := range streams {
		if route++; i == 0 || streams[i].Flow != streams[i-1].Flow {
			route = 0
		}
		t.Repace(number(streams[i].Flow)+route, streams[i].Gap)
	}
}

// hop returns on which hop of a stream something was sent.
func (t *turns) hop(stream int32, x *sim.Transmission) int32 {
	path := t.Path(stream)
	for h := range len(path) - 1 {
		if int(path[h])%t.nodes == x.From%t.nodes && int(path[h+1])%t.nodes == x.To%t.nodes {
			return int32(h)
		}
	}
	return -1
}
