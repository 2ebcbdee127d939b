package plan_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// lanesPlan is a plan whose planes reconfigure independently. Some planes skip steps.
func lanesPlan(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	f.Reconfig.Base = 20 * units.Microsecond
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	c, err := algorithms.New(collective.AllReduce, "halving-doubling", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	p, err := staggered.New(staged.Harvest(staged.HarvestOptions{})).Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB})
	if err != nil || !p.Staggered() {
		t.Fatal(p, err)
	}
	return p
}

// Every way to cheat with lanes is found by the check responsible for it.
func TestLiesAboutLanesAreFound(t *testing.T) {
	serving := func(p *plan.Plan) (int, int) { // a stage, and a plane that changed to serve it
		for i := 1; i < len(p.Stages); i++ {
			for k, lane := range p.Stages[i].Lanes {
				if before := p.Stages[i-1].Lanes[k]; lane.Circuits != nil && before.Circuits != nil && !before.Circuits.Equal(lane.Circuits) {
					return i, k
				}
			}
		}
		t.Fatal("no plane changes between two steps")
		return 0, 0
	}
	skipped := func(p *plan.Plan) (int, int) {
		for i := range p.Stages {
			for k, lane := range p.Stages[i].Lanes {
				if lane.Circuits == nil {
					return i, k
				}
			}
		}
		t.Fatal("no plane skips a step")
		return 0, 0
	}
	for name, lie := range map[string]struct {
		check string
		make  func(p *plan.Plan)
	}{
		"none":                 {"", func(*plan.Plan) {}},
		"a fabric that cannot": {"form", func(p *plan.Plan) { p.Fabric.Overlap = fabric.Overlap{} }},
		"a stage without":      {"form", func(p *plan.Plan) { p.Stages[1].Lanes = nil }},
		"one plane fewer":      {"form", func(p *plan.Plan) { p.Stages[1].Lanes = p.Stages[1].Lanes[:1] }},
		"shares above 1":       {"form", func(p *plan.Plan) { i, k := serving(p); p.Stages[i].Lanes[k].Share *= 1.1 }},
		"a negative share":     {"form", func(p *plan.Plan) { i, k := serving(p); p.Stages[i].Lanes[k].Share = -0.1 }},
		"a share for nobody":   {"form", func(p *plan.Plan) { i, k := skipped(p); p.Stages[i].Lanes[k].Share = 0.1 }},
		"two circuits of a port": {"form", func(p *plan.Plan) {
			i, k := serving(p)
			p.Stages[i].Lanes[k].Circuits = topology.DirectedCirculant(8, 1, 2)
		}},
		"other circuits than the stage's": {"form", func(p *plan.Plan) {
			i, k := serving(p)
			p.Stages[i].Lanes[k].Circuits = topology.DirectedCirculant(8, 3)
		}},
		"routes in other shares": {"routes", func(p *plan.Plan) {
			i, k := serving(p)
			lanes := p.Stages[i].Lanes
			for other := range lanes {
				if other != k && lanes[other].Circuits != nil && !lanes[other].Circuits.Equal(lanes[k].Circuits) {
					lanes[k].Share, lanes[other].Share = lanes[other].Share/2, lanes[k].Share+lanes[other].Share/2
					return
				}
			}
			p.Stages[i].Steps[0].Base[0].Routes[0].Share = 0.5
		}},
		"a step that ends too early": {"timing", func(p *plan.Plan) {
			for i := range p.Stages {
				stage := &p.Stages[i]
				if stage.Reconfiguration > 0 {
					cut := stage.Reconfiguration / 2
					stage.Reconfiguration -= cut
					for j := i; j < len(p.Stages); j++ {
						if j > i {
							p.Stages[j].Start -= cut
						}
						p.Stages[j].Steps[0].Start -= cut
					}
					p.Cost.Reconfiguration -= cut
					return
				}
			}
			t.Fatal("no step waits")
		}},
		"more hidden than is":        {"timing", func(p *plan.Plan) { i, _ := serving(p); p.Stages[i].Hidden += 1000 }},
		"a stage that begins before": {"timing", func(p *plan.Plan) { p.Stages[2].Start -= 1000 }},
		"a change that takes less": {"cost", func(p *plan.Plan) {
			p.Reconfigurations--
		}},
		"a faster step": {"timing", func(p *plan.Plan) { p.Stages[0].Steps[0].Cost.Transmission /= 2 }},
	} {
		p := lanesPlan(t)
		lie.make(p)
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		bad := report.First()
		switch {
		case lie.check == "" && bad != nil:
			t.Errorf("%s: %s: %s", name, bad.Name, bad.Detail)
		case lie.check != "" && (bad == nil || bad.Name != lie.check):
			t.Errorf("%s: want %s to find it; %+v", name, lie.check, bad)
		}
	}
}

// A reader that does not know lanes must not guess, so the file says that it needs them.
func TestFilesWithLanesSayThatTheyRequireThem(t *testing.T) {
	var file bytes.Buffer
	if err := lanesPlan(t).Encode(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	if !strings.Contains(text, `"requires": ["lanes"]`) {
		t.Errorf("not required: %.200s", text)
	}
	for what, change := range map[string][2]string{
		"requires":     {`  "requires": ["lanes"],`, ``},
		"a plane has":  {`"links":[[`, `"links":[[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[`},
		"is not [u,v]": {`"links":[[0,`, `"links":[[9,`},
		"unknown":      {`"lanes":[`, `"lane":[`},
	} {
		broken := text
		if at := strings.Index(text, `"lanes":[`); strings.HasPrefix(change[0], `"links`) {
			broken = text[:at] + strings.Replace(text[at:], change[0], change[1], 1)
		} else {
			broken = strings.Replace(text, change[0], change[1], 1)
		}
		if _, err := plan.Decode(strings.NewReader(broken)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// There is one command for every change of a plane, and none while the plane sends.
func TestCommandsOfPlanes(t *testing.T) {
	p := lanesPlan(t)
	commands, err := p.Commands()
	if err != nil || len(commands) != p.Reconfigurations || len(commands) == 0 {
		t.Fatalf("%d commands, %d changes, %v", len(commands), p.Reconfigurations, err)
	}
	for i, c := range commands {
		if c.Plane < 1 || c.Plane > p.Fabric.Ports || math.Abs(float64(c.Over-c.At-p.Fabric.Reconfig.Base.Time())) > 1e-6 || i > 0 && c.At < commands[i-1].At {
			t.Errorf("%+v", c)
		}
	}
}
