package iteration_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// The longest chain covers the iteration without gaps and overlaps, every budget adds up to it,
// and every class computes for as long as its program does, for any policy.
func TestBudgetsAddUpToTheIteration(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 1))
	for k := range samples.Draws(10, 24) {
		p := newPlanner(t, drawn(random, 3+random.IntN(5)))
		f := fabric.Default()
		f.Ports, f.Duplex = 1+random.IntN(3), k%5 == 4
		f.Reconfig.Base = []units.Duration{0, units.Microsecond, 30 * units.Microsecond, units.Millisecond}[k%4]
		if k%3 == 2 {
			f.Island = fabric.Island{Size: len(p.graph.Workload.Kinds["tp"][0]), Bandwidth: 3600 * units.Gbps}
		}
		for _, policy := range append(iteration.Policies(), iteration.Best) {
			d, _ := p.plan(t, f, policy)
			if d == nil {
				continue
			}
			checkBudgets(t, reread(t, d), p.graph)
		}
	}
}

func checkBudgets(t *testing.T, d *iteration.Document, g *workload.Graph) {
	t.Helper()
	near := func(a, b units.Time) bool { return math.Abs(float64(a-b)) <= 1e-9*float64(d.Iteration) }
	x, err := d.Explain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path, err := iteration.PathOf(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	at := d.Iteration
	for _, s := range path {
		if s[1] != at || !(s[0] < s[1]) {
			t.Errorf("a piece from %v to %v, and the next begins at %v", s[0], s[1], at)
		}
		at = s[0]
	}
	if at != 0 {
		t.Errorf("the chain begins at %v", at)
	}
	if !near(x.Path.Total(), d.Iteration) || before(d.Compute, x.Path.Compute) {
		t.Errorf("policy %s: the parts of the chain are %v, the iteration takes %v, computes %v", d.Policy, x.Path, d.Iteration, d.Compute)
	}
	for c := range x.Classes {
		b, computes := &x.Classes[c], units.Time(0)
		for i := range g.Classes[c].Tasks {
			if task := &g.Classes[c].Tasks[i]; task.Type == workload.Computation {
				computes += task.Op.Compute.Time()
			}
		}
		if !near(b.Total(), d.Iteration) || !near(b.Compute, computes) {
			t.Errorf("policy %s: class %d spends %+v of %v; it computes for %v", d.Policy, c, b, d.Iteration, computes)
		}
		if d.Reconfigurations == 0 && b.Rewiring+b.HiddenRewiring > 0 {
			t.Errorf("class %d rewires %v and %v, without a change", c, b.Rewiring, b.HiddenRewiring)
		}
	}
}

func before(a, b units.Time) bool { return float64(a) < float64(b)*(1-1e-9) }

// A threshold is the last delay that costs no more than its fraction: the next possible one
// costs more.
func TestThresholdsAreWhereTheTimePassesThem(t *testing.T) {
	times := func(d units.Duration) (units.Time, error) { // free up to 1us, then a line up to 100us
		us := float64(d) / float64(units.Microsecond)
		return units.Time(1e6 * (1 + 0.001*max(0, min(us, 100)-1))), nil
	}
	free, list, err := iteration.Thresholds([]float64{0, 0.02, 0.5}, times)
	if err != nil || free != 1e6 || len(list) != 3 {
		t.Fatal(free, list, err)
	}
	for i, want := range []float64{1, 21} {
		upTo, from := float64(list[i].UpTo)/float64(units.Microsecond), float64(*list[i].From)/float64(units.Microsecond)
		if upTo > want*(1+1e-6) || from <= want || from > 1.06*upTo {
			t.Errorf("%v%%: up to %v us, more from %v us on; want %v", 100*list[i].Overhead, upTo, from, want)
		}
	}
	if list[2].From != nil || list[2].UpTo != 10*units.Second {
		t.Errorf("50%% is never reached: %+v", list[2])
	}
	failure := errors.New("no plan")
	if _, _, err := iteration.Thresholds([]float64{0}, func(units.Duration) (units.Time, error) { return 0, failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
}
