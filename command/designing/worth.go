package designing

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// worth finds what a port of each technology is worth. For each choice with the technology, it
// takes the cost of the cheapest choice without it that is as fast, subtracts the cost of the
// rest of the fabric, and divides by the number of ports bought. The worth is the maximum over
// all choices with the technology.
func (a *Design) worth(d *designer) {
	for _, name := range d.Technology {
		of := d.parts.Switches[name]
		w := Worth{Technology: name, SwitchingNs: of.Switching.Time(), Choice: -1, Than: -1}
		for i := range a.Choices {
			c := &a.Choices[i]
			if c.Technology != name || !c.possible() {
				continue
			}
			rest, price := c.split()
			ports := float64(c.switches() * of.Ports)
			for _, x := range []*float64{&price.Low, &price.Likely, &price.High} {
				*x /= ports
			}
			than := a.cheapest(c)
			if than < 0 {
				w.Choice, w.Than, w.PortUSD, w.PriceUSD = i, -1, nil, &price
				break // nothing else is as fast
			}
			if x := (a.Choices[than].CostUSD.Likely - rest) / ports; w.Choice < 0 || x > *w.PortUSD {
				w.Choice, w.Than, w.PortUSD, w.PriceUSD = i, than, &x, &price
			}
		}
		if w.Choice >= 0 {
			a.Worth = append(a.Worth, w)
		}
	}
}

// split returns the cost of everything but the optical switches, and the cost of the switches.
func (c *Choice) split() (rest float64, switches parts.Range) {
	rest = c.CostUSD.Likely
	for _, l := range c.Bill {
		if l.Kind == parts.Switches {
			rest -= l.CostUSD.Likely
			switches = l.CostUSD
		}
	}
	return rest, switches
}

// switches returns how many optical switches are bought.
func (c *Choice) switches() int { return c.count(parts.Switches) }

// plugged returns how many ports of optical switches are in use: each has a transceiver.
func (c *Choice) plugged() int { return c.count(parts.Transceivers) }

// count returns how many parts of a kind are on the bill.
func (c *Choice) count(kind string) int {
	b := parts.Bill{Lines: c.Bill}
	return b.Count(kind)
}

// cheapest returns the cheapest choice of another technology that is at least as fast as a
// choice, or -1 if there is none.
func (a *Design) cheapest(c *Choice) int {
	best := -1
	for i := range a.Choices {
		o := &a.Choices[i]
		if !o.possible() || o.Kind == Optical && o.Technology == c.Technology || o.IterationNs > c.IterationNs {
			continue
		}
		if best < 0 || o.CostUSD.Likely < a.Choices[best].CostUSD.Likely {
			best = i
		}
	}
	return best
}

// sentence returns the answer in words.
func (a *Design) sentence() string {
	if a.Best < 0 {
		for i := range a.Choices {
			if a.Choices[i].possible() {
				return "No choice is within the budget."
			}
		}
		return "No choice has both a plan and a bill."
	}
	best := &a.Choices[a.Best]
	within := ""
	if a.BudgetCost > 0 || a.BudgetPower > 0 {
		within = " within the budget"
	}
	text := fmt.Sprintf("Buy %s: none is faster%s (%v), for %s.", best.words(), within, best.IterationNs, best.priced())
	cheap := a.Value
	if c := &a.Choices[cheap]; cheap != a.Best {
		text += fmt.Sprintf(" Best value, the least time x cost: %s takes %v (%+.0f%%) for %s.", c.words(), c.IterationNs,
			100*float64(c.IterationNs/best.IterationNs-1), c.priced())
	}
	return text + a.against(&a.Choices[cheap]) + a.pays(&a.Choices[cheap])
}

// against compares an optical choice with the cheapest packet fabric that has the same number of
// ports and the same islands.
func (a *Design) against(c *Choice) string {
	than := -1
	for i := range a.Choices {
		o := &a.Choices[i]
		if o.possible() && o.Kind != Optical && o.Ports == c.Ports && o.Island == c.Island && (than < 0 || o.CostUSD.Likely < a.Choices[than].CostUSD.Likely) {
			than = i
		}
	}
	if than < 0 || c.Kind != Optical {
		return ""
	}
	o := &a.Choices[than]
	part := func(x, y float64) float64 { return 100 * (x/y - 1) }
	whose := " Compared"
	if c != &a.Choices[a.Best] {
		whose = " The best value, compared"
	}
	return fmt.Sprintf("%s with a %s of as many ports: time %+.1f%%, cost %+.0f%%, power %+.0f%%.", whose, o.Kind,
		part(float64(c.IterationNs), float64(o.IterationNs)), part(c.CostUSD.Likely, o.CostUSD.Likely), part(c.PowerW.Likely, o.PowerW.Likely))
}

// pays says up to which delay changing circuits pays off on the fabric of a choice.
func (a *Design) pays(c *Choice) string {
	for k := range a.Curves {
		curve := &a.Curves[k]
		switch {
		case !c.on(curve):
			continue
		case curve.PaysUpToNs == nil:
			return " With its ports and islands, reconfiguring pays at any delay."
		case *curve.PaysUpToNs == 0:
			return " With its ports and islands, reconfiguring does not pay, however short the delay."
		}
		return fmt.Sprintf(" With its ports and islands, reconfiguring pays up to a delay of %v.", *curve.PaysUpToNs)
	}
	return ""
}

// words describes a choice.
func (c *Choice) words() string {
	islands := ""
	if c.Island > 1 {
		islands = fmt.Sprintf(" and islands of %d", c.Island)
	}
	return fmt.Sprintf("%s with %s per GPU%s", c.Name(), units.Count(c.Ports, "port"), islands)
}

// priced says what a choice costs and draws.
func (c *Choice) priced() string {
	return fmt.Sprintf("%.3g million USD (%.3g to %.3g) and %.3g kW", c.CostUSD.Likely/1e6, c.CostUSD.Low/1e6, c.CostUSD.High/1e6, c.PowerW.Likely/1e3)
}
