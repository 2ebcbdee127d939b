package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
)

func (s *session) compareCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "compare OP",
		Short: "Compare every algorithm with every planner",
		Long: `Plan a collective operation with every algorithm that can do it and every planner,
and list them, fastest first.

` + sizeHelp,
		Example: `  lightpath compare allreduce --size 64KiB
  lightpath compare alltoall --nodes 16 --ports 2 --reconfig 100ns --json`,
	}
	problem := addProblemFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		op, size, fabric, err := problem.read(c, args)
		if err != nil {
			return err
		}
		bar := s.progress("comparing")
		answer, err := lightpath.Compare(c.Context(), lightpath.CompareRequest{
			Fabric: fabric, Op: op, Size: size, Progress: bar.report,
		})
		bar.end()
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		return s.print(answer, func(w io.Writer) { report.Compare(w, answer) })
	}
	return c
}
