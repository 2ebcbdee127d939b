package figure

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// planSource says which clock and which planner a plan's times come from.
func planSource(p *plan.Plan) string {
	return ofModel + "; planner " + p.Planner + ". Not a measurement."
}

func planTitle(p *plan.Plan) string {
	return fmt.Sprintf("%s of %v with %s: %v", p.Collective.Op, p.Collective.Size, p.Collective.Algorithm, p.Cost.Total())
}

// maxBars is the most bars that are drawn one by one.
const maxBars = 40

// Steps draws the parts of every step.
func Steps(p *plan.Plan) (*chart.Scene, error) {
	b := &chart.Bars{
		Caption: chart.Caption{Title: "Time of every step", Subtitle: planTitle(p), Source: planSource(p)},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"reconfiguration before it", "start-up", "propagation", "transmission"},
		Colors: []int{3, 0, 1, 2}, // as for the same parts in other pictures
	}
	if p.Cost.Reduction > 0 {
		b.Parts, b.Colors = append(b.Parts, "reduction"), append(b.Colors, 4)
	}
	for stage, step := range p.Steps() {
		if len(b.Names) == maxBars {
			b.Caption.Source += fmt.Sprintf(" The first %d of %d steps.", maxBars, p.CountSteps())
			break
		}
		change := units.Time(0)
		if step == &stage.Steps[0] {
			change = stage.Reconfiguration
		}
		b.Names = append(b.Names, fmt.Sprintf("%d  %s", step.Index, stage.Topology.Name()))
		values := []float64{float64(change), float64(step.Cost.Startup), float64(step.Cost.Propagation), float64(step.Cost.Transmission), float64(step.Cost.Reduction)}
		b.Values = append(b.Values, values[:len(b.Parts)])
	}
	return b.Scene()
}

// Against draws the plan next to the extremes and the bounds.
func Against(p *plan.Plan) (*chart.Scene, error) {
	b := &chart.Bars{
		Caption: chart.Caption{Title: "This plan, the extremes and the bound", Subtitle: planTitle(p), Source: planSource(p)},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"start-up", "propagation", "transmission", "reconfiguration", "whole"},
		Bound: float64(p.OperationBound().Total()), BoundName: "no plan of any algorithm is faster",
	}
	if p.Cost.Reduction > 0 {
		b.Parts = append(b.Parts, "reduction")
	}
	add := func(name string, values ...units.Time) {
		row := make([]float64, len(b.Parts))
		for i, v := range values {
			row[i] = float64(v)
		}
		b.Names, b.Values = append(b.Names, name), append(b.Values, row)
	}
	add("this plan", p.Cost.Startup, p.Cost.Propagation, p.Cost.Transmission, p.Cost.Reconfiguration)
	if p.Cost.Reduction > 0 {
		own := b.Values[len(b.Values)-1]
		own[len(own)-1] = float64(p.Cost.Reduction)
	}
	packets := []units.Time{p.Simulated}
	for _, o := range []struct {
		name          string
		time, packets units.Time
	}{
		{"static, any algorithm", p.Baselines.Static, p.SimulatedBaselines.Static},
		{"every-step, any algorithm", p.Baselines.EveryStep, p.SimulatedBaselines.EveryStep},
		{"static, same algorithm", p.SameAlgorithm.Static, 0},
		{"every-step, same algorithm", p.SameAlgorithm.EveryStep, 0},
		{"bound of the algorithm", p.Bound, 0},
	} {
		if o.time > 0 {
			add(o.name, 0, 0, 0, 0, o.time)
			packets = append(packets, o.packets)
		}
	}
	markPackets(b, packets)
	return b.Scene()
}

// maxDrawn is the most nodes for which circuits are drawn: with more they would be a grey disc.
const maxDrawn = 256

// Topology draws circuits; loads, if not nil, are the bytes between two nodes.
func Topology(g *topology.Graph, title string, loads map[[2]int]float64) (*chart.Scene, error) {
	if g.Nodes() > maxDrawn {
		return nil, fmt.Errorf("%d nodes; circuits are drawn for at most %d", g.Nodes(), maxDrawn)
	}
	n := &chart.Network{
		Caption: chart.Caption{Title: title, Subtitle: fmt.Sprintf("%s: %d nodes, %d circuits", g.Name(), g.Nodes(), g.Circuits())}, Nodes: g.Nodes(),
	}
	n.Layout, n.Rows = layoutOf(g)
	if loads != nil {
		n.Load, n.Unit = "bytes", chart.Bytes
		n.Source = "Loads: bytes of the plan's routes in this step."
	}
	for e := range g.Edges() {
		n.Links = append(n.Links, chart.Link{From: e.From, To: e.To, Count: e.Count, Load: loads[[2]int{e.From, e.To}]})
	}
	return n.Scene()
}

