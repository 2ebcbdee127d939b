package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

func init() { own["topology"] = (*session).topologyCommand }

func (s *session) topologyCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.TopologyRequest{}
	f := &face{asked: asked, request: r, doing: "measuring", own: []string{"topology"}, Command: &cobra.Command{
		Use: "topology EXPR",
		Long: `Build the topology of an expression and measure it.
` + input.ExpressionHelp(),
		Example: `  lightpath topology 'Torus(4,4,4)'
  lightpath topology 'GenKautz(4,64)' --json
  lightpath topology @mine.csv
  lightpath topology 'Kautz(2,3)' --wiring kautz.dot`,
		Args: input.Wants(1, 1, "want one expression", "'Torus(4,4)'"),
	}}
	f.bind()
	out := addWiringFlag(f.Command, "the topology")
	f.read = func(args []string) (err error) {
		if err := out.check(); err != nil {
			return err
		}
		if r.Topology, err = input.Expression(args[0]); err != nil {
			return fmt.Errorf("topology: %w", err)
		}
		return nil
	}
	f.keep = on(func(*topology.Metrics) error { return out.write(r.Topology) })
	return f.command(s)
}

func init() { own["schedule"] = (*session).scheduleCommand }

func (s *session) scheduleCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.ScheduleRequest{}
	f := &face{asked: asked, request: r, doing: "scheduling", own: []string{"topology", "links"}, Command: &cobra.Command{
		Use: "schedule EXPR",
		Long: `Find the best breadth-first-broadcast schedule on a topology: every shard
follows shortest paths, one hop per step, over the least loaded circuits. Its
transmission time is exact, in units of M/B: M is the size of all shards
together, B the rate of all ports of a node.

--best also tries schedules built from the schedules of the graphs inside the
expression.

If a file gives circuits different bandwidths and delays, the schedule is the
fastest for --size, and its steps are times.
` + input.ExpressionHelp(),
		Example: `  lightpath schedule 'Torus(3,3,2)'
  lightpath schedule 'GenKautz(4,1024)' --op allreduce
  lightpath schedule 'C(12;2,3)' --chunks 4
  lightpath schedule @uneven.csv --size 16MiB`,
		Args: input.Wants(1, 1, "want one topology", "'Torus(4,4)'"),
	}}
	f.bind()
	out := addWiringFlag(f.Command, "the topology")
	f.read = func(args []string) error {
		w, err := input.Topology(args[0])
		if err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
		switch r.Topology = args[0]; {
		case w != nil && w.Uniform():
			r.Topology = w.Expr().String()
		case w != nil:
			r.Topology, r.Links = "", w.Links
		}
		return out.check()
	}
	f.keep = on(func(answer *lightpath.Schedule) error { return out.write(answer.Expr) })
	return f.command(s)
}

func init() { own["find"] = (*session).findCommand }

func (s *session) findCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.FindRequest{}
	f := &face{asked: asked, request: r, doing: "finding", Command: &cobra.Command{
		Use: "find",
		Long: `Find the topologies with this many nodes and ports that are Pareto-optimal: no
other has a schedule with both fewer steps and less transmission time. The
search covers families of graphs and their expansions, each with its best known
schedule. The best topology is the fastest for the given step latency, bandwidth
and size.

Transmission time is in units of M/B: M is the size, B the rate of all ports of
a node.`,
		Example: `  lightpath find --nodes 1024 --degree 4
  lightpath find --nodes 12 --degree 4 --op allgather --bidirectional
  lightpath find --nodes 256 --degree 4 --trace resnet50 --bucket 25MiB
  lightpath find --nodes 100 --degree 4 --size 64KiB --swaps 500
  lightpath find --nodes 1000 --degree 4 --store topologies.gz
  lightpath find --degree 4 --fill 2000 --store topologies.gz`,
		Args: input.NoArgument,
	}}
	f.bind()
	var kept string
	guard.Store(f.Flags(), &kept, "store", "cache results in `FILE`: lines of text, compressed if it ends in .gz")
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

func init() { own["collective"] = (*session).collectiveCommand }

func (s *session) collectiveCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.CollectiveRequest{}
	f := &face{asked: asked, request: r, doing: "laying out", own: []string{"op"}, Command: &cobra.Command{
		Use: "collective OP",
		Long: `Show the steps of a collective algorithm: who sends to whom, and what fraction
of the data. It chooses no circuits; plan does that.

An algorithm may take options after a colon, such as swing:8x8, swing:peers=1
or bruck:r=4.`,
		Example: `  lightpath collective allreduce --algorithm swing --nodes 16
  lightpath collective --list`,
		ValidArgsFunction: input.OfferOperations,
	}}
	f.bind()
	f.read = func(args []string) error {
		if err := input.Single(f.Command, args); err != nil {
			return err
		}
		r.Op = collective.Op(args[0])
		return nil
	}
	return f.listing(s, "list the algorithms and what each can do", func() (any, error) {
		return &lightpath.AlgorithmList{Algorithms: lightpath.List().Algorithms}, nil
	})
}

// listing returns the face as a command that, with --list, prints a list instead of asking.
func (f *face) listing(s *session, about string, list func() (any, error)) *cobra.Command {
	listed := f.Flags().Bool("list", false, about)
	c := f.command(s)
	ask := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case !*listed:
			return ask(c, args)
		case len(args) > 0:
			return fmt.Errorf("%s --list: takes no argument", c.Name())
		case c.Flags().Changed("plot"):
			return fmt.Errorf("--plot: not with --list, which has no picture")
		}
		answer, err := list()
		if err != nil {
			return err
		}
		return s.print(answer)
	}
	return c
}
