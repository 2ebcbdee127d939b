package command_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Whenever work is interrupted, the partial answer is consistent with the whole answer: it is a
// plan that is not faster than the best, or rows, changes and topologies that the whole answer
// has or improves on. The later the interruption, the more likely there is a partial answer.
func TestWhatIsToldOfInterruptedWorkIsTrue(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 12, 2
	o := collective.Operation{Op: collective.AllReduce, Size: units.MiB}
	// interrupt carries work out until its context has been asked so often, from few to many times.
	interrupt := func(name string, work func(c *countdown.Context, told command.Option) error, check func(known any)) {
		known, whole := 0, false
		for asked := 4; !whole && asked < 1<<22; asked *= 2 {
			ctx := countdown.New(t.Context(), asked)
			tells := 0
			err := work(ctx, command.WithUnfinished(func(answer any, how string) {
				tells++
				if answer != nil && how == "" {
					t.Errorf("%s: nothing is said of how far it is", name)
				}
				if answer != nil {
					known++
					check(answer)
				}
			}))
			if whole = err == nil; whole == (tells > 0) {
				t.Errorf("%s after %d questions: %d answers, %v", name, asked, tells, err)
			}
		}
		if known == 0 || !whole {
			t.Errorf("%s: something was known %d times, and it ended: %v", name, known, whole)
		}
	}

	asked := planning.PlanRequest{Fabric: f, Operations: []collective.Operation{o}}
	best, err := planning.Plan(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	interrupt("plan", func(c *countdown.Context, told command.Option) error {
		_, err := planning.Plan(c, asked, told)
		return err
	}, func(known any) {
		if p := known.(*plan.Plan); p.Cost.Total() < best.Cost.Total() || command.Prove(t.Context(), p) != nil {
			t.Errorf("a plan of %v, where the best takes %v", p.Cost.Total(), best.Cost.Total())
		}
	})

	compared := comparing.CompareRequest{Fabric: f, Operation: o}
	all, err := comparing.Compare(t.Context(), compared)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]units.Time{}
	for _, r := range all.Rows {
		times[r.Algorithm+" with "+r.Planner] = r.TotalNs
	}
	interrupt("compare", func(c *countdown.Context, told command.Option) error {
		_, err := comparing.Compare(c, compared, told)
		return err
	}, func(known any) {
		for _, r := range known.(*comparing.Comparison).Rows {
			if times[r.Algorithm+" with "+r.Planner] != r.TotalNs {
				t.Errorf("%s with %s takes %v, in the whole answer %v", r.Algorithm, r.Planner, r.TotalNs, times[r.Algorithm+" with "+r.Planner])
			}
		}
	})

	changed := advising.AdviseRequest{Fabric: f, Operation: o}
	advice, err := advising.Advise(t.Context(), changed)
	if err != nil {
		t.Fatal(err)
	}
	gains := map[string]units.Time{}
	for _, c := range advice.Changes {
		gains[c.Change] = c.TotalNs
	}
	interrupt("advise", func(c *countdown.Context, told command.Option) error {
		_, err := advising.Advise(c, changed, told)
		return err
	}, func(known any) {
		for _, c := range known.(*advising.Advice).Changes {
			if gains[c.Change] != c.TotalNs {
				t.Errorf("%s: %v, in the whole answer %v", c.Change, c.TotalNs, gains[c.Change])
			}
		}
	})

	wanted := exploring.FindRequest{Nodes: 60, Degree: 3}
	found, err := exploring.Find(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	interrupt("find", func(c *countdown.Context, told command.Option) error {
		_, err := exploring.Find(c, wanted, told)
		return err
	}, func(known any) {
		if some := known.(*exploring.TopologyFrontier); some.Best.TimeNs < found.Best.TimeNs || some.Bound != found.Bound {
			t.Errorf("%+v, and the best is %+v", some.Best, found.Best)
		}
	})
}
