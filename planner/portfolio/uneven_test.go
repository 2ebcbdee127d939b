package portfolio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// proven returns the verified fastest plan of an operation; nil: there is none.
func proven(t *testing.T, what string, f fabric.Fabric, op collective.Operation) *plan.Plan {
	t.Helper()
	return provenBy(t, NewSearch(Options{Planners: Planners(), Bare: true}), what, f, op)
}

// provenBy is proven with a search that keeps its memory of other requests.
func provenBy(t *testing.T, s *Search, what string, f fabric.Fabric, op collective.Operation) *plan.Plan {
	t.Helper()
	r := Request{Fabric: f, Operations: []collective.Operation{op}}
	made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
	if err != nil {
		return nil
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil || !report.OK {
		t.Errorf("%s by %s: %v %v", what, made.Collective.Algorithm, report.First(), err)
	}
	if least := made.OperationBound().Total(); planner.Above(least, made.Cost.Total()) {
		t.Errorf("%s takes %v, and the bound is %v", what, made.Cost.Total(), least)
	}
	return made
}

// drawnFailures returns random failures.
func drawnFailures(random *rand.Rand, f *fabric.Fabric) string {
	text := ""
	for i := range 1 + random.IntN(3) {
		if i > 0 {
			text += ","
		}
		u := 1 + random.IntN(f.Nodes-1)
		switch random.IntN(5) {
		case 0:
			text += fmt.Sprintf("gpu:%d", u)
		case 1:
			text += fmt.Sprintf("link:%d-%d", u, (u+f.Island.Size)%f.Nodes)
		case 2:
			text += fmt.Sprintf("island:%d", random.IntN(f.Islands()))
		case 3:
			if !f.Layout.IsZero() {
				text += fmt.Sprintf("switch:%d", random.IntN(f.Plugging().Switches()))
				break
			}
			fallthrough
		default:
			text += fmt.Sprintf("port:%d", u)
		}
	}
	return text
}

// TestFailuresOnIslandsArePlannedAround: whatever GPUs, ports, links, switches and electrical
// switches fail, and whichever GPUs take part, plans are correct and not slower than on only the
// circuits.
func TestFailuresOnIslandsArePlannedAround(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 51))
	used, draws := 0, samples.Draws(5, 24)
	for range draws {
		f := fabric.Default()
		f.Island = fabric.Island{Size: 2 + random.IntN(3), Bandwidth: 7200 * units.Gbps}
		f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(3)), 1+random.IntN(2)
		f.Reconfig.Base = []units.Duration{units.Microsecond, units.Millisecond}[random.IntN(2)]
		f.Duplex = random.IntN(4) == 0
		switches := []string{"ideal", "rails", fmt.Sprintf("%dx%d", f.Islands(), f.Island.Size)}[random.IntN(3)]
		if f.Ports < 2 && switches != "ideal" {
			switches = "rails"
		}
		if err := f.Set("switches", switches); err != nil {
			t.Fatal(err)
		}
		op := collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (10 + random.IntN(14))}
		failures := "none"
		if random.IntN(3) == 0 {
			op.GPUs = random.Perm(f.Nodes)[:2+random.IntN(f.Nodes-2)]
		} else {
			failures = drawnFailures(random, &f)
		}
		if err := f.Set("avoid", failures); err != nil || f.Validate() != nil {
			continue // more failures than parts
		}
		what := fmt.Sprintf("%s of %v among %v on %d GPUs, %d ports, islands of %d, %s, two-way %v, without %s", op.Op, op.Size, op.GPUs, f.Nodes, f.Ports, f.Island.Size, switches, f.Duplex, failures)
		made, flat := proven(t, what, f, op), proven(t, what, f.Flat(), op)
		switch {
		case made == nil && flat != nil:
			t.Errorf("%s: no plan", what)
		case made != nil && flat != nil && planner.Above(made.Cost.Total(), flat.Cost.Total()):
			t.Errorf("%s: %v, without islands %v", what, made.Cost.Total(), flat.Cost.Total())
		case made != nil && (flat == nil || made.Cost.Total() < flat.Cost.Total()):
			used++
		}
	}
	if used < draws/5 {
		t.Errorf("islands are of use in %d cases", used)
	}
}

// TestAnIslandWithAFailureIsStillOne: losing a port or a GPU costs at most 50% more time, and so
// do three GPUs that take no part. Losing half of all ports at most doubles the time.
func TestAnIslandWithAFailureIsStillOne(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	f.Island = fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
	for i, op := range samples.Few(2, []collective.Op{collective.AllReduce, collective.Broadcast, collective.AllToAll, collective.Gather}) {
		o := collective.Operation{Op: op, Size: units.MiB}
		intact := proven(t, string(op), f, o).Cost.Total()
		for j, c := range []struct {
			switches, avoid string
			gpus            []int
			most            units.Time
		}{
			{"rails", "port:7", nil, 1.5}, {"ideal", "port:7", nil, 1.5}, {"rails", "gpu:5", nil, 1.5}, {"rails", "link:3-7", nil, 1.5},
			{"rails", "none", []int{0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15}, 1.5}, {"rails", "switch:0", nil, 2},
		} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			other := f
			if err := other.Set("switches", c.switches); err != nil {
				t.Fatal(err)
			}
			if err := other.Set("avoid", c.avoid); err != nil {
				t.Fatal(err)
			}
			o.GPUs = c.gpus
			what := fmt.Sprintf("%s on %s without %s", op, c.switches, c.avoid)
			if made := proven(t, what, other, o); made == nil || made.Cost.Total() > c.most*intact {
				t.Errorf("%s: %v, and %v if nothing has failed", what, made.Cost.Total(), intact)
			}
		}
	}
}
