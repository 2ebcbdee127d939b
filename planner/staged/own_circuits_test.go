package staged

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// rootedRequest returns a random one-step scatter or gather.
func rootedRequest(t *testing.T, random *rand.Rand, nodes int) planner.Request {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = nodes, 1+random.IntN(6), random.IntN(2) == 0
	f.Alpha, f.Delta = units.Duration(random.IntN(900)), units.Duration(random.IntN(900))
	f.Reconfig.Base = units.Duration(random.IntN(30000))
	if random.IntN(3) == 0 {
		f.Forwarding = fabric.StoreAndForward
	}
	op := []collective.Op{collective.Scatter, collective.Gather}[random.IntN(2)]
	c, err := algorithms.New(op, "direct", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: units.Bytes(1 + random.IntN(1<<22)), Bare: true}
}

// Circuits stored as pairs are those that match the steps, take the same time and make the same
// plan.
func TestOwnCircuitsAreTheMatchedOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 5))
	kept := 0
	draws := samples.Draws(40, 120)
	for range draws {
		r := rootedRequest(t, random, 4+random.IntN(40))
		x, err := everyStep(t.Context(), &r, newVariants(&r))
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Pool) == 0 || x.Pool[0].Own == nil {
			continue
		}
		kept++
		p := pool.New(&r.Fabric)
		own, err := p.AddEveryMatched(t.Context(), x.Work)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Candidates) != len(x.Pool) {
			t.Fatalf("%d sets of circuits, not %d", len(x.Pool), len(p.Candidates))
		}
		for i := range x.Work.Steps {
			fast, slow := x.Pool[x.Only(i)], p.Candidates[own[i]]
			if !fast.Topology().Equal(slow.Topology()) || fast.Topology().Name() != slow.Topology().Name() {
				t.Fatalf("step %d: %s is not %s", i+1, fast.Topology().Name(), slow.Topology().Name())
			}
			a, exact, err := x.Work.Cost(t.Context(), fast, x.Work.ClassOf[i])
			if err != nil || !exact {
				t.Fatal(exact, err)
			}
			b, _, err := x.Work.Cost(t.Context(), slow, x.Work.ClassOf[i])
			if err != nil || a != b {
				t.Fatalf("step %d: %v, matched %v (%v)", i+1, a, b, err)
			}
		}
	}
	if kept < draws/2 {
		t.Errorf("only %d of %d have circuits that are kept as pairs", kept, draws)
	}
}

// The answer is the same without the circuits that an expander rules out.
func TestCircuitsThatAnExpanderRulesOutAreNotTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 6))
	left := 0
	draws := samples.Draws(30, 90)
	for range draws {
		r := rootedRequest(t, random, []int{12, 16, 24, 27, 36, 48, 64}[random.IntN(7)])
		r.Fabric.Ports = 2 + random.IntN(4)
		r.Fabric.Initial = []string{fabric.InitialFree, fabric.InitialBase, fabric.InitialDark}[random.IntN(3)]
		w := pricing.NewWorkload(&r, r.Collective.Steps)
		within, err := rival(w, t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		if w.Commuting(within) {
			continue
		}
		left++
		few, err := pool.Harvest(context.Background(), within, w)
		if err != nil {
			t.Fatal(err)
		}
		whole := pricing.NewWorkload(&r, r.Collective.Steps)
		all, err := pool.Harvest(context.Background(), &r, whole)
		if err != nil {
			t.Fatal(err)
		}
		if len(few.Candidates) >= len(all.Candidates) {
			t.Errorf("%d circuits of %d", len(few.Candidates), len(all.Candidates))
		}
		a, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: few.Candidates})
		if err != nil {
			t.Fatal(err)
		}
		b, err := pass.Search(t.Context(), &r, pass.Problem{Work: whole, Pool: all.Candidates})
		if err != nil {
			t.Fatal(err)
		}
		if a.Total != b.Total || !a.Choice[0].Same(b.Choice[0]) {
			t.Errorf("%d GPUs, %d ports: %v on %s, of all %v on %s", r.Fabric.Nodes, r.Fabric.Ports, a.Total, a.Choice[0].Topology().Name(), b.Total, b.Choice[0].Topology().Name())
		}
	}
	if left < draws/9 {
		t.Errorf("only %d of %d rule circuits out", left, draws)
	}
}
