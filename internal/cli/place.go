package cli

import (
	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["place"] = (*session).placeCommand }

func (s *session) placeCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.PlaceRequest{}
	f := &face{asked: asked, request: r, doing: "comparing slices", own: []string{"operation"}, Command: &cobra.Command{
		Use: "place [OP]",
		Long: `Find the best GPUs for a job of --nodes-needed GPUs on a shared fabric: the
slice on which an operation (allreduce by default) is fastest. The GPUs need not
be neighbours. --held lists what other jobs hold, --avoid what has failed. If
there are few slices, place tries them all; otherwise the answer says which it
tried.

` + input.OperationHelp,
		Example: `  lightpath place --nodes 64 --nodes-needed 16 --held 0-31
  lightpath place alltoall --size 16MiB --nodes 64 --island 8 \
    --island-bandwidth 7200Gbps --nodes-needed 16 --held @jobs.csv`,
		ValidArgsFunction: input.OfferOperations,
	}}
	work := input.AddOperations(f.Command)
	f.bind()
	f.read = func(args []string) error {
		if len(args) > 1 {
			return input.Single(f.Command, args)
		}
		if len(args) == 0 {
			args = []string{string(collective.AllReduce)}
		}
		operations, err := work.Read(f.Command, args, f.machine)
		if err == nil {
			r.Operation = operations[0]
		}
		return err
	}
	return f.command(s)
}
