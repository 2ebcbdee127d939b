package emulating

import (
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// EmulateSchema names the JSON form of an emulation and its version.
const EmulateSchema = "lightpath.emulate/v1"

// Emulation is the result of a run. Predicted times are the plan's, simulated times those of its
// packets, and measured times those of the host's clock, divided by Slow.
type Emulation struct {
	Schema    string      `json:"schema"`
	OK        bool        `json:"ok"` // every rank has checked its result and found it correct
	Ranks     int         `json:"ranks"`
	Processes int         `json:"processes"`
	Type      number.Type `json:"dtype"`
	// Exact says that results were checked bit for bit, not within rounding errors.
	Exact bool `json:"exact"`
	// Slow is the factor by which the fabric's times were stretched; 0: no waiting.
	Slow         float64    `json:"slow"`
	BytesMoved   int64      `json:"bytes_moved"`            // counting every hop
	BytesIsland  int64      `json:"bytes_island,omitempty"` // of these, within islands
	BytesFixed   int64      `json:"bytes_fixed,omitempty"`  // of these, over fixed links
	BytesRelayed int64      `json:"bytes_relayed"`          // forwarded by ranks for others
	BytesChecked int64      `json:"bytes_checked"`          // of results
	ElapsedNs    int64      `json:"elapsed_ns"`             // by the host's clock
	PredictedNs  units.Time `json:"predicted_ns"`
	SimulatedNs  units.Time `json:"simulated_ns"`
	MeasuredNs   units.Time `json:"measured_ns"`
	// Steps are the steps of the plan or, for the plan of an iteration, the iterations. In the
	// latter case PredictedNs, SimulatedNs and MeasuredNs are the times of one iteration: the
	// mean of all but the first.
	Steps    []EmulatedStep    `json:"steps"`
	Changes  []EmulatedChange  `json:"changes"`
	Circuits []EmulatedCircuit `json:"circuits"`
	Attempts []EmulatedAttempt `json:"attempts,omitempty"` // earlier attempts that failed
	Fault    *EmulationFault   `json:"fault"`              // null: none
	// Control says how a controller set the circuits; nil: the emulation's own protocol did.
	Control *EmulatedControl `json:"control,omitempty"`
	// FaultsUnused are requested faults that had no effect in a successful run.
	FaultsUnused []fault.Injection `json:"faults_unused,omitempty"`
	// Iteration has the details of iterations; nil if a plan was run.
	Iteration *EmulatedIteration `json:"iteration,omitempty"`
}

// EmulatedStep compares a step with its expected time. It does not include the change of
// circuits before the step.
type EmulatedStep struct {
	Index       int        `json:"index"`
	PredictedNs units.Time `json:"predicted_ns"`
	SimulatedNs units.Time `json:"simulated_ns"`
	MeasuredNs  units.Time `json:"measured_ns"` // 0: not reached
	BarrierNs   units.Time `json:"barrier_ns"`  // part of measured_ns: keeping ranks in step
}

// EmulatedChange is a change of circuits.
type EmulatedChange struct {
	Stage       int        `json:"stage"`
	Circuits    int        `json:"circuits"`     // number of new circuits
	PredictedNs units.Time `json:"predicted_ns"` // without transmission
	DarkNs      units.Time `json:"dark_ns"`      // at the switch
	MeasuredNs  units.Time `json:"measured_ns"`  // seen by the coordinator
}

// EmulatedCircuit is what the circuits from one rank to another carried.
type EmulatedCircuit struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Bytes int64 `json:"bytes"`
}

// EmulatedControl says how a controller set the circuits.
type EmulatedControl struct {
	Protocol string `json:"protocol"`
	Commands int    `json:"commands"` // that the switch executed
}

// controlled says how circuits were set, if by the protocol of a real switch.
func controlled(protocol string, commands int) *EmulatedControl {
	if protocol == "" {
		return nil
	}
	return &EmulatedControl{protocol, commands}
}

// EmulationFault is what ended a run.
type EmulationFault struct {
	fault.Fault
	Text string `json:"text"` // one line
}

// EmulatedAttempt is a run that ended with a fault, after which a new plan was made.
type EmulatedAttempt struct {
	Avoid string          `json:"avoid"` // the failures that the run's plan avoided
	Fault *EmulationFault `json:"fault"`
}

// Emulated turns the report of a run into an answer.
func Emulated(r *emulate.Report, dtype number.Type, attempts []emulate.Attempt) *Emulation {
	e := &Emulation{
		Schema: EmulateSchema, OK: r.OK, Ranks: r.Ranks, Processes: r.Processes, Type: dtype, Exact: r.Exactly, Slow: r.Slow,
		BytesMoved: r.Moved, BytesIsland: r.Island, BytesFixed: r.Fixed, BytesRelayed: r.Relayed, BytesChecked: r.Checked, ElapsedNs: r.Elapsed.Nanoseconds(),
		PredictedNs: r.Predicted, SimulatedNs: r.Simulated, MeasuredNs: r.Measured,
		Steps: []EmulatedStep{}, Changes: []EmulatedChange{}, Circuits: []EmulatedCircuit{}, Fault: faultOf(r.Fault),
		FaultsUnused: r.Unused, Control: controlled(r.Control, r.Commands),
	}
	e.Steps = append(e.Steps, each.Of(r.Steps, emulatedStep)...)
	for _, s := range r.Stages {
		e.Changes = append(e.Changes, EmulatedChange{
			Stage: s.Index, Circuits: s.Changed, PredictedNs: s.Predicted, DarkNs: s.Dark, MeasuredNs: s.Measured,
		})
	}
	for _, c := range r.Circuits {
		e.Circuits = append(e.Circuits, EmulatedCircuit{From: c.From, To: c.To, Bytes: c.Bytes})
	}
	for _, a := range attempts {
		e.Attempts = append(e.Attempts, EmulatedAttempt{Avoid: a.Avoid.String(), Fault: faultOf(a.Fault)})
	}
	return e
}

func emulatedStep(s emulate.Step) EmulatedStep {
	return EmulatedStep{Index: s.Index, PredictedNs: s.Predicted, SimulatedNs: s.Simulated, MeasuredNs: s.Measured, BarrierNs: s.Barrier}
}

func faultOf(f *fault.Fault) *EmulationFault {
	if f == nil {
		return nil
	}
	return &EmulationFault{Fault: *f, Text: f.Error()}
}
