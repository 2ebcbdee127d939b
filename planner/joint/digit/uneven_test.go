package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Exchanges for numbers that are not products are correct, take the predicted time, and
// reconfigure no more often than they may.
func TestUnevenGroupsExchange(t *testing.T) {
	for i, n := range []int{13, 17, 23, 29, 31, 46, 61, 97} {
		for j, delay := range []units.Duration{100 * units.Nanosecond, 2 * units.Microsecond, 10 * units.Microsecond} {
			for mode := range 3 {
				if (i+j+mode)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := jointtest.Request(collective.AllReduce, n, 1+mode%2, units.KiB)
				r.Fabric.Reconfig.Base = delay
				if mode == 2 {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				m := NewMachine(&r.Fabric, r.Fabric.Ports, n)
				for _, changes := range []int{0, 1, AnyChanges} {
					p := m.uneven(n, float64(r.Size), changes)
					if p == nil {
						continue
					}
					if p.Changes > changes {
						t.Errorf("n=%d: %d changes, %d are allowed", n, p.Changes, changes)
					}
					laidAlone(t, &r, &m, p)
				}
			}
		}
	}
}

// laidWithin is laidAlone for a program that may reconfigure a number of times, and checks that.
func laidWithin(t *testing.T, r *planner.Request, m *Machine, p *program, changes int) *plan.Plan {
	t.Helper()
	if p.Changes > changes {
		t.Errorf("n=%d: %d changes, %d are allowed", r.Fabric.Nodes, p.Changes, changes)
	}
	made := laidAlone(t, r, m, p)
	if len(made.Stages) != p.Changes+1 {
		t.Errorf("n=%d: %d stages for %d changes", r.Fabric.Nodes, len(made.Stages), p.Changes)
	}
	return made
}

// laidAlone returns the plan of an exchange among all GPUs, and checks that it is correct and
// takes the predicted time.
func laidAlone(t *testing.T, r *planner.Request, m *Machine, p *program) *plan.Plan {
	t.Helper()
	return laidOut(t, r, Solution{
		Digits: []digit{{r.Fabric.Nodes, func() *program { return p }}}, Time: m.Time(p.Shape, float64(r.Size)),
	})
}

// laidOut returns the plan of a solution, and checks that it is correct and takes the predicted
// time.
func laidOut(t *testing.T, r *planner.Request, s Solution) *plan.Plan {
	t.Helper()
	stages, parts, _ := Stages(s, r.Collective.Op, r.Fabric.Forwarding == fabric.StoreAndForward)
	p := jointtest.PlanOf(t, r, stages, collective.SpaceOf(r.Collective.Op, r.Fabric.Nodes, parts))
	jointtest.Check(t, p, s.Time)
	return p
}
