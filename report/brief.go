package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
)

// briefStages is how many stages a brief report lists before it leaves some out.
const briefStages = 3

// Brief writes what matters most of a plan: what it does, what it is compared with, and its
// stages. What limits a claim is said here, too. Plan says the rest.
func Brief(w io.Writer, p *plan.Plan) {
	c, f, total := p.Collective, &p.Fabric, p.Cost.Total()
	for _, line := range wrap(fmt.Sprintf("%s takes %v", what(&c), total), terminalWidth) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	var names, texts []string
	add := func(name, format string, args ...any) {
		names, texts = append(names, name), append(texts, fmt.Sprintf(format, args...))
	}
	by := c.Algorithm
	if p.Planner != by {
		by += " by planner " + p.Planner
	}
	add("algorithm", "%s, %s, %s; verified", by, count(p.CountSteps(), "step"), count(p.Reconfigurations, "reconfiguration"))
	add("fabric", "%s", describe(f))
	if p.Among != "" {
		add("chosen from", "%s", p.Among)
	}
	if text := inPacketsOf(p); text != "" {
		add("simulated", "%s", text)
	}
	if r := p.Rival; r != nil {
		add("but", "packet by packet, %s with %s takes only %v (model: %v); see --choose-by simulated",
			r.Algorithm, r.Planner, r.SimulatedNs, r.TotalNs)
	}
	if best, packets := p.Baselines, p.SimulatedBaselines; best.Static > 0 || best.EveryStep > 0 {
		among := ""
		if p.StaticAmong != "" {
			among = "; of " + p.StaticAmong
		}
		add("best static", "%s; %s%s", timeOr(best.Static), versus(best.Static, total, packets.Static, p.Simulated), among)
		add("best every-step", "%s; %s", timeOr(best.EveryStep), versus(best.EveryStep, total, packets.EveryStep, p.Simulated))
	}
	parts := bound.OfOperation(f, c.Section())
	any := parts.Total()
	if p.Bound > any {
		add("lower bound", "%v; %s", p.Bound, bounded(p))
	}
	add("any algorithm", "%v; in this cost model no plan is faster; gap %.1f%%", any, 100*max(0, float64(total/any)-1))
	list(w, "  ", names, texts)
	fmt.Fprintln(w)
	most := 0
	if len(p.Stages) > briefStages {
		most = briefStages - 1
	}
	stageTable(p).write(w, most, "stages; --verbose and --json list more")
	fmt.Fprintln(w, "  --verbose adds what the time and the bound are made of")
}

// stageTable lists the stages of a plan.
func stageTable(p *plan.Plan) *table {
	third := ">steps"
	if p.Independent {
		third = ">plane"
	}
	stages := newTable("  ", ">stage", "circuits", third, ">hops", ">congestion", ">rewire", ">send")
	named := circuits(p)
	for i := range p.Stages {
		addStage(stages, i, p, named[i])
	}
	return stages
}
