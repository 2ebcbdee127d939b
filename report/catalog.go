package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/report/tabular"
)

// Catalog writes the operations, algorithms, planners and presets.
func Catalog(w io.Writer, c *exploring.Catalog) {
	var names, abouts []string
	fmt.Fprintln(w, "algorithms (details: lightpath collective `list`)")
	for _, a := range c.Algorithms {
		names = append(names, a.Name)
		abouts = append(abouts, fmt.Sprintf("%s. For %s; %s.", a.About, operations(a), a.Nodes))
	}
	tabular.List(w, "  ", names, abouts)
	fmt.Fprintln(w, "\nplanners")
	names, abouts = nil, nil
	for _, p := range c.Planners {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	tabular.List(w, "  ", names, abouts)
	fmt.Fprintln(w, "\nfabric presets (`preset` NAME; sources with `json`)")
	names, abouts = nil, nil
	for _, p := range c.Presets {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	tabular.List(w, "  ", names, abouts)
}

// Algorithms writes what each algorithm can do.
func Algorithms(w io.Writer, l *exploring.AlgorithmList) {
	for i, a := range l.Algorithms {
		if i > 0 {
			fmt.Fprintln(w)
		}
		options := "none"
		if len(a.Options) > 0 {
			options = fmt.Sprintf("%s:%s", a.Name, strings.Join(a.Options, ","))
		}
		fmt.Fprintln(w, a.Name)
		tabular.List(w, "  ", []string{"does", "how", "nodes", "ports", "options"},
			[]string{operations(a), a.About, a.Nodes, a.Ports, options})
	}
}

func operations(a exploring.AlgorithmInfo) string {
	names := make([]string, len(a.Operations))
	for i, op := range a.Operations {
		names[i] = string(op)
	}
	return strings.Join(names, ", ")
}
