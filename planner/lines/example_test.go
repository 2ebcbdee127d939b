package lines_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/lines"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// A grid of 4x4 is eight lines of four GPUs, each a flat fabric.
func ExampleNew() {
	find := func(ctx context.Context, l lines.Line) (*plan.Plan, error) {
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		r := portfolio.Request{Fabric: l.Fabric, Operations: []collective.Operation{{Op: l.Op, Size: l.Size}}}
		return r.Fastest(ctx, s.Planners().Best(), s)
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 16, 2, 100*units.Nanosecond
	if err := f.Set("switches", "4x4"); err != nil {
		fmt.Println(err)
		return
	}
	c := &collective.Collective{Op: collective.AllToAll, Nodes: 16, Space: collective.SpaceOf(collective.AllToAll, 16, 1)}
	p, err := lines.New(find).Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v with %d changes\n", p.Cost.Total(), p.Reconfigurations)
	// Output: 14.36us with 5 changes
}
