package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/plan/verify"
)

func init() { own["verify"], own["explain"] = (*session).verifyCommand, (*session).explainCommand }

func (s *session) verifyCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.VerifyRequest{}
	f := &face{asked: asked, request: r, doing: "verifying", own: append([]string{"iteration"}, input.ScheduleFields...), Command: &cobra.Command{
		Use: "verify PLAN.json | ITERATION.json",
		Long: `Check a plan file (plan -o) against its fabric and its operation: port limits,
routes, timing, every chunk on its way, every contribution reduced exactly once,
the result, the claimed cost and bounds. Claims that cannot be checked, such as
the result of a topology search, are marked (--).
A HARVEST schedule (compile --to harvest) is verified as the plan that its
circuits imply. Flags give what the schedule does not contain; verify assumes
the rest and names it. The plan of an iteration (iterate -o) is verified with
all plans in it: order, circuits, ports, reconfigurations, the steady state.
Exit 0: correct. 1: not correct. 2: not a plan.`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath verify plan.json",
	}}
	f.bind()
	files := input.AddPlanOrSchedule(f.Command)
	f.readsPlan(&r.Plan, files)
	f.orIteration(&r.Iteration)
	f.keep = on(func(report *verify.Report) error {
		if lifted := files.Schedule.Lifted; lifted != nil {
			report.Set(lifted.Check())
		}
		return nil
	})
	f.end = on(func(report *verify.Report) error { return s.noIf(f.file, report.First()) })
	return f.command(s)
}

// orIteration makes a command that reads a plan also read the plan of an iteration.
func (f *face) orIteration(into **lightpath.Iteration) {
	readPlan := f.read
	f.read = func(args []string) (err error) {
		f.file = args[0]
		if *into, err = input.Iteration(args[0]); *into != nil || err != nil {
			return input.By(f.Command, err)
		}
		return readPlan(args)
	}
}

// noIf reports the failed check of a file, if there is one.
func (s *session) noIf(file string, bad *verify.Check) error {
	if bad == nil {
		return nil
	}
	return s.no(fmt.Sprintf("%s: %s: %s", file, bad.Name, bad.Detail))
}

func (s *session) explainCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.ExplainRequest{}
	f := &face{asked: asked, request: r, doing: "explaining", own: append([]string{"iteration"}, input.ScheduleFields...), Command: &cobra.Command{
		Use: "explain PLAN.json | ITERATION.json",
		Long: `Read a plan file (plan -o) and show what each reconfiguration saves and costs,
the delay up to which it pays, and the delays and sizes for which the plan stays
the best that its planner makes. It also takes a HARVEST schedule (compile --to
harvest).

For the plan of an iteration (iterate -o) it shows where the time goes, on the
critical path and for every class of ranks: compute, exposed communication by
kind of group, exposed and hidden reconfigurations. Then it plans the iteration
again at other delays, to find those at which reconfiguring is free or cheap,
and with one more port.`,
		Example: `  lightpath plan allreduce -o plan.json
  lightpath explain plan.json
  lightpath iterate --model llama3-8b --tp 4 --dp 2 -o iteration.json
  lightpath explain iteration.json`,
	}}
	f.bind()
	f.readsPlan(&r.Plan, input.AddPlanOrSchedule(f.Command))
	f.orIteration(&r.Iteration)
	return f.command(s)
}
