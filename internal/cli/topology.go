package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
)

func (s *session) topologyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "topology EXPR",
		Short: "Measure a topology",
		Long: `Build the topology of an expression and measure it.
` + expressionHelp,
		Example: `  lightpath topology 'Torus(4,4,4)'
  lightpath topology 'GenKautz(4,64)' --json
  lightpath topology @mine.csv
  lightpath topology 'Kautz(2,3)' --wiring kautz.dot`,
	}
	out := addWiringFlag(c, "it")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := plot.check(c); err != nil {
			return err
		}
		if len(args) != 1 {
			return fmt.Errorf("topology: want one expression, got %d arguments; e.g. lightpath topology 'Torus(4,4)'", len(args))
		}
		if err := out.check(); err != nil {
			return err
		}
		expr, err := expression(args[0])
		if err != nil {
			return fmt.Errorf("topology: %w", err)
		}
		request := lightpath.TopologyRequest{Topology: expr}
		if err := s.asks(&request); err != nil {
			return err
		}
		metrics, err := lightpath.Topology(c.Context(), request)
		if err != nil {
			return blame(c, err)
		}
		if err := out.write(expr); err != nil {
			return err
		}
		return s.printPlotted(metrics, plot)
	}
	return c
}
