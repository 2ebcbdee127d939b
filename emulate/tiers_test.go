package emulate_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/units"
)

// tiered returns a plan on 8 GPUs whose transfers go over circuits, fixed links and islands at
// random.
func tiered(t *testing.T, seed uint64, by string, settings map[string]string) *plan.Plan {
	t.Helper()
	p := request{name: by, op: collective.AllReduce, nodes: 8, size: 100 * units.KiB, algorithm: "recursive-doubling", planner: by}.make(t)
	f := p.Fabric
	for name, value := range settings {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return plantest.Beside(t, rand.New(rand.NewPCG(seed, 3)), p, f)
}

var tieredFabrics = []map[string]string{
	{"island": "4", "island-bandwidth": "3200Gbps"},
	{"fixed": "Mesh(8)", "fixed-bandwidth": "400Gbps"},
	{"fixed": "Torus(2,4)", "island": "2", "island-bandwidth": "1600Gbps"},
	{"fixed": "K(4)", "fixed-alpha": "100ns", "overlap": "circuits"},
}

// TestBytesMoveOverAllTiers: every rank gets the plan's result, and circuits, fixed links and
// islands carry the loads of the plan's routes, with and without barriers.
func TestBytesMoveOverAllTiers(t *testing.T) {
	for seed, settings := range tieredFabrics {
		for _, by := range []string{"static", "harvest", "every-step"} {
			p := tiered(t, uint64(seed), by, settings)
			for _, free := range []bool{false, true} {
				t.Run(fmt.Sprint(settings, by, free), func(t *testing.T) {
					t.Parallel()
					checkTiers(t, p, free)
				})
			}
		}
	}
}

func checkTiers(t *testing.T, p *plan.Plan, free bool) {
	t.Helper()
	var mu sync.Mutex
	results := map[int]map[int][]byte{}
	report, err := emulate.Run(t.Context(), p, emulate.Options{
		Type: number.Int32, Patience: time.Minute, Asynchronous: free,
		Results: func(rank int, chunks map[int][]byte) {
			mu.Lock()
			defer mu.Unlock()
			results[rank] = chunks
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Fatal(report.Fault)
	}
	want := interpret(t, p, number.Int32, 0)
	for rank, chunks := range results {
		for c, got := range chunks {
			if !bytes.Equal(got, want[rank][c]) {
				t.Fatalf("chunk %d of rank %d is not what the plan makes of it", c, rank)
			}
		}
	}
	if len(results) != p.Fabric.Nodes {
		t.Errorf("%d ranks have results", len(results))
	}
	said, slack := map[plan.Tier]float64{}, 0.0
	for s, step := range p.Steps() {
		for m := range step.All(p.Collective.Space) {
			for _, r := range m.Routes {
				for h := 1; h < len(r.Path); h++ {
					said[plan.TierOf(&p.Fabric, s.Topology, int(r.Path[h-1]), int(r.Path[h]))] += r.Share * p.Bytes(m.Chunks)
					slack += 8 * float64(m.Chunks.Len())
				}
			}
		}
	}
	circuits := report.Moved - report.Island - report.Fixed
	for tier, bytes := range map[plan.Tier]int64{plan.OverCircuit: circuits, plan.OverIsland: report.Island, plan.OverLink: report.Fixed} {
		if math.Abs(float64(bytes)-said[tier]) > slack {
			t.Errorf("tier %d carried %d bytes; the plan says %.0f", tier, bytes, said[tier])
		}
	}
}

// TestTiersKeepTheirPace: every step takes at least its start-up time plus the time of its
// busiest circuit, fixed link, or port of an island.
func TestTiersKeepTheirPace(t *testing.T) {
	for seed, settings := range tieredFabrics[:3] {
		p := tiered(t, uint64(seed), "static", settings)
		report, err := emulate.Run(t.Context(), p, emulate.Options{Slow: 2000, Patience: time.Minute})
		if err != nil || !report.OK {
			t.Fatal(err, report)
		}
		i := 0
		for _, step := range p.Steps() {
			if least := step.Cost.Startup + step.Cost.Transmission; report.Steps[i].Measured < least*0.99 {
				t.Errorf("%v: step %d took %v; the fabric needs %v", settings, i+1, report.Steps[i].Measured, least)
			}
			i++
		}
	}
}

// TestAWayBesideCircuitsIsCut: a cut within an island or of a fixed link is a fault that names
// both ranks.
func TestAWayBesideCircuitsIsCut(t *testing.T) {
	for seed, settings := range tieredFabrics[:2] {
		p := tiered(t, uint64(seed), "static", settings)
		var cut *fault.Injection
		for s, step := range p.Steps() {
			for m := range step.All(p.Collective.Space) {
				if u, v := m.Routes[0].Path[0], m.Routes[0].Path[1]; cut == nil && plan.AlwaysUp(&p.Fabric, s.Topology, int(u), int(v)) {
					cut = &fault.Injection{Kind: fault.Cut, From: int(u), To: int(v), Step: step.Index}
				}
			}
		}
		report, err := emulate.Run(t.Context(), p, emulate.Options{Patience: time.Minute, Faults: []fault.Injection{*cut}})
		if err != nil {
			t.Fatal(err)
		}
		if f := report.Fault; f == nil || f.Kind != fault.Cut || f.Rank+f.Peer != cut.From+cut.To {
			t.Errorf("%v: %v, want a cut between %d and %d", settings, f, cut.From, cut.To)
		}
	}
}
