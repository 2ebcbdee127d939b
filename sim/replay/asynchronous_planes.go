package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// gpus simulates, without barriers, a plan whose planes reconfigure independently. A GPU goes
// on to its next step when it has received, and reduced, everything that the previous step
// brings it over all planes. It sends its share on a plane after the start-up, which begins
// when its circuit there is up.
//
// If planes are independent, a GPU is in all steps from the start and waits only for circuits.
//
// A plane has the same circuits for an epoch: the steps from one change of the plane to the
// next. A port is done with an epoch when the GPU has sent, forwarded and received everything
// over it in all these steps. A circuit is set when two kinds of ports are done with the
// previous epoch: those at its ends, and those to which these led in that epoch. If a switch is
// dark as a whole, its plane is set when all its ports are done. As with barriers, all circuits
// of a plane that changes are dark.
//
// GPU u is node u + e n in epoch e, so that streams of one epoch cannot use circuits of
// another.
type gpus struct {
	*stepwise.Engine
	plan    *plan.Plan
	epochs  []epoch
	steps   []*gpuStep
	of      []sent // of streams
	in      []int  // current step of each GPU
	ready   []int64
	turns   turns
	wires   map[[2]int]*laneWire // by nodes
	waiting map[int][]*laneWire  // wires that wait for ports, by node
}

// epoch is a time during which a plane keeps its circuits.
type epoch struct {
	plane    int
	before   int // previous epoch of the plane, or -1
	circuits *topology.Graph
	left     []int64 // packet-hops left to send plus streams left to receive, by GPU
	done     []int64 // when the last of them was finished
}

// gpuStep is a step of the plan.
type gpuStep struct {
	sends   [][]int32 // streams, by GPU
	missing []int     // number of streams that a GPU still has to receive
	reduce  []units.Duration
	end     int64
}

// sent says where a stream belongs.
type sent struct{ step, dst, epoch int }

// laneWire is a circuit during an epoch.
type laneWire struct {
	stepwise.Circuit
	from, to int // nodes
	wants    int // number of ports that are not done yet
	delay    int64
	held     []int32 // streams that start when it is up
}

// runPlanes simulates a plan with lanes without barriers.
func runPlanes(ctx context.Context, p *plan.Plan, pace Pace, o sim.Options) (*sim.Result, error) {
	n := p.Fabric.Nodes
	r := &gpus{plan: p, in: make([]int, n), ready: make([]int64, n), wires: map[[2]int]*laneWire{}, waiting: map[int][]*laneWire{}}
	var err error
	how := stepwise.Config{
		Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta, Packet: o.Packet, Forwarding: p.Fabric.Forwarding,
		Arrived: r.received, Left: r.hasSent, Observer: r.onPlanes(o.Observer),
	}
	if circuits := p.Fabric.Circuits(); circuits != nil {
		how.Vary = func(from, to int) (units.Bandwidth, units.Duration) { return circuits.Of(from%n, to%n) }
	}
	r.Engine, err = stepwise.New(how)
	if err != nil {
		return nil, err
	}
	latest := slices.Repeat([]int{-1}, p.Fabric.Ports) // epoch of each plane
	for stage, step := range p.Steps() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k, lane := range stage.Lanes {
			if lane.Circuits == nil || latest[k] >= 0 && r.epochs[latest[k]].circuits.Equal(lane.Circuits) {
				continue
			}
			r.epochs = append(r.epochs, epoch{plane: k, before: latest[k], circuits: lane.Circuits, left: make([]int64, n), done: make([]int64, n)})
			latest[k] = len(r.epochs) - 1
		}
		if err := r.addStep(ctx, stage, step, latest, o); err != nil {
			return nil, fmt.Errorf("replay: step %d: %w", step.Index, err)
		}
	}
	r.turns.Engine = r.Engine
	if err := r.turns.learn(ctx, p, pace, o); err != nil {
		return nil, err
	}
	for e := range r.epochs {
		r.layCircuits(e)
	}
	for u := range r.in {
		last := 0
		if p.Independent {
			last = len(r.steps) - 1
		}
		for step := range last + 1 {
			r.enter(u, step, 0)
		}
	}
	if err := toTheEnd(ctx, r.Engine); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// addStep adds the streams of a step.
