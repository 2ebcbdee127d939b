package stepwise

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Run simulates the flows of a phase on fixed circuits; triggers may start some of them.
// Bandwidth and Delay come from the network, not from the config. The result has the times of
// all flows.
func Run(ctx context.Context, p *sim.Phase, triggers []sim.Trigger, c Config) (*sim.Result, error) {
	if p.Network.Vary != nil || len(p.Changes)+len(p.Failures) > 0 || p.Pace || p.Group.Order() > 1 || p.Begin != nil {
		return nil, fmt.Errorf("stepwise: want flows without pace or group, on circuits that are alike and stay")
	}
	r := &runner{phase: p, triggers: triggers}
	c.Bandwidth, c.Delay, c.Arrived, c.Left = p.Network.Bandwidth, p.Network.Delay, r.arrived, r.left
	var err error
	if r.Engine, err = New(c); err != nil {
		return nil, err
	}
	streams, err := sim.Streams(ctx, p, sim.Options{Packet: c.Packet, Forwarding: c.Forwarding})
	if err != nil {
		return nil, err
	}
	for e := range p.Network.Graph.Edges() {
		for range e.Count {
			r.Plug(e.From, e.To, &Circuit{})
		}
	}
	if err := r.prepare(streams); err != nil {
		return nil, err
	}
	for i := 0; r.Next(); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err := r.Stalled(); err != nil {
		return nil, fmt.Errorf("stepwise: %w", err)
	}
	return r.result()
}

// runner tracks the flows of a phase.
type runner struct {
	*Engine
	phase    *sim.Phase
	triggers []sim.Trigger
	flowOf   []int     // of each stream
	parts    [][]int32 // streams of each flow
	toSend   []int64   // number of packets of a flow that have not left its source
	toArrive []int     // number of streams of a flow that have not arrived
	last     []int64   // latest known arrival of each flow
	begun    []bool
	starts   []units.Duration
	after    [][][]int // triggers that each flow activates when it is sent, and when received
	times    []int     // how often each trigger was activated
}

// prepare starts the flows that no trigger starts.
func (r *runner) prepare(streams []sim.Stream) error {
	n := len(r.phase.Flows)
	r.parts, r.toSend, r.toArrive, r.last, r.begun = make([][]int32, n), make([]int64, n), make([]int, n), make([]int64, n), make([]bool, n)
	r.after, r.times = [][][]int{make([][]int, n), make([][]int, n)}, make([]int, len(r.triggers))
	for i, s := range streams {
		id := r.Add(Stream{Path: s.Path, Bytes: int64(s.Bytes), Flow: s.Flow, Order: int64(i)})
		r.flowOf = append(r.flowOf, s.Flow)
		r.parts[s.Flow] = append(r.parts[s.Flow], id)
		r.toSend[s.Flow] += (int64(s.Bytes)-1)/r.packet + 1
		r.toArrive[s.Flow]++
	}
	r.starts = make([]units.Duration, n)
	waits := make([]bool, n)
	for i := range r.triggers {
		t := &r.triggers[i]
		for which, list := range [][]int{t.Sent, t.Received} {
			for _, f := range list {
				if f < 0 || f >= n {
					return fmt.Errorf("stepwise: trigger %d: no flow %d", t.ID, f)
				}
				r.after[which][f] = append(r.after[which][f], i)
			}
		}
		for _, f := range t.Starts {
			if f < 0 || f >= n || waits[f] {
				return fmt.Errorf("stepwise: trigger %d starts flow %d; want one that nothing else starts", t.ID, f)
			}
			waits[f] = true
		}
	}
	for f := range n {
		if !waits[f] {
			r.begin(f, int64(r.phase.Flows[f].Start))
		}
	}
	return nil
}

// begin starts a flow. One that needs no circuit arrives at once.
func (r *runner) begin(f int, at int64) {
	r.begun[f], r.starts[f] = true, units.Duration(at)
	r.last[f] = at
	for _, s := range r.parts[f] {
		r.Start(s, at)
	}
	if len(r.parts[f]) == 0 {
		r.At(at, func(now int64) {
			r.activate(r.after[0][f], now)
			r.activate(r.after[1][f], now)
		})
	}
}

// activate activates triggers.
func (r *runner) activate(list []int, now int64) {
	for _, i := range list {
		t := &r.triggers[i]
		r.times[i]++
		starts := t.Starts
		switch {
		case t.Kind == sim.MultiShot:
			starts = starts[min(len(starts), r.times[i]-1):min(len(starts), r.times[i])]
		case r.times[i] != max(1, t.Count):
			starts = nil
		}
		for _, f := range starts {
			r.begin(f, now)
		}
	}
}

// left is called when a packet has left a node.
func (r *runner) left(stream, node int32, at int64) {
	f := r.flowOf[stream]
	if node != r.phase.Flows[f].Src {
		return
	}
	if r.toSend[f]--; r.toSend[f] == 0 && len(r.after[0][f]) > 0 {
		r.At(at, func(now int64) { r.activate(r.after[0][f], now) })
	}
}

// arrived is called when the last packet of a stream arrives.
func (r *runner) arrived(stream int32, at int64) {
	f := r.flowOf[stream]
	r.last[f] = max(r.last[f], at)
	if r.toArrive[f]--; r.toArrive[f] == 0 && len(r.after[1][f]) > 0 {
		r.At(r.last[f], func(now int64) { r.activate(r.after[1][f], now) })
	}
}

// result returns when each flow was complete.
func (r *runner) result() (*sim.Result, error) {
	result := r.Result()
	phase := sim.PhaseResult{}
	if len(r.triggers) > 0 {
		phase.Starts = r.starts
	}
	for f, at := range r.last {
		if !r.begun[f] {
			return nil, fmt.Errorf("stepwise: flow %d: its trigger is never activated", f)
		}
		phase.Flows = append(phase.Flows, units.Duration(at))
		phase.End = max(phase.End, units.Duration(at))
	}
	if r.Observer != nil {
		r.Observer.Phase(0, r.phase, &phase)
	}
	result.Phases, result.Completion = []sim.PhaseResult{phase}, phase.End
	return result, nil
}
