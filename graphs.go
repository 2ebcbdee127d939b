package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/topology"
)

// Demand is the bytes of every pair of an all-to-all, or the name of a generator. The zero value
// gives all pairs the same number of bytes.
type Demand = collective.DemandValue

type (
	// Catalog lists the operations, algorithms, planners and presets that requests may name.
	Catalog = exploring.Catalog
	// AlgorithmInfo describes an algorithm.
	AlgorithmInfo = exploring.AlgorithmInfo
	// PlannerInfo describes a planner.
	PlannerInfo = exploring.PlannerInfo
	// PresetInfo describes a preset of the fabric with the source of each figure.
	PresetInfo = exploring.PresetInfo
	// AlgorithmList is the type of Catalog.Algorithms.
	AlgorithmList = exploring.AlgorithmList
	// CollectiveRequest asks for the steps of an algorithm.
	CollectiveRequest = exploring.CollectiveRequest
	// AlgorithmSteps is the steps of an algorithm, before any circuit is chosen for them.
	AlgorithmSteps = exploring.AlgorithmSteps
	// AlgorithmStep summarizes one step.
	AlgorithmStep = exploring.AlgorithmStep
	// FindRequest asks for the best topologies of a size and degree.
	FindRequest = exploring.FindRequest
	// TopologyFrontier is the Pareto-optimal topologies: no other topology is better in both
	// steps and bandwidth.
	TopologyFrontier = exploring.TopologyFrontier
	// TopologyPoint is one topology.
	TopologyPoint = exploring.TopologyPoint
	// FillRequest asks for the topologies of every size from 2 to Fill. They are kept in the
	// store given by WithStore.
	FillRequest = exploring.FillRequest
	// StoreContent describes what a store holds after Fill.
	StoreContent = exploring.StoreContent
	// ScheduleRequest asks for the breadth-first-broadcast schedule on a topology.
	ScheduleRequest = exploring.ScheduleRequest
	// Schedule summarizes a schedule.
	Schedule = exploring.Schedule
	// TopologyRequest asks for the measures of a topology.
	TopologyRequest = exploring.TopologyRequest
)

// Names of JSON forms and their versions.
const (
	StepsSchema    = exploring.StepsSchema
	FindSchema     = exploring.FindSchema
	ScheduleSchema = exploring.ScheduleSchema
)

// List returns the catalog, including what the options WithRegistry and WithKnown add.
func List(options ...Option) *Catalog { return exploring.List(options...) }

// LayOut lays out an algorithm and summarizes its steps. Of a symmetric step it examines only
// the representative transfers.
func LayOut(ctx context.Context, r CollectiveRequest, options ...Option) (*AlgorithmSteps, error) {
	return exploring.LayOut(ctx, r, options...)
}

// Find returns the best topologies of a size and degree.
func Find(ctx context.Context, r FindRequest, options ...Option) (*TopologyFrontier, error) {
	return exploring.Find(ctx, r, options...)
}

// Fill finds the topologies of every size. If it is interrupted, it keeps those found so far.
func Fill(ctx context.Context, r FillRequest, options ...Option) (*StoreContent, error) {
	return exploring.Fill(ctx, r, options...)
}

// MakeSchedule computes the breadth-first-broadcast schedule on a topology.
func MakeSchedule(ctx context.Context, r ScheduleRequest, options ...Option) (*Schedule, error) {
	return exploring.MakeSchedule(ctx, r, options...)
}

// Topology builds the graph of an expression and measures it.
func Topology(ctx context.Context, r TopologyRequest, options ...Option) (*topology.Metrics, error) {
	return exploring.Topology(ctx, r, options...)
}
