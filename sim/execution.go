package sim

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PhaseError says which phase of a program could not be simulated.
type PhaseError struct {
	Phase int // from 0
	Err   error
}

func (e *PhaseError) Error() string { return fmt.Sprintf("phase %d: %v", e.Phase, e.Err) }

// Unwrap returns why.
func (e *PhaseError) Unwrap() error { return e.Err }

// FlowError is an error in one flow of a phase; its text names the flow as "flow 3".
type FlowError struct {
	Flow int // from 0
	Err  error
}

func (e *FlowError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FlowError) Unwrap() error { return e.Err }

// ofFlow adds to an error which flow it concerns.
func ofFlow(i int, format string, args ...any) error {
	return &FlowError{Flow: i, Err: fmt.Errorf(format, args...)}
}

// Run simulates a program.
func Run(ctx context.Context, level Level, program Program, options Options) (*Result, error) {
	if _, err := ParseLevel(string(level)); err != nil {
		return nil, err
	}
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	if program == nil {
		return nil, errors.New("sim: no program")
	}
	e := &execution{level: level, options: &o, links: newLinkTotals(), clocks: map[int]int64{}}
	if level == PacketLevel {
		e.result.ArrivalSum = new(big.Int)
	}
	for p, err := range program {
		if err == nil {
			err = e.phase(ctx, p)
		}
		if err != nil {
			return nil, err
		}
	}
	e.result.Links = e.links.sorted()
	return &e.result, nil
}

// execution is a running program.
type execution struct {
	level   Level
	options *Options
	index   int           // of the phase
	clocks  map[int]int64 // by track
	result  Result
	links   *linkTotals
}

// outcome is the result of simulating a phase.
type outcome struct {
	*traffic.Tally
	flows      []int64 // completion of each simulated flow
	graph      *topology.Graph
	bundleOf   []int32 // in the simulation, for every bundle of the graph, or -1
	multiplier int64   // how many flows each simulated flow stands for
}

// phase runs one phase.
func (e *execution) phase(ctx context.Context, p *Phase) error {
	clock := int64(0)
	if p != nil {
		clock = e.clocks[p.Track]
	}
	if p != nil && p.Begin != nil {
		if err := p.Begin(units.Duration(clock)); err != nil {
			return fmt.Errorf("phase %d: %w", e.index, err)
		}
	}
	if err := p.validate(e.options); err != nil {
		return &PhaseError{e.index, err}
	}
	r := PhaseResult{Start: units.Duration(clock)}
	from := clock + int64(p.Reconfiguration) + int64(p.Startup)
	if from > traffic.Longest {
		return &PhaseError{e.index, traffic.ErrTooLong}
	}
	r.Traffic = units.Duration(from)
	out, err := e.simulate(ctx, p, from)
	if err != nil {
		return &PhaseError{e.index, err}
	}
	clock = from
	for _, t := range out.flows {
		clock = max(clock, t)
	}
	if clock += int64(p.Reduction); clock > traffic.Longest {
		return &PhaseError{e.index, traffic.ErrTooLong}
	}
	r.End, e.clocks[p.Track] = units.Duration(clock), clock
	e.result.Completion = max(e.result.Completion, r.End)
	e.account(p, &r, out)
	e.index++
	return nil
}

// simulate prepares and simulates a phase.
func (e *execution) simulate(ctx context.Context, p *Phase, from int64) (*outcome, error) {
	granule := int64(e.options.Packet)
	if e.level == FlowLevel {
		granule = 1 // 1 byte: shares are not rounded further
	}
	delays := e.options.Skew.delays(p.Network.Graph.Nodes(), e.index)
	b, err := newBuilder(ctx, p, e.options, granule, from, delays)
	if err != nil {
		return nil, err
	}
	report := func(now, done, total int64) {
		if e.options.Progress != nil {
			e.options.Progress(Progress{Phase: e.index, Time: units.Duration(now), Done: done, Total: total})
		}
	}
	if e.level == FlowLevel {
		return b.simulateFlows(ctx, report)
	}
	return b.simulatePackets(ctx, e.index, report)
}

// account adds a phase to the result.
func (e *execution) account(p *Phase, r *PhaseResult, out *outcome) {
	times := out.multiplier
	if out.Sum != nil {
		e.result.ArrivalSum.Add(e.result.ArrivalSum, out.Sum.Mul(out.Sum, big.NewInt(times)))
	}
	e.result.Packets += out.Packets * times
	e.result.PacketHops += out.Hops * times
	e.result.Events += out.Events
	e.result.RatesKept = max(e.result.RatesKept, units.Duration(out.Kept))
	e.links.add(out)
	if e.options.FlowTimes || e.options.Observer != nil || p.End != nil {
		r.Flows = make([]units.Duration, 0, int64(len(out.flows))*times)
		for _, t := range out.flows {
			for range times {
				r.Flows = append(r.Flows, units.Duration(t))
			}
		}
	}
	if p.End != nil {
		p.End(r.Flows)
	}
	if e.options.Observer != nil {
		e.options.Observer.Phase(e.index, p, r)
	}
	if !e.options.FlowTimes {
		r.Flows = nil
	}
	e.result.Phases = append(e.result.Phases, *r)
}
