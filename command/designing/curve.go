package designing

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Curve is the time of the load on a fabric as a function of the delay of its switches.
type Curve struct {
	Ports  int `json:"ports"`
	Island int `json:"island"` // 1: none
	// Layout says which circuits the switches allow: rails allow all, as a single switch does.
	Layout string `json:"layout"`
	// Pieces are the ranges on which the time is linear in the delay; each ends where the next
	// begins.
	Pieces []Piece `json:"pieces"`
	// PaysUpToNs is the delay above which the fastest plans never reconfigure: a slower switch is
	// worth no more than a patch panel. It is absent if they reconfigure at any delay.
	PaysUpToNs *units.Time `json:"pays_up_to_ns,omitempty"`
	group      *group
}

// Piece is a range of delays in which the same plans are the fastest.
type Piece struct {
	FromNs      units.Time `json:"from_ns"`
	IterationNs units.Time `json:"iteration_ns"` // at FromNs
	Changes     int        `json:"changes"`      // of circuits, in all operations of the load
}

// At returns the time of the load with switches of the given delay.
func (c *Curve) At(delay units.Time) units.Time {
	k := len(c.Pieces) - 1
	for k > 0 && c.Pieces[k].FromNs > delay {
		k--
	}
	p := &c.Pieces[k]
	return p.IterationNs + units.Time(p.Changes)*(delay-p.FromNs)
}

// on reports whether a choice is on the fabric of a curve.
func (c *Choice) on(curve *Curve) bool { return c.Kind == Optical && c.group == curve.group }

// far is a delay at which every change in the best plan is unavoidable.
const far = 1000 * units.Second

// traced reports whether the times of a group are found as functions of the delay. That is done
// for a mix, where every change adds the delay.
func (d *designer) traced(g *group) bool {
	_, uniform := g.fabric.Reconfig.Uniform()
	return d.Workload == nil && uniform && g.fabric.Overlap == (fabric.Overlap{}) &&
		slices.ContainsFunc(g.choices, func(i int) bool { return d.choices[i].Kind == Optical })
}

// trace finds the time of an operation on the fabric of a group, for all delays. It does not
// plan again for the delays in known.
func (d *designer) trace(ctx context.Context, g *group, operation int, known map[units.Duration]envelope.Line) ([]envelope.Segment, error) {
	lines, err := envelope.Trace(0, float64(far.Time()), func(x float64) (envelope.Line, error) {
		delay := units.Duration(x * float64(units.Nanosecond))
		if line, ok := known[delay]; ok {
			return line, nil
		}
		outcomes, err := d.solver.Solve(ctx, d.cells(g, operation, []units.Duration{delay}))
		if err != nil {
			return envelope.Line{}, err
		}
		known[delay] = lineOf(outcomes[0].Total, outcomes[0].Reconfigurations, delay)
		return known[delay], nil
	})
	return envelope.Segments(nil, envelope.Lowest(lines)), err
}

// lineOf returns the time of a plan as a function of the delay, given its time at one delay.
func lineOf(total units.Time, changes int, delay units.Duration) envelope.Line {
	return envelope.Line{Fixed: float64(total) - float64(changes)*float64(delay.Time()), Slope: float64(changes)}
}

// curve adds up the times of the operations.
func (d *designer) curve(g *group) Curve {
	c := Curve{Ports: g.fabric.Ports, Island: max(1, g.fabric.Island.Size), Layout: cmp.Or(g.fabric.Layout.String(), layout.Ideal), group: g}
	var from []float64
	for _, segments := range g.segments {
		for _, s := range segments {
			from = append(from, s.From)
		}
	}
	slices.Sort(from)
	for _, x := range slices.Compact(from) {
		p := Piece{FromNs: units.Time(x)}
		for o, segments := range g.segments {
			k := len(segments) - 1
			for k > 0 && segments[k].From > x {
				k--
			}
			p.IterationNs += units.Time(segments[k].At(x)) * units.Time(d.mix[o].Times)
			p.Changes += int(segments[k].Slope) * d.mix[o].Times
		}
		c.Pieces = append(c.Pieces, p)
	}
	last := &c.Pieces[len(c.Pieces)-1]
	if once := d.setUps(g); last.Changes <= once {
		c.PaysUpToNs = &last.FromNs
	}
	return c
}

// setUps returns how often circuits are set up at the start of the operations of the load.
func (d *designer) setUps(g *group) int {
	return each.Sum(d.mix, func(o MixedOperation) int { return g.fabric.SetUps() * o.Times })
}

// PortWorth is the most that a port of an optical switch with some delay is worth. Above that
// price, the best packet fabric, by time multiplied by cost, beats every fabric with such
// switches.
type PortWorth struct {
	DelayNs units.Time `json:"delay_ns"`
	PortUSD float64    `json:"port_usd"` // below 0: not even free switches would pay off
	// Ports and Island describe the fabric for which a port is worth that, and Than is the
	// number of the packet fabric.
	Ports  int `json:"ports"`
	Island int `json:"island"`
	Than   int `json:"than"`
}

// bought is a fabric whose switches may have any delay, with the cost of everything else and the
// number of plugged-in ports.
type bought struct {
	curve       *Curve
	rest, ports float64
}

// breakEven finds what a port is worth for the delays of the technologies and the powers of ten
// between 100 ns and 10 ms.
func (a *Design) breakEven(all []bought, technologies []units.Time) []PortWorth {
	than := -1
	value := func(i int) float64 { return judge(a.Choices[i].criteria(), 1) }
	for i := range a.Choices {
		if c := &a.Choices[i]; c.possible() && c.Kind != Optical && (than < 0 || value(i) < value(than)) {
			than = i
		}
	}
	if than < 0 || len(all) == 0 {
		return nil
	}
	delays := slices.Clone(technologies)
	for d := units.Time(100); d <= 1e7; d *= 10 {
		delays = append(delays, d)
	}
	slices.Sort(delays)
	var worth []PortWorth
	for _, delay := range slices.Compact(delays) {
		best := PortWorth{DelayNs: delay, PortUSD: math.Inf(-1), Than: than}
		for _, b := range all {
			if x := (value(than)/float64(b.curve.At(delay)) - b.rest) / b.ports; x > best.PortUSD {
				best.PortUSD, best.Ports, best.Island = x, b.curve.Ports, b.curve.Island
			}
		}
		worth = append(worth, best)
	}
	return worth
}

// sameTime is the relative rounding error of equal times.
const sameTime = 1e-9
