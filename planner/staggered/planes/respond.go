package planes

import (
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// respond returns the pattern for one plane whose shares are worth most if steps have the given
// lengths and all of step i is worth prices[i]. A change that does not fit into the steps that
// the plane skips takes time off the step before it or the step after it, whichever is worth
// less.
//
// It is a dynamic program over the last step that the plane serves and its circuits. breadth is
// the number of circuits tried for each step, those that serve it best. The time is
// O((steps*breadth)^2), but a plane skips at most one step more than a change needs.
func (p *Problem) respond(lengths []units.Time, prices []float64, breadth int) Pattern {
	steps := len(p.Services)
	type node struct {
		circuits int
		worth    float64
		step, at int // the node before it, as a step and an index in it; or -1
	}
	table := make([][]node, steps)
	best, end, at := 0.0, -1, -1
	for j := range steps {
		for _, c := range p.choices(j, breadth) {
			s := p.Services[j][c]
			room := lengths[j] - s.Fixed
			if room <= 0 {
				continue
			}
			value := prices[j] / float64(s.Whole) // worth of a unit of time
			gain := value * float64(room)
			n := node{circuits: c, worth: math.Inf(-1), step: -1}
			skipped := units.Time(0)
			for i := j - 1; i >= -1; i-- {
				if i < 0 {
					if worth := gain - value*p.late(c, skipped); worth > n.worth {
						n.worth, n.step, n.at = worth, -1, -1
					}
					break
				}
				most := units.Time(0)
				for k, from := range table[i] {
					change := p.dark(i, from.circuits, c)
					most = max(most, change)
					short := float64(max(0, change-skipped))
					before := prices[i] / float64(p.Services[i][from.circuits].Whole)
					if worth := from.worth + gain - short*min(value, before); worth > n.worth {
						n.worth, n.step, n.at = worth, i, k
					}
				}
				if len(table[i]) > 0 && skipped > most {
					break // serving step i as well costs nothing
				}
				skipped += lengths[i]
			}
			table[j] = append(table[j], n)
			if n.worth > best {
				best, end, at = n.worth, j, len(table[j])-1
			}
		}
	}
	pattern := make(Pattern, steps)
	for i := range pattern {
		pattern[i] = Skip
	}
	for end >= 0 {
		n := table[end][at]
		pattern[end] = n.circuits
		end, at = n.step, n.at
	}
	return pattern
}

// late returns how much of its first step a plane is still dark for, if time gone has passed
// before the step.
func (p *Problem) late(circuits int, gone units.Time) float64 {
	if p.Initial == nil {
		return 0
	}
	return float64(max(0, p.Initial[circuits]-gone))
}

// worth returns the worth of a pattern at the lengths and prices of a plan, as respond counts it.
func (p *Problem) worth(pattern Pattern, now *Plan) float64 {
	sum, last, value := 0.0, -1, 0.0
	skipped := units.Time(0)
	for i, c := range pattern {
		if c == Skip {
			skipped += now.Lengths[i]
			continue
		}
		s := p.Services[i][c]
		before := value
		value = now.prices[i] / float64(s.Whole)
		sum += value * float64(now.Lengths[i]-s.Fixed)
		if last >= 0 {
			sum -= float64(max(0, p.dark(last, pattern[last], c)-skipped)) * min(value, before)
		} else {
			sum -= value * p.late(c, skipped)
		}
		last, skipped = i, 0
	}
	return sum
}
