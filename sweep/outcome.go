package sweep

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Outcome is what is known of a cell. All times but Simulated are the model's.
type Outcome struct {
	Algorithm, Planner string // that are the fastest of those asked for
	Total              units.Time
	Simulated          units.Time // in packets; 0 if not asked for
	Reconfigurations   int
	Baselines          Baselines  // the fastest of any algorithm
	Same               Baselines  // of the same algorithm; none where a planner makes its own steps
	OperationBound     units.Time // no plan for the operation is faster
	Reason             string     // why there is no plan; then only Baselines and the bound are set
	Iteration          *Iteration // of a cell that is a whole iteration: what else is known
}

// Planned reports whether there is a plan. Only that of an iteration may take no time.
func (o *Outcome) Planned() bool { return o.Total > 0 || o.Iteration != nil }

// Iteration is what is known of a training iteration besides its time, which is Outcome.Total. The
// outcome's algorithm is the policy that is the fastest.
type Iteration struct {
	Compute  units.Time            // the longest chain of computations alone
	Policies map[string]units.Time // times of the policies that it is compared with
}

// Baselines are the times of the two extremes; 0 where one is not possible.
type Baselines struct{ Static, EveryStep units.Time }

// Best is the smaller of those that are possible, 0 if none is.
func (b Baselines) Best() units.Time {
	if b.Static == 0 || b.EveryStep > 0 && b.EveryStep < b.Static {
		return b.EveryStep
	}
	return b.Static
}

// Solver answers requests. It is safe for concurrent use.
type Solver interface {
	// Solve returns an outcome for every request of a column: these differ in the delay
	// of a reconfiguration only, shortest first or not. An error stops the whole sweep;
	// what makes no sense is an outcome with a reason.
	Solve(ctx context.Context, column []Request) ([]Outcome, error)
}
