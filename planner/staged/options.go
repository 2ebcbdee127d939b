package staged

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/units"
)

// HarvestOptions are the options of planner harvest and of planners that delegate to it.
type HarvestOptions struct {
	// Synthesis says where harvest gets topologies; "": from its pool.
	Synthesis Synthesis `json:"synthesis,omitempty" help:"where harvest takes topologies from, ${SOURCE}: pool | search | exact" default:"pool"`
	// Budget is roughly how long the topology search may take for each algorithm, number of
	// pieces and number of ports in use. The same budget means the same effort on every machine
	// (staged.EffortFor); 0: staged.DefaultBudget.
	Budget units.Duration `json:"budget_ns,omitzero" help:"effort of the topology search, per algorithm, e.g. 30s" default:"10s"`
	// Effort, if not 0, replaces Budget. Its unit is the work that package synthesis counts. The
	// same effort gives the same plan on every machine, and more effort never gives a slower
	// plan.
	Effort int64 `json:"-"`
}

// Complete implements planner.Options.
func (o *HarvestOptions) Complete() error {
	o.Synthesis = cmp.Or(o.Synthesis, SynthesisPool)
	if _, err := ParseSynthesis(string(o.Synthesis)); err != nil {
		return field.In("synthesis", err)
	}
	switch {
	case o.Budget < 0:
		return field.Errorf("budget_ns", "must be above 0s")
	case o.Effort < 0:
		return fmt.Errorf("effort: %d is negative", o.Effort)
	}
	return nil
}

// effort returns how much work the search may do.
func (o *HarvestOptions) effort() int64 {
	return cmp.Or(o.Effort, EffortFor(o.Budget.Std()), DefaultEffort)
}

// searches reports whether harvest looks for topologies beyond its pool.
func (o *HarvestOptions) searches() bool {
	return o.Synthesis == SynthesisSearch || o.Synthesis == SynthesisExact
}

// Synthesis says where topologies come from.
type Synthesis string

// The kinds of synthesis. Each includes the topologies of those before it.
const (
	SynthesisPool   Synthesis = "pool"   // a pool of known topologies
	SynthesisSearch Synthesis = "search" // and what a local search finds for intervals of steps
	// SynthesisExact also has the best topology for every interval and, if the delay depends on
	// which circuits change, all that could be part of the best schedule. plan.Synthesis says
	// whether the plan is proven the best for its algorithm, which is possible only for few GPUs.
	SynthesisExact Synthesis = "exact"
)

// ParseSynthesis returns the synthesis of that name.
func ParseSynthesis(name string) (Synthesis, error) {
	switch s := Synthesis(name); s {
	case SynthesisPool, SynthesisSearch, SynthesisExact:
		return s, nil
	}
	return "", fmt.Errorf("unknown synthesis %q; use %s, %s or %s", name, SynthesisPool, SynthesisSearch, SynthesisExact)
}

// DefaultBudget is the budget of synthesis if the options give none, and DefaultEffort the effort
// that it stands for.
const (
	DefaultBudget = 10 * time.Second
	DefaultEffort = 10 * pool.EffortPerSecond
)

// EffortFor returns the effort that a budget stands for; at least 1 if the budget is above 0.
func EffortFor(budget time.Duration) int64 {
	effort := math.Ceil(budget.Seconds() * pool.EffortPerSecond)
	return int64(min(effort, math.MaxInt64/2))
}
