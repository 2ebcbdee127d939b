package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/topology"
)

// Demand is the bytes of every pair of an all-to-all, or the name of a generator; the zero
// value: all pairs have the same.
type Demand = collective.DemandValue

type (
	// Catalog lists what can be asked for.
	Catalog = exploring.Catalog
	// AlgorithmInfo describes an algorithm.
	AlgorithmInfo = exploring.AlgorithmInfo
	// PlannerInfo describes a planner.
	PlannerInfo = exploring.PlannerInfo
	// PresetInfo describes a preset of the fabric with the source of each figure.
	PresetInfo = exploring.PresetInfo
	// AlgorithmList is the part of the catalog that Catalog.Algorithms is.
	AlgorithmList = exploring.AlgorithmList
	// CollectiveRequest asks how an algorithm goes.
	CollectiveRequest = exploring.CollectiveRequest
	// AlgorithmSteps is the steps of an algorithm, before any circuit is chosen for them.
	AlgorithmSteps = exploring.AlgorithmSteps
	// AlgorithmStep sums up one step.
	AlgorithmStep = exploring.AlgorithmStep
	// FindRequest asks for the best topologies of a size and degree.
	FindRequest = exploring.FindRequest
	// TopologyFrontier is the Pareto-optimal topologies: none has both fewer steps and less
	// bandwidth than another.
	TopologyFrontier = exploring.TopologyFrontier
	// TopologyPoint is one topology.
	TopologyPoint = exploring.TopologyPoint
	// FillRequest asks for the topologies of every size from 2 to Fill, to be kept in the store
	// that WithStore gives.
	FillRequest = exploring.FillRequest
	// StoreContent says what a store holds after Fill.
	StoreContent = exploring.StoreContent
	// ScheduleRequest asks for the breadth-first-broadcast schedule on a topology.
	ScheduleRequest = exploring.ScheduleRequest
	// Schedule sums a schedule up.
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

// List returns the catalog, with what options add (WithRegistry, WithKnown).
func List(options ...Option) *Catalog {
	return exploring.List(options...)
}

// LayOut lays an algorithm out and sums its steps up. Where a step is symmetric it looks
// only at the transfers that represent it.
func LayOut(ctx context.Context, r CollectiveRequest, options ...Option) (*AlgorithmSteps, error) {
	return exploring.LayOut(ctx, r, options...)
}

// Find finds them.
func Find(ctx context.Context, r FindRequest, options ...Option) (*TopologyFrontier, error) {
	return exploring.Find(ctx, r, options...)
}

// Fill finds the topologies of every size. What was found when it is interrupted is kept.
func Fill(ctx context.Context, r FillRequest, options ...Option) (*StoreContent, error) {
	return exploring.Fill(ctx, r, options...)
}

// MakeSchedule finds the schedule.
func MakeSchedule(ctx context.Context, r ScheduleRequest, options ...Option) (*Schedule, error) {
	return exploring.MakeSchedule(ctx, r, options...)
}

// Topology builds the graph of an expression and measures it.
func Topology(ctx context.Context, r TopologyRequest, options ...Option) (*topology.Metrics, error) {
	return exploring.Topology(ctx, r, options...)
}
