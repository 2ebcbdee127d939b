package joint

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// sumsPlan lays sums out as a plan by themselves.
func sumsPlan(t *testing.T, f fabric.Fabric, size units.Bytes, s sums) *plan.Plan {
	t.Helper()
	found := solution{digits: []digit{{s.points(), s.program}}}
	stages, parts, about := found.build(collective.AllReduce, f.Forwarding == fabric.StoreAndForward)
	p := &plan.Plan{
		Fabric: f, Provenance: plan.Provenance{Planner: Name, Strategy: about}, Stages: stages,
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: Name, Size: size, Space: collective.SpaceOf(collective.AllReduce, f.Nodes, parts)},
	}
	if err := p.Price(); err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	return p
}

// TestSumsOverWalksAreCorrectAndTakeThePredictedTime lays out every graph of walks of some
// sizes with every number of lines that scatter, for messages from small, where lines are
// taken together, to large.
func TestSumsOverWalksAreCorrectAndTakeThePredictedTime(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range []int{4, 6, 8, 9, 12, 16, 18, 24, 27, 32, 48, 64, 80} {
		for _, ports := range []int{2, 3, 4, 5} {
			for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Forwarding = n, ports, forwarding
				m := newMachine(&f, ports, n)
				for _, graph := range m.walkings(n) {
					for scattering := range graph.length + 1 {
						for _, size := range []units.Bytes{units.KiB, 64 * units.KiB, 16 * units.MiB} {
							w := &walker{machine: &m, walks: graph, known: map[[2]int]float64{}}
							s := w.best(float64(size), scattering)
							name := fmt.Sprintf("%s with %d ports, %v: %s", graph.name(), ports, forwarding, s.cutting())
							if seen[name] {
								continue
							}
							seen[name] = true
							p := sumsPlan(t, f, size, s)
							if total := float64(p.Cost.Total()); math.Abs(total-s.time) > 1e-9*s.time {
								t.Errorf("%s: takes %v, not %v", name, p.Cost.Total(), units.Time(s.time))
							}
							report, err := plan.Verify(t.Context(), p)
							if err != nil || !report.OK {
								t.Fatalf("%s: %v %+v", name, err, report)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d plans", len(seen))
}
