package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/figure"
)

func (s *session) verifyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "verify PLAN.json",
		Short: "Check a plan: circuits, routes, data, cost",
		Long: `Check a plan file (plan -o) against its fabric and its operation: port limits,
routes, timing, every chunk on its way, every contribution counted exactly once,
the result, the claimed cost and bounds. Claims that cannot be checked, such as
what a topology search has proven, are marked (--).
A HARVEST schedule (compile --to harvest) is verified as the plan that its
circuits make; what it does not hold is assumed, and named, or given by flags.
Exit 0: correct. 1: not correct. 2: not a plan.`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath verify plan.json",
	}
	var baselines bool
	files := addScheduleFlags(c)
	c.Flags().BoolVar(&baselines, "baselines", false, "also recompute the baselines that the plan claims")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("verify: want one plan file, got %d arguments", len(args))
		}
		p, err := files.read(s, c, args[0])
		if err != nil {
			return err
		}
		request := lightpath.VerifyRequest{Plan: p, Baselines: baselines}
		if err := plot.check(c); err != nil {
			return err
		}
		result, err := answered(s, c, "verifying", lightpath.Verify, request)
		if err != nil {
			return err
		}
		if lifted := files.schedule.lifted; lifted != nil {
			result.Set(lifted.Check())
		}
		if err := s.print(result); err != nil {
			return err
		}
		if err := s.draw(plot, func() (*chart.Scene, error) { return figure.Verified(p, result) }); err != nil {
			return err
		}
		if bad := result.First(); bad != nil {
			return s.no(fmt.Sprintf("%s: %s: %s", args[0], bad.Name, bad.Detail))
		}
		return nil
	}
	return c
}
