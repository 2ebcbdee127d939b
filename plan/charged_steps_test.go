package plan_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// chargedPlan is an allreduce whose two steps in the middle have the same circuits, on a fabric
// that charges each of them. Its first and last step are on the base.
func chargedPlan(t *testing.T) *plan.Plan {
	t.Helper()
	return planned(t, "every-step", collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) {
		f.Charge, f.Initial, f.Sync = fabric.ChargeSteps, fabric.InitialBase, units.Microsecond
	})
}

// Every step on circuits other than the base's pays, and so does the first step back on the
// base.
func TestStepsAreCharged(t *testing.T) {
	p := chargedPlan(t)
	// On 8 GPUs the offsets are 1 2 4 4 2 1: the ring is the base.
	if steps := p.CountSteps(); steps != 6 || p.Reconfigurations != 5 {
		t.Errorf("%d steps, %d charges; want 6 and 5", steps, p.Reconfigurations)
	}
	each := p.Fabric.Reconfig.Base.Time() + p.Fabric.Sync.Time()
	if want := 5 * each; !plan.Near(p.Cost.Reconfiguration, want) {
		t.Errorf("%v for circuits, want %v", p.Cost.Reconfiguration, want)
	}
	commands, err := p.Commands()
	if err != nil || len(commands) != 5 {
		t.Errorf("%d commands, %v; want 5", len(commands), err)
	}
	ended := units.Time(0)
	for _, step := range p.Steps() {
		want := each
		if step.Index == 1 {
			want = 0
		}
		if !plan.Near(step.Start, ended+want) {
			t.Errorf("step %d starts at %v, want %v", step.Index, step.Start, ended+want)
		}
		ended = step.Start + step.Cost.Total()
	}
	for charge, changes := range map[fabric.Charge]int{fabric.ChargeChanges: 4, fabric.ChargeSteps: 5} {
		p.Fabric.Charge = charge
		if err := p.Price(); err != nil || p.Reconfigurations != changes {
			t.Errorf("charge %v: %d, %v; want %d", charge, p.Reconfigurations, err, changes)
		}
	}
	// The first configuration of a fabric that is free at the start costs nothing, as always.
	p.Fabric.Charge, p.Fabric.Initial, p.Fabric.Base = fabric.ChargeSteps, fabric.InitialFree, "DC(8;3)"
	if err := p.Price(); err != nil || p.Reconfigurations != 5 {
		t.Errorf("%d, %v; want 5", p.Reconfigurations, err)
	}
	// Circuits that are up at the start pay if they are not the base.
	p.Fabric.Initial = "DC(8;1)"
	if err := p.Price(); err != nil || p.Reconfigurations != 6 {
		t.Errorf("%d, %v; want 6", p.Reconfigurations, err)
	}
}

// A file says what is charged, and a reader that does not know that setting refuses the file.
func TestFilesKeepTheCharge(t *testing.T) {
	p := chargedPlan(t)
	text := encoded(t, p)
	for _, want := range []string{`"charge":"steps"`, `"requires":["charge"]`} {
		if !strings.Contains(strings.Join(strings.Fields(text), ""), want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	q := decoded(t, text)
	if !q.Fabric.Equal(p.Fabric) {
		t.Errorf("read %+v, written %+v", q.Fabric, p.Fabric)
	}
	if again := encoded(t, q); again != text {
		t.Error("written again, the file is another")
	}
	if usual := encoded(t, goodPlan(t, rewired)); strings.Contains(usual, "charge") {
		t.Error("a plan that charges changes names the charge")
	}
}

// Verification refuses a plan whose times do not follow its fabric's charges.
func TestAClockThatIsOffIsRefused(t *testing.T) {
	for _, m := range []struct {
		name, check, detail string
		apply               func(p *plan.Plan)
	}{
		{"", "", "", func(*plan.Plan) {}},
		{"priced for changes", "timing", "stage 3, step 2: starts at", func(p *plan.Plan) {
			p.Fabric.Charge = fabric.ChargeChanges
			if err := p.Price(); err != nil {
				t.Fatal(err)
			}
			p.Fabric.Charge = fabric.ChargeSteps
		}},
		{"priced for steps", "cost", "claims reconfiguration of", func(p *plan.Plan) { p.Fabric.Charge = fabric.ChargeChanges }},
		{"a step too early", "timing", "stage 3, step 2: starts at", func(p *plan.Plan) { p.Stages[2].Steps[1].Start -= 100 }},
		{"a stage too early", "timing", "stage 2: begins at", func(p *plan.Plan) { p.Stages[1].Start -= 100 }},
		{"a wait that is not said", "timing", "stage 2: its first step pays", func(p *plan.Plan) { p.Stages[1].Reconfiguration = 0 }},
		{"something hidden", "timing", "stage 2: 1.000us of the delay are said to be hidden", func(p *plan.Plan) { p.Stages[1].Hidden = 1000 }},
		{"too few charges", "cost", "claims 4 reconfigurations, the plan has 5", func(p *plan.Plan) { p.Reconfigurations-- }},
		{"too little time for them", "cost", "claims reconfiguration of", func(p *plan.Plan) { p.Cost.Reconfiguration /= 2 }},
	} {
		p := chargedPlan(t)
		m.apply(p)
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		failed := report.First()
		switch {
		case m.check == "" && failed != nil:
			t.Errorf("the plan itself: %s: %s", failed.Name, failed.Detail)
		case m.check != "" && failed == nil:
			t.Errorf("%s: accepted", m.name)
		case m.check != "" && (failed.Name != m.check || !strings.Contains(failed.Detail, m.detail)):
			t.Errorf("%s: %s: %s; want %s: %s", m.name, failed.Name, failed.Detail, m.check, m.detail)
		}
	}
}
