package pricing

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// If noDetour says that a step cannot gain from the longer way round a two-way ring, the linear
// program finds nothing faster than shortest paths.
func TestWithoutADetourShortestPathsAreTheFastest(t *testing.T) {
	said, not := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 17))
		f := fabric.Default()
		f.Nodes, f.Ports = 5+rng.IntN(12), 2
		f.Bandwidth = []units.Bandwidth{10, 100, 800}[rng.IntN(3)] * units.Gbps
		var step collective.Step
		space := collective.Space{Kind: collective.Listed, Nodes: f.Nodes}
		for range 1 + rng.IntN(6) {
			src := rng.IntN(f.Nodes)
			dst := (src + 1 + rng.IntN(f.Nodes-1)) % f.Nodes
			step.Base = append(step.Base, collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(len(space.Pieces))})
			space.Pieces = append(space.Pieces, collective.Piece{Bytes: float64(1 + rng.IntN(100_000)), From: []int{src}, To: []int{dst}})
		}
		size := 0.0
		for _, p := range space.Pieces {
			size += p.Bytes
		}
		r := planner.Request{Fabric: f, Size: units.Bytes(size), Collective: &collective.Collective{
			Op: collective.Pattern, Nodes: f.Nodes, Space: space, Steps: []collective.Step{step},
		}}
		w := NewWorkload(&r, r.Collective.Steps)
		c := GraphCandidate(topology.Circulant(f.Nodes, 1))
		class := &w.Classes[0]
		problem := w.Problem(c.Topology(), class)
		floor, shortest, err := flow.Floor(t.Context(), problem)
		if err != nil {
			t.Fatal(err)
		}
		if !w.noDetour(c, class, floor, shortest) {
			not++
			continue
		}
		said++
		time := func(l flow.Load) float64 { return w.price(l, class) }
		best, err := flow.Fastest(t.Context(), problem, flow.Optimal, time)
		if err != nil || !stagedtest.Near(time(best.Load), time(shortest), 1e-9) {
			t.Errorf("seed %d: %v, shortest paths %v: %v", seed, time(best.Load), time(shortest), err)
		}
	}
	if said < 5 || not < 5 {
		t.Errorf("%d steps without a detour, %d with one: want some of each", said, not)
	}
}
