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

` + operationHelp + `
` + sizeHelp,
		Example: `  lightpath compare allreduce --size 64KiB
  lightpath compare alltoall --nodes 16 --ports 2 --reconfig 100ns --json`,
	}
	work := addOperationFlags(c)
	machine := addFabricFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := single(c, args); err != nil {
			return err
		}
		if err := work.fixNodes(c, machine); err != nil {
			return err
		}
		fabric, err := machine.fabric(c)
		if err != nil {
			return err
		}
		operations, err := work.operations(c, args, &fabric)
		if err != nil {
			return err
		}
		bar := s.progress("comparing")
		answer, err := lightpath.Compare(c.Context(), lightpath.CompareRequest{
			Fabric: fabric, Operation: operations[0], Progress: bar.report,
		})
		bar.end()
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		return s.print(answer, func(w io.Writer) { report.Compare(w, answer) })
	}
	return c
}
