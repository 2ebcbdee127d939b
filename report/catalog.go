package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath"
)

// Catalog writes what can be asked for.
func Catalog(w io.Writer, c lightpath.Catalog) {
	var names, abouts []string
	fmt.Fprintln(w, "algorithms")
	for _, a := range c.Algorithms {
		ops := ""
		for i, op := range a.Operations {
			if i > 0 {
				ops += ", "
			}
			ops += string(op)
		}
		names = append(names, a.Name)
		abouts = append(abouts, fmt.Sprintf("%s. For %s; %s.", a.About, ops, a.Nodes))
	}
	list(w, "  ", names, abouts)
	fmt.Fprintln(w, "\nplanners")
	names, abouts = nil, nil
	for _, p := range c.Planners {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	list(w, "  ", names, abouts)
	fmt.Fprintln(w, "\npresets of the fabric (--preset NAME; sources with --json)")
	names, abouts = nil, nil
	for _, p := range c.Presets {
		names, abouts = append(names, p.Name), append(abouts, p.About)
	}
	list(w, "  ", names, abouts)
}
