package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// byBlocking finds the fastest routes of a step with one root, with or without blocking flows,
// and counts the checks of its context.
func byBlocking(t *testing.T, p *Problem, blocking bool, time func(Load) float64) (*Result, int) {
	t.Helper()
	l, err := newLadder(*p)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := newOneRoot(p)
	if !ok {
		t.Fatal("not a step of one root")
	}
	if r.large = math.MaxInt; blocking {
		r.large = 0
	}
	ctx := countdown.New(t.Context(), 1<<40)
	found, err := r.fastest(ctx, p, l.cl, time)
	if err != nil {
		t.Fatal(err)
	}
	return found, ctx.Asked()
}

// Blocking flows find routes wherever single searches do, and the routes are as fast.
func TestBlockingFlowsAreAsGoodAsSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	both := 0
	for round := range samples.Draws(40, 80) {
		n := 8 + rng.IntN(60)
		for _, g := range []*topology.Graph{randomCircuits(rng, n, 2+rng.IntN(3)), topology.GenKautz(2+round%3, n), topology.Torus(3, n)} {
			p := rootedProblem(rng, g, round%2 == 1, round%3 == 0)
			hop := []float64{0, 10, 300, 5000}[rng.IntN(4)]
			time := func(l Load) float64 { return hop*float64(l.Hops) + l.Peak }
			got, _ := byBlocking(t, &p, true, time)
			want, _ := byBlocking(t, &p, false, time)
			switch {
			case want == nil:
			case got == nil:
				t.Errorf("round %d, %s of %d nodes: nothing is found", round, g.Name(), g.Nodes())
			default:
				both++
				if a, b := time(got.Load), time(want.Load); math.Abs(a-b) > 1e-7*b {
					t.Errorf("round %d, %s of %d nodes: %v, and %v by searches", round, g.Name(), g.Nodes(), a, b)
				}
				if load, err := LoadOf(g, p.Group, p.Demands, got.Routes); err != nil || load != got.Load {
					t.Errorf("round %d, %s of %d nodes: the routes have %+v (%v), not %+v", round, g.Name(), g.Nodes(), load, err, got.Load)
				}
			}
		}
	}
	if both < samples.Draws(100, 200) {
		t.Errorf("found %d times only", both)
	}
}

// Few searches are enough for blocking flows.
func TestBlockingFlowsTakeFewSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 2))
	time := func(l Load) float64 { return 5000*float64(l.Hops) + l.Peak }
	for _, inwards := range []bool{false, true} {
		p := rootedProblem(rng, topology.GenKautz(4, 3000), inwards, true)
		_, blocking := byBlocking(t, &p, true, time)
		_, single := byBlocking(t, &p, false, time)
		if single < 100 || 5*blocking > single {
			t.Errorf("inwards %v: %d questions with blocking flows, %d without", inwards, blocking, single)
		}
	}
}