func (r *gpus) addStep(ctx context.Context, stage *plan.Stage, step *plan.Step, latest []int, o sim.Options) error {
	phase, _, err := lanePhase(r.plan, stage, step)
	if err != nil {
		return err
	}
	o.Forwarding, o.Observer = r.plan.Fabric.Forwarding, nil
	streams, err := sim.Streams(ctx, phase, o)
	if err != nil {
		return err
	}
	n := r.plan.Fabric.Nodes
	r.turns.note(streams, phase, int32(len(r.of)))
	added := &gpuStep{sends: make([][]int32, n), missing: make([]int, n), reduce: reductions(r.plan, step)}
	for i := range streams {
		s := &streams[i]
		e := latest[int(s.Path[0])/n]
		t := stepwise.Stream{Bytes: int64(s.Bytes), Phase: len(r.steps), Flow: s.Flow, Order: int64(i), Ranks: make([]int32, len(s.Path)-1)}
		for h, at := range s.Path {
			u := int(at) % n
			t.Path = append(t.Path, int32(u+e*n))
			if h == len(s.Path)-1 {
				break
			}
			if h > 0 {
				k, _ := phase.Group.Locate(int(at))
				t.Ranks[h] = int32(phase.Group.Back(k, int(s.Path[h-1])))
			}
			r.epochs[e].left[u] += (t.Bytes-1)/int64(r.Packet) + 1
		}
		src, dst := int(s.Path[0])%n, int(s.Path[len(s.Path)-1])%n
		r.epochs[e].left[dst]++
		added.sends[src] = append(added.sends[src], r.Add(t))
		added.missing[dst]++
		r.of = append(r.of, sent{step: len(r.steps), dst: dst, epoch: e})
	}
	r.steps = append(r.steps, added)
	return nil
}

// layCircuits determines what the circuits of an epoch wait for.
func (r *gpus) layCircuits(e int) {
	f, n, now := &r.plan.Fabric, r.plan.Fabric.Nodes, &r.epochs[e]
	before := topology.New(n, "dark", nil)
	if now.before >= 0 {
		before = r.epochs[now.before].circuits
	}
	delay := int64(0)
	if now.before >= 0 || f.Initial != fabric.InitialFree {
		delay = int64(picoseconds(f.Reconfig.Delay(before, now.circuits)))
	}
	out, in := make([][]int, n), make([][]int, n)
	for x := range before.Edges() {
		out[x.From], in[x.To] = append(out[x.From], x.To), append(in[x.To], x.From)
	}
	for x := range now.circuits.Edges() {
		w := &laneWire{from: x.From + e*n, to: x.To + e*n, delay: delay, Circuit: stepwise.Circuit{Up: stepwise.Never}}
		r.wires[[2]int{w.from, w.to}] = w
		ends := append(append([]int{x.From, x.To}, out[x.From]...), in[x.To]...)
		if _, whole := f.Switches(); whole {
			ends = ends[:0]
			ends = append(ends, arithmetic.UpTo(n)...)
		}
		slices.Sort(ends)
		for _, u := range slices.Compact(ends) {
			if now.before >= 0 && r.epochs[now.before].left[u] > 0 {
				r.waiting[u+now.before*n] = append(r.waiting[u+now.before*n], w)
				w.wants++
			}
		}
		if w.wants == 0 {
			r.set(w, 0)
		}
	}
}

// set commands a circuit.
func (r *gpus) set(w *laneWire, now int64) {
	w.Up = now + w.delay
	r.Plug(w.from, w.to, &w.Circuit)
	for _, s := range w.held {
		r.Start(s, w.Up+int64(r.plan.Fabric.Alpha))
	}
}

// enter begins a step at a GPU.
func (r *gpus) enter(u, step int, now int64) {
	r.in[u] = step
	for _, s := range r.steps[step].sends[u] {
		first := r.wires[r.firstHop(s)]
		if first.Up == stepwise.Never {
			first.held = append(first.held, s)
			continue
		}
		r.Start(s, max(now, first.Up)+int64(r.plan.Fabric.Alpha))
	}
	r.goOn(u, now)
}

