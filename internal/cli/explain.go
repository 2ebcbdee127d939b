package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
)

func (s *session) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain PLAN.json",
		Short: "Say why a plan rewires when it does",
		Long: `Read a plan that plan -o wrote and say of each reconfiguration what it saves and
what it costs, up to which delay it pays, and for which delays and sizes the plan
stays the best that its planner makes.`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath explain plan.json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain: want one plan file, got %d arguments; e.g. lightpath explain plan.json", len(args))
			}
			answer, err := lightpath.ExplainFile(c.Context(), args[0])
			if err != nil {
				return fmt.Errorf("explain: %w", err)
			}
			return s.print(answer, func(w io.Writer) { report.Explain(w, answer) })
		},
	}
}
