package lightpath

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// SimulateSchema names the JSON form of a simulation and its version.
const SimulateSchema = "lightpath.simulate/v1"

// SimulateRequest asks for the simulation of a plan.
type SimulateRequest struct {
	Plan    *plan.Plan
	Level   sim.Level
	Options sim.Options // its Forwarding is that of the plan's fabric
	Trace   io.Writer   // of a Chrome trace, or nil
}

// TrafficRequest asks for the simulation of messages on circuits that do not change.
type TrafficRequest struct {
	Topology  string // expression
	Flows     []sim.Flow
	Bandwidth units.Bandwidth
	Delta     units.Duration
	Level     sim.Level
	Options   sim.Options
	Trace     io.Writer
}

// Simulation is the outcome.
type Simulation struct {
	Schema       string          `json:"schema"`
	Level        sim.Level       `json:"level"`
	CompletionNs units.Time      `json:"completion_ns"`
	PredictedNs  units.Time      `json:"predicted_ns,omitempty"`   // by the plan
	ArrivalSumPs *BigNumber      `json:"arrival_sum_ps,omitempty"` // of all packets
	Packets      int64           `json:"packets"`
	PacketHops   int64           `json:"packet_hops"`
	Events       int64           `json:"events"`
	WallNs       int64           `json:"wall_ns"`
	Steps        []SimulatedStep `json:"steps,omitempty"`
	Flows        []SimulatedFlow `json:"flows,omitempty"`
	Links        []SimulatedLink `json:"links"`
}

// SimulatedStep compares a step with what the plan says of it.
type SimulatedStep struct {
	Index       int        `json:"index"`
	StartNs     units.Time `json:"start_ns"`
	EndNs       units.Time `json:"end_ns"`
	TotalNs     units.Time `json:"total_ns"` // of the step, without the change of circuits before it
	PredictedNs units.Time `json:"predicted_ns"`
}

// SimulatedFlow is when a message had arrived.
type SimulatedFlow struct {
	Src          int        `json:"src"`
	Dst          int        `json:"dst"`
	Bytes        int64      `json:"bytes"`
	StartNs      units.Time `json:"start_ns"`
	CompletionNs units.Time `json:"completion_ns"`
}

// SimulatedLink is what the circuits between two nodes did.
type SimulatedLink struct {
	From        int        `json:"from"`
	To          int        `json:"to"`
	Circuits    int        `json:"circuits"`
	Bytes       int64      `json:"bytes"`
	Packets     int64      `json:"packets"`
	Utilization float64    `json:"utilization"`
	QueuePeakNs units.Time `json:"queue_peak_ns"`
}

// BigNumber is a whole number of any size, written as a JSON number.
type BigNumber string

// MarshalJSON writes the digits.
func (b BigNumber) MarshalJSON() ([]byte, error) { return []byte(b), nil }

// Simulate replays a plan, packet by packet or flow by flow.
func Simulate(ctx context.Context, r SimulateRequest) (*Simulation, error) {
	r.Options.Forwarding = r.Plan.Fabric.Forwarding
	s, result, err := simulate(ctx, r.Level, replay.Program(r.Plan), r.Options, r.Trace)
	if err != nil {
		return nil, err
	}
	s.PredictedNs = r.Plan.Cost.Total()
	i := 0
	for _, step := range r.Plan.Steps() {
		phase := result.Phases[i]
		total := phase.End.Time() - phase.Traffic.Time() + r.Plan.Fabric.Alpha.Time()
		s.Steps = append(s.Steps, SimulatedStep{
			Index: step.Index, StartNs: phase.Start.Time(), EndNs: phase.End.Time(), TotalNs: total, PredictedNs: step.Cost.Total(),
		})
		i++
	}
	return s, nil
}

// SimulateTraffic simulates messages over shortest paths.
func SimulateTraffic(ctx context.Context, r TrafficRequest) (*Simulation, error) {
	g, err := topology.Parse(r.Topology)
	if err != nil {
		return nil, err
	}
	r.Options.FlowTimes = true
	phase := &sim.Phase{Network: sim.Network{Graph: g, Bandwidth: r.Bandwidth, Delay: r.Delta}, Flows: r.Flows}
	s, result, err := simulate(ctx, r.Level, sim.Sequence(phase), r.Options, r.Trace)
	if err != nil {
		return nil, err
	}
	for i, f := range r.Flows {
		s.Flows = append(s.Flows, SimulatedFlow{
			Src: int(f.Src), Dst: int(f.Dst), Bytes: int64(f.Bytes), StartNs: f.Start.Time(),
			CompletionNs: result.Phases[0].Flows[i].Time(),
		})
	}
	return s, nil
}

func simulate(ctx context.Context, level sim.Level, program sim.Program, options sim.Options, trace io.Writer) (*Simulation, *sim.Result, error) {
	var tracer *sim.Trace
	if trace != nil {
		tracer = sim.NewTrace(trace)
		options.Observer = tracer
	}
	begin := time.Now()
	result, err := sim.Run(ctx, level, program, options)
	if tracer != nil {
		err = errors.Join(err, tracer.Close())
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Simulation{
		Schema: SimulateSchema, Level: level, CompletionNs: result.Completion.Time(),
		Packets: result.Packets, PacketHops: result.PacketHops, Events: result.Events,
		WallNs: time.Since(begin).Nanoseconds(), Links: []SimulatedLink{},
	}
	if result.ArrivalSum != nil {
		sum := BigNumber(result.ArrivalSum.String())
		s.ArrivalSumPs = &sum
	}
	for _, l := range result.Links {
		s.Links = append(s.Links, SimulatedLink{
			From: l.From, To: l.To, Circuits: l.Circuits, Bytes: int64(l.Bytes), Packets: l.Packets,
			Utilization: l.Utilization(result.Completion), QueuePeakNs: l.QueuePeak.Time(),
		})
	}
	return s, result, nil
}

// SimulateFile reads a plan, verifies it and replays it.
func SimulateFile(ctx context.Context, name string, r SimulateRequest) (*Simulation, error) {
	p, err := readVerified(ctx, name)
	if err != nil {
		return nil, err
	}
	r.Plan = p
	return Simulate(ctx, r)
}

// readVerified reads a plan that is correct.
func readVerified(ctx context.Context, name string) (*plan.Plan, error) {
	p, err := plan.ReadFile(ctx, name)
	if err != nil {
		return nil, err
	}
	checked, err := plan.Verify(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := checked.First(); bad != nil {
		return nil, fmt.Errorf("%s: a plan that is not correct: %s: %s", name, bad.Name, bad.Detail)
	}
	return p, nil
}

// ReadTrafficFile reads messages from a CSV file with the heading src,dst,bytes,start_ns.
func ReadTrafficFile(name string, expr string) ([]sim.Flow, error) {
	parsed, err := topology.ParseExpr(expr)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	flows, err := sim.ReadTraffic(f, parsed.Nodes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return flows, nil
}

// ParseForwarding returns the way of forwarding of that name.
func ParseForwarding(name string) (fabric.Forwarding, error) {
	f := fabric.Default()
	if err := f.Set("forwarding", name); err != nil {
		return "", err
	}
	return f.Forwarding, nil
}
