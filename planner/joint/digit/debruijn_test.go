package digit

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// sumsPlan lays out sums as a plan of their own.
func sumsPlan(t *testing.T, f fabric.Fabric, size units.Bytes, s sums) *plan.Plan {
	t.Helper()
	found := Solution{Digits: []digit{{s.points(), s.program}}}
	stages, parts, about := Stages(found, collective.AllReduce, f.Forwarding == fabric.StoreAndForward)
	p := &plan.Plan{
		Fabric: f, Provenance: plan.Provenance{Planner: "joint", Strategy: about}, Stages: stages,
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "joint", Size: size, Space: collective.SpaceOf(collective.AllReduce, f.Nodes, parts)},
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
	for i, n := range []int{4, 6, 8, 9, 12, 16, 20, 27, 32} {
		for _, ports := range []int{2, 3, 4} {
			for j, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
				if (i+ports+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				f := fabric.Default()
				f.Nodes, f.Ports, f.Forwarding = n, ports, forwarding
				m := NewMachine(&f, ports, n)
				for _, graph := range m.walkings(n) {
					for scattering := range graph.length + 1 {
						for _, size := range []units.Bytes{units.KiB, 64 * units.KiB, 16 * units.MiB} {
							w := &walker{Machine: &m, walks: graph, known: map[lineStep]float64{}}
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
							if bound := p.OperationBound().Total(); float64(bound) > s.time*(1+1e-9) {
								t.Errorf("%s: takes %v, and no plan less than %v", name, p.Cost.Total(), bound)
							}
							report, err := verify.Plan(t.Context(), p)
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

// TestLinksCarryAsManyMessagesAsLines tests what the search relies on when it excludes cuts
// before it counts their loads.
func TestLinksCarryAsManyMessagesAsLines(t *testing.T) {
	for _, ports := range []int{2, 3, 4, 8} {
		m := Machine{Ports: ports}
		for n := 4; n <= 256; n++ {
			for _, graph := range m.walkings(n) {
				w := walker{Machine: &m, walks: graph}
				for lines := 1; lines <= graph.length && n*graph.wordsOf(lines) <= 1<<14; lines++ {
					least, most := w.least(lines)*float64(graph.width), lines*graph.wordsOf(lines-1)
					if load := graph.loads(lines, false); load < float64(lines) || load < least || load > float64(most) {
						t.Errorf("%s: %d lines load a link with %v messages, not %v to %d", graph.name(), lines, load, least, most)
					}
				}
			}
		}
	}
}

// TestSumsOverWalksAreDigits puts sums between, before and after other digits, for vectors that
// have been scattered before and for vectors that the sums scatter.
func TestSumsOverWalksAreDigits(t *testing.T) {
	f := fabric.Default()
	f.Ports = 2
	m := NewMachine(&f, 2, 0)
	graphs := map[int]walks{}
	for _, n := range []int{4, 6, 8} {
		graphs[n] = m.walkings(n)[0]
	}
	of := func(n, scattering int) digit {
		w := &walker{Machine: &m, walks: graphs[n], known: map[lineStep]float64{}}
		return digit{n, w.best(float64(units.MiB), scattering).program}
	}
	ring := func(n, until int) digit {
		s := NewSearch(Question{Machine: m, Limits: unlimited, Keep: 1, Nodes: n, Bytes: float64(units.MiB), Stopped: never})
		r := m.ringFloor(n)
		return digit{n, func() *program { return r.program(&m, r.climb(s, 1, until), true) }}
	}
	for name, digits := range map[string][]digit{
		"whole, then ring":              {of(8, 0), ring(3, 3)},
		"shards, then ring":             {of(8, 1), ring(3, 1)},
		"shards, then scattered":        {of(8, 2), ring(3, 3)},
		"ring, then shards":             {ring(3, 3), of(8, 2)},
		"ring of residues, then shards": {ring(6, 2), of(4, 1)},
		"joined, then shards":           {of(6, 1), of(8, 1)},
		"three":                         {of(4, 1), ring(4, 2), of(6, 1)},
		"ranges between rings":          {ring(2, 2), of(4, 2), ring(3, 3)},
	} {
		s := Solution{Digits: digits}
		f.Nodes = 1
		for _, d := range digits {
			f.Nodes *= d.points
		}
		stages, parts, about := Stages(s, collective.AllReduce, false)
		p := &plan.Plan{
			Fabric: f, Stages: stages,
			Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "joint", Size: units.MiB, Space: collective.SpaceOf(collective.AllReduce, f.Nodes, parts)},
		}
		if err := p.Price(); err != nil {
			t.Fatalf("%s, %s: %v", name, about, err)
		}
		if report, err := verify.Plan(t.Context(), p); err != nil || !report.OK {
			t.Errorf("%s, %s: %v %+v", name, about, err, report)
		}
	}
}
