package harvest_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// A schedule that is written and read becomes the original plan again: it has the same circuits
// and the same time, and the verifier accepts it.
func TestSchedulesComeBackAsTheSamePlan(t *testing.T) {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	for _, name := range []string{"static", "every-step", "harvest"} {
		for _, algorithm := range []string{"recursive-doubling", "swing"} {
			c, err := algorithms.New(collective.AllReduce, algorithm, f.Nodes, f.Ports)
			if err != nil {
				t.Fatal(err)
			}
			pl, err := lightpath.Planners().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := pl.Plan(ctx, planner.Request{Fabric: f, Collective: c, Size: units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := harvest.Of(p).Write(&file); err != nil {
				t.Fatal(err)
			}
			s, err := harvest.Read(&file)
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.Plan(ctx, collective.Sized{Collective: c, Size: units.MiB}, f)
			if err != nil {
				t.Fatal(err)
			}
			report, err := verify.Plan(ctx, again)
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Errorf("%s/%s: %s: %s", algorithm, name, bad.Name, bad.Detail)
			}
			if again.Reconfigurations != p.Reconfigurations || len(again.Stages) != len(p.Stages) {
				t.Errorf("%s/%s: %d changes, want %d", algorithm, name, again.Reconfigurations, p.Reconfigurations)
			}
			if d := again.Cost.Total() - p.Cost.Total(); d > 1e-6 || d < -1e-6 {
				t.Errorf("%s/%s: %v, want %v", algorithm, name, again.Cost.Total(), p.Cost.Total())
			}
		}
	}
}

func TestSchedulesThatMakeNoSenseAreRefused(t *testing.T) {
	c, err := algorithms.New(collective.AllReduce, "ring", 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = 2, 1
	for text, says := range map[string]string{
		`{}`:                                   "no steps",
		`[]`:                                   "a schedule",
		`{} {}`:                                "more after the end",
		`{"steps":[{"step":2,"topology":[]}]}`: "steps[0].step: 2; steps are numbered from 1, so want 1",
		`{"steps":[{"step":1,"topology":[]`:    "line 1: the file ends in the middle of it",
		"{\"cost\":1,\n\"Cost\":1}":            "line 2: Cost: unknown; did you mean cost?",
		`{"cost":1,"cost":1}`:                  "line 1: \"cost\" is listed twice",
		"{\n\"steps\":[{\"step\":1,\"topology\":[[0,1]]}]}":                                   "line 2: steps[0].topology[0]: want a list of 3, not of 2",
		`{"cost":-1,"steps":[{"step":1,"topology":[]}]}`:                                      "cost: -1; want 0 or more",
		`{"cost":1e999,"steps":[{"step":1,"topology":[]}]}`:                                   "line 1: cost: ",
		`{"steps":[{"step":1,"topology":[]}]}`:                                                "the schedule has 1 steps, the collective 2",
		`{"steps":[{"step":1,"topology":[[0,7,1]]},{"step":2,"topology":[]}]}`:                "is not [u,v,count]",
		`{"steps":[{"step":1,"topology":[[0,1,1]]},{"step":2,"topology":[[0,1,1],[1,0,1]]}]}`: "step 1: ",
	} {
		s, err := harvest.Read(strings.NewReader(text))
		if err == nil {
			_, err = s.Plan(context.Background(), collective.Sized{Collective: c, Size: 1024}, f)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want ..%s..", text, err, says)
		}
	}
}

// A schedule that is read and lifted without further input is a plan that the verifier accepts,
// except for the schedule's own statements. Writing and reading it again gives the same
// schedule.
func FuzzRead(f *testing.F) {
	f.Add(`{"collective":"allreduce-ring","steps":[{"step":1,"topology":[[0,1,1],[1,0,1]]},{"step":2,"topology":[[0,1,1],[1,0,1]]}]}`)
	f.Add(`{"alpha_r":100.5,"collective":"all-reduce-rd-nd","cost":3,"num_of_reconfigs":1,"reconf_cost_total":1,"steps":[{"step":1,"topology":[[0,1,2],[1,0,2]]},{"step":2,"topology":[[1,0,2],[0,1,2]]}]}`)
	f.Add(`{"collective":"all-to-all-nd","steps":[{"step":1,"topology":[[0,1,1],[1,2,1],[2,0,1]]},{"step":2,"topology":[[0,2,1],[2,1,1],[1,0,1]]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := harvest.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := s.Write(&file); err != nil {
			t.Fatal(err)
		}
		if !harvest.Recognise(file.Bytes()) {
			t.Error("not recognised")
		}
		again, err := harvest.Read(&file)
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("written and read again: %v", err)
		}
		if nodes, _ := s.Size(); nodes > 16 {
			return // which takes long
		}
		l, err := s.Lift(context.Background(), harvest.Given{})
		if err != nil {
			return
		}
		report, err := verify.Plan(context.Background(), l.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil && bad.Name != "ports" {
			t.Errorf("%s: %s", bad.Name, bad.Detail)
		}
	})
}

// A schedule becomes the plan again without further input: its collective gives the steps, its
// circuits the nodes and ports, alpha_r the delay. The verifier checks the schedule's statements
// against the plan.
func TestSchedulesAreLiftedByWhatTheyState(t *testing.T) {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: 1500 * units.Nanosecond}
	for _, o := range []collective.Operation{
		{Op: collective.AllReduce, Algorithm: "swing:peers=1", Size: collective.DefaultSize},
		{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: 64 * units.KiB},
		{Op: collective.AllToAll, Algorithm: "shift", Size: units.MiB},
	} {
		p, err := lightpath.Plan(ctx, lightpath.PlanRequest{Fabric: f, Planner: "harvest", Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		s := harvest.Of(p)
		l, err := s.Lift(ctx, harvest.Given{Operation: &collective.Operation{Op: o.Op, Size: o.Size}})
		if err != nil {
			t.Fatal(err)
		}
		if check := l.Check(); !check.OK || l.Plan.Fabric.Reconfig != f.Reconfig || l.Plan.Collective.Algorithm != o.Algorithm {
			t.Errorf("%s: %+v, %v", s.Collective, check, l.Plan.Fabric.Reconfig)
		}
		bare, err := s.Lift(ctx, harvest.Given{})
		if err != nil {
			t.Fatal(err)
		}
		if check := bare.Check(); check.OK != (o.Size == collective.DefaultSize) || check.OK == check.Unchecked || len(bare.Assumed) != 2 {
			t.Errorf("%s with nothing given: %+v, assumed %q", s.Collective, check, bare.Assumed)
		}
		machine := s.Machine()
		s.Cost *= 1.001
		wrong, err := s.Lift(ctx, harvest.Given{Fabric: &machine, Operation: &o})
		if err != nil {
			t.Fatal(err)
		}
		if check := wrong.Check(); check.OK || check.Unchecked || !strings.HasPrefix(check.Detail, "cost: ") {
			t.Errorf("%s, whose cost is wrong: %+v", s.Collective, check)
		}
		s.Reconfigs++
		if check := wrong.Check(); check.OK || check.Unchecked || !strings.HasPrefix(check.Detail, "num_of_reconfigs: ") {
			t.Errorf("%s, whose changes are wrong: %+v", s.Collective, check)
		}
	}
}

// The reader knows the names in the files that HARVEST's authors publish, and each algorithm has
// as many steps as their schedules for 64 nodes.
func TestNamesOfTheAuthorsAreKnown(t *testing.T) {
	for name, steps := range map[string]int{"all-reduce-rd-nd": 12, "all-reduce-swing-nd": 12, "all-to-all-nd": 63} {
		o, err := (&harvest.Schedule{Collective: name}).Operation()
		if err != nil {
			t.Fatal(err)
		}
		c, err := algorithms.New(o.Op, o.Algorithm, 64, 2)
		if err != nil || len(c.Steps) != steps {
			t.Errorf("%s: %s: %v", name, o.Algorithm, err)
		}
	}
	for _, name := range []string{"", "allreduce", "allreduce-", "telepathy-ring", "all-reduce"} {
		if _, err := (&harvest.Schedule{Collective: name}).Operation(); err == nil || !strings.HasPrefix(err.Error(), "collective: ") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The first key distinguishes a schedule from a plan, whatever the order of its keys.
func TestSchedulesAreToldFromPlans(t *testing.T) {
	for text, want := range map[string]bool{
		`{"cost": 1`: true, " {\n\"alpha_r\": 1.0": true, `{"collective" : "allreduce-ring"`: true, `{"steps":[`: true,
		`{"schema": "lightpath.plan/v1"`: false, `{"collective":{"op"`: false, `{"fabric":`: false, `[`: false, ``: false, `{`: false, `{"cost_ns":`: false,
	} {
		if harvest.Recognise([]byte(text)) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}
