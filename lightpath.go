// Package lightpath plans collective communication on reconfigurable optical
// fabrics: which circuits to set when, what every GPU sends over them, how long it
// takes, how far that is from a proven bound, and a proof that it is correct.
//
// It has one function per command of the command line. The packages below it hold
// the parts: fabric and collective describe the problem, planner solves it, plan is
// the answer.
package lightpath

import (
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// Auto as the name of an algorithm or planner stands for the best of all.
const Auto = "auto"

// Planners returns every planner, "auto" last.
func Planners() planner.Registry { return planners(options{}) }

// options are those of planners that have some.
type options struct {
	harvest  staged.HarvestOptions
	exchange exchange.Options
}

// planners returns every planner, "auto" last.
func planners(o options) planner.Registry {
	all := staged.PlannersWith(o.harvest)
	best := auto.New(all)
	for _, c := range composers(o.exchange) {
		all = append(all, c)
	}
	return append(all, best)
}

// composers returns the planners that make their own steps.
func composers(o exchange.Options) []planner.Composer {
	return []planner.Composer{exchange.New(o), direct.New(), joint.New()}
}
