package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) collectiveCommand() *cobra.Command {
	var algorithm string
	var list bool
	standard := fabric.Default()
	c := &cobra.Command{
		Use:   "collective OP",
		Short: "Show the steps of a collective algorithm",
		Long: `Show the steps of an algorithm for a collective operation: who sends to whom and
how much of the data. No circuits are chosen; plan does that.

An algorithm may have options after a colon, such as swing:8x8 or bruck:r=4.`,
		Example: `  lightpath collective allreduce --algorithm swing --nodes 16
  lightpath collective --list`,
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&algorithm, "algorithm", "", "`NAME` of the algorithm")
	values := map[string]*word{}
	for _, setting := range fabric.Settings() {
		if setting.Name == "nodes" || setting.Name == "ports" {
			values[setting.Name] = &word{setting.Get(&standard), setting.Value}
			c.Flags().Var(values[setting.Name], setting.Name, setting.About)
		}
	}
	var demand demandFlags
	demand.add(c)
	c.Flags().BoolVar(&list, "list", false, "say what each algorithm can do")
	c.RunE = func(c *cobra.Command, args []string) error {
		if list {
			if len(args) > 0 {
				return fmt.Errorf("collective --list: takes no argument")
			}
			algorithms := lightpath.List().Algorithms
			answer := struct {
				Algorithms []lightpath.AlgorithmInfo `json:"algorithms"`
			}{algorithms}
			return s.print(answer, func(w io.Writer) { report.Algorithms(w, algorithms) })
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
		if algorithm == "" {
			return fmt.Errorf("collective: --algorithm: which one? %s", useOneOf(op, shape.Nodes, shape.Ports))
		}
		request := lightpath.LayoutRequest{Op: op, Algorithm: algorithm, Nodes: shape.Nodes, Ports: shape.Ports}
		if request.Demand, err = demand.read(shape.Nodes, layoutSize); err != nil {
			return err
		}
		layout, err := lightpath.LayOut(request)
		if err != nil {
			return fmt.Errorf("collective: %w", err)
		}
		return s.print(layout, func(w io.Writer) { report.Layout(w, layout) })
	}
	return c
}

// layoutSize is what a GPU holds of a demand that is generated: shares of it are shown, so
// it only must be large enough for rounding not to show.
const layoutSize = units.GiB

func useOneOf(op collective.Op, nodes, ports int) string {
	text := "use"
	for i, a := range collective.For(op, collective.Shape{Nodes: nodes, Ports: ports}) {
		if i > 0 {
			text += ","
		}
		text += " " + a.Name
	}
	return text
}
