package plan_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// turnsPlan is an all-to-all of four GPUs with 4MB each on two independent planes: plane 1 has
// the first two shifts, plane 2 the third.
func turnsPlan(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 2
	f.Reconfig.Base = 3 * units.Microsecond
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	p := &plan.Plan{
		Fabric: f, Independent: true, Provenance: plan.Provenance{Planner: "by hand"},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: "by hand", Size: 4_000_000, Space: collective.SpaceOf(collective.AllToAll, 4, 1)},
	}
	for i, jump := range []int{1, 3, 2} {
		g := topology.DirectedCirculant(4, jump)
		stage := plan.Stage{Topology: g, Lanes: make([]plan.Lane, 2)}
		stage.Lanes[i%2] = plan.Lane{Circuits: g, Share: 1}
		step := plan.Step{Group: topology.Rotations(4, 1)}
		step.Base = []plan.Transfer{{
			Transfer: collective.Transfer{Src: 0, Dst: jump, Action: collective.Copy, Chunks: collective.Single(jump)},
			Routes:   []flow.Route{{Path: []int32{0, int32(jump)}, Share: 1}},
		}}
		stage.Steps = []plan.Step{step}
		p.Stages = append(p.Stages, stage)
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Each plane has its own times, and the plan has those of the plane that ends last: 10us for
// the bytes, 1us for start-up and propagation, and 3us between two turns.
func TestTurnsOfPlanesFollowOneAnotherOnEachPlane(t *testing.T) {
	p := turnsPlan(t)
	want := plan.Cost{Startup: 1000, Propagation: 1000, Transmission: 20_000, Reconfiguration: 3000}
	if p.Cost != want || p.Reconfigurations != 1 {
		t.Errorf("%+v with %d changes, want %+v with 1", p.Cost, p.Reconfigurations, want)
	}
	for i, start := range []units.Time{0, 0, 14_000} {
		if got := p.Stages[i].Steps[0].Start; got != start {
			t.Errorf("turn %d begins at %v, not at %v", i+1, got, start)
		}
	}
	times, err := p.LaneTimes()
	if err != nil {
		t.Fatal(err)
	}
	if last := (plan.LaneTime{Stage: 2, Plane: 1, At: 11_000, Over: 14_000, Begin: 14_000, End: 25_000}); len(times) != 3 || times[2] != last {
		t.Errorf("%+v, want the last to be %+v", times, last)
	}
	if bound := p.OperationBound().Total(); bound > p.Cost.Total() {
		t.Errorf("the bound %v is above %v", bound, p.Cost.Total())
	}
}

// Every way to cheat with turns is found by the check responsible for it.
func TestLiesAboutTurnsAreFound(t *testing.T) {
	for name, lie := range map[string]struct {
		check string
		make  func(p *plan.Plan)
	}{
		"none":                 {"", func(*plan.Plan) {}},
		"a fabric that cannot": {"form", func(p *plan.Plan) { p.Fabric.Overlap = fabric.Overlap{} }},
		"no lanes": {"form", func(p *plan.Plan) {
			for i := range p.Stages {
				p.Stages[i].Lanes = nil
			}
		}},
		"failed ports": {"form", func(p *plan.Plan) { p.Fabric.Avoid = fabrictest.Failures("port:1") }},
		"a turn of two planes": {"form", func(p *plan.Plan) {
			lanes := p.Stages[0].Lanes
			lanes[0].Share, lanes[1] = 0.5, plan.Lane{Circuits: lanes[0].Circuits, Share: 0.5}
			p.Stages[0].Topology = topology.DirectedCirculant(4, 1, 1)
		}},
		"an operation whose planes depend": {"form", func(p *plan.Plan) {
			p.Collective.Op, p.Collective.Space = collective.AllGather, collective.SpaceOf(collective.AllGather, 4, 1)
			for i := range p.Stages {
				p.Stages[i].Steps[0].Base[0].Chunks = collective.Single(0)
			}
		}},
		"something that another turn brings": {"form", func(p *plan.Plan) {
			// The first transfer of the third shift does it twice, and the second transfer's part as
			// well.
			p.Stages[2].Steps[0].Base[0].Chunks = collective.Single(3*4 + 1)
		}},
		"a turn that begins before the one before ends": {"timing", func(p *plan.Plan) { p.Stages[2].Start -= 1000; p.Stages[2].Steps[0].Start -= 1000 }},
		"a turn while its plane is dark":                {"timing", func(p *plan.Plan) { p.Stages[2].Steps[0].Start -= 1000; p.Stages[2].Reconfiguration -= 1000 }},
		"a turn later than it could be":                 {"timing", func(p *plan.Plan) { p.Stages[2].Steps[0].Start += 1000; p.Stages[2].Reconfiguration += 1000 }},
		"a wait that is not":                            {"timing", func(p *plan.Plan) { p.Stages[2].Reconfiguration += 1000 }},
		"something hidden":                              {"timing", func(p *plan.Plan) { p.Stages[2].Hidden = 1000 }},
		"bytes that take no time":                       {"timing", func(p *plan.Plan) { p.Stages[1].Steps[0].Cost.Transmission /= 2 }},
		"the costs of the plane that ends first":        {"cost", func(p *plan.Plan) { p.Cost.Transmission /= 2 }},
		"fewer changes":                                 {"cost", func(p *plan.Plan) { p.Reconfigurations = 0 }},
		"a bound above the time":                        {"bound", func(p *plan.Plan) { p.Bound = 26_000 }},
		"nothing independent":                           {"timing", func(p *plan.Plan) { p.Independent = false }},
	} {
		p := turnsPlan(t)
		lie.make(p)
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		bad := report.First()
		switch {
		case lie.check == "" && bad != nil:
			t.Errorf("%s: %s: %s", name, bad.Name, bad.Detail)
		case lie.check != "" && bad == nil:
			t.Errorf("%s: not found", name)
		case lie.check != "" && bad.Name != lie.check:
			t.Errorf("%s: found by %s: %s; want %s", name, bad.Name, bad.Detail, lie.check)
		}
	}
}

// The file says twice that planes are independent, and both places must agree.
func TestFilesOfTurnsSayWhatTheyRequire(t *testing.T) {
	var file bytes.Buffer
	if err := turnsPlan(t).Encode(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	for _, want := range []string{`"requires": ["lanes","independent"]`, `"independent": true`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	p, err := plan.Decode(strings.NewReader(text))
	if err != nil || !p.Independent || p.Cost.Total() != 25_000 {
		t.Fatal(p, err)
	}
	for _, change := range [][2]string{{`,"independent"]`, `]`}, {`"independent": true,`, ``}, {`"independent": true,`, `"independent": false,`}, {`"lanes",`, ``}} {
		if _, err := plan.Decode(strings.NewReader(strings.Replace(text, change[0], change[1], 1))); err == nil {
			t.Errorf("read with %q for %q", change[1], change[0])
		}
	}
}

// The bound for independent planes holds for the best manual division into a few matchings: one
// GPU has a long message for one peer and short messages for two others, which fit beside the
// long one.
func TestBoundAllowsShortTurnsBesideALongOne(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Delta = 4, 2, 0
	f.Alpha = 10 * units.Microsecond
	f.Reconfig.Base = 0
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	space := collective.SpaceOf(collective.AllToAll, 4, 1)
	space.Sizes = collective.Demand{{0, 1_200_000, 100_000, 100_000}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
	c := collective.Section{Op: collective.AllToAll, Size: 1_400_000, Space: space}
	// Plane 1 takes 10us and 12us, plane 2 twice 10us and 1us.
	together := f
	together.Overlap = fabric.Overlap{}
	bound, barriers := bound.OfOperation(&f, &c).Total(), bound.OfOperation(&together, &c).Total()
	if bound > 22_000 || bound < 17_000 {
		t.Errorf("the bound is %v, and the best plan takes 22us", bound)
	}
	if math.IsNaN(float64(barriers)) || barriers < bound {
		t.Errorf("planes together have a bound of %v, less than %v", barriers, bound)
	}
}
