package staged

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Under every model of what a change of circuits costs, harvest finds the best of all
// schedules of its pool: every sequence of topologies is made a plan and priced by
// package plan, which knows nothing of the search.
func TestHarvestEqualsBruteForceUnderEveryDelayModel(t *testing.T) {
	hidden := map[string]bool{}
	for _, model := range []string{"2us", "per-port:500ns+100ns", "per-circuit:500ns+100ns", "per-switch:500ns+1us", "per-switch/1:500ns+1us"} {
		for _, overlap := range []string{"none", "compute:1us", "ports", "circuits"} {
			for _, initial := range []string{"free", "dark", "base"} {
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
					f.Reconfig = reconfig(t, model)
					var err error
					if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s %s %s %s n=%d ports=%d", model, overlap, initial, c.algorithm, c.n, c.ports)
					if f.Reconfig.Switches > f.Ports {
						t.Fatal(name)
					}
					if compareWithEverySchedule(t, name, request(t, f, c.op, c.algorithm, c.size)) {
						hidden[overlap] = true
					}
				}
				for seed := range uint64(3) {
					f := fabric.Default()
					f.Nodes, f.Initial, f.Reconfig = 5, initial, reconfig(t, model)
					var err error
					if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s %s %s pattern %d", model, overlap, initial, seed)
					if compareWithEverySchedule(t, name, recurring(f, seed)) {
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

// recurring is three steps in which some pairs come again, with other bytes.
func recurring(f fabric.Fabric, seed uint64) planner.Request {
	rng := rand.New(rand.NewPCG(seed, 5))
	c := &collective.Collective{
		Op: collective.Pattern, Algorithm: "recurring", Nodes: f.Nodes,
		Space: collective.Space{Kind: collective.Listed, Nodes: f.Nodes},
	}
	size := 0.0
	to := rng.Perm(f.Nodes)
	for range 3 {
		a, b := rng.IntN(f.Nodes), rng.IntN(f.Nodes)
		to[a], to[b] = to[b], to[a]
		var step collective.Step
		for src, dst := range to {
			if src == dst {
				continue
			}
			bytes := float64(1 + rng.IntN(400_000))
			step.Base = append(step.Base, collective.Transfer{
				Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(len(c.Space.Pieces)),
			})
			c.Space.Pieces = append(c.Space.Pieces, collective.Piece{Bytes: bytes, From: []int{src}, To: []int{dst}})
			size += bytes
		}
		c.Steps = append(c.Steps, step)
	}
	return planner.Request{Fabric: f, Collective: c, Size: units.Bytes(size)}
}

// maxTried keeps the sequences that brute force tries few: of a larger pool the first
// topologies are taken.
const maxTried = 4000

// compareWithEverySchedule reports whether some of the delay was hidden in the best plan.
func compareWithEverySchedule(t *testing.T, name string, r planner.Request) bool {
	t.Helper()
	w := newWorkload(&r, r.Collective.Steps)
	p, err := harvestPool(&r, w)
	if err != nil {
		t.Fatal(err)
	}
	most := int(math.Pow(maxTried, 1/float64(len(w.steps))))
	pool := p.candidates[max(0, len(p.candidates)-most):]
	best := math.Inf(1)
	choice := make([]*candidate, len(w.steps))
	var try func(step int)
	try = func(step int) {
		if step < len(choice) {
			for _, choice[step] = range pool {
				if cost, _, err := w.cost(t.Context(), choice[step], w.classOf[step]); err == nil && !math.IsInf(cost, 1) {
					try(step + 1)
				}
			}
			return
		}
		made, err := (&schedule{work: w, choice: choice}).build(t.Context(), &r, "brute force")
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, float64(made.Cost.Total()))
	}
	try(0)
	s, err := search(t.Context(), &r, w, pool, anyCandidate)
	if math.IsInf(best, 1) {
		if !isInfeasible(err) {
			t.Errorf("%s: no sequence connects all pairs, but %v", name, err)
		}
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	made, err := s.build(t.Context(), &r, "harvest")
	if err != nil {
		t.Fatal(err)
	}
	if !near(s.total, best, 1e-9) || !near(float64(made.Cost.Total()), best, 1e-9) {
		t.Errorf("%s: the search has %v, its plan %v, brute force %v", name, s.total, made.Cost.Total(), best)
	}
	made.Bound = 0
	verify(t, made)
	return slices.ContainsFunc(made.Stages, func(s plan.Stage) bool { return s.Hidden > 0 })
}

// With free ports the next circuits are set up while the current ones send: the delay
// vanishes if a stage is longer.
func TestFreePortsHideTheDelay(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Delta, f.Reconfig = 16, 2, 5*units.Microsecond, reconfig(t, "2us")
	plain := planWith(t, "harvest", request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	f.Overlap.Kind = fabric.OverlapPorts
	hidden := planWith(t, "harvest", request(t, f, collective.AllReduce, "recursive-doubling", 64*units.KiB))
	verify(t, hidden)
	if plain.Cost.Reconfiguration == 0 || hidden.Cost.Total() >= plain.Cost.Total() {
		t.Errorf("%v with overlap, %v without", hidden.Cost.Total(), plain.Cost.Total())
	}
	if hidden.Cost.Reconfiguration != 0 || hidden.Reconfigurations <= plain.Reconfigurations {
		t.Errorf("%d changes cost %v, all of them could be hidden", hidden.Reconfigurations, hidden.Cost.Reconfiguration)
	}
}
