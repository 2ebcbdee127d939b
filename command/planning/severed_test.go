package planning_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// If Severed rules out plans, no planner finds one. The test covers three GPUs with any two or
// three failures.
func TestNoPlannerFindsAPlanWhereFailuresSever(t *testing.T) {
	t.Parallel()
	var failures []string
	for u := range 3 {
		failures = append(failures, fmt.Sprintf("port:%d", u))
		for v := range 3 {
			if u != v {
				failures = append(failures, fmt.Sprintf("link:%d>%d", u, v))
			}
		}
	}
	search := portfolio.NewSearch(portfolio.Options{Planners: command.Planners()})
	auto, err := command.Planners().Lookup(collective.Auto)
	if err != nil {
		t.Fatal(err)
	}
	ruledOut := 0
	for set := range 1 << len(failures) {
		var avoid []string
		for i, f := range failures {
			if set>>i&1 == 1 {
				avoid = append(avoid, f)
			}
		}
		if len(avoid) < 2 || len(avoid) > 3 {
			continue
		}
		f := fabric.Default()
		f.Nodes, f.Ports, f.Avoid = 3, 1, fabrictest.Failures(strings.Join(avoid, ","))
		for _, o := range []collective.Operation{
			{Op: collective.AllToAll, Size: units.KiB},
			{Op: collective.AllGather, Size: units.KiB, Algorithm: "ring"},
			{Op: collective.Broadcast, Size: units.KiB, Algorithm: "binomial"},
		} {
			if f.Validate() != nil || !planning.Severed(&f, []collective.Operation{o}) {
				continue
			}
			ruledOut++
			r := planning.PlanRequest{Fabric: f, Operations: []collective.Operation{o}}
			if p, err := r.Asked().Fastest(t.Context(), auto, search); !errors.Is(err, planner.ErrInfeasible) {
				t.Errorf("%s around %s: %v, %v", o.Op, f.Avoid, p, err)
			}
		}
	}
	if ruledOut < 100 {
		t.Errorf("only %d of the fabrics are severed", ruledOut)
	}
}
