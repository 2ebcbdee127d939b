package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) scheduleCommand() *cobra.Command {
	var op string
	var chunks int
	var best bool
	size := &word{"", "SIZE"}
	c := &cobra.Command{
		Use:   "schedule EXPR",
		Short: "Find the best breadth-first-broadcast schedule on a topology",
		Long: `Find the best breadth-first-broadcast schedule on a topology: every shard follows
shortest paths, one hop per step, over the least loaded circuits. Its bandwidth
is exact, in units of M/B: M is the size of all shards together, B the rate of
all ports of a node.

--best also tries schedules built from those of the graphs inside the
expression.

If a file gives circuits different bandwidths and delays, the schedule is the
fastest for --size, and its steps are times.
` + expressionHelp,
		Example: `  lightpath schedule 'Torus(3,3,2)'
  lightpath schedule 'GenKautz(4,1024)' --op allreduce
  lightpath schedule 'C(12;2,3)' --chunks 4
  lightpath schedule @uneven.csv --size 16MiB`,
	}
	c.Flags().StringVar(&op, "op", string(collective.AllGather), "collective `OP`: allgather | reducescatter | allreduce")
	c.Flags().IntVar(&chunks, "chunks", 0, "cut every shard into `P` chunks that travel whole (default: cut anywhere)")
	c.Flags().BoolVar(&best, "best", false, "also try schedules built for expansions, which may be better")
	c.Flags().Var(size, "size", "buffer size, if circuits differ (default: 4MiB)")
	out := addWiringFlag(c, "the topology")
	plot := addPlotFlag(c)
	offer(c, "op", scheduledOps)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("schedule: want one topology, got %d arguments; e.g. lightpath schedule 'Torus(4,4)'", len(args))
		}
		parsed, err := collective.ParseOp(op)
		if err != nil {
			return fmt.Errorf("--op: %w", err)
		}
		if c.Flags().Changed("chunks") && chunks < 1 {
			return fmt.Errorf("--chunks: %d; want 1 or more", chunks)
		}
		request := lightpath.ScheduleRequest{Topology: args[0], Op: parsed, Chunks: chunks, Best: best}
		if err := readWires(c, args[0], size.text, &request); err != nil {
			return err
		}
		if err := out.check(); err != nil {
			return err
		}
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "scheduling", lightpath.MakeSchedule, request)
		if err != nil {
			return err
		}
		if err := out.write(answer.Expr); err != nil {
			return err
		}
		return s.printPlotted(answer, plot)
	}
	return c
}

// readWires reads a topology from a file, if it is in one.
func readWires(c *cobra.Command, text, size string, request *lightpath.ScheduleRequest) error {
	w, err := readTopology(text)
	if err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	if w != nil {
		request.Topology = w.Expr().String()
		if !w.Uniform() {
			request.Topology, request.Links = "", w.Links
		}
	}
	if c.Flags().Changed("size") {
		if request.Size, err = units.ParsePositiveBytes(size); err != nil {
			return fmt.Errorf("--size: %w", err)
		}
	}
	return nil
}
