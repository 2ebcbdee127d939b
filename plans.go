package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/verifying"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// Auto stands for the best algorithm or planner.
const Auto = collective.Auto

// Operation is a collective operation to carry out.
type Operation = collective.Operation

// IncorrectPlanError reports a plan that does not pass verification and so cannot be used.
type IncorrectPlanError = command.IncorrectPlanError

// Planners returns every planner, "auto" last. User-defined ones are among those that auto tries.
func Planners(own ...planner.Planner) planner.Registry { return command.Planners(own...) }

// The criteria by which auto chooses.
const (
	ChooseByModel     = planning.ChooseByModel     // the plan's time in the cost model
	ChooseBySimulated = planning.ChooseBySimulated // the time of its simulated packets
)

type (
	// PacketOptions configure the packet simulation of plans.
	PacketOptions = planning.PacketOptions
	// PlanRequest asks for a plan: of one operation, of several one after the other, or of a
	// pattern.
	PlanRequest = planning.PlanRequest
	// PlannerOptions are a planner's own options, beyond the common request:
	// PlanRequest.Options.
	PlannerOptions = planner.Options
	// HarvestOptions are the options of planner harvest.
	HarvestOptions = staged.HarvestOptions
	// ExchangeOptions are the options of planner exchange.
	ExchangeOptions = exchange.Options
)

// AddSimulated verifies a plan, simulates it as Simulate does by default, and records in
// Simulated how long its packets of sim.DefaultPacket take. If the simulation is impossible, or
// would take long and force is not set, it fills in Unsimulated instead.
func AddSimulated(ctx context.Context, p *plan.Plan, force bool) error {
	return planning.AddSimulated(ctx, p, force)
}

// Plan makes a plan, verifies it, and simulates it and its baselines packet by packet. An error
// that wraps planner.ErrInfeasible means that there is no plan; any other means that the request
// is invalid.
func Plan(ctx context.Context, r PlanRequest, options ...Option) (*plan.Plan, error) {
	return planning.Plan(ctx, r, options...)
}

type (
	// CompareRequest asks for every algorithm with every planner.
	CompareRequest = comparing.CompareRequest
	// Comparison is the answer of Compare, fastest first.
	Comparison = comparing.Comparison
	// ComparisonRow is one algorithm with one planner.
	ComparisonRow = comparing.ComparisonRow
	// Skipped is a combination for which there is no plan.
	Skipped = comparing.Skipped
	// FrontierRequest asks for the best plans at all reconfiguration delays at once.
	FrontierRequest = comparing.FrontierRequest
	// Frontier is the best plan as a function of the reconfiguration delay, smallest delays
	// first.
	Frontier = comparing.Frontier
)

// Names of JSON forms and their versions.
const (
	CompareSchema  = comparing.CompareSchema
	FrontierSchema = comparing.FrontierSchema
)

// Compare plans an operation with every applicable algorithm and every planner. An error that
// wraps planner.ErrInfeasible means that none of them has a plan.
func Compare(ctx context.Context, r CompareRequest, options ...Option) (*Comparison, error) {
	return comparing.Compare(ctx, r, options...)
}

// FindFrontier computes the lower envelope, over planners, algorithms and numbers of
// reconfigurations, of the time as a function of the reconfiguration delay. At every delay it is
// the time of the plan that Plan returns.
func FindFrontier(ctx context.Context, r FrontierRequest, options ...Option) (*Frontier, error) {
	return comparing.FindFrontier(ctx, r, options...)
}

type (
	// ExplainRequest asks why a plan reconfigures when it does.
	ExplainRequest = verifying.ExplainRequest
	// VerifyRequest asks whether a plan is correct.
	VerifyRequest = verifying.VerifyRequest
)

// Explain verifies a plan and says of each reconfiguration what it saves and costs, and for
// which delays and sizes the plan stays the best that its planner makes. For the plan of an
// iteration it says what the time is spent on, what each delay costs, and what another port
// would save.
func Explain(ctx context.Context, r ExplainRequest, options ...Option) (*explain.Explanation, error) {
	return verifying.Explain(ctx, r, options...)
}

// Verify checks a plan. A wrong plan gives a report that is not OK; an error means that there
// was nothing to check.
func Verify(ctx context.Context, r VerifyRequest, options ...Option) (*verify.Report, error) {
	return verifying.Verify(ctx, r, options...)
}
