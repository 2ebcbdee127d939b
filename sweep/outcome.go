package sweep

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Outcome is the result for a cell. All times but Simulated are the model's.
type Outcome struct {
	Algorithm, Planner string // the fastest of those requested
	Total              units.Time
	Simulated          units.Time // in packets; 0 if not asked for
	Reconfigurations   int
	Baselines          Baselines  // the fastest of any algorithm
	Same               Baselines  // of the same algorithm; none if the planner makes its own steps
	OperationBound     units.Time // no plan for the operation is faster
	Reason             string     // why there is no plan; then only Baselines and the bound are set
	Iteration          *Iteration // more, if the cell is a whole iteration
}

// Planned reports whether there is a plan. Only the plan of an iteration may take no time.
func (o *Outcome) Planned() bool { return o.Total > 0 || o.Iteration != nil }

// Iteration holds the results for a training iteration besides its time, which is Outcome.Total.
// The outcome's algorithm is the fastest policy.
type Iteration struct {
	Compute  units.Time            // the longest chain of computations
	Policies map[string]units.Time // times of the policies to compare with
}

// Baselines are the times of the two extremes; 0 if one is not possible.
type Baselines struct{ Static, EveryStep units.Time }

// Best returns the smaller possible one, 0 if neither is possible.
func (b Baselines) Best() units.Time {
	if b.Static == 0 || b.EveryStep > 0 && b.EveryStep < b.Static {
		return b.EveryStep
	}
	return b.Static
}

// Solver answers requests. It is safe for concurrent use.
type Solver interface {
	// Solve returns an outcome for every request of a column: these differ only in the
	// reconfiguration delay and come in any order. An error stops the whole sweep; an invalid
	// request gets an outcome with a reason.
	Solve(ctx context.Context, column []Request) ([]Outcome, error)
}
