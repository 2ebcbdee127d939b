package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// wide is the longest line of a design.
const wide = 80

// mostChoices is how many rows off the frontier a table shows.
const mostChoices = 40

// Design writes which fabric to buy, and the choices.
func Design(w io.Writer, a *designing.Design) {
	load := "an iteration of " + shorten(a.Workload, 40)
	if len(a.Mix) > 0 {
		texts := each.Of(a.Mix, designing.MixedOperation.String)
		load = strings.Join(texts, ", ")
	}
	for _, line := range tabular.Wrap(fmt.Sprintf("%d GPUs, %s. %s", a.Fabric.Nodes, load, a.Answer), wide) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	rows := tabular.New("  ", "", "fabric", ">ports", ">island", "layout", ">time", ">USD", ">kW")
	var without []string
	shown, left, dim := 0, 0, false
	for i := range a.Choices {
		c := &a.Choices[i]
		if c.Reason != "" {
			without = append(without, fmt.Sprintf("%s: %s", portsAndIslands(c), c.Reason))
			continue
		}
		if shown++; shown > mostChoices && !c.OnFrontier && i != a.Best {
			left++
			continue
		}
		mark := ""
		if c.OnFrontier {
			mark = "*"
		}
		if i == a.Best {
			mark = "+"
		}
		if c.OverBudget {
			mark += "!"
		}
		if c.Light == designing.Possibly {
			mark += "?"
			dim = true
		}
		plugged := shorten(c.Layout, 14)
		if c.Tiers > 0 {
			plugged = units.Count(c.Tiers, "tier")
		}
		rows.Add(mark, shorten(c.Name(), 14), fmt.Sprint(c.Ports), island(c.Island), plugged, c.IterationNs.String(), amount(c.CostUSD.Likely), amount(c.PowerW.Likely/1000))
	}
	rows.Write(w, 0, "")
	if left > 0 {
		fmt.Fprintf(w, "  and %s that others are better than\n", units.Count(left, "choice"))
	}
	fmt.Fprintln(w, "\n  + recommended  * on the frontier of time, cost and power  ! over the budget")
	if dim {
		fmt.Fprintln(w, "  ? at likely losses, too little light passes the switch")
	}
	if len(a.Worth) > 0 {
		fmt.Fprintln(w, "\n  What a switch port costs, and up to which price it is worth buying, in USD:")
		worth := tabular.New("  ", "technology", ">delay", ">cost", ">worth", "above it, as fast and cheaper")
		for _, x := range a.Worth {
			most, because := "any price", "nothing else is as fast"
			if x.PortUSD != nil {
				than := &a.Choices[x.Than]
				most, because = perPort(*x.PortUSD), portsAndIslands(than)
			}
			worth.Add(shorten(x.Technology, 14), x.SwitchingNs.String(), perPort(x.PriceUSD.Likely), most, shorten(because, 32))
		}
		worth.Write(w, 0, "")
	}
	designCurves(w, a)
	designChanges(w, a)
	if len(without) == 0 {
		return
	}
	fmt.Fprintln(w)
	for i, text := range without {
		if i == 10 {
			fmt.Fprintf(w, "  and %d more without a plan\n", len(without)-i)
			break
		}
		for k, line := range tabular.Wrap(text, wide-4) {
			fmt.Fprintln(w, strings.Repeat(" ", 2+2*min(k, 1))+line)
		}
	}
}

// island writes how many GPUs an island has; one GPU means no islands.
func island(gpus int) string {
	if gpus <= 1 {
		return "-"
	}
	return fmt.Sprint(gpus)
}

// portsAndIslands describes a choice in a few words.
func portsAndIslands(c *designing.Choice) string {
	text := fmt.Sprintf("%s, %s", c.Name(), units.Count(c.Ports, "port"))
	if c.Island > 1 {
		text += fmt.Sprintf(", islands of %d", c.Island)
	}
	return text
}

// perPort writes the price of a port to the dollar, unless it is very high.
func perPort(x float64) string {
	if x >= 1e6 {
		return amount(x)
	}
	return fmt.Sprintf("%.0f", x)
}

// mostLines is how many rows the smaller tables of a design show.
const mostLines = 8

// designCurves writes up to which delays changing circuits pays off, and what ports are then
// worth.
func designCurves(w io.Writer, a *designing.Design) {
	if len(a.Curves) == 0 {
		return
	}
	fmt.Fprintln(w, "\n  The longest delay at which reconfiguring pays, and the times of the load:")
	rows := tabular.New("  ", ">ports", ">island", "layout", ">pays up to", ">at zero delay", ">without reconfiguring")
	for k := range a.Curves {
		c := &a.Curves[k]
		last := &c.Pieces[len(c.Pieces)-1]
		upTo, still := "any delay", "-"
		if c.PaysUpToNs != nil {
			upTo, still = c.PaysUpToNs.String(), last.IterationNs.String()
		}
		if k == mostLines {
			rows.Add("..", "", "", "", "", "")
			break
		}
		rows.Add(fmt.Sprint(c.Ports), island(c.Island), shorten(c.Layout, 14), upTo, c.At(0).String(), still)
	}
	rows.Write(w, 0, "")
	if len(a.BreakEven) == 0 {
		return
	}
	than := &a.Choices[a.BreakEven[0].Than]
	fmt.Fprintf(w, "\n  Highest price of a switch port, in USD, at which time x cost beats the best\n  packet fabric (%s):\n", portsAndIslands(than))
	rows = tabular.New("  ", ">delay", ">price up to", ">with ports", ">island")
	for k := range a.BreakEven {
		b := &a.BreakEven[k]
		rows.Add(b.DelayNs.String(), perPort(b.PortUSD), fmt.Sprint(b.Ports), island(b.Island))
	}
	rows.Write(w, 0, "")
}

// designChanges writes what would change the answer.
func designChanges(w io.Writer, a *designing.Design) {
	if len(a.Changes) == 0 {
		return
	}
	fmt.Fprintln(w, "\n  What would change the answer, one input at a time (! within its own range):")
	rows := tabular.New("  ", "", "answer", "input", ">now", ">changes at", "new answer")
	for k := range a.Changes {
		if k == mostLines {
			break
		}
		c := &a.Changes[k]
		mark, then := "", "none"
		if c.Within {
			mark = "!"
		}
		if c.Then >= 0 {
			to := &a.Choices[c.Then]
			then = fmt.Sprintf("%s, %d, %s", shorten(to.Name(), 12), to.Ports, island(to.Island))
		}
		rows.Add(mark, c.Decision, shorten(c.Input+" "+c.Of, 26), changed(c, c.Now), changed(c, c.At), then)
	}
	rows.Write(w, 0, "")
}

// changed writes an input.
func changed(c *designing.Change, x float64) string {
	switch c.Input {
	case designing.DelayOf:
		return units.Time(x).String()
	case designing.TimesOf:
		return fmt.Sprintf("%.3g", x)
	case designing.PowerOf:
		return fmt.Sprintf("%.3g W", x)
	}
	return perPort(x) + " USD"
}
