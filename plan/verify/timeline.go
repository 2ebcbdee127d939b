package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// timeline replays the times that a plan claims on a record of every circuit: when it came or
// will come up. It takes the starts and ends of steps from the plan, works out from the
// fabric's rules (see package plan) when each change can have been commanded, and looks at
// every transfer for a dark circuit. It shares no code with Price.
type timeline struct {
	plan *plan.Plan
	up   *topology.Graph // the circuits of the last stage
	// lit says when the circuits between two GPUs come up, one entry for each, ascending.
	lit map[[2]int][]units.Time
	// settings are those of the parallel switches, in that delay model.
	settings [][][2]int
	beside   besides

	ended  units.Time // when the last step ended, as the plan claims
	sends  units.Time // when the first step of the previous stage began
	over   units.Time // when the change of the previous stage was over
	change *changing  // under way, or the last one; nil before the first
}

// changing is a change of circuits.
type changing struct {
	stage       int
	delay, over units.Time
	open        units.Time // no transfer of the stage may start before it
	paid        units.Time // the part of the delay for which steps waited
	waited      units.Time // by the first step that uses a circuit, if others precede it
}

// checkTiming replays the plan and reports the first transfer that uses a dark circuit.
func checkTiming(ctx context.Context, p *plan.Plan) (violation, cancelled error) {
	if p.Staggered() {
		return checkLaneTiming(ctx, p)
	}
	if p.Fabric.Charge != fabric.ChargeChanges {
		return checkChargedSteps(ctx, p)
	}
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return err, nil
	}
	if up == nil {
		up = p.Stages[0].Topology
	}
	t := &timeline{plan: p, up: up, beside: besidesOf(&p.Fabric)}
	t.lit = map[[2]int][]units.Time{}
	for e := range up.Edges() {
		t.lit[[2]int{e.From, e.To}] = make([]units.Time, e.Count)
	}
	t.settings = t.switches(up)
	for i := range p.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.stage(i); err != nil {
			return err, nil
		}
	}
	return t.settle(), nil
}

// before reports whether one time is earlier than another by more than rounding, which is
// relative to the time since the start. A NaN is before everything.
func before(a, b units.Time) bool { return !(a >= b) && !plan.Near(a, b) }

// slack is the rounding of the difference of two times up to t.
func slack(t units.Time) units.Time { return plan.Tolerance * units.Time(math.Abs(float64(t))) }

func (t *timeline) stage(i int) error {
	stage := &t.plan.Stages[i]
	if !(stage.Reconfiguration >= 0) {
		return fmt.Errorf("stage %d: the change takes %v", i+1, stage.Reconfiguration)
	}
	if before(stage.Start, t.ended) {
		return fmt.Errorf("stage %d: circuits change at %v, while the step before runs until %v", i+1, stage.Start, t.ended)
	}
	t.ended = max(t.ended, stage.Start)
	began := t.ended
	changed, err := t.command(i)
	if err != nil {
		return err
	}
	open, first := t.ended, t.grounded(stage)
	if changed && first == 0 {
		open = t.change.open
		if need := open - began; before(stage.Reconfiguration, need) && !plan.Near(began+stage.Reconfiguration, open) {
			return fmt.Errorf("stage %d: the change takes %v, but %v are planned", i+1, need, stage.Reconfiguration)
		}
	}
	planned := stage.Start + stage.Reconfiguration
	for j := range stage.Steps {
		step := &stage.Steps[j]
		if ended := open; changed && j == first && first > 0 {
			open = max(open, t.change.over) + t.plan.Fabric.Sync.Time()
			if before(open, step.Start) {
				return fmt.Errorf("stage %d, step %d: starts at %v, but the change is over at %v", i+1, j+1, step.Start, open)
			}
			t.change.waited = step.Start - ended
		}
		if j == 0 && (before(step.Start, open) || before(step.Start, planned)) {
			return fmt.Errorf("stage %d, step 1: starts at %v, before the circuits are up at %v", i+1, step.Start, max(open, planned))
		}
		if before(step.Start, open) {
			return fmt.Errorf("stage %d, step %d: starts at %v, before the step before ends at %v", i+1, j+1, step.Start, open)
		}
		if j == 0 && (changed || first > 0) && before(planned, step.Start) {
			return fmt.Errorf("stage %d, step 1: starts at %v, but the change is over at %v", i+1, step.Start, planned)
		}
		if t.change != nil && j >= first {
			if err := t.dark(i, j, open); err != nil {
				return err
			}
			t.change.paid += step.Start - open
		}
		if need := t.reducing(step); before(step.Cost.Total(), need) {
			return fmt.Errorf("stage %d, step %d: ends after %v, while a GPU reduces for %v", i+1, j+1, step.Cost.Total(), need)
		}
		open = step.Start + step.Cost.Total()
		if j == first {
			t.sends = step.Start
		}
	}
	t.ended = open
	return nil
}

