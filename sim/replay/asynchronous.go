package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/units"
)

// Timing says when GPUs go on from step to step.
type Timing string

// The timings.
const (
	Barrier      Timing = "barrier"      // all together, when everything has arrived
	Asynchronous Timing = "asynchronous" // each as soon as it has received its data
)

// ranks simulates a plan without barriers. A GPU goes on to its next step when it has received,
// and reduced, everything that the previous step brings it, and sends after the start-up. It
// has left a stage when it has also sent and forwarded everything. Then its circuits may change
// (layWires). It goes on when its circuits of the next stage are up, or, with overlap of
// circuits, at once. Steps at the beginning of a stage that use no circuit, only tiers that are
// always up, do not wait.
type ranks struct {
	*stepwise.Engine
	plan    *plan.Plan
	tiers   *tiers
	wiring  *wiring
	steps   []*plan.Step
	startup []int64     // of steps
	stageOf []int       // of steps
	firstOf []int       // step of every stage
	firstOn []int       // first step of every stage that uses circuits
	sends   [][][]int32 // streams by step and rank
	missing [][]int     // number of streams that a rank still has to receive, by step and rank
	toSend  [][]int64   // number of packet-hops left to send, by stage and rank
	sent    []int64     // when the last of them was sent
	in      []int       // current step of each rank
	gone    []int       // last stage that each rank has left, from -1
	// reduce is how long a rank reduces after it has received everything, by step and rank.
	reduce [][]units.Duration
	ready  []int64 // when a rank has finished what it has begun to reduce
	ends   []int64 // of steps
	turns  turns
	step   []int // of streams
	dst    []int // of streams
}

