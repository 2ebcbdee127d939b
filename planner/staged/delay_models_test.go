package staged

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Under every model of what a change of circuits costs, harvest finds the best of all schedules
// of its pool: every sequence of topologies becomes a plan, priced by package plan, which knows
// nothing of the search. Tests there and in sim/replay check that this price is the least time
// that a replay of circuits allows and what a table of ports gives.
func TestHarvestEqualsBruteForceUnderEveryDelayModel(t *testing.T) {
	hidden := map[string]bool{}
	for i, model := range []string{"2us", "per-port:500ns+100ns", "per-circuit:500ns+100ns", "per-switch:500ns+1us", "per-switch/1:500ns+1us"} {
		for j, overlap := range []string{"none", "compute:1us", "ports", "circuits"} {
			for k, initial := range []string{"free", "dark", "base"} {
				if (i+j+k)%4 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, c := range []struct {
					op        collective.Op
					algorithm string
					n, ports  int
					duplex    bool
					sync      units.Duration
					size      units.Bytes
				}{
					{collective.ReduceScatter, "recursive-doubling", 8, 1, false, 0, 200_000},
					{collective.AllReduce, "recursive-doubling", 4, 2, false, 300_000, 200_000},
					{collective.AllGather, "swing", 8, 2, true, 0, 100_000},
					{collective.Broadcast, "binomial", 6, 1, false, 700_000, 50_000},
				} {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Duplex, f.Initial, f.Sync = c.n, c.ports, c.duplex, initial, c.sync
					f.Reconfig = stagedtest.Reconfig(t, model)
					var err error
					if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s %s %s %s n=%d ports=%d", model, overlap, initial, c.algorithm, c.n, c.ports)
					if f.Reconfig.Switches > f.Ports {
						t.Fatal(name)
					}
					if hides(compareWithEverySchedule(t, name, stagedtest.Request(t, f, c.op, c.algorithm, c.size))) {
						hidden[overlap] = true
					}
				}
				for seed := range uint64(3) {
					f := fabric.Default()
					f.Nodes, f.Initial, f.Reconfig, f.Ports = 5, initial, stagedtest.Reconfig(t, model), 1+int(seed%2)
					var err error
					if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s %s %s pattern %d", model, overlap, initial, seed)
					if hides(compareWithEverySchedule(t, name, stagedtest.Recurring(f, seed))) {
						hidden[overlap] = true
					}
				}
			}
		}
	}
	if len(hidden) != 3 {
		t.Errorf("delay was hidden only with %v: the test shows little", hidden)
	}
}

// hides reports whether some of the delay was hidden in a plan.
func hides(p *plan.Plan) bool {
	return p != nil && slices.ContainsFunc(p.Stages, func(s plan.Stage) bool { return s.Hidden > 0 })
}

// lasts reports whether a change continued beyond the first step of its stage.
func lasts(p *plan.Plan) bool {
	if p == nil {
		return false
	}
	for _, s := range p.Stages {
		if len(s.Steps) > 1 && s.Hidden > s.Steps[0].Cost.Total()*(1+1e-9) {
			return true
		}
	}
	return false
}

// Rotations; one of them occurs twice in the middle: with a port each for two of them, the
// circuits of the last can be set up during two steps that do not need them. The search finds this
// under every model, as a comparison with all sequences of topologies shows.
func TestAChangeGoesOnForSeveralSteps(t *testing.T) {
	lasting := map[string]bool{}
	for _, model := range []string{"1us", "5us", "15us", "per-port:2us+1us", "per-circuit:2us+1us", "per-switch:2us+8us", "per-switch/1:2us+8us"} {
		for _, initial := range []string{"free", "dark", "DC(8;1,3)"} {
			for _, sync := range []units.Duration{0, 500 * units.Nanosecond} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Initial, f.Reconfig, f.Sync, f.Routing = 8, 2, initial, stagedtest.Reconfig(t, model), sync, flow.Shortest
				f.Overlap.Kind = fabric.OverlapCircuits
				f.Delta = 5 * units.Microsecond // rules out detours
				r := rotations(f, 300*units.KB, 2, 1, 1, 3)
				var pool []*pricing.Candidate
				for _, jumps := range [][]int{{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}} {
					pool = append(pool, pricing.GraphCandidate(topology.DirectedCirculant(8, jumps...)))
				}
				made := compareOn(t, fmt.Sprint(model, initial, sync), r, pricing.NewWorkload(&r, r.Collective.Steps), pool)
				lasting[model] = lasting[model] || lasts(made)
			}
		}
	}
	if !lasting["15us"] || !lasting["per-port:2us+1us"] || !lasting["per-circuit:2us+1us"] || !lasting["per-switch:2us+8us"] || lasting["per-switch/1:2us+8us"] {
		t.Errorf("changes went on for several steps with %v", lasting)
	}
}

