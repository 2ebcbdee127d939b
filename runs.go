package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/compiling"
	"github.com/lightpath-net/lightpath/command/emulating"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/number"
)

// When ranks of an emulation, or GPUs of a simulation, go on to the next step.
const (
	TimingBarrier      = command.TimingBarrier
	TimingAsynchronous = command.TimingAsynchronous
)

type (
	// Simulation is the result of Simulate.
	Simulation = simulating.Simulation
	// SimulatedCause is the time that one cause adds to the plan's time or takes off it.
	SimulatedCause = simulating.SimulatedCause
	// SimulatedStep compares a simulated step with the plan's.
	SimulatedStep = simulating.SimulatedStep
	// SimulatedFailure is what a single failure loses.
	SimulatedFailure = simulating.SimulatedFailure
	// LostStep is what a step loses.
	LostStep = simulating.LostStep
	// LostTransfer is a transfer, or a message, that does not arrive completely.
	LostTransfer = simulating.LostTransfer
	// SimulatedFlow says when a message arrived.
	SimulatedFlow = simulating.SimulatedFlow
	// SimulatedLink says what the circuits between two nodes carried.
	SimulatedLink = simulating.SimulatedLink
	// BigNumber is a whole number of any size, written as a JSON number.
	BigNumber = simulating.BigNumber
	// SimulatedIteration is the result of a simulated iteration.
	SimulatedIteration = simulating.SimulatedIteration
	// SimulatedCommunication compares a communication with the model.
	SimulatedCommunication = simulating.SimulatedCommunication
	// SimulatedStall says what a failure during an iteration holds up.
	SimulatedStall = simulating.SimulatedStall
	// SimulatedRecovery says how training continues after a failure.
	SimulatedRecovery = simulating.SimulatedRecovery
	// SlowGPU is a GPU whose computations take longer by a factor. Its text form is gpu:5:1.3.
	SlowGPU = simulating.SlowGPU
	// SimulateRequest asks for the simulation of a plan, or of messages on circuits that do not
	// change: Topology and Traffic instead of Plan.
	SimulateRequest = simulating.SimulateRequest
	// TrafficOptions configure the simulation of messages on fixed circuits.
	TrafficOptions = simulating.TrafficOptions
	// TrafficRoute is a route of a message and the share of the message that takes it.
	TrafficRoute = simulating.TrafficRoute
	// SimulatedTimes summarizes how long messages took from their start to their arrival.
	SimulatedTimes = simulating.SimulatedTimes
)

// SimulateSchema names the JSON form of a simulation and its version.
const SimulateSchema = simulating.SimulateSchema

// Simulate verifies and replays a plan, executes the plan of an iteration, or simulates
// messages, packet by packet or flow by flow.
func Simulate(ctx context.Context, r SimulateRequest, options ...Option) (*Simulation, error) {
	return simulating.Simulate(ctx, r, options...)
}

type (
	// CheckRequest asks whether a runtime's program, whatever wrote it, does what its collective
	// promises.
	CheckRequest = compiling.CheckRequest
	// Checked is the result of all checks.
	Checked = compiling.Checked
	// CompileRequest asks for the files of a plan that a runtime, a simulator or a switch loads.
	CompileRequest = compiling.CompileRequest
	// Compilation is the files of a plan.
	Compilation = compiling.Compilation
	// CompiledFile is one file of a compilation.
	CompiledFile = compiling.CompiledFile
)

// Check checks a program. A wrong program gives a report that is not OK; an error means that
// there was nothing to check, or that the program cannot be lifted to a plan.
func Check(ctx context.Context, r CheckRequest, options ...Option) (*Checked, error) {
	return compiling.Check(ctx, r, options...)
}

// Compile verifies a plan and makes its files. An error that wraps compile.ErrRefused means
// that the format or its runtime cannot carry the plan.
func Compile(ctx context.Context, r CompileRequest, options ...Option) (*Compilation, error) {
	return compiling.Compile(ctx, r, options...)
}

type (
	// Emulation is the result of a run.
	Emulation = emulating.Emulation
	// EmulatedStep compares a step with its expected time.
	EmulatedStep = emulating.EmulatedStep
	// EmulatedChange is a change of circuits.
	EmulatedChange = emulating.EmulatedChange
	// EmulatedControl says how a controller set the circuits.
	EmulatedControl = emulating.EmulatedControl
	// EmulatedCircuit is what the circuits from one rank to another carried.
	EmulatedCircuit = emulating.EmulatedCircuit
	// EmulatedIteration is the result of emulated iterations.
	EmulatedIteration = emulating.EmulatedIteration
	// EmulatedKind stands for all computations, all communications in one kind of group, or all
	// changes of circuits.
	EmulatedKind = emulating.EmulatedKind
	// EmulationFault is what ended a run.
	EmulationFault = emulating.EmulationFault
	// EmulatedAttempt is a run that ended with a fault, after which a new plan was made.
	EmulatedAttempt = emulating.EmulatedAttempt
	// CalibrateRequest asks for the latency and bandwidth that measured times show or, without
	// any, those of this host.
	CalibrateRequest = emulating.CalibrateRequest
	// CalibrateSample is a measured time.
	CalibrateSample = emulating.CalibrateSample
	// Calibration is time = epsilon + alpha*steps + delta*hops + bytes/bandwidth, fitted to
	// measured times.
	Calibration = emulating.Calibration
	// OtherFit is the line that another method fits to the same samples.
	OtherFit = emulating.OtherFit
	// CalibratedSample compares a sample with the fit.
	CalibratedSample = emulating.CalibratedSample
	// EmulateRequest asks to run a plan, or the plan of an iteration, with real bytes.
	EmulateRequest = emulating.EmulateRequest
)

// Names of JSON forms and their versions.
const (
	EmulateSchema   = emulating.EmulateSchema
	CalibrateSchema = emulating.CalibrateSchema
)

// Emulated turns the report of a run into an answer.
func Emulated(r *emulate.Report, dtype number.Type, attempts []emulate.Attempt) *Emulation {
	return emulating.Emulated(r, dtype, attempts)
}

// Calibrate fits the model of latency and bandwidth to measured times; without any, it measures
// this host first.
func Calibrate(ctx context.Context, r CalibrateRequest, options ...Option) (*Calibration, error) {
	return emulating.Calibrate(ctx, r, options...)
}

// Emulate verifies a plan, or the plan of an iteration, and runs it: ranks send real bytes over
// circuits of a software switch and check what they hold at the end. Whatever goes wrong in the
// run is the answer's Fault; an error means that there was nothing to run.
func Emulate(ctx context.Context, r EmulateRequest, options ...Option) (*Emulation, error) {
	return emulating.Emulate(ctx, r, options...)
}
