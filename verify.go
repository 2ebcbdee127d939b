package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// VerifyFile reads a plan and checks it. An error means that the file could not be
// read as a plan; a plan that is wrong is a report that is not OK.
func VerifyFile(ctx context.Context, name string) (*plan.Report, error) {
	p, err := plan.ReadFile(ctx, name)
	if err != nil {
		return nil, err
	}
	return plan.Verify(ctx, p)
}

// Topology builds the graph of an expression and measures it.
func Topology(ctx context.Context, expr string) (topology.Metrics, error) {
	g, err := topology.Parse(expr)
	if err != nil {
		return topology.Metrics{}, err
	}
	return g.Measure(ctx)
}