// rotations returns a pattern in which each step sends the given bytes from every GPU over one of
// the distances.
func rotations(f fabric.Fabric, bytes units.Bytes, distances ...int) planner.Request {
	c := &collective.Collective{
		Op: collective.Pattern, Algorithm: "rotations", Nodes: f.Nodes,
		Space: collective.Space{Kind: collective.Listed, Nodes: f.Nodes},
	}
	for _, d := range distances {
		var step collective.Step
		for src := range f.Nodes {
			dst := (src + d) % f.Nodes
			step.Base = append(step.Base, collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(len(c.Space.Pieces))})
			c.Space.Pieces = append(c.Space.Pieces, collective.Piece{Bytes: float64(bytes), From: []int{src}, To: []int{dst}})
		}
		c.Steps = append(c.Steps, step)
	}
	return planner.Request{Fabric: f, Collective: c, Size: bytes * units.Bytes(f.Nodes*len(distances))}
}

// maxTried limits the sequences that brute force tries: of a larger pool only the first
// topologies are used.
const maxTried = 4000

// compareWithEverySchedule returns the plan of the search; nil if there is none.
func compareWithEverySchedule(t *testing.T, name string, r planner.Request) *plan.Plan {
	t.Helper()
	w := pricing.NewWorkload(&r, r.Collective.Steps)
	p, err := pool.Harvest(context.Background(), &r, w)
	if err != nil {
		t.Fatal(err)
	}
	most := int(math.Pow(maxTried, 1/float64(len(w.Steps))))
	return compareOn(t, name, r, w, p.Candidates[max(0, len(p.Candidates)-most):])
}

// compareOn is compareWithEverySchedule on given topologies.
func compareOn(t *testing.T, name string, r planner.Request, w *pricing.Workload, pool []*pricing.Candidate) *plan.Plan {
	t.Helper()
	best := math.Inf(1)
	choice := make([]*pricing.Candidate, len(w.Steps))
	var try func(step int)
	try = func(step int) {
		if step < len(choice) {
			for _, choice[step] = range pool {
				if cost, _, err := w.Cost(t.Context(), choice[step], w.ClassOf[step]); err == nil && !math.IsInf(cost, 1) {
					try(step + 1)
				}
			}
			return
		}
		made, err := (&pass.Schedule{Work: w, Choice: choice}).Build(t.Context(), &r, "brute force")
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, float64(made.Cost.Total()))
	}
	try(0)
	s, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: pool})
	if math.IsInf(best, 1) {
		if !isInfeasible(err) {
			t.Errorf("%s: no sequence connects all pairs, but %v", name, err)
		}
		return nil
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	made, err := s.Build(t.Context(), &r, "harvest")
	if err != nil {
		t.Fatal(err)
	}
	if !stagedtest.Near(s.Total, best, 1e-9) || !stagedtest.Near(float64(made.Cost.Total()), best, 1e-9) {
		t.Errorf("%s: the search has %v, its plan %v, brute force %v", name, s.Total, made.Cost.Total(), best)
	}
	made.Bound = 0
	stagedtest.Verify(t, made)
	return made
}

// With free ports the next circuits are set up while the current ones send: the delay
// vanishes if a stage is longer.
func TestFreePortsHideTheDelay(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Delta, f.Reconfig = 16, 2, 5*units.Microsecond, stagedtest.Reconfig(t, "2us")
	plain := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	f.Overlap.Kind = fabric.OverlapPorts
	hidden := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	stagedtest.Verify(t, hidden)
	if plain.Cost.Reconfiguration == 0 || hidden.Cost.Total() >= plain.Cost.Total() {
		t.Errorf("%v with overlap, %v without", hidden.Cost.Total(), plain.Cost.Total())
	}
	if hidden.Cost.Reconfiguration != 0 || hidden.Reconfigurations <= plain.Reconfigurations {
		t.Errorf("%d changes cost %v, all of them could be hidden", hidden.Reconfigurations, hidden.Cost.Reconfiguration)
	}
}

// Two past errors with circuits that stay: a plan, even verified, had eight changes of 1 ms in
// 13.29 us, and a plan was slower than without overlap, 4.222 ms against 2.585 ms.
func TestChangesTakeTheirTime(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig, f.Overlap.Kind = 64, 2, stagedtest.Reconfig(t, "1ms"), fabric.OverlapCircuits
	p := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	stagedtest.Verify(t, p)
	if p.Reconfigurations > 0 || p.Cost.Total() < 20_000 {
		t.Errorf("%d changes, %v", p.Reconfigurations, p.Cost.Total())
	}
	every := planWith(t, "every-step", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	stagedtest.Verify(t, every)
	if least := units.Time(every.Reconfigurations) * 1_000_000; every.Cost.Total() < least {
		t.Errorf("%d changes of 1 ms in %v", every.Reconfigurations, every.Cost.Total())
	}

	f.Nodes, f.Reconfig = 16, stagedtest.Reconfig(t, "10us")
	with := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 256*units.MiB))
	f.Overlap = fabric.Overlap{}
	without := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 256*units.MiB))
	if with.Cost.Total() > without.Cost.Total()*(1+1e-12) {
		t.Errorf("%v with overlap, %v without", with.Cost.Total(), without.Cost.Total())
	}
}
