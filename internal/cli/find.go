package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
)

func init() { own["find"] = (*session).findCommand }

func (s *session) findCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.FindRequest{}
	f := &face{asked: asked, request: r, doing: "finding", Command: &cobra.Command{
		Use: "find",
		Long: `Find the topologies with this many nodes and ports that are Pareto-optimal: no
other has a schedule with both fewer steps and less bandwidth. The search covers
families of graphs and their expansions, each with its best known schedule. The
best is the fastest for the given step latency, bandwidth and size.

Bandwidth is in units of M/B: M is the size, B the rate of all ports of a node.`,
		Example: `  lightpath find --nodes 1024 --degree 4
  lightpath find --nodes 12 --degree 4 --op allgather --bidirectional
  lightpath find --nodes 256 --degree 4 --trace resnet50 --bucket 25MiB
  lightpath find --nodes 1000 --degree 4 --store topologies.gz
  lightpath find --degree 4 --fill 2000 --store topologies.gz`,
		Args: input.NoArgument,
	}}
	f.bind()
	var kept string
	f.Flags().StringVar(&kept, "store", "", "cache results in `FILE`: lines of text, compressed if it ends in .gz")
	out := addWiringFlag(f.Command, "the best")
	f.read = func([]string) error { return out.check() }
	f.options = func() ([]lightpath.Option, error) {
		if kept == "" {
			return nil, nil
		}
		store, err := finder.Open(kept)
		if err != nil {
			return nil, fmt.Errorf("--store: %w", err)
		}
		return []lightpath.Option{lightpath.WithStore(store)}, nil
	}
	f.keep = on(func(answer *lightpath.TopologyFrontier) error { return out.write(answer.Best.Expr) })

	filling := lightpath.NewCommand("fill", "", "", lightpath.Fill)
	fill := &face{asked: &filling, request: &lightpath.FillRequest{}, doing: f.doing, options: f.options, Command: f.Command}
	fill.bind()
	find := f.command(s)
	fill.plot = f.plot
	find.RunE = func(_ *cobra.Command, args []string) error {
		if find.Flags().Changed("fill") {
			return fill.run(s, args)
		}
		return f.run(s, args)
	}
	return find
}
