package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
)

func (s *session) verifyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "verify PLAN",
		Short: "Check a plan: circuits, routes, data, cost",
		Long: `Check a plan file (as plan -o writes it) against its fabric and its operation: port
limits, routes, timing, every chunk on its way, every contribution counted once,
the result, the claimed cost. Exit 0: correct. 1: not correct. 2: not a plan.`,
		Example: "  lightpath plan allreduce -o plan.json\n  lightpath verify plan.json",
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("verify: want one plan file, got %d arguments", len(args))
		}
		if args[0] == "" {
			return fmt.Errorf("verify: the file name is empty")
		}
		result, err := lightpath.VerifyFile(c.Context(), args[0])
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		if err := s.print(result, func(w io.Writer) { report.Verify(w, result) }); err != nil {
			return err
		}
		if bad := result.First(); bad != nil {
			fmt.Fprintf(s.err, "lightpath: %s\n", strings.Join(strings.Fields(fmt.Sprintf("%s: %s: %s", args[0], bad.Name, bad.Detail)), " "))
			return errNo
		}
		return nil
	}
	return c
}
