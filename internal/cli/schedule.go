package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["schedule"] = (*session).scheduleCommand }

func (s *session) scheduleCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.ScheduleRequest{}
	f := &face{asked: asked, request: r, doing: "scheduling", own: []string{"topology", "links"}, Command: &cobra.Command{
		Use: "schedule EXPR",
		Long: `Find the best breadth-first-broadcast schedule on a topology: every shard
follows shortest paths, one hop per step, over the least loaded circuits. Its
bandwidth is exact, in units of M/B: M is the size of all shards together, B the
rate of all ports of a node.

--best also tries schedules built from those of the graphs inside the
expression.

If a file gives circuits different bandwidths and delays, the schedule is the
fastest for --size, and its steps are times.
` + input.ExpressionHelp,
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
