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
func Planners() planner.Registry {
	all := staged.Planners()
	best := auto.New(all)
	for _, c := range composers() {
		all = append(all, c)
	}
	return append(all, best)
}

// composers returns the planners that make their own steps.
func composers() []planner.Composer {
	return []planner.Composer{exchange.New(), direct.New(), joint.New()}
}
