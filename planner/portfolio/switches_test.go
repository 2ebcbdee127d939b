package portfolio

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// planned returns the verified plan of a planner on a fabric with a layout; nil if there is none.
func planned(t *testing.T, f fabric.Fabric, layout string, op collective.Operation, by string) *plan.Plan {
	t.Helper()
	return plannedIn(t, NewSearch(Options{Planners: Planners(), Bare: true}), f, layout, op, by)
}

// plannedIn is planned with a search that keeps its memory of other requests.
func plannedIn(t *testing.T, s *Search, f fabric.Fabric, layout string, op collective.Operation, by string) *plan.Plan {
	t.Helper()
	if err := f.Set("switches", layout); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	p, err := s.Planners().Lookup(by)
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Fabric: f, Operations: []collective.Operation{op}}
	made, err := r.Fastest(t.Context(), p, s)
	var named *field.Error
	// The planner is for other operations.
	if errors.Is(err, planner.ErrInfeasible) || errors.As(err, &named) && named.Path == "planner" {
		return nil
	}
	what := fmt.Sprintf("%s of %v by %s on %d GPUs, %d ports, two-way %v, switches %s", op.Op, op.Size, by, f.Nodes, f.Ports, f.Duplex, layout)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Errorf("%s: %s: %s", what, bad.Name, bad.Detail)
	}
	return made
}

// drawnRequest returns a random operation and a random fabric with the given GPUs and ports.
func drawnRequest(random *rand.Rand, nodes, ports int) (fabric.Fabric, collective.Operation) {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	f.Reconfig.Base = []units.Duration{0, units.Microsecond, 10 * units.Microsecond}[random.IntN(3)]
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast, collective.RootReduce}
	return f, collective.Operation{Op: ops[random.IntN(len(ops))], Size: units.KiB << (4 * random.IntN(4))}
}

const rounding = 1e-9

// Rails lose nothing for one-way circuits: every planner takes as long as on the ideal switch.
func TestRailsTakeAsLongAsTheIdealSwitch(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 1))
	compared, draws := 0, samples.Draws(6, 12)
	for range draws {
		f, op := drawnRequest(random, 4+random.IntN(6), 1+random.IntN(3))
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		for _, by := range s.Planners().Names() {
			ideal, rails := plannedIn(t, s, f, "ideal", op, by), plannedIn(t, s, f, "rails", op, by)
			if (ideal == nil) != (rails == nil) {
				t.Errorf("%s of %v by %s on %d GPUs: a plan on one of both only", op.Op, op.Size, by, f.Nodes)
				continue
			}
			if ideal == nil {
				continue
			}
			compared++
			if a, b := float64(ideal.Cost.Total()), float64(rails.Cost.Total()); math.Abs(a-b) > rounding*a {
				t.Errorf("%s of %v by %s on %d GPUs: %v on the ideal switch, %v on rails", op.Op, op.Size, by, f.Nodes, ideal.Cost.Total(), rails.Cost.Total())
			}
		}
	}
	if compared < 3*draws {
		t.Errorf("only %d plans were compared", compared)
	}
}

// drawn is how much faster a plan on a layout may be than on the ideal switch, which has the same
// circuits and more. For layouts, random circuits are drawn and improved (Fabric.Mixed), and
// sometimes these are better than the known families of graphs for the ideal switch.
const drawn = 0.05

// On any layout every planner has no plan or one that can be set up. The best is not faster than
// on the ideal switch by more than drawn circuits may gain.
func TestPlansOnEveryLayoutCanBeSetUp(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 2))
	checked, draws := 0, samples.Draws(1, 2)
	for i, c := range []struct {
		layout       string
		nodes, ports int
		duplex       bool
	}{
		{"4x2", 8, 2, false}, {"2x4:2,1", 8, 3, false}, {"3x3:2,2", 9, 4, false}, {"3x3:2,2", 9, 4, true}, {"2x2x2", 8, 3, true},
		{"2x2x3", 12, 3, false}, {"4x4:2,2", 16, 4, true}, {"rails", 6, 2, true}, {"rails", 7, 2, true}, {"rails", 5, 4, true},
		{"table:0,1;0,1;0,2;0,2;1,2;1,2", 6, 2, false}, {"table:0,1;1,2;2,3;3,0", 4, 2, true}, {"table:0,0;0,1;0,1;1,1", 4, 2, false},
		{"cubes:1x1x2", 8, 5, false},
	} {
		for range draws {
			f, op := drawnRequest(random, c.nodes, c.ports)
			f.Duplex = c.duplex
			s := NewSearch(Options{Planners: Planners(), Bare: true})
			for j, by := range s.Planners().Names() {
				if (i+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				made := plannedIn(t, s, f, c.layout, op, by)
				if made == nil {
					continue
				}
				checked++
				if by != "auto" {
					continue
				}
				if ideal := plannedIn(t, s, f, "ideal", op, by); ideal != nil && float64(made.Cost.Total()) < float64(ideal.Cost.Total())*(1-drawn) {
					t.Errorf("%s of %v on %d GPUs, %d ports, two-way %v: %v on %s (%s), %v on the ideal switch (%s)", op.Op, op.Size, f.Nodes, f.Ports, f.Duplex,
						made.Cost.Total(), c.layout, made.Planner, ideal.Cost.Total(), ideal.Planner)
				}
			}
		}
	}
	if checked < 25*draws {
		t.Errorf("only %d plans were checked", checked)
	}
}

// One more port for a digit is never slower.
func TestMorePortsInADigitAreNeverSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 3))
	for range samples.Draws(2, 6) {
		f, op := drawnRequest(random, 8, 2)
		less := planned(t, f, "4x2:1,1", op, "auto")
		f.Ports = 3
		for _, layout := range []string{"4x2:2,1", "4x2:1,2"} {
			more := planned(t, f, layout, op, "auto")
			if less != nil && (more == nil || float64(more.Cost.Total()) > float64(less.Cost.Total())*(1+rounding)) {
				t.Errorf("%s of %v on %s: %v; with 1,1 %v by %s", op.Op, op.Size, layout, more.Cost.Total(), less.Cost.Total(), less.Planner)
			}
		}
	}
}

// Rails with a failed rail are as good as an ideal switch with one port fewer.
func TestAFailedRailCostsOnePort(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 4))
	for range samples.Draws(3, 5) {
		f, op := drawnRequest(random, 4+random.IntN(5), 3)
		less := f
		less.Ports = 2
		ideal := planned(t, less, "ideal", op, "auto")
		if err := f.Set("avoid", "switch:1"); err != nil {
			t.Fatal(err)
		}
		left := planned(t, f, "rails", op, "auto")
		if ideal != nil && (left == nil || float64(left.Cost.Total()) > float64(ideal.Cost.Total())*(1+rounding)) {
			t.Errorf("%s of %v on %d GPUs: %v without a rail, %v with two ports", op.Op, op.Size, f.Nodes, left.Cost.Total(), ideal.Cost.Total())
		}
	}
}

// On a grid, no plan uses a failed switch.
func TestPlansDoWithoutAFailedSwitch(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 5))
	made, draws := 0, samples.Draws(1, 5)
	for range draws {
		f, op := drawnRequest(random, 8, 4)
		if err := f.Set("avoid", "switch:2"); err != nil {
			t.Fatal(err)
		}
		if planned(t, f, "4x2:2,2", op, "auto") != nil {
			made++
		}
	}
	if made < max(1, draws-1) {
		t.Errorf("%d plans of %d", made, draws)
	}
}
