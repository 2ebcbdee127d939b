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
		var request lightpath.CompareRequest
		var err error
		if request.Op, err = operation(c, args); err != nil {
			return err
		}
		if request.Size, err = problem.bytes(); err != nil {
			return err
		}
		if request.Fabric, err = problem.fabric(c); err != nil {
			return err
		}
		bar := s.progress("comparing")
		request.Progress = bar.report
		answer, err := lightpath.Compare(c.Context(), request)
		bar.end()
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		return s.print(answer, func(w io.Writer) { report.Compare(w, answer) })
	}
	return c
}
