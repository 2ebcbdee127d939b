package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

const (
	briefLines  = 15 // of a brief report; stages get the lines left over
	briefStages = 3  // most stages listed
)

// Brief writes what matters most about a plan: what it does, its baselines, and its stages. It
// states the limits of a claim, or says that Plan, which writes everything, does so.
func Brief(to io.Writer, p *plan.Plan) {
	w := &bytes.Buffer{}
	c, f, total := p.Collective, &p.Fabric, p.Cost.Total()
	tabular.Text(w, "", fmt.Sprintf("%s takes %v", what(&c), total))
	fmt.Fprintln(w)
	var names, texts []string
	add := func(name, format string, args ...any) {
		names, texts = append(names, name), append(texts, fmt.Sprintf(format, args...))
	}
	add("algorithm", "%s, %s, %s; verified", author(c.Algorithm, " by planner ", p.Planner), units.Count(p.CountSteps(), "step"), units.Count(p.Reconfigurations, "reconfiguration"))
	add("fabric", "%s", described(p))
	if p.Among != "" {
		add("chosen from", "%s", p.Among)
	}
	if text := inPacketsOf(p); text != "" {
		add("simulated", "%s", text)
	}
	if r := p.Rival; r != nil {
		add("but", "%s", rivalInWords(r))
	}
	if best, packets := p.Baselines, p.SimulatedBaselines; best.Static > 0 || best.EveryStep > 0 {
		add("best static", "%s; %s", orDash(best.Static), versus(best.Static, total, packets.Static, p.Simulated))
		add("best every-step", "%s; %s", orDash(best.EveryStep), versus(best.EveryStep, total, packets.EveryStep, p.Simulated))
	}
	parts := bound.OfOperation(f, c.Section())
	any := parts.Total()
	if p.Bound > any {
		add("these steps", "%v %s", p.Bound, bounded(p))
	}
	add("lower bound", "%v %s", any, above(total, any))
	tabular.List(w, "  ", names, texts)
	fmt.Fprintln(w)
	briefly(w, p, briefLines-bytes.Count(w.Bytes(), []byte("\n")))
	fmt.Fprint(to, w)
}

// briefly lists stages as far as there is room, and says what it leaves out.
func briefly(w io.Writer, p *plan.Plan, room int) {
	made := "what the time and the bound consist of"
	if p.StaticAmong != "" && (p.Baselines.Static > 0 || p.Baselines.EveryStep > 0) {
		made = "what best static ranges over, what time and bound consist of"
	}
	rows := min(briefStages, room-2) // without the headings and the last line
	if rows < min(2, len(p.Stages)) {
		tabular.Text(w, "  ", fmt.Sprintf("`verbose` shows %s, %s", units.Count(len(p.Stages), "stage"), made))
		return
	}
	most := 0
	if len(p.Stages) > rows {
		most = rows - 1
	}
	stageTable(p).Write(w, most, "stages; `verbose` and `json` list them")
	fmt.Fprintln(w, "  `verbose` adds "+made)
}

// stageTable lists the stages of a plan.
func stageTable(p *plan.Plan) *tabular.Table {
	third := ">steps"
	if p.Independent {
		third = ">plane"
	}
	stages := tabular.New("  ", ">stage", "circuits", third, ">hops", ">congestion", ">reconfig", ">send")
	named := circuits(p)
	for i := range p.Stages {
		addStage(stages, i, p, named[i])
	}
	return stages
}
