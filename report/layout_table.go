package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/command/plugging"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// LayoutTable writes how the ways to plug compare.
func LayoutTable(w io.Writer, a *plugging.LayoutTable) {
	f := &a.Fabric
	spared := ""
	if a.Spares > 0 {
		spared = fmt.Sprintf(", %d of them kept free", a.Spares)
	}
	if a.Best == "" {
		fmt.Fprintf(w, "no layout of %d GPUs with %s on switches of %d ports%s has a plan for every operation\n\n", f.Nodes, units.Count(f.Ports, "port"), a.Radix, spared)
	} else {
		fmt.Fprintf(w, "%d GPUs with %s on switches of %d ports%s: plug %s\n\n", f.Nodes, units.Count(f.Ports, "port"), a.Radix, spared, shorten(a.Best, 40))
	}
	for _, o := range a.For {
		fmt.Fprintf(w, "  %s of %v takes %v on one ideal switch\n", o.Op, units.Bytes(o.SizeBytes), o.IdealNs)
	}
	fmt.Fprintln(w)
	heads := []string{"layout", ">switches", ">ports used", ">spare ports", ">fibres", ">loss"}
	for _, o := range a.For {
		heads = append(heads, fmt.Sprintf(">%s/%v", o.Op, units.Bytes(o.SizeBytes)))
	}
	rows := tabular.New("  ", heads...)
	for _, l := range a.Layouts {
		cells := []string{shorten(l.Layout, 30), fmt.Sprint(l.Switches), fmt.Sprint(l.PortsUsed), fmt.Sprint(l.SparePorts), fmt.Sprint(l.Fibres)}
		if l.Reason != "" {
			cells = append(cells, "-", shorten(l.Reason, 40))
		} else {
			most := ""
			if l.Bounded {
				most = ">= "
			}
			cells = append(cells, fmt.Sprintf("%s%.1f%%", most, 100*l.Loss))
			for _, t := range l.TimesNs {
				cells = append(cells, t.String())
			}
		}
		for len(cells) < len(heads) {
			cells = append(cells, "")
		}
		rows.Add(cells...)
	}
	rows.Write(w, 0, "")
}
