package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

func (s *session) collectiveCommand() *cobra.Command {
	var algorithm string
	var list bool
	standard := fabric.Default()
	c := &cobra.Command{
		Use:   "collective OP",
		Short: "Show the steps of a collective algorithm",
		Long: `Show the steps of a collective algorithm: who sends to whom, and what fraction
of the data. It chooses no circuits; plan does that.

An algorithm may take options after a colon, such as swing:8x8, swing:peers=1
or bruck:r=4.`,
		Example: `  lightpath collective allreduce --algorithm swing --nodes 16
  lightpath collective --list`,
		ValidArgsFunction: offerOperations,
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&algorithm, "algorithm", "", "algorithm `NAME`")
	offer(c, "algorithm", algorithmNames)
	values := map[string]*word{}
	for _, setting := range fabric.Settings() {
		if setting.Name == "nodes" || setting.Name == "ports" {
			values[setting.Name] = &word{setting.Get(&standard), setting.Value}
			c.Flags().Var(values[setting.Name], setting.Name, setting.About)
		}
	}
	var demand demandFlags
	demand.add(c)
	c.Flags().BoolVar(&list, "list", false, "list the algorithms and what each can do")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if list {
			if len(args) > 0 {
				return fmt.Errorf("collective --list: takes no argument")
			}
			if c.Flags().Changed("plot") {
				return fmt.Errorf("--plot: not with --list, which has no picture")
			}
			return s.print(&lightpath.AlgorithmList{Algorithms: lightpath.List().Algorithms})
		}
		if err := single(c, args); err != nil {
			return err
		}
		op, err := collective.ParseOp(args[0])
		if err != nil {
			return fmt.Errorf("collective: %w", err)
		}
		shape := standard
		for name, value := range values {
			if err := shape.Set(name, value.text); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
		request := lightpath.CollectiveRequest{Op: op, Algorithm: algorithm, Nodes: shape.Nodes, Ports: shape.Ports}
		if request.Demand, err = demand.value(); err != nil {
			return err
		}
		request.Seed = seedOf(c, demand.seed)
		if err := plot.check(c); err != nil {
			return err
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		layout, err := lightpath.LayOut(c.Context(), request)
		if err != nil {
			return blame(c, err)
		}
		return s.printPlotted(layout, plot)
	}
	return c
}
