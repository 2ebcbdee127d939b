package replay

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/stepwise"
)

// turns is the order in which packets pass each circuit with barriers. They keep it without
// barriers: a packet that is there before its turn waits.
//
// So nothing is later than with barriers. The proof is by induction over events, in order of
// time. A packet starts on a circuit when it has arrived, the circuit is up, and the packet
// before it in turn has left; none of these is later than with barriers. A packet is sent when
// its GPU has received, and reduced, what the earlier steps bring it; with barriers, when all
// GPUs have. A circuit is set when the GPUs at its ends are done with the previous stage; with
// barriers, when all are. On parallel circuits packets start in turn, on the circuit that is
// free first. When the i-th of these circuits, in the order of becoming free, is free again is
// no later either, because the minimum of times that are no later is no later (Kiefer and
// Wolfowitz, On the theory of queues with many servers, 1955).
//
// First come, first served has no such bound: a packet that a GPU sends early delays one that
// another waits for. Priorities of steps would not help: packets that come in another order
// leave in another order, and after that anything may be late.
type turns struct {
	*stepwise.Engine
	nodes  int
	steps  []*plan.Step
	firsts [][]int32 // first stream of every flow, by step
	orders []int     // order of the group under which flows are listed, by step
	again  bool      // a route passes a circuit twice
	sent   []sim.Transmission
	cut    func(*sim.Phase) ([]sim.Stream, error)
	err    error
}

// learn simulates a plan with barriers, and makes the queues of an engine serve packets in the
// same order. A single step has that order anyway. A route that passes a circuit twice, which
// no planner makes, has no place in such an order; packets are then served as they come.
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

// note records the streams of a phase, in the order of its flows; number is that of the first.
func (t *turns) note(streams []sim.Stream, phase *sim.Phase, number int32) {
	firsts := make([]int32, phase.Count())
	t.orders = append(t.orders, phase.Group.Order())
	for i := len(streams) - 1; i >= 0; i-- {
		firsts[streams[i].Flow] = number + int32(i)
		t.again = t.again || repeats(streams[i].Path)
	}
	t.firsts = append(t.firsts, firsts)
}

// repeats reports whether a path has a hop twice. A path may pass the switch of an island
// twice, but over different hops.
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

// repace gives streams the gaps that they have with barriers, which depend on who can start
// when.
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

// hop returns the hop of a stream on which something was sent.
func (t *turns) hop(stream int32, x *sim.Transmission) int32 {
	path := t.Path(stream)
	for h := range len(path) - 1 {
		if int(path[h])%t.nodes == x.From%t.nodes && int(path[h+1])%t.nodes == x.To%t.nodes {
			return int32(h)
		}
	}
	return -1
}
