package cli

import (
	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["explain"] = (*session).explainCommand }

func (s *session) explainCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.ExplainRequest{}
	f := &face{asked: asked, request: r, doing: "explaining", own: input.ScheduleFields, Command: &cobra.Command{
		Use: "explain PLAN.json",
		Long: `Read a plan file (plan -o) and show what each reconfiguration saves and costs,
the delay up to which it pays, and the delays and sizes for which the plan stays
the best that its planner makes. It also takes a HARVEST schedule (compile --to
harvest).`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath explain plan.json",
	}}
	f.bind()
	f.readsPlan(&r.Plan, input.AddPlanOrSchedule(f.Command))
	return f.command(s)
}