// layoutOf chooses where nodes are drawn: a torus as a grid, a topology that looks the same
// from every node as a circle, any other by forces.
func layoutOf(g *topology.Graph) (chart.Layout, int) {
	if name, ok := strings.CutPrefix(g.Name(), "Torus("); ok {
		if sides := strings.Split(strings.TrimSuffix(name, ")"), ","); len(sides) == 2 {
			if rows, err := strconv.Atoi(sides[0]); err == nil && rows > 0 && g.Nodes()%rows == 0 {
				return chart.LayoutGrid, rows
			}
		}
	}
	if _, circulant := g.Jumps(); circulant || g.Degree() <= 1 || g.Nodes() > 100 {
		return chart.LayoutCircle, 0
	}
	return chart.LayoutForce, 0
}

// loadsOf adds up the bytes that a step sends between neighbours.
func loadsOf(p *plan.Plan, step *plan.Step) map[[2]int]float64 {
	loads := map[[2]int]float64{}
	for t := range step.All(p.Collective.Space) {
		bytes := p.Bytes(t.Chunks)
		for _, r := range t.Routes {
			for h := 1; h < len(r.Path); h++ {
				loads[[2]int{int(r.Path[h-1]), int(r.Path[h])}] += bytes * r.Share
			}
		}
	}
	return loads
}

// maxFrames limits an animation, in which each frame is a whole drawing.
const maxFrames = 64

// Animation draws a plan step by step: the circuits with their load, and the changes between
// them.
func Animation(p *plan.Plan) ([]chart.Frame, error) {
	var frames []chart.Frame
	for i := range p.Stages {
		stage := &p.Stages[i]
		if stage.Reconfiguration > 0 && len(frames) < maxFrames {
			s, err := Topology(stage.Topology, "Circuits change", nil)
			if err != nil {
				return nil, err
			}
			frames = append(frames, chart.Frame{Scene: s, Time: float64(stage.Reconfiguration),
				Caption: fmt.Sprintf("%v: change to %s, %v in the dark", stage.Start, stage.Topology.Name(), stage.Reconfiguration)})
		}
		for j := range stage.Steps {
			if len(frames) >= maxFrames {
				return frames, nil
			}
			step := &stage.Steps[j]
			s, err := Topology(stage.Topology, fmt.Sprintf("Step %d", step.Index), loadsOf(p, step))
			if err != nil {
				return nil, err
			}
			frames = append(frames, chart.Frame{Scene: s, Time: float64(step.Cost.Total()),
				Caption: fmt.Sprintf("%v: step %d on %s, %v, %d hops, congestion %.3g", step.Start, step.Index, stage.Topology.Name(), step.Cost.Total(), step.Cost.Hops, step.Cost.Congestion)})
		}
	}
	return frames, nil
}

// LinkLoads draws how the bytes of the busiest step spread over the circuits.
func LinkLoads(p *plan.Plan) (*chart.Scene, error) {
	var busiest *plan.Step
	var on *plan.Stage
	for stage, step := range p.Steps() {
		if busiest == nil || step.Cost.Transmission > busiest.Cost.Transmission {
			busiest, on = step, stage
		}
	}
	if busiest == nil {
		return nil, fmt.Errorf("a plan without steps")
	}
	h := &chart.Histogram{
		Caption: chart.Caption{Title: fmt.Sprintf("Bytes on each pair of neighbours in step %d, the longest", busiest.Index), Subtitle: planTitle(p), Source: "Bytes of the plan's routes."},
		Label:   "bytes", Count: "pairs of neighbours", Unit: chart.Bytes,
	}
	loads := loadsOf(p, busiest)
	for e := range on.Topology.Edges() {
		h.Values = append(h.Values, loads[[2]int{e.From, e.To}])
	}
	return h.Scene()
}

// ratio reads "p/q".
func ratio(text string) (float64, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	v, _ := r.Float64()
	return v, true
}
