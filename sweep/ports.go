package sweep

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// PortsGain is the gain from more ports, over pairs of cells that differ only in the ports.
type PortsGain struct {
	From, To int
	Cells    int // pairs of cells with a plan each
	// Least, Mean and Most are the speed-ups of these cells with more ports; Mean is the
	// geometric mean, as usual for ratios.
	Least, Mean, Most float64
}

// enoughFrom is the mean gain from which more ports count as paying off, the same as for
// reconfiguring.
const enoughFrom = PaysFrom

// PortsGains compares every number of ports of a table with the next larger one; nil if there is
// only one.
func (t *Table) PortsGains() []PortsGain {
	var counts []int
	byRest := map[string]map[int]*Cell{}
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known || !c.Planned() {
			continue
		}
		ports := c.Fabric.Ports
		if !slices.Contains(counts, ports) {
			counts = append(counts, ports)
		}
		rest := t.Spec.Besides(&c.Request, "ports")
		if byRest[rest] == nil {
			byRest[rest] = map[int]*Cell{}
		}
		byRest[rest][ports] = c
	}
	slices.Sort(counts)
	var gains []PortsGain
	for i := 1; i < len(counts); i++ {
		g := PortsGain{From: counts[i-1], To: counts[i], Least: math.Inf(1)}
		sum := 0.0
		for _, rest := range slices.Sorted(maps.Keys(byRest)) { // a fixed order of sums
			few, many := byRest[rest][g.From], byRest[rest][g.To]
			if few == nil || many == nil {
				continue
			}
			ratio := few.Total.Over(many.Total)
			g.Cells++
			g.Least, g.Most = min(g.Least, ratio), max(g.Most, ratio)
			sum += math.Log(ratio)
		}
		if g.Cells > 0 {
			g.Mean = math.Exp(sum / float64(g.Cells))
			gains = append(gains, g)
		}
	}
	return gains
}

// PortsSentence says how many ports pay off; "" if the table has only one number of ports.
func (t *Table) PortsSentence() string {
	gains := t.PortsGains()
	if len(gains) == 0 {
		return ""
	}
	var parts []string
	enough := gains[0].From
	for _, g := range gains {
		parts = append(parts, fmt.Sprintf("%d instead of %d is %.2f times as fast on average (%.2f to %.2f)", g.To, g.From, g.Mean, g.Least, g.Most))
		if g.Mean >= enoughFrom {
			enough = g.To
		}
	}
	last := fmt.Sprintf("beyond %d, less than %.0f%% is gained", enough, 100*(enoughFrom-1))
	if enough == gains[len(gains)-1].To {
		last = fmt.Sprintf("even the last ports added gain %.0f%% or more", 100*(enoughFrom-1))
	}
	return "ports: " + strings.Join(parts, "; ") + "; " + last
}