// RunAsynchronous simulates a plan packet by packet without barriers: a GPU continues as soon
// as it can, and circuits change one by one (type ranks; for independent planes type gpus,
// whose routes have no pace). Packets pass every circuit in the order that they have with
// barriers (type turns). That run is simulated first, so no step ends later than with barriers.
// The phases of the result are steps: each lasts from the end of the previous step until its
// own last message has arrived.
//
// Options.Skew, Relay, Priorities and Orbit must not be set, because GPUs behave differently
// here.
func RunAsynchronous(ctx context.Context, p *plan.Plan, pace Pace, o sim.Options) (*sim.Result, error) {
	if o.Skew != (sim.Skew{}) || o.Relay != 0 || o.Priorities || o.Orbit {
		return nil, errors.New("replay: without barriers there is no skew, limit of relayed bytes, priority or orbit")
	}
	if p.Fabric.Forwarding == fabric.CutThrough && p.Fabric.Ideal().Delta == 0 {
		return nil, errors.New("replay: packets that cut through need delays of at least 1ps")
	}
	if p.Fabric.Charge != fabric.ChargeChanges {
		return nil, fmt.Errorf("replay: charge %s needs barriers: all GPUs wait before a step", p.Fabric.Charge)
	}
	if p.Staggered() {
		return runPlanes(ctx, p, pace, o)
	}
	r, err := newRanks(ctx, p, pace, o)
	if err != nil {
		return nil, err
	}
	for _, w := range r.wiring.wires {
		switch {
		case w.Up < stepwise.Never:
			r.Plug(w.from, w.to, &w.Circuit)
		case w.wants == 0:
			r.set(w, 0)
		}
	}
	for _, e := range r.tiers.links() {
		for range e.Count {
			r.Plug(e.From, e.To, &stepwise.Circuit{})
		}
	}
	for u := range r.in {
		r.enterStage(u, 0, 0)
	}
	if err := toTheEnd(ctx, r.Engine); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// toTheEnd runs the engine until nothing happens any more.
func toTheEnd(ctx context.Context, e *stepwise.Engine) error {
	for i := 0; e.Next(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := e.Stalled(); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}

func newRanks(ctx context.Context, p *plan.Plan, pace Pace, o sim.Options) (*ranks, error) {
	wiring, err := layWires(p)
	if err != nil {
		return nil, err
	}
	n := p.Fabric.Nodes
	r := &ranks{
		plan: p, tiers: newTiers(p), wiring: wiring, in: slices.Repeat([]int{-1}, n), gone: slices.Repeat([]int{-1}, n), sent: make([]int64, n), ready: make([]int64, n),
	}
	how := stepwise.Config{
		Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta, Packet: o.Packet, Forwarding: p.Fabric.Forwarding, Observer: o.Observer,
		Arrived: r.received, Left: r.hasSent,
	}
	if circuits := p.Fabric.Circuits(); circuits != nil {
		how.Vary = circuits.Of
	}
	if p.Fabric.Tiered() {
		how.Vary, how.Cutting = r.tiers.vary(), r.tiers.cutting()
	}
	r.Engine, err = stepwise.New(how)
	if err != nil {
		return nil, err
	}
	for k := range p.Stages {
		r.toSend, r.firstOf = append(r.toSend, make([]int64, r.tiers.nodes())), append(r.firstOf, len(r.steps))
		on := len(r.steps)
		for j := range p.Stages[k].Steps {
			if !p.Grounded(&p.Stages[k], &p.Stages[k].Steps[j]) {
				break
			}
			on++
		}
		r.firstOn = append(r.firstOn, on)
		for j := range p.Stages[k].Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := r.addStep(ctx, k, &p.Stages[k].Steps[j], pace, o); err != nil {
				return nil, err
			}
		}
	}
	r.ends = make([]int64, len(r.steps))
	r.turns.Engine = r.Engine
	return r, r.turns.learn(ctx, p, pace, o)
}

// addStep adds the streams of a step.
func (r *ranks) addStep(ctx context.Context, stage int, step *plan.Step, pace Pace, o sim.Options) error {
	phase := phaseOf(r.plan, &r.plan.Stages[stage], step)
	var err error
	if phase.Pace, err = pace.holds(phase); err != nil {
		return err
	}
	o.Forwarding, o.Observer = r.plan.Fabric.Forwarding, nil
	streams, err := sim.Streams(ctx, phase, o)
	if err != nil {
		return err
	}
	sends, missing := make([][]int32, r.plan.Fabric.Nodes), make([]int, r.plan.Fabric.Nodes)
	images := phase.Group.Order()
	r.turns.note(streams, phase, int32(len(r.step)))
	base, first := int64(0), 0
	for i := range streams {
		s := &streams[i]
		if i > 0 && s.Flow != streams[i-1].Flow {
			if s.Flow/images != streams[i-1].Flow/images {
				base += int64(i - first)
			}
			first = i
		}
		t := stepwise.Stream{
			Path: s.Path, Bytes: int64(s.Bytes), Gap: int64(s.Gap), Phase: len(r.steps), Flow: s.Flow, Order: int64(i), Ranks: make([]int32, len(s.Path)-1),
		}
		if phase.Pace {
			t.Order = base + int64(i-first) // the same for all images
		}
		for h := range t.Ranks {
			u := s.Path[h]
			if h > 0 {
				k, _ := phase.Group.Locate(int(u))
				t.Ranks[h] = int32(phase.Group.Back(k, int(s.Path[h-1])))
			}
			r.toSend[stage][u] += (t.Bytes-1)/int64(r.Packet) + 1
		}
		src, dst := s.Path[0], s.Path[len(s.Path)-1]
		sends[src] = append(sends[src], r.Add(t))
		missing[dst]++
		r.step, r.dst = append(r.step, len(r.steps)), append(r.dst, int(dst))
	}
	r.startup = append(r.startup, int64(phase.Startup))
	r.steps, r.stageOf, r.reduce = append(r.steps, step), append(r.stageOf, stage), append(r.reduce, reductions(r.plan, step))
	r.sends, r.missing = append(r.sends, sends), append(r.missing, missing)
	return nil
}

// set commands a circuit.
func (r *ranks) set(w *wire, now int64) {
	w.Up = now + w.delay
	r.Plug(w.from, w.to, &w.Circuit)
	r.At(w.Up, func(now int64) {
		for _, u := range []int{w.from, w.to} {
			r.enterStage(u, w.first, now)
			if r.in[u] >= 0 && r.stageOf[r.in[u]] == w.first && r.in[u]+1 == r.firstOn[w.first] {
				r.goOn(u, now) // it may have waited for circuits after steps that need none
			}
		}
	})
}

// meet records that a condition is met.
func (r *ranks) meet(c condition, now int64) {
	for _, w := range r.wiring.waiting[c] {
		if w.wants--; w.wants == 0 {
			r.set(w, now)
		}
	}
	delete(r.wiring.waiting, c)
}

// up reports whether all circuits of a rank in a stage are up, or it need not wait for them.
func (r *ranks) up(u, stage int, now int64) bool {
	if r.plan.Fabric.Overlap.Kind == fabric.OverlapCircuits {
		return true
	}
	return !slices.ContainsFunc(r.wiring.of[stage][u], func(w *wire) bool { return w.Up > now })
}

// enterStage lets a rank enter a stage if it has left the previous one, and its circuits are up
// or the first step uses none.
func (r *ranks) enterStage(u, stage int, now int64) {
	if stage < 0 || stage == len(r.firstOf) || r.gone[u] != stage-1 || r.in[u] >= r.firstOf[stage] {
		return
	}
	if r.firstOn[stage] == r.firstOf[stage] && !r.up(u, stage, now) {
		return
	}
	r.meet(condition{u, stage, true}, now)
	r.enter(u, r.firstOf[stage], now)
}

// enter begins a step at a rank.
func (r *ranks) enter(u, step int, now int64) {
	r.in[u] = step
	for _, s := range r.sends[step][u] {
		r.Start(s, now+r.startup[step])
	}
	r.goOn(u, now)
}

// goOn begins the next step of a rank if it has received, and then reduced, everything.
func (r *ranks) goOn(u int, now int64) {
	step := r.in[u]
	if step < 0 || r.missing[step][u] > 0 {
		return
	}
	if takes := r.reduce[step][u]; takes > 0 {
		r.reduce[step][u] = 0
		r.ready[u] = now + int64(takes)
		r.At(r.ready[u], func(now int64) {
			r.ends[step] = max(r.ends[step], now)
			r.goOn(u, now)
		})
	}
	if now < r.ready[u] {
		return
	}
	stage := r.stageOf[step]
	if step+1 < len(r.steps) && r.stageOf[step+1] == stage {
		if step+1 != r.firstOn[stage] || r.up(u, stage, now) {
			r.enter(u, step+1, now)
		}
		return
	}
	if r.gone[u] == stage || r.toSend[stage][u] > 0 {
		return
	}
	if r.sent[u] > now {
		r.At(r.sent[u], func(now int64) { r.goOn(u, now) })
		return
	}
	r.gone[u] = stage
	r.takeDown(u, stage)
	r.meet(condition{u, stage, false}, now)
	r.enterStage(u, stage+1, now)
}

// takeDown removes the circuits that end with a stage from their queues when both ends have
// left it.
func (r *ranks) takeDown(u, stage int) {
	for _, w := range r.wiring.of[stage][u] {
		if w.last == stage && r.gone[w.from] >= stage && r.gone[w.to] >= stage {
			r.Unplug(w.from, w.to, &w.Circuit)
		}
	}
}

// received is called when the last packet of a stream arrives.
func (r *ranks) received(stream int32, at int64) {
	step, dst := r.step[stream], r.dst[stream]
	r.At(at, func(now int64) {
		r.ends[step] = max(r.ends[step], now)
		if r.missing[step][dst]--; r.missing[step][dst] == 0 && r.in[dst] == step {
			r.goOn(dst, now)
		}
	})
}

// hasSent is called when a packet has left a node.
func (r *ranks) hasSent(stream, node int32, at int64) {
	if int(node) >= len(r.in) {
		return // the switch of an island
	}
	stage := r.stageOf[r.step[stream]]
	r.toSend[stage][node]--
	r.sent[node] = max(r.sent[node], at)
	if r.toSend[stage][node] == 0 && r.in[node] >= 0 && r.stageOf[r.in[node]] == stage {
		u := int(node)
		r.At(at, func(now int64) { r.goOn(u, now) })
	}
}

// result returns the times of the steps.
func (r *ranks) result() *sim.Result {
	result := r.Result()
	for i, end := range r.ends {
		addPhase(result, units.Duration(end), units.Duration(r.startup[i]))
	}
	return result
}

// addPhase adds a step that ends at the given time to a result, and extends the completion to
// it.
func addPhase(r *sim.Result, end, alpha units.Duration) {
	begin := r.Completion
	end = max(begin, end)
	r.Phases = append(r.Phases, sim.PhaseResult{Start: begin, Traffic: min(end, begin+alpha), End: end})
	r.Completion = end
}
