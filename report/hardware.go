package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/available"
	"github.com/lightpath-net/lightpath/command/wiring"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// LayoutTable compares layouts.
func LayoutTable(w io.Writer, a *wiring.LayoutTable) {
	f := &a.Fabric
	spared := ""
	if a.Spares > 0 {
		spared = fmt.Sprintf(", %d of them kept free", a.Spares)
	}
	if a.Best == "" {
		fmt.Fprintf(w, "no layout of %d GPUs with %s on switches of %d ports%s has a plan for every operation\n\n", f.Nodes, units.Count(f.Ports, "port"), a.Radix, spared)
	} else {
		fmt.Fprintf(w, "%d GPUs with %s on switches of %d ports%s: use layout %s\n\n", f.Nodes, units.Count(f.Ports, "port"), a.Radix, spared, shorten(a.Best, 40))
	}
	for _, o := range a.For {
		fmt.Fprintf(w, "  %s of %v takes %v on one ideal switch\n", o.Op, units.Bytes(o.SizeBytes), o.IdealNs)
	}
	fmt.Fprintln(w)
	heads := []string{"layout", ">switches", ">ports used", ">spare ports", ">fibres", ">slower"}
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
			cells = append(cells, each.Of(l.TimesNs, units.Time.String)...)
		}
		for len(cells) < len(heads) {
			cells = append(cells, "")
		}
		rows.Add(cells...)
	}
	rows.Write(w, 0, "")
	writeBill(w, a)
}

// writeBill writes the parts of the best layout and their cost.
func writeBill(w io.Writer, a *wiring.LayoutTable) {
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
	fmt.Fprintf(w, "\n  the loss budget of a link allows %s in a row (at worst %d, at best %d)\n", units.Count(s.Likely, "switch", "switches"), s.Low, s.High)
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

// rounded rounds to three digits.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// mostPlannedStates is how many states a text lists.
const mostPlannedStates = 12

// Availability writes how long a fabric works, and how fast.
func Availability(w io.Writer, a *available.Availability) {
	f := &a.Fabric
	plugged := "plugged " + shorten(a.Layout, 20)
	if f.Layout.IsZero() {
		plugged = "all on one ideal switch"
	}
	head := fmt.Sprintf("%d GPUs with %s on switches of technology %s, %s. %s", f.Nodes, units.Count(f.Ports, "port"), shorten(a.Technology, 20), plugged, a.Answer)
	for _, line := range tabular.Wrap(head, wide) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	rows := tabular.New("  ", "with", ">full", ">reduced", ">down", ">unknown", ">speed", ">from", ">to")
	with := map[[2]bool]string{{false, false}: "nothing", {false, true}: "replanning", {true, false}: "spares", {true, true}: "both"}
	sampled := 0.0
	for _, c := range a.Cases {
		s := c.Shares
		rows.Add(with[[2]bool{c.Spares, c.Replanning}], ofTime(s.Full), ofTime(s.Reduced), ofTime(s.Down), ofTime(s.Unknown), ofTime(s.SpeedLow), ofTime(c.Low.SpeedLow), ofTime(c.High.SpeedLow))
		sampled = max(sampled, s.Sampled)
	}
	rows.Write(w, 0, "")
	fmt.Fprintln(w, "\n  Shares of time. Speed is the mean of time as planned for the whole fabric over\n  time around what is missing, and 0 where it is unknown; from, to: with the\n  worst and the best failure rates.")
	if sampled > 1e-9 {
		fmt.Fprintf(w, "  Drawn with seed %d: off by up to %.1g with a confidence of 95%%.\n", a.Seed, sampled)
	}
	fmt.Fprintln(w)
	causes := tabular.New("  ", "what fails", ">places", ">spares", ">a year", ">repair", ">h/year", ">speed then")
	for _, c := range a.Causes {
		spares := fmt.Sprint(c.Spares)
		if c.Pools > 1 && c.Spares > 0 {
			spares = fmt.Sprintf("%dx%d", c.Pools, c.Spares)
		}
		speed := fmt.Sprintf("%.1f%%", 100*c.SpeedLow)
		if c.SpeedHigh > c.SpeedLow+1e-9 {
			speed += fmt.Sprintf("..%.1f%%", 100*c.SpeedHigh)
		}
		causes.Add(c.Name, fmt.Sprint(c.Places), spares, fmt.Sprintf("%.3g", c.PerYear), fmt.Sprintf("%.3gh", c.RepairHours), fmt.Sprintf("%.3g", c.LostHours), speed)
	}
	causes.Write(w, 0, "")
	fmt.Fprintf(w, "\n  Up to %d places missing at once make %s; %d planned, %d open.\n", a.Missing, units.Count(a.Kinds, "different state"), a.Planned, a.Open)
	fmt.Fprintln(w)
	states := tabular.New("  ", "missing", ">time", ">speed", ">h/year")
	states.Add("nothing", a.WholeNs.String(), "100.0%", "")
	for _, x := range a.States[:min(len(a.States), mostPlannedStates)] {
		taken := "-"
		if x.TotalNs > 0 {
			taken = x.TotalNs.String()
		}
		states.Add(shorten(x.Lost, 40), taken, fmt.Sprintf("%.1f%%", 100*x.Speed), fmt.Sprintf("%.3g", x.Chance*parts.HoursPerYear))
	}
	states.Write(w, 0, "")
}

// ofTime writes a share of time.
func ofTime(x float64) string {
	if x > 0 && x < 0.00005 {
		return fmt.Sprintf("%.0e%%", 100*x)
	}
	return fmt.Sprintf("%.4f%%", 100*x)
}
