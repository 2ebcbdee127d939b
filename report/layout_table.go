package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/plugging"
	"github.com/lightpath-net/lightpath/fabric/parts"
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
	writeBill(w, a)
}

// writeBill says what the best layout is made of, and what that costs.
func writeBill(w io.Writer, a *plugging.LayoutTable) {
	switch {
	case a.Unpriced != "":
		fmt.Fprintf(w, "\n  no bill: %s\n", a.Unpriced)
		return
	case a.Best == "" || a.Layouts[0].CostUSD == nil:
		return
	}
	best := &a.Layouts[0]
	fmt.Fprintf(w, "\n  the bill of %s with switches of technology %s:\n", shorten(a.Best, 30), a.Technology)
	rows := tabular.New("  ", ">count", "part", ">USD", ">from", ">to", ">W", ">from", ">to")
	line := func(count, part string, cost, power parts.Range) {
		rows.Add(count, part, amount(cost.Likely), amount(cost.Low), amount(cost.High), amount(power.Likely), amount(power.Low), amount(power.High))
	}
	for _, l := range best.Bill {
		line(fmt.Sprint(l.Count), strings.ReplaceAll(l.Kind, "_", " ")+": "+shorten(l.Part, 20), l.CostUSD, l.PowerW)
	}
	line("", "all", *best.CostUSD, *best.PowerW)
	rows.Write(w, 0, "")
	s := a.Light.Stages
	fmt.Fprintf(w, "\n  a link has light for %s in a row, for certain for %d, at most for %d\n", units.Count(s.Likely, "switch", "switches"), s.Low, s.High)
}

// amount writes a number with three digits and a power of 1000.
func amount(x float64) string {
	for _, by := range []struct {
		factor float64
		name   string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= 0.9995*by.factor {
			return strconv.FormatFloat(rounded(x/by.factor), 'f', -1, 64) + by.name
		}
	}
	return strconv.FormatFloat(rounded(x), 'f', -1, 64)
}

// rounded has three digits.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return y
}
