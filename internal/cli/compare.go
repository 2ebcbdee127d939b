package cli

import (
	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
)

func (s *session) compareCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "compare OP",
		Short: "Compare every algorithm with every planner",
		Long: `Plan a collective operation with every applicable algorithm and every planner,
and list the plans, fastest first.

` + operationHelp + `
` + sizeHelp,
		Example: `  lightpath compare allreduce --size 64KiB
  lightpath compare alltoall --nodes 16 --ports 2 --reconfig 100ns --json
  lightpath compare --pattern mine.json`,
		ValidArgsFunction: offerOperations,
	}
	var pattern string
	var simulate bool
	work := addOperationFlags(c)
	c.Flags().StringVar(&pattern, "pattern", "", "compare planners on the steps in `FILE`.json instead of an operation")
	c.Flags().BoolVar(&simulate, "simulate", false, "simulate every plan packet by packet, even those that take long to simulate")
	choose, timing := addChooseFlags(c, "order rows")
	machine := addFabricFlags(c)
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		request, err := compareRequest(c, args, pattern, work, machine)
		if err != nil {
			return err
		}
		request.Simulate = simulate
		readChooseFlags(c, &request.PacketOptions, choose, timing)
		if request.Fabric, err = machine.fabric(c); err != nil {
			return err
		}
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "comparing", lightpath.Compare, request)
		if err != nil {
			return err
		}
		if err := s.printPlotted(answer, plot); err != nil {
			return err
		}
		if s.terminal && s.text() {
			report.CompareBars(s.out, answer)
		}
		return nil
	}
	return c
}

// compareRequest reads what is compared.
func compareRequest(c *cobra.Command, args []string, pattern string, work *operationFlags, machine *fabricFlags) (r lightpath.CompareRequest, err error) {
	if c.Flags().Changed("pattern") {
		r.Pattern, err = readPattern(c, args, pattern, work, machine)
		return r, err
	}
	if err := single(c, args); err != nil {
		return r, err
	}
	operations, err := work.operations(c, args, machine)
	if err == nil {
		r.Operation = operations[0]
	}
	return r, err
}
