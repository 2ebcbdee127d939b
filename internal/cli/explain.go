package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/figure"
)

func (s *session) explainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "explain PLAN.json",
		Short: "Explain why a plan reconfigures when it does",
		Long: `Read a plan file (plan -o) and show what each reconfiguration saves and costs,
the delay up to which it pays, and the delays and sizes for which the plan stays
the best that its planner makes. It also takes a HARVEST schedule (compile --to
harvest).`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath explain plan.json",
	}
	files := addScheduleFlags(c)
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("explain: want one plan file, got %d arguments; e.g. lightpath explain plan.json", len(args))
		}
		p, err := files.read(s, c, args[0])
		if err != nil {
			return err
		}
		request := lightpath.ExplainRequest{Plan: p}
		if err := plot.check(c); err != nil {
			return err
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		answer, err := lightpath.Explain(c.Context(), request)
		if err != nil {
			return blame(c, inFile(args[0], err))
		}
		if err := s.print(answer); err != nil {
			return err
		}
		return s.draw(plot, func() (*chart.Scene, error) { return figure.Explain(p, answer) })
	}
	return c
}
