package harvest_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// A schedule that is written and read becomes the plan that it came from: same circuits,
// same time, and the verifier accepts it.
func TestSchedulesComeBackAsTheSamePlan(t *testing.T) {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	for _, name := range []string{"static", "every-step", "harvest"} {
		for _, algorithm := range []string{"recursive-doubling", "swing"} {
			c, err := collective.New(collective.AllReduce, algorithm, f.Nodes, f.Ports)
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
	c, err := collective.New(collective.AllReduce, "ring", 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = 2, 1
	for text, says := range map[string]string{
		`{}`:                                   "no steps",
		`[]`:                                   "a schedule",
		`{} {}`:                                "more after the end",
		`{"steps":[{"step":2,"topology":[]}]}`: "steps are numbered from 1",
		`{"steps":[{"step":1,"topology":[]}]}`: "the schedule has 1 steps, the collective 2",
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

func FuzzRead(f *testing.F) {
	f.Add(`{"steps":[{"step":1,"topology":[[0,1,1],[1,0,1]]},{"step":2,"topology":[[0,1,1],[1,0,1]]}]}`)
	c, err := collective.New(collective.AllReduce, "ring", 2, 1)
	if err != nil {
		f.Fatal(err)
	}
	machine := fabric.Default()
	machine.Nodes, machine.Ports = 2, 1
	f.Fuzz(func(t *testing.T, text string) {
		s, err := harvest.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		p, err := s.Plan(context.Background(), collective.Sized{Collective: c, Size: 1024}, machine)
		if err == nil && p.CountSteps() != 2 {
			t.Errorf("%d steps", p.CountSteps())
		}
	})
}
