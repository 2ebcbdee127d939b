package cli

import (
	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/report"
)

func init() { own["compare"] = (*session).compareCommand }

func (s *session) compareCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.CompareRequest{}
	f := &face{asked: asked, request: r, doing: "comparing", own: []string{"operation"}, Command: &cobra.Command{
		Use: "compare OP",
		Long: `Plan a collective operation with every applicable algorithm and every planner,
and list the plans, fastest first.

` + input.OperationHelp + `
` + input.SizeHelp,
		Example: `  lightpath compare allreduce --size 64KiB
  lightpath compare alltoall --nodes 16 --ports 2 --reconfig 100ns --json
  lightpath compare --pattern mine.json`,
		ValidArgsFunction: input.OfferOperations,
	}}
	work := input.AddOperations(f.Command)
	f.bind()
	f.read = func(args []string) error {
		operations, err := work.ReadOrPattern(f.Command, args, 1, r.Pattern, f.machine)
		if err == nil && r.Pattern == nil {
			r.Operation = operations[0]
		}
		return err
	}
	f.end = on(func(answer *lightpath.Comparison) error {
		if s.terminal && s.text() {
			report.CompareBars(s.out, answer)
		}
		return nil
	})
	return f.command(s)
}
