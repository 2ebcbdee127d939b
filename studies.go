package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/command/available"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/placing"
	"github.com/lightpath-net/lightpath/command/reproducing"
	"github.com/lightpath-net/lightpath/command/sweeping"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/command/wiring"
	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/workload"
)

type (
	// SweepRequest asks for every combination of the values of some parameters.
	SweepRequest = sweeping.SweepRequest
)

// Sweep plans every cell of a grid, on all cores. If ctx ends early, the cells found so far stay
// in the store and are in the table that it returns with the error.
func Sweep(ctx context.Context, r SweepRequest, options ...Option) (*sweep.Table, error) {
	return sweeping.Sweep(ctx, r, options...)
}

type (
	// TuneRequest asks for the best choice at every size of an operation.
	TuneRequest = tuning.TuneRequest
	// NamedFabric is a fabric with a name.
	NamedFabric = tuning.NamedFabric
	// Tuning is the result of Tune: the choice for every size.
	Tuning = tuning.Tuning
	// TuneTable holds the rows of another fabric, or of another collective of a workload.
	TuneTable = tuning.TuneTable
	// TunePoint is the time of a table's choice at a size, and the time of the best static plan
	// of any planner, absent if there is none.
	TunePoint = tuning.TunePoint
	// TuneRow is the choice from one size on: its circuits and number of steps.
	TuneRow = tuning.TuneRow
)

// TuneSchema names the JSON form of a tuning table and its version.
const TuneSchema = tuning.TuneSchema

// ReadTuning reads a tuning table that was written as JSON.
func ReadTuning(name string) (*Tuning, error) { return tuning.ReadTuning(name) }

// Tune finds the best algorithm, planner and topologies for every size, and the sizes at which
// one overtakes another: where two lines meet, not on a grid. Different steps or circuits count
// as a different choice, also for a planner that makes its own steps. Sizes are exact to the
// byte if a planner's best time is a minimum of lines in the size. That holds for the steps of
// an algorithm on a given pool of topologies, and for the steps that planner joint composes. It
// does not hold for planners that search for topologies and miss some: there, bisection finds
// neighbouring sizes with different choices and may miss a third choice that wins only in
// between.
func Tune(ctx context.Context, r TuneRequest, options ...Option) (*Tuning, error) {
	return tuning.Tune(ctx, r, options...)
}

type (
	// AdviseRequest asks what each change of the fabric would save.
	AdviseRequest = advising.AdviseRequest
	// Advice is the answer of Advise.
	Advice = advising.Advice
	// FabricChange is one change of the fabric and what it saves.
	FabricChange = advising.FabricChange
	// PaysBelow is the delay below which reconfiguring pays off for a size.
	PaysBelow = advising.PaysBelow
	// PortsTime is a number of ports and the time with them.
	PortsTime = advising.PortsTime
)

// AdviseSchema names the JSON form of advice and its version.
const AdviseSchema = advising.AdviseSchema

// Advise says which single change of the fabric saves most, below which delay reconfiguring pays
// off, and how many ports are enough, for every operation and for all of them together. Every
// number is the time of a plan, or the delay at which two lines of the frontier meet; nothing is
// read off a grid.
func Advise(ctx context.Context, r AdviseRequest, options ...Option) (*Advice, error) {
	return advising.Advise(ctx, r, options...)
}

type (
	// TrainRequest asks for the time of a minibatch of data-parallel training.
	TrainRequest = training.TrainRequest
	// Training is the simulation of a minibatch.
	Training = training.Training
	// TrainingNetwork is what carries the collectives: fixed circuits, or a fabric.
	TrainingNetwork = training.TrainingNetwork
	// TrainingCircuits is a topology with its schedules: an allreduce takes steps x alpha +
	// bandwidth x size / node bandwidth.
	TrainingCircuits = training.TrainingCircuits
	// TrainingSchedule is a schedule of an allreduce.
	TrainingSchedule = training.TrainingSchedule
	// TrainingExchange is an all-to-all over shortest paths.
	TrainingExchange = training.TrainingExchange
	// TrainingPlanned is a fabric and how its plans were made.
	TrainingPlanned = training.TrainingPlanned
	// TraceList lists the built-in traces.
	TraceList = training.TraceList
	// TraceInfo summarizes a trace.
	TraceInfo = training.TraceInfo
)

// Names of JSON forms and their versions.
const (
	TrainSchema  = training.TrainSchema
	TracesSchema = training.TracesSchema
)

// Train simulates a minibatch.
func Train(ctx context.Context, r TrainRequest, options ...Option) (*Training, error) {
	return training.Train(ctx, r, options...)
}

// Traces lists the built-in traces.
func Traces() (*TraceList, error) { return training.Traces() }

type (
	// ReproduceRequest asks how published numbers compare with ours.
	ReproduceRequest = reproducing.ReproduceRequest
	// Reproduction is published claims beside our computed values.
	Reproduction = reproducing.Reproduction
)

// ReproduceSchema names the JSON form of a reproduction and its version.
const ReproduceSchema = reproducing.ReproduceSchema

