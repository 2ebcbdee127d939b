package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// wide is how long the lines of a design are at most.
const wide = 80

// mostChoices is how many rows a table shows that are not on the frontier.
const mostChoices = 40

// Design writes which fabric to buy, and the choices.
func Design(w io.Writer, a *designing.Design) {
	load := "an iteration of " + shorten(a.Workload, 40)
	if len(a.Mix) > 0 {
		texts := make([]string, len(a.Mix))
		for i, o := range a.Mix {
			texts[i] = o.String()
		}
		load = strings.Join(texts, ", ")
	}
	for _, line := range tabular.Wrap(fmt.Sprintf("%d GPUs, %s. %s", a.Fabric.Nodes, load, a.Answer), wide) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	rows := tabular.New("  ", "", "fabric", ">ports", ">island", "layout", ">time", ">USD", ">kW")
	var without []string
	shown, left := 0, 0
	for i := range a.Choices {
		c := &a.Choices[i]
		if c.Reason != "" {
			without = append(without, fmt.Sprintf("%s, ports %d, island %d: %s", c.Name(), c.Ports, c.Island, c.Reason))
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
		plugged := shorten(c.Layout, 14)
		if c.Tiers > 0 {
			plugged = units.Count(c.Tiers, "tier")
		}
		rows.Add(mark, shorten(c.Name(), 14), fmt.Sprint(c.Ports), fmt.Sprint(c.Island), plugged, c.IterationNs.String(), amount(c.CostUSD.Likely), amount(c.PowerW.Likely/1000))
	}
	rows.Write(w, 0, "")
	if left > 0 {
		fmt.Fprintf(w, "  and %s that others are better than\n", units.Count(left, "choice"))
	}
	fmt.Fprintln(w, "\n  + taken  * no other is as good in time, cost and power  ! over the budget")
	if len(a.Worth) > 0 {
		fmt.Fprintln(w, "\n  What a port costs, and what it is worth at most, in USD:")
		worth := tabular.New("  ", "technology", ">delay", ">cost", ">worth", "above that, as fast and cheaper")
		for _, x := range a.Worth {
			most, because := "any price", "nothing else is as fast"
			if x.PortUSD != nil {
				than := &a.Choices[x.Than]
				most, because = perPort(*x.PortUSD), fmt.Sprintf("%s, ports %d, island %d", than.Name(), than.Ports, than.Island)
			}
			worth.Add(shorten(x.Technology, 14), x.SwitchingNs.String(), perPort(x.PriceUSD.Likely), most, shorten(because, 32))
		}
		worth.Write(w, 0, "")
	}
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

// perPort writes the price of a port to the dollar, unless it is a fortune.
func perPort(x float64) string {
	if x >= 1e6 {
		return amount(x)
	}
	return fmt.Sprintf("%.0f", x)
}
