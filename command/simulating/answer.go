package simulating

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// SimulateSchema names the JSON form of a simulation and its version.
const SimulateSchema = "lightpath.simulate/v1"

// Simulation is the result of Simulate.
type Simulation struct {
	Schema string    `json:"schema"`
	Level  sim.Level `json:"level"`
	// Pace says in which steps routes send at the plan's rates.
	Pace replay.Pace `json:"pace,omitempty"`
	// Timing says how GPUs proceed from step to step of the plan.
	Timing replay.Timing `json:"timing,omitempty"`
	// BarriersCostNs is, for a run without barriers, how much longer the plan would take with
	// them.
	BarriersCostNs *units.Time `json:"barriers_cost_ns,omitempty"`
	// CompletionNs is when everything has arrived, if nothing fails.
	CompletionNs units.Time `json:"completion_ns"`
	PredictedNs  units.Time `json:"predicted_ns,omitempty"` // in the plan
	// Explanation says why the two differ: its times add up to the difference.
	Explanation  []SimulatedCause `json:"explanation,omitzero"`
	ArrivalSumPs *BigNumber       `json:"arrival_sum_ps,omitempty"` // of all packets
	// Assumed lists what a HARVEST schedule does not contain and the request does not give.
	Assumed    []string `json:"assumed,omitempty"`
	Packets    int64    `json:"packets"`
	PacketHops int64    `json:"packet_hops"`
	Events     int64    `json:"events"`
	// RatesKeptNs is the longest time for which the flow level kept rates although messages had
	// started or ended, because recomputing them each time would take longer than simulating
	// packets; absent if all rates are exact.
	RatesKeptNs units.Time         `json:"rates_kept_ns,omitzero"`
	WallNs      int64              `json:"wall_ns"`
	Failures    []SimulatedFailure `json:"failures,omitempty"`
	Steps       []SimulatedStep    `json:"steps,omitempty"`
	Flows       []SimulatedFlow    `json:"flows,omitempty"`
	// FlowTimes summarizes how long messages took.
	FlowTimes *SimulatedTimes `json:"flow_times,omitempty"`
	Links     []SimulatedLink `json:"links"`
	// Iteration is the result of the plan of an iteration. CompletionNs is then the time of one
	// iteration: the last one or, with jitter, the mean of all but the first.
	Iteration *SimulatedIteration `json:"iteration,omitempty"`
}

// Survives reports whether everything arrives, whichever of the failures happens.
func (s *Simulation) Survives() bool {
	for i := range s.Failures {
		if s.Failures[i].Transfers > 0 {
			return false
		}
	}
	if s.Iteration != nil {
		for i := range s.Iteration.Stalls {
			if stall := &s.Iteration.Stalls[i]; stall.First != "" && stall.Replanned == nil {
				return false
			}
		}
	}
	return true
}

// SimulatedCause is the time that one cause adds to the plan's time or takes off it.
type SimulatedCause struct {
	Cause replay.Cause `json:"cause"`
	Ns    units.Time   `json:"ns"`
}

// SimulatedStep compares a simulated step with the plan's.
type SimulatedStep struct {
	Index int `json:"index"`
	// StartNs is when the step begins, after the change of circuits before it; without barriers,
	// when the previous step has ended.
	StartNs units.Time `json:"start_ns"`
	EndNs   units.Time `json:"end_ns"`
	// TotalNs is the time of the step, without the change of circuits before it.
	TotalNs     units.Time       `json:"total_ns"`
	PredictedNs units.Time       `json:"predicted_ns"`
	Explanation []SimulatedCause `json:"explanation,omitempty"`
}

// SimulatedFailure is what a single failure loses.
type SimulatedFailure struct {
	Failure   string     `json:"failure"` // as requested
	Part      string     `json:"part"`    // what fails, as plans avoid it
	AtNs      units.Time `json:"at_ns"`
	Transfers int        `json:"lost_transfers"` // that do not arrive completely
	Bytes     int64      `json:"lost_bytes"`     // of these transfers
	// Steps are the steps that lose data. The first one never ends; the others say what would be
	// lost if all GPUs went on as if nothing had happened.
	Steps []LostStep `json:"steps"`
}

// LostStep is what a step loses.
type LostStep struct {
	Index     int            `json:"index"` // of the plan, or 1
	AtNs      units.Time     `json:"at_ns"` // when the first packet is lost
	From      int            `json:"from"`  // sender of the circuits where it is lost
	To        int            `json:"to"`    // receiver
	Bytes     int64          `json:"lost_bytes"`
	Transfers []LostTransfer `json:"transfers"`
}

// LostTransfer is a transfer, or a message, that does not arrive completely.
type LostTransfer struct {
	Src   int   `json:"src"`
	Dst   int   `json:"dst"`
	Bytes int64 `json:"bytes"`
}

// SimulatedFlow says when a message arrived.
type SimulatedFlow struct {
	Src          int        `json:"src"`
	Dst          int        `json:"dst"`
	Bytes        int64      `json:"bytes"`
	StartNs      units.Time `json:"start_ns"`
	CompletionNs units.Time `json:"completion_ns"`
}

// SimulatedLink says what the circuits between two nodes carried.
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

// UnmarshalJSON reads the digits.
func (b *BigNumber) UnmarshalJSON(data []byte) error {
	n, ok := new(big.Int).SetString(string(data), 10)
	if !ok {
		return fmt.Errorf("%.40q is not a whole number", data)
	}
	*b = BigNumber(n.String())
	return nil
}

// explained turns parts into their JSON form.
func explained(parts []replay.Part) []SimulatedCause {
	list := make([]SimulatedCause, len(parts))
	for i, p := range parts {
		list[i] = SimulatedCause{p.Cause, p.Time}
	}
	return list
}

// describeLosses turns what failures lose into its JSON form. Steps count from 1.
func describeLosses(failures []replay.Failure, losses *replay.Losses) []SimulatedFailure {
	list := make([]SimulatedFailure, len(failures))
	for i, f := range failures {
		s := SimulatedFailure{Failure: f.String(), Part: f.Part(), AtNs: f.At.Time(), Steps: []LostStep{}}
		for _, lost := range losses.Of(i) {
			step := LostStep{
				Index: lost.Phase + 1, AtNs: lost.At.Time(), From: lost.From, To: lost.To, Bytes: int64(lost.Bytes()),
			}
			for _, flow := range lost.Flows {
				step.Transfers = append(step.Transfers, LostTransfer{int(flow.Src), int(flow.Dst), int64(flow.Bytes)})
			}
			s.Transfers += len(step.Transfers)
			s.Bytes += step.Bytes
			s.Steps = append(s.Steps, step)
		}
		list[i] = s
	}
	return list
}

func describeLinks(r *sim.Result) []SimulatedLink {
	links := make([]SimulatedLink, len(r.Links))
	for i := range r.Links {
		l := &r.Links[i]
		links[i] = SimulatedLink{
			From: l.From, To: l.To, Circuits: l.Circuits, Bytes: int64(l.Bytes), Packets: l.Packets,
			Utilization: l.Utilization(r.Completion), QueuePeakNs: l.QueuePeak.Time(),
		}
	}
	return links
}