// grounded counts the steps at the beginning of a stage that use no circuit, only tiers that
// are always up, and so wait for no change. With overlap circuits every step begins as soon as
// it can.
func (t *timeline) grounded(stage *plan.Stage) int {
	if t.plan.Fabric.Overlap.Kind == fabric.OverlapCircuits {
		return 0
	}
	count := 0
	for _, step := range stage.Steps {
		for _, x := range step.Base {
			for _, route := range x.Routes {
				for h, v := range route.Path[1:] {
					if !t.inside(stage, route.Path[h], v) {
						return count
					}
				}
			}
		}
		count++
	}
	return count
}

// inside reports whether a hop uses no circuit, only tiers that are always up.
func (t *timeline) inside(stage *plan.Stage, u, v int32) bool {
	return t.beside.over(stage.Topology, u, v) > plan.OverCircuit
}

// reducing returns how long the GPU that reduces the most in a step takes to do so.
func (t *timeline) reducing(step *plan.Step) units.Time {
	gamma := t.plan.Fabric.Gamma
	if gamma.Time == 0 {
		return 0
	}
	received, most := map[int]float64{}, 0.0
	for transfer := range step.All(t.plan.Collective.Space) {
		if transfer.Action == collective.Copy {
			continue
		}
		received[transfer.Dst] += t.plan.Bytes(transfer.Chunks)
		most = max(most, received[transfer.Dst])
	}
	return gamma.Time.Time() / units.Time(gamma.Per) * units.Time(most)
}

// command replays the change before a stage and reports whether there is one. It finds the time
// of the command, and when the circuits are up.
func (t *timeline) command(i int) (bool, error) {
	next := t.plan.Stages[i].Topology
	f := &t.plan.Fabric
	turn := t.difference(next)
	if !turn.any() {
		return false, nil
	}
	if err := t.settle(); err != nil {
		return false, err
	}
	delay, sync := turn.delay(f), f.Sync.Time()
	c := &changing{stage: i, delay: delay}
	command := t.ended
	switch f.Overlap.Kind {
	case fabric.OverlapCompute:
		command -= f.Overlap.Compute.Time() // on a clock that stops meanwhile
	case fabric.OverlapPorts:
		if i > 0 && turn.room(f) {
			command = t.sends
		}
	case fabric.OverlapCircuits:
		command = max(command+sync, t.over)
	}
	c.over = command + delay
	c.open = max(t.ended, c.over) + sync
	if f.Overlap.Kind == fabric.OverlapCircuits {
		c.open = command
	}
	turn.apply(t.lit, c.over)
	t.up, t.settings = next, turn.settings
	t.change, t.over = c, c.over
	return true, nil
}

// settle checks how much of the last change the plan claims to have hidden.
func (t *timeline) settle() error {
	c := t.change
	if c == nil {
		return nil
	}
	stage := &t.plan.Stages[c.stage]
	paid := c.paid + max(0, t.over-t.ended)
	switch t.plan.Fabric.Overlap.Kind {
	case fabric.OverlapNone, fabric.OverlapCompute, fabric.OverlapPorts, fabric.OverlapPlanes:
		paid = max(0, max(stage.Reconfiguration, c.waited)-t.plan.Fabric.Sync.Time())
	}
	if hidden := max(0, c.delay-paid); !(max(stage.Hidden-hidden, hidden-stage.Hidden) <= slack(max(t.ended, hidden))) {
		return fmt.Errorf("stage %d: %v of the change are said to be hidden, but %v are", c.stage+1, stage.Hidden, hidden)
	}
	return nil
}

// ready returns when all circuits between two GPUs are up.
func (t *timeline) ready(u, v int32) units.Time {
	circuits := t.lit[[2]int{int(u), int(v)}]
	if len(circuits) == 0 {
		return units.Time(math.Inf(1))
	}
	return circuits[len(circuits)-1]
}

// dark checks a step that may begin at the given time on circuits that are not all up: the
// transfers that must wait have to end in time all the same.
func (t *timeline) dark(i, j int, begin units.Time) error {
	stage := &t.plan.Stages[i]
	step := &stage.Steps[j]
	if t.over <= begin {
		return nil // everything is up
	}
	r := rush{timeline: t, circuits: t.plan.Fabric.Circuits(), begin: begin, stage: stage, step: step, waiting: newUse(), going: newUse(), number: -1}
	number := 0
	for x := range step.All(t.plan.Collective.Space) {
		r.add(number, x)
		number++
	}
	if r.number < 0 {
		return nil // it uses no dark circuit
	}
	if short := r.short(); short > slack(t.over+step.Start) {
		return fmt.Errorf("%s: circuit %d->%d is dark until %v, so the step ends at %v, not at %v",
			where(i, j, r.number), r.circuit[0], r.circuit[1], t.over, step.Start+step.Cost.Total()+short, step.Start+step.Cost.Total())
	}
	return nil
}