// Reproduce computes claims. A nil error does not mean that all verdicts are the recorded ones;
// see Unexpected.
func Reproduce(ctx context.Context, r ReproduceRequest, options ...Option) (*Reproduction, error) {
	return reproducing.Reproduce(ctx, r, options...)
}

type (
	// WireRequest asks how to plug the ports of GPUs into switches.
	WireRequest = wiring.WireRequest
	// LayoutTable lists layouts, the one with the least loss first.
	LayoutTable = wiring.LayoutTable
	// WiredOperation is an operation that the layout is for.
	WiredOperation = wiring.WiredOperation
	// PluggedLayout is a way to plug ports into switches.
	PluggedLayout = wiring.PluggedLayout
)

// WireSchema names the JSON form of the answer and its version.
const WireSchema = wiring.WireSchema

// Wire compares the ways to plug the ports of GPUs into switches of a radix: how much longer
// operations take on each than on one ideal switch with all ports.
func Wire(ctx context.Context, r WireRequest, options ...Option) (*LayoutTable, error) {
	return wiring.Wire(ctx, r, options...)
}

type (
	// DesignRequest asks which fabric to buy: every combination of technologies, ports and islands is
	// wired, priced and planned.
	DesignRequest = designing.DesignRequest
	// Design lists choices with their time, cost and power, and recommends one.
	Design = designing.Design
	// DesignChoice is a fabric on offer.
	DesignChoice = designing.Choice
	// Worth is the most that a port of a technology is worth.
	Worth = designing.Worth
)

// DesignSchema names the JSON form of the answer and its version.
const DesignSchema = designing.DesignSchema

// MakeDesign finds which fabric to buy: it wires, prices and plans every combination, and packet
// fabrics beside them. Every time is that of a plan, found by the usual search.
func MakeDesign(ctx context.Context, r DesignRequest, options ...Option) (*Design, error) {
	return designing.MakeDesign(ctx, r, options...)
}

type (
	// AvailabilityRequest asks how long a fabric works, and how fast.
	AvailabilityRequest = available.AvailabilityRequest
	// Availability is the share of time at full speed, at reduced speed, and down.
	Availability = available.Availability
	// AvailabilityCase is a way to run the fabric.
	AvailabilityCase = available.Case
)

// AvailabilitySchema names the JSON form of the answer and its version.
const AvailabilitySchema = available.AvailabilitySchema

// AssessAvailability computes how long a fabric works at full speed, at reduced speed and not at
// all: with and without its spares, and with and without plans that avoid what has failed.
func AssessAvailability(ctx context.Context, r AvailabilityRequest, options ...Option) (*Availability, error) {
	return available.AssessAvailability(ctx, r, options...)
}

type (
	// WorkloadRequest asks for the workload of a model, or for a summary of an existing one.
	WorkloadRequest = workloads.WorkloadRequest
	// WorkloadSummary is a workload with its totals.
	WorkloadSummary = workloads.Summary
	// ModelList is the models and GPUs that are known by name.
	ModelList = workloads.ModelList
	// ModelInfo summarizes a model.
	ModelInfo = workloads.ModelInfo
)

// Names of JSON forms and their versions.
const (
	WorkloadSchema = workload.Schema
	ModelsSchema   = workloads.ModelsSchema
)

// MakeWorkload makes the workload of a training iteration of a model, or checks an existing one.
func MakeWorkload(ctx context.Context, r WorkloadRequest, options ...Option) (*WorkloadSummary, error) {
	return workloads.Workload(ctx, r, options...)
}

// Models lists the models and GPUs that are known by name.
func Models() (*ModelList, error) { return workloads.Models() }

type (
	// IterateRequest asks for the plan of a whole training iteration.
	IterateRequest = iterating.IterateRequest
	// Iteration is the plan of an iteration.
	Iteration = iteration.Document
)

// IterateSchema names the JSON form of the plan of an iteration and its version.
const IterateSchema = iteration.Schema

// Iterate plans an iteration: how every collective and send runs, on which ports and when, and
// when ports are reconfigured. The plan is proven correct before it is returned.
func Iterate(ctx context.Context, r IterateRequest, options ...Option) (*Iteration, error) {
	return iterating.Iterate(ctx, r, options...)
}

type (
	// PlaceRequest asks for the best GPUs for a job.
	PlaceRequest = placing.PlaceRequest
	// Placement is the GPUs on which the operation takes the least time.
	Placement = placing.Placement
	// PlacedSlice is a set of GPUs with its plan.
	PlacedSlice = placing.PlacedSlice
)

// PlaceSchema names the JSON form of the answer and its version.
const PlaceSchema = placing.PlaceSchema

// Place finds the slice, a set of GPUs, on which an operation takes the least time, among GPUs
// that have not failed and are not held. They need not be neighbours. If there are few slices,
// it tries all of them; otherwise it tries candidates and then exchanges of one GPU. It compares
// slices by plans for fabrics of their own, in which no other GPU forwards data. Then it plans
// the best slice, and a number of others, exactly as a request for those GPUs would be.
func Place(ctx context.Context, r PlaceRequest, options ...Option) (*Placement, error) {
	return placing.Place(ctx, r, options...)
}
