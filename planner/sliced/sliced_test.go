package sliced_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

func fastest(t *testing.T, f fabric.Fabric, o collective.Operation) (*plan.Plan, error) {
	t.Helper()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	r := portfolio.Request{Fabric: f, Operations: []collective.Operation{o}}
	return r.Fastest(t.Context(), s.Planners().Best(), s)
}

// TestPlansOfSlicesAreCorrect: for slices of fabrics with islands, layouts and other jobs, in any
// order of their GPUs, the verifier finds nothing wrong, and no plan is slower than without the
// islands.
func TestPlansOfSlicesAreCorrect(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 2))
	for range samples.Draws(6, 12) {
		f := fabric.Default()
		f.Nodes, f.Ports = 16, 1+random.IntN(2)
		var settings []string
		switch random.IntN(3) {
		case 0:
			settings = append(settings, "island=4 island-bandwidth=3200Gbps")
		case 1:
			f.Ports = 2
			settings = append(settings, "switches=4x4")
		default:
			settings = append(settings, "island=8 island-bandwidth=7200Gbps switches=rails")
		}
		order := random.Perm(16)
		settings = append(settings, fmt.Sprintf("held=%d,%d,%d.0", order[0], order[1], order[2+random.IntN(14)]))
		for setting := range strings.FieldsSeq(strings.Join(settings, " ")) {
			name, value, _ := strings.Cut(setting, "=")
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast}
		o := collective.Operation{Op: ops[random.IntN(len(ops))], Size: units.MiB, GPUs: order[2 : 6+random.IntN(8)]}
		p, err := fastest(t, f, o)
		if err != nil {
			t.Logf("%v, %v of %v: %v", settings, o.Op, o.GPUs, err)
			continue
		}
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%v, %s of %v: %s: %s", settings, o.Op, o.GPUs, bad.Name, bad.Detail)
		}
		if !slices.ContainsFunc(report.Checks, func(c verify.Check) bool { return c.Name == "held" && c.OK }) {
			t.Errorf("%v: nothing says that held ports are left alone", settings)
		}
		if f.Island.IsZero() {
			continue
		}
		if flat, err := fastest(t, f.Flat(), o); err == nil && p.Cost.Total() > flat.Cost.Total()*(1+1e-9) {
			t.Errorf("%v, %s of %v: %v, without islands %v", settings, o.Op, o.GPUs, p.Cost.Total(), flat.Cost.Total())
		}
	}
}

// TestASliceTakesWhatItsGPUsWouldAlone: whole islands of a large fabric, or rows and columns of a
// grid, take as long as a separate fabric of the same GPUs.
func TestASliceTakesWhatItsGPUsWouldAlone(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ whole, alone, gpus, held string }{
		{"nodes=32 ports=1 island=4 island-bandwidth=3200Gbps", "nodes=12 ports=1 island=4 island-bandwidth=3200Gbps", "4-7,12-15,28-31", "0-3"},
		{"nodes=32 ports=1 island=8 island-bandwidth=3200Gbps", "nodes=8 ports=1 island=4 island-bandwidth=3200Gbps", "2-5,20-23", "0,31"},
		{"nodes=25 ports=2 switches=5x5", "nodes=9 ports=2 switches=3x3", "0,2,4,10,12,14,20,22,24", "1"},
		{"nodes=32 ports=2", "nodes=8 ports=2", "3,7-12,31", "0-2"},
	} {
		set := func(text string) fabric.Fabric {
			f := fabric.Default()
			for setting := range strings.FieldsSeq(text) {
				name, value, _ := strings.Cut(setting, "=")
				if err := f.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
			return f
		}
		gpus, err := collective.ParseMembers(c.gpus)
		if err != nil {
			t.Fatal(err)
		}
		ops := []collective.Op{collective.AllReduce, collective.AllToAll}
		if !samples.Every() {
			ops = ops[i%2:][:1] // in turn
		}
		for _, op := range ops {
			part, err := fastest(t, set(c.whole+" held="+c.held), collective.Operation{Op: op, Size: units.MiB, GPUs: gpus})
			if err != nil {
				t.Fatal(err)
			}
			alone, err := fastest(t, set(c.alone), collective.Operation{Op: op, Size: units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			if !plan.Near(part.Cost.Total(), alone.Cost.Total()) {
				t.Errorf("%s of %s in %s takes %v, alone %v", op, c.gpus, c.whole, part.Cost.Total(), alone.Cost.Total())
			}
		}
	}
}