// rush is a step that begins before all circuits are up.
type rush struct {
	*timeline
	circuits       *fabric.Circuits // their properties; nil: all equal
	begin          units.Time
	stage          *plan.Stage
	step           *plan.Step
	waiting, going *use
	number         int // of the first transfer that waits, -1 if there is none
	circuit        [2]int32
}

// use is the load of transfers on circuits.
type use struct {
	bundle, pair map[[2]int32]float64
	route        units.Time // of the slowest route, hop after hop
	flight       units.Time // of a byte on the longest route
	any          bool
}

func newUse() *use { return &use{bundle: map[[2]int32]float64{}, pair: map[[2]int32]float64{}} }

func (r *rush) add(number int, x plan.Transfer) {
	bytes := r.plan.Bytes(x.Chunks)
	into := r.going
	for _, route := range x.Routes {
		for h, v := range route.Path[1:] {
			if u := route.Path[h]; !r.inside(r.stage, u, v) && r.ready(u, v) > r.begin {
				if into = r.waiting; r.number < 0 {
					r.number, r.circuit = number, [2]int32{u, v}
				}
			}
		}
	}
	into.pair[[2]int32{int32(x.Src), int32(x.Dst)}] += bytes
	for _, route := range x.Routes {
		serial, flight := units.Time(0), units.Time(0)
		for h, v := range route.Path[1:] {
			at := [2]int32{route.Path[h], v}
			if r.beside.over(r.stage.Topology, at[0], v) == plan.OverIsland {
				into.bundle[[2]int32{-1, v}] += route.Share * bytes
				at[1] = -1
			}
			into.bundle[at] += route.Share * bytes
			takes, delay := r.sends(at, route.Share*bytes)
			serial += takes
			flight += delay
		}
		into.route, into.flight, into.any = max(into.route, serial), max(into.flight, flight), true
	}
}

// sends returns how long the circuits from one GPU to another take for the given bytes, and how
// long a byte travels. An end of -1 is the island of the other end.
func (r *rush) sends(at [2]int32, bytes float64) (takes, delay units.Time) {
	if min(at[0], at[1]) < 0 {
		return r.plan.Fabric.Island.Bandwidth.Transmit(bytes), r.plan.Fabric.IslandDelta().Time()
	}
	if count := r.beside.fixed[at]; count > 0 && r.inside(r.stage, at[0], at[1]) {
		return r.plan.Fabric.FixedBandwidth().Transmit(bytes / float64(count)), r.plan.Fabric.FixedDelta().Time()
	}
	bandwidth, flight := r.plan.Fabric.Bandwidth, r.plan.Fabric.Delta
	if r.circuits != nil {
		bandwidth, flight = r.circuits.Of(int(at[0]), int(at[1]))
	}
	return bandwidth.Transmit(bytes / float64(r.stage.Topology.Count(int(at[0]), int(at[1])))), flight.Time()
}

// short returns how much time the step lacks. Transfers that need not wait send an equal part
// of their bytes until the others begin, and the rest together with them. A byte reaches the
// last circuit of its route later by the delays of the route.
func (r *rush) short() units.Time {
	f := &r.plan.Fabric
	left := 1.0 // the fraction left of those that need not wait
	if r.going.any {
		window := r.over - r.begin - r.going.flight
		if need := r.time(nil, 0, r.going, 1); window >= need {
			left = 0
		} else if window > 0 {
			left = 1 - float64(window/need)
		}
	}
	end := r.step.Start + r.step.Cost.Total()
	send := r.over + f.Alpha.Time()
	window := end - send - max(r.going.flight, r.waiting.flight)
	return r.time(r.waiting, 1, r.going, left) - window
}

// time returns how long circuits take for fractions of two sets of transfers.
func (r *rush) time(a *use, part float64, b *use, rest float64) units.Time {
	f := &r.plan.Fabric
	circuit := map[[2]int32]float64{}
	pair := map[[2]int32]float64{}
	slowest := units.Time(0)
	for _, set := range []struct {
		use  *use
		part float64
	}{{a, part}, {b, rest}} {
		if set.use == nil {
			continue
		}
		for at, bytes := range set.use.bundle {
			circuit[at] += set.part * bytes
		}
		for at, bytes := range set.use.pair {
			pair[at] += set.part * bytes
		}
		if f.Forwarding == fabric.StoreAndForward {
			slowest = max(slowest, units.Time(set.part)*set.use.route)
		}
	}
	for at, bytes := range circuit {
		takes, _ := r.sends(at, bytes)
		slowest = max(slowest, takes)
	}
	if f.CapTheta {
		for _, bytes := range pair {
			slowest = max(slowest, f.Bandwidth.Transmit(bytes))
		}
	}
	return slowest
}

// switches returns the setting of every parallel switch, nil in other models.
func (t *timeline) switches(g *topology.Graph) [][][2]int {
	if k, whole := t.plan.Fabric.Switches(); whole {
		return fabric.SwitchSettings(g, k)
	}
	return nil
}
