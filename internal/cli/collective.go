package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/report"
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
		op, err := operation(c, args)
		if err != nil {
			return err
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
		layout, err := lightpath.LayOut(lightpath.LayoutRequest{Op: op, Algorithm: algorithm, Nodes: shape.Nodes, Ports: shape.Ports})
		if err != nil {
			return fmt.Errorf("collective: %w", err)
		}
		return s.print(layout, func(w io.Writer) { report.Layout(w, layout) })
	}
	return c
}

func useOneOf(op collective.Op, nodes, ports int) string {
	text := "use"
	for i, a := range collective.For(op, nodes, ports) {
		if i > 0 {
			text += ","
		}
		text += " " + a.Name
	}
	return text
}
