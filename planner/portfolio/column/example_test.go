package column_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/units"
)

// An all-reduce by recursive doubling reconfigures less often, the longer a change takes.
func Example() {
	search := column.NewSearch(portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners()}), column.Options{})
	f := fabric.Default()
	f.Nodes = 16
	c := &column.Column{
		Operation: collective.Operation{Op: collective.AllReduce, Size: units.MiB, Algorithm: "recursive-doubling"},
		Planner:   "harvest", Fabric: f, Delays: []units.Duration{units.Microsecond, 6 * units.Microsecond, 20 * units.Microsecond},
	}
	outcomes, err := search.Solve(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, o := range outcomes {
		fmt.Println(c.Delays[i], o.Changes, o.Total, o.Baselines.Static)
	}
	// Output:
	// 1us 6 33.66us 47.34us
	// 6us 2 48.21us 47.34us
	// 20us 0 60.94us 47.34us
}
