package comparing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/sweep"
)

// The fastest row of compare is the plan of auto. Every row is the plan for its named algorithm,
// planner and strategy, even where the best plans leave ports unused: a named planner may do so
// just as auto may. A sweep has the same time, too.
func TestRowsArePlansByNameAndAutoIsTheFirst(t *testing.T) {
	t.Parallel()
	for _, r := range commandtest.UnusedPorts(t) {
		best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		o := r.Operations[0]
		all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: r.Fabric, Operation: o})
		if err != nil {
			t.Fatal(err)
		}
		if first := all.Rows[0]; !commandtest.EqualTimes(best.Cost.Total(), first.TotalNs) {
			t.Errorf("%s: auto takes %v with %s by %s, the first row %v with %s by %s", o.Op, best.Cost.Total(), best.Collective.Algorithm, best.Planner,
				first.TotalNs, first.Algorithm, first.Planner)
		}
		for _, row := range all.Rows {
			named := r
			asked := o
			asked.Algorithm = row.Algorithm
			named.Operations, named.Planner = []lightpath.Operation{asked}, row.Planner
			named.Options = []lightpath.PlannerOptions{&lightpath.ExchangeOptions{Strategy: exchange.Strategy(row.Strategy)}}
			p, err := lightpath.Plan(t.Context(), named, lightpath.WithoutBaselines())
			if err != nil {
				t.Errorf("%s: %s by %s %s has a row, but: %v", o.Op, row.Algorithm, row.Planner, row.Strategy, err)
				continue
			}
			if !commandtest.EqualTimes(p.Cost.Total(), row.TotalNs) {
				t.Errorf("%s: %s by %s %s takes %v, its row has %v", o.Op, row.Algorithm, row.Planner, row.Strategy, p.Cost.Total(), row.TotalNs)
			}
		}
		swept, err := sweep.NewColumns(portfolio.NewSearch(portfolio.Options{Planners: lightpath.Planners()}), column.Options{}, nil).Solve(t.Context(), []sweep.Request{{
			Fabric: r.Fabric, Op: o.Op, Size: o.Size, Algorithm: lightpath.Auto, Planner: lightpath.Auto,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !commandtest.EqualTimes(swept[0].Total, best.Cost.Total()) || !commandtest.EqualTimes(swept[0].Baselines.Static,
			all.BaselinesNs.Static) || !commandtest.EqualTimes(swept[0].Baselines.EveryStep, all.BaselinesNs.EveryStep) {
			t.Errorf("%s: a sweep has %v and baselines %v, planning %v and %v", o.Op, swept[0].Total, swept[0].Baselines, best.Cost.Total(), all.BaselinesNs)
		}
	}
}
