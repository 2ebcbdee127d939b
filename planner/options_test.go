package planner_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// Options reach the planners that declare them, those that pass them on, and no others.
func TestOptionsReachTheirPlanners(t *testing.T) {
	all := lightpath.Planners()
	for _, o := range all.Options() {
		if err := o.Complete(); err != nil {
			t.Errorf("%T: its defaults are refused: %v", o, err)
		}
		for f := range field.All(o) {
			if f.Help == "" {
				t.Errorf("%T: %s has no help", o, f.Name)
			}
		}
	}
	if got := all.Taking(&staged.HarvestOptions{}).Names(); len(got) != 2 || got[0] != "harvest" || got[1] != "staggered" {
		t.Errorf("harvest's options are for %v", got)
	}
	searching := all.With(&staged.HarvestOptions{Synthesis: staged.SynthesisSearch})
	for i, p := range searching {
		before, after := planner.TraitsOf(all[i]), planner.TraitsOf(p)
		if p.Name() != all[i].Name() || (after.Improves != nil) != (before.Improves != nil) {
			t.Errorf("%s became %s", all[i].Name(), p.Name())
		}
		if after.Improves != nil && (before.Improves.Asked || !after.Improves.Asked) {
			t.Errorf("%s: asked to improve %v, then %v", p.Name(), before.Improves.Asked, after.Improves.Asked)
		}
		if after.Options == nil || after.Options.Options == nil {
			continue
		}
		switch o := after.Options.Options().(type) {
		case *staged.HarvestOptions:
			if o.Synthesis != staged.SynthesisSearch {
				t.Errorf("%s has %+v", p.Name(), o)
			}
		case *exchange.Options:
			if *o != (exchange.Options{}) {
				t.Errorf("%s has %+v", p.Name(), o)
			}
		}
	}
	if got := all.With(); &got[0] != &all[0] {
		t.Error("without options, planners are made again")
	}
}

// Changing options does not change the planner that returned them.
func TestOptionsAreCopies(t *testing.T) {
	p := exchange.New(exchange.Options{Stages: 3})
	takes := planner.TraitsOf(p).Options
	takes.Options().(*exchange.Options).Stages = 4
	if got := takes.Options().(*exchange.Options).Stages; got != 3 {
		t.Errorf("%d stages, want 3", got)
	}
}