// firstHop returns the nodes of the first circuit of a stream.
func (r *gpus) firstHop(s int32) [2]int {
	path := r.Path(s)
	return [2]int{int(path[0]), int(path[1])}
}

// goOn begins the next step of a GPU, if it can.
func (r *gpus) goOn(u int, now int64) {
	number := r.in[u]
	step := r.steps[number]
	if r.plan.Independent || step.missing[u] > 0 {
		return
	}
	if takes := step.reduce[u]; takes > 0 {
		step.reduce[u] = 0
		r.ready[u] = now + int64(takes)
		r.At(r.ready[u], func(now int64) {
			step.end = max(step.end, now)
			r.goOn(u, now)
		})
	}
	if now >= r.ready[u] && number+1 < len(r.steps) {
		r.enter(u, number+1, now)
	}
}

// received is called when the last packet of a stream arrives.
func (r *gpus) received(stream int32, at int64) {
	s := r.of[stream]
	r.At(at, func(now int64) {
		step := r.steps[s.step]
		step.end = max(step.end, now)
		r.did(s.epoch, s.dst, now)
		if step.missing[s.dst]--; step.missing[s.dst] == 0 && r.in[s.dst] == s.step {
			r.goOn(s.dst, now)
		}
	})
}

// hasSent is called when a packet has left a node.
func (r *gpus) hasSent(_, node int32, at int64) {
	n := r.plan.Fabric.Nodes
	r.did(int(node)/n, int(node)%n, at)
}

// did records that a port has finished a packet or stream of an epoch.
func (r *gpus) did(e, u int, at int64) {
	x := &r.epochs[e]
	x.done[u] = max(x.done[u], at)
	if x.left[u]--; x.left[u] > 0 {
		return
	}
	r.At(x.done[u], func(now int64) {
		for _, w := range r.waiting[u+e*r.plan.Fabric.Nodes] {
			if w.wants--; w.wants == 0 {
				r.set(w, now)
			}
		}
	})
}

// onPlanes translates an observer's events from nodes of epochs to nodes on planes, as with
// barriers.
func (r *gpus) onPlanes(o sim.Observer) sim.Observer {
	if o == nil {
		return nil
	}
	return inEpochs{o, r}
}

type inEpochs struct {
	sim.Observer
	*gpus
}

// Transmission implements sim.Observer.
func (o inEpochs) Transmission(t sim.Transmission) {
	t.From, t.To = o.onPlane(t.From), o.onPlane(t.To)
	o.Observer.Transmission(t)
}

// onPlane returns the node on its plane for a node of an epoch.
func (r *gpus) onPlane(node int) int {
	n := r.plan.Fabric.Nodes
	return node%n + r.epochs[node/n].plane*n
}

// result returns the times of the steps.
func (r *gpus) result() *sim.Result {
	result := r.Result()
	// The turns of an independent plane follow one another.
	ended := make([]units.Duration, r.plan.Fabric.Ports)
	for i, s := range r.steps {
		end := units.Duration(s.end)
		if !r.plan.Independent {
			addPhase(result, end, r.plan.Fabric.Alpha)
			continue
		}
		at := &ended[r.plan.Stages[i].Turn()]
		result.Phases = append(result.Phases, sim.PhaseResult{Start: *at, Traffic: min(end, *at+r.plan.Fabric.Alpha), End: end})
		*at, result.Completion = end, max(result.Completion, end)
	}
	for i := range result.Links {
		l := &result.Links[i]
		l.From, l.To = r.onPlane(l.From), r.onPlane(l.To)
	}
	slices.SortStableFunc(result.Links, func(a, b sim.LinkResult) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	folded := result.Links[:0]
	for _, l := range result.Links {
		last := len(folded) - 1
		if last < 0 || folded[last].From != l.From || folded[last].To != l.To {
			folded = append(folded, l)
			continue
		}
		sum := &folded[last] // the same circuit of another epoch
		sum.Bytes += l.Bytes
		sum.Packets += l.Packets
		sum.Busy += l.Busy
		sum.QueuePeak = max(sum.QueuePeak, l.QueuePeak)
	}
	result.Links = folded
	return result
}
