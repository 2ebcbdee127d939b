package evaluation

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// Gap compares slots with bounds at one number of topologies: those of the paper's rule, the
// bound of Theorem 1, and that for chunks that may wait for a later topology.
type Gap struct {
	Stages, Paper, Bound, Relay int
}

// Gaps returns the slots of the paper's rule for every number of topologies, with the
// bound of Theorem 1 and that for chunks that may wait for a later topology.
func Gaps(ctx context.Context, nodes int) ([]Gap, error) {
	demand, err := model.Uniform(nodes, 1)
	if err != nil {
		return nil, err
	}
	curve, err := strategy.Curve(ctx, strategy.Problem{Demand: demand, Ports: 1, Strategy: strategy.Paper}, 0)
	if err != nil {
		return nil, err
	}
	var points []Gap
	for _, p := range curve {
		bound, err := model.LoadBound(nodes, 1, p.Stages)
		if err != nil {
			return nil, err
		}
		relay, err := model.RelayBound(nodes, 1, p.Stages)
		if err != nil {
			return nil, err
		}
		points = append(points, Gap{p.Stages, p.Slots, bound, relay})
	}
	return points, nil
}

// runGap prints the curves of Figure 13b.
func runGap(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("gap", flag.ContinueOnError)
	nodes := flags.Int("nodes", 32, "`number` of nodes; the paper shows 32 and 512")
	if err := parse(flags, args, log); err != nil {
		return err
	}
	points, err := Gaps(ctx, *nodes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Slots of %d nodes with one port by the number of topologies d (Figure 13b)\n", *nodes)
	fmt.Fprintf(out, "%5s %12s %9s %14s\n", "d", "paper's rule", "Theorem 1", "bound, relayed")
	for _, p := range points {
		fmt.Fprintf(out, "%5d %12d %9d %14d\n", p.Stages, p.Paper, p.Bound, p.Relay)
	}
	return nil
}
