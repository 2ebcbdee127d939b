package cli

import (
	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["advise"] = (*session).adviseCommand }

func (s *session) adviseCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.AdviseRequest{}
	f := &face{asked: asked, request: r, doing: "looking at changes", own: []string{"operation", "more"}, Command: &cobra.Command{
		Use: "advise OP.. | --workload FILE.json",
		Long: `Show which single change of the fabric (half the delay, one more port, double
the bandwidth, overlap, ..) buys most for an operation, below which delay
reconfiguring pays at every size, and how many ports are enough. With several
operations, advise treats each one and all of them together: it plans each by
itself and adds up the times. (plan with the same operations plans them as one
sequence, where each starts from the circuits that the one before left.) With
--workload it says how much each change saves of a whole training iteration, in
percent.

` + input.OperationHelp,
		Example: `  lightpath advise allreduce --size 16MiB --nodes 64 --reconfig 10us
  lightpath advise alltoall --planner harvest --plot advice.html
  lightpath advise allreduce/64MiB alltoall/4MiB --nodes 16
  lightpath advise --workload w.json --ports 2 --reconfig 1ms`,
		ValidArgsFunction: input.OfferOperations,
	}}
	work := input.AddOperations(f.Command)
	f.bind()
	f.read = func(args []string) error {
		if r.Workload != nil && len(args) == 0 {
			return work.Unused(f.Command, "not with a workload, whose collectives are planned")
		}
		if len(args) == 0 {
			return input.Single(f.Command, args)
		}
		operations, err := work.Read(f.Command, args, f.machine)
		if err == nil {
			r.Operation, r.More = operations[0], append([]lightpath.Operation(nil), operations[1:]...)
		}
		return err
	}
	return f.command(s)
}
