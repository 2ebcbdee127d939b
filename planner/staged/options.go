package staged

import (
	"fmt"
	"math"
	"time"

	"github.com/lightpath-net/lightpath/planner/staged/pool"
)

// HarvestOptions are the options of planner harvest.
type HarvestOptions struct {
	// Synthesis says where topologies come from; "" is the pool.
	Synthesis Synthesis
	// Effort limits the search for topologies that are not in the pool, in the work that
	// package synthesis counts; 0 is DefaultEffort. The same effort gives the same plan on
	// every machine, and more of it never a slower one.
	Effort int64
}

// Synthesis is where topologies come from.
type Synthesis string

// The ways of synthesis. Each has the topologies of those before it.
const (
	SynthesisPool   Synthesis = "pool"   // a pool of known topologies
	SynthesisSearch Synthesis = "search" // and those that a local search finds for intervals of steps
	// SynthesisExact also has the best topology for every interval and, if the delay depends on
	// what changes, all that could be part of the best schedule. plan.Synthesis says whether the
	// plan is then proven the best for its algorithm, which takes few GPUs.
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

// DefaultBudget is what synthesis may take where nothing is said, and DefaultEffort the
// effort that it stands for.
const (
	DefaultBudget = 10 * time.Second
	DefaultEffort = 10 * pool.EffortPerSecond
)

// EffortFor returns the effort that a budget stands for, at least 1 for one above 0.
func EffortFor(budget time.Duration) int64 {
	effort := math.Ceil(budget.Seconds() * pool.EffortPerSecond)
	return int64(min(effort, math.MaxInt64/2))
}

// validate reports what makes no sense.
func (o HarvestOptions) validate() error {
	if o.Synthesis != "" {
		if _, err := ParseSynthesis(string(o.Synthesis)); err != nil {
			return err
		}
	}
	if o.Effort < 0 {
		return fmt.Errorf("effort: %d is negative", o.Effort)
	}
	return nil
}
