package page

import (
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/figure"
)

// Design makes the page of a design: the answer, the choices with their bills, the value of
// delays and ports, and what would change the answer.
func Design(a *designing.Design) (*chart.Page, error) {
	page := &chart.Page{Title: fmt.Sprintf("What to buy for %d GPUs", a.Fabric.Nodes)}
	page.Text(a.Answer)
	if a.Best < 0 {
		return page, nil
	}
	scene, err := figure.Design(a)
	if err != nil {
		return nil, err
	}
	page.Picture(scene)
	page.Heading("Choices")
	var rows [][]string
	for i := range a.Choices {
		if i == maxRows {
			rows = append(rows, []string{"..", fmt.Sprintf("%d choices in all", len(a.Choices))})
			break
		}
		c := &a.Choices[i]
		row := []string{designMark(a, i), c.Name(), strconv.Itoa(c.Ports), strconv.Itoa(c.Island), c.Layout}
		if c.Reason != "" {
			rows = append(rows, append(row, c.Reason))
			continue
		}
		rows = append(rows, append(row, c.IterationNs.String(), ranged(c.CostUSD, 1e6), ranged(c.PowerW, 1e3)))
	}
	page.Table([]string{"", "fabric", ">ports", ">island", "layout", ">time", ">million USD", ">kW"}, rows)
	if len(a.Curves) > 0 {
		page.Heading("Delays")
		if scene, err = figure.DesignDelays(a); err != nil {
			return nil, err
		}
		page.Picture(scene)
		if len(a.BreakEven) > 0 {
			rows = nil
			for k := range a.BreakEven {
				b := &a.BreakEven[k]
				rows = append(rows, []string{b.DelayNs.String(), fmt.Sprintf("%.0f", b.PortUSD), strconv.Itoa(b.Ports), strconv.Itoa(b.Island)})
			}
			than := &a.Choices[a.BreakEven[0].Than]
			page.Text(fmt.Sprintf("What a port may cost before time multiplied by cost is less with packets (%s, %d ports, islands of %d):", than.Name(), than.Ports, than.Island))
			page.Table([]string{">delay", ">USD at most", ">with ports", ">island"}, rows)
		}
	}
	designChanges(page, a)
	page.Heading("Bill of what is taken")
	designBill(page, &a.Choices[a.Best])
	if a.Value != a.Best {
		page.Heading("Bill of what is the least money for its speed")
		designBill(page, &a.Choices[a.Value])
	}
	page.Note(clocks)
	return page, nil
}

// designMark returns the mark of a choice.
func designMark(a *designing.Design, i int) string {
	switch c := &a.Choices[i]; {
	case i == a.Best:
		return "taken"
	case i == a.Value:
		return "least money for its speed"
	case c.OverBudget:
		return "over the budget"
	case c.OnFrontier:
		return "not beaten"
	}
	return ""
}

// ranged formats a range in a unit.
func ranged(r *parts.Range, unit float64) string {
	return fmt.Sprintf("%.3g (%.3g to %.3g)", r.Likely/unit, r.Low/unit, r.High/unit)
}

// designChanges adds what would change the answer.
func designChanges(page *chart.Page, a *designing.Design) {
	page.Heading("What would change the answer")
	var rows [][]string
	for k := range a.Changes {
		c := &a.Changes[k]
		then, within := "none", ""
		if c.Then >= 0 {
			to := &a.Choices[c.Then]
			then = fmt.Sprintf("%s, %d ports, islands of %d", to.Name(), to.Ports, to.Island)
		}
		if c.Within {
			within = "within its range"
		}
		rows = append(rows, []string{c.Decision, c.Input + " of " + c.Of, fmt.Sprintf("%.4g", c.Now), fmt.Sprintf("%.4g", c.At), within, then})
	}
	if rows == nil {
		page.Text("No input alone, changed by a factor of up to 100.")
		return
	}
	page.Table([]string{"answer", "input", ">now", ">changes at", "", "to"}, rows)
}

// designBill adds the bill of a choice.
func designBill(page *chart.Page, c *designing.Choice) {
	var rows [][]string
	for _, l := range c.Bill {
		rows = append(rows, []string{l.Kind, l.Part, strconv.Itoa(l.Count), ranged(&l.CostUSD, 1e3), ranged(&l.PowerW, 1)})
	}
	page.Table([]string{"kind", "part", ">count", ">thousand USD", ">W"}, rows)
}
