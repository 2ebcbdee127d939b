package advising

import (
	"fmt"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/units"
)

// Sentences returns the advice in words.
func (a *Advice) Sentences() []string {
	var out []string
	if len(a.Changes) > 0 && a.Changes[0].Speedup > 1+1e-9 {
		c := a.Changes[0]
		if a.Iteration != nil {
			c.Value += fmt.Sprintf("; %.1f%% of the iteration", 100*(a.TotalNs-c.TotalNs).Share(a.TotalNs))
		}
		out = append(out, fmt.Sprintf("The single change that gains most is %s (%s %s): %v instead of %v, %.2f times as fast.", c.Change, c.Setting, c.Value, c.TotalNs, a.TotalNs, c.Speedup))
	} else {
		out = append(out, "None of the single changes makes it faster.")
	}
	if pays := a.paysHere(); pays != "" {
		out = append(out, pays)
	}
	switch best := a.Ports[len(a.Ports)-1]; {
	case len(a.Ports) == 1:
	case a.EnoughPorts == 0:
		out = append(out, fmt.Sprintf("Even the last of %d ports gains %.0f%% or more (%v).", best.Ports, 100*enoughGain, best.TotalNs))
	case a.EnoughPorts == a.Ports[0].Ports:
		out = append(out, fmt.Sprintf("%s: no number up to %d gains another %.0f%%.", enough(a.EnoughPorts), best.Ports, 100*enoughGain))
	default:
		for _, p := range a.Ports {
			if p.Ports == a.EnoughPorts {
				out = append(out, fmt.Sprintf("%s: %v, %.2f times as fast as now; up to %d, more gain less than %.0f%%.", enough(a.EnoughPorts), p.TotalNs,
					a.TotalNs.Over(p.TotalNs), best.Ports, 100*enoughGain))
			}
		}
	}
	return out
}

// TogetherSentence says which change saves most for all operations; "" if there is only one
// operation.
func (a *Advice) TogetherSentence() string {
	switch {
	case len(a.More) == 0:
		return ""
	case len(a.Together) == 0 || a.Together[0].Speedup <= 1+1e-9:
		return fmt.Sprintf("None of the single changes makes all %d faster, each planned by itself.", 1+len(a.More))
	}
	c := a.Together[0]
	return fmt.Sprintf("For all %d, each planned by itself and their times added up, %s (%s %s) buys most: %v instead of %v, %.2f times as fast.",
		1+len(a.More), c.Change, c.Setting, c.Value, c.TotalNs, a.Now(), c.Speedup)
}

func enough(ports int) string {
	if ports == 1 {
		return "1 port is enough"
	}
	return fmt.Sprintf("%d ports are enough", ports)
}

// paysHere says below which delays reconfiguring pays off over the sizes, and for which sizes it
// never does.
func (a *Advice) paysHere() string {
	least, most := units.Time(math.Inf(1)), units.Time(0)
	var leastAt, mostAt units.Bytes
	var never []string
	for _, p := range a.PaysBelow {
		switch size := units.Bytes(p.SizeBytes); {
		case p.ReconfigNs == nil:
		case *p.ReconfigNs == 0:
			never = append(never, size.String())
		default:
			if *p.ReconfigNs < least {
				least, leastAt = *p.ReconfigNs, size
			}
			if *p.ReconfigNs > most {
				most, mostAt = *p.ReconfigNs, size
			}
		}
	}
	pays := ""
	switch {
	case most == 0 && len(never) == 0:
		return ""
	case most == 0 && len(never) == len(a.PaysBelow):
		return "Reconfiguring pays at no delay: for each of the sizes looked at, one topology is best from the first step to the last."
	case most > least:
		pays = fmt.Sprintf("Reconfiguring pays at delays below %v for %v, and below %v for %v.", least, leastAt, most, mostAt)
	case most > 0:
		pays = fmt.Sprintf("Reconfiguring pays at delays below %v for %v.", least, leastAt)
	}
	if len(never) > 0 {
		pays += " It pays at no delay for " + strings.Join(never, ", ") + "."
		if most == 0 {
			pays = "Reconfiguring pays at no delay for " + strings.Join(never, ", ") + "."
		}
	}
	return pays
}
