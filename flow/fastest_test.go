package flow_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// On a two-way ring of 8, half of the data for the third node can go five hops the other way.
// That pays off only if hops are cheap.
func TestFastestTradesHopsAgainstThePeak(t *testing.T) {
	p := flow.Problem{Graph: topology.Circulant(8, 1), Demands: []flow.Demand{{Src: 0, Dst: 3, Amount: 8}}}
	for _, c := range []struct {
		hop  float64
		hops int
		peak float64
	}{{0, 5, 4}, {1, 5, 4}, {10, 3, 8}} {
		time := func(l flow.Load) float64 { return c.hop*float64(l.Hops) + l.Peak }
		r, err := flow.Fastest(t.Context(), p, flow.Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		if r.Load.Hops != c.hops || r.Load.Peak != c.peak {
			t.Errorf("hop of %v: %d hops, peak %v; want %d and %v", c.hop, r.Load.Hops, r.Load.Peak, c.hops, c.peak)
		}
	}
	r, err := flow.Fastest(t.Context(), p, flow.Shortest, func(l flow.Load) float64 { return l.Peak })
	if err != nil || r.Load.Hops != 3 {
		t.Errorf("a policy is a policy: %+v, %v", r, err)
	}
}

// A limit on the time never changes routes that meet it. If no routes meet it, the error says
// so, with a bound between the limit and their time. This holds for exact and for approximated
// problems.
func TestALimitGivesUpOnlyWhatIsSlower(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	gaveUp := 0
	for round := range samples.Draws(15, 30) {
		n := 12 + rng.IntN(30)
		if round%6 == 0 {
			n = 120 // approximated
		}
		p := flow.Problem{Graph: kautz(n, 3), Demands: permutation(rng, n)}
		hop := []float64{0, 0.05, 0.3, 2}[rng.IntN(4)]
		time := func(l flow.Load) float64 { return 1 + hop*float64(l.Hops) + l.Peak }
		want, err := flow.Fastest(t.Context(), p, flow.Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		least := time(want.Load)
		for _, policy := range []flow.Policy{flow.Shortest, flow.ShortestSplit} {
			if r := solve(t, p, policy); time(r.Load) < least*(1-1e-12) {
				t.Errorf("%d nodes, hop %v: %s takes %v, the fastest %v", n, hop, policy, time(r.Load), least)
			}
		}
		for _, part := range []float64{1.2, 1, 0.97, 0.7} {
			got, err := flow.FastestWithin(t.Context(), p, flow.Optimal, time, part*least)
			var slower *flow.Slower
			switch {
			case errors.As(err, &slower):
				gaveUp++
				if part >= 1 || slower.Least <= part*least || slower.Least > least*(1+1e-9) {
					t.Errorf("%d nodes, hop %v: given up at %v of %v: at least %v", n, hop, part, least, slower.Least)
				}
			case err != nil:
				t.Fatal(err)
			case part < 1 || !reflect.DeepEqual(got.Routes, want.Routes):
				t.Errorf("%d nodes, hop %v: within %v of %v: %v", n, hop, part, least, time(got.Load))
			}
		}
	}
	if gaveUp == 0 {
		t.Error("nothing was given up")
	}
}

// Results for one size serve other sizes: the routes equal those of a new search.
func TestMemoryAnswersAsAnewForOtherAmounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for i := range samples.Draws(15, 30) {
		n := 5 + rng.IntN(6)
		p := flow.Problem{Graph: connected(rng, n, 2+rng.IntN(2))}
		for range 3 + rng.IntN(5) {
			u := rng.IntN(n)
			p.Demands = append(p.Demands, flow.Demand{Src: u, Dst: (u + 1 + rng.IntN(n-1)) % n, Amount: float64(1 + rng.IntN(4))})
		}
		memory := flow.NewMemory()
		for _, scale := range []float64{1, 8, 1024, 0.25} {
			scaled, largest := p, 0.0
			scaled.Demands = nil
			for _, d := range p.Demands {
				d.Amount *= scale
				largest = max(largest, d.Amount)
				scaled.Demands = append(scaled.Demands, d)
			}
			time := func(l flow.Load) float64 { return l.Peak + 3*float64(l.Hops) }
			want, err := flow.Fastest(t.Context(), scaled, flow.Optimal, time)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []float64{0.5, 1, 2} {
				got, err := flow.Recall{Memory: memory, Largest: largest}.FastestWithin(t.Context(), scaled, flow.Optimal, time, part*time(want.Load))
				var slower *flow.Slower
				switch {
				case part < 1 && errors.As(err, &slower) && slower.Least <= time(want.Load)*(1+1e-9):
				case err != nil:
					t.Fatalf("case %d, times %v, within %v: %v", i, scale, part, err)
				case !near(time(got.Load), time(want.Load), 1e-9) || got.Load.Hops != want.Load.Hops:
					t.Errorf("case %d, times %v: load %v, want %v", i, scale, got.Load, want.Load)
				}
				if err == nil {
					checkResult(t, "remembered", scaled, got)
				}
			}
		}
	}
}

// Skipped limits on hops would not have been better: trying every limit one by one finds the same
// time.
func TestFastestFindsWhatEveryLimitOnHopsFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 5))
	for range samples.Draws(12, 25) {
		n := 10 + rng.IntN(20)
		g := topology.Circulant(n, 1)
		if rng.IntN(2) == 0 {
			g = kautz(n, 2)
		}
		p := flow.Problem{Graph: g, Demands: permutation(rng, n)}
		for i := range p.Demands {
			p.Demands[i].Amount *= 1 + 9*rng.Float64()
		}
		hop := []float64{0.01, 0.1, 0.5}[rng.IntN(3)]
		time := func(l flow.Load) float64 { return hop*float64(l.Hops) + l.Peak }
		r, err := flow.Fastest(t.Context(), p, flow.Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		least := time(solve(t, p, flow.Optimal).Load)
		for p.MaxHops = 1; p.MaxHops < n; p.MaxHops++ {
			one, err := flow.Solve(t.Context(), p, flow.Optimal)
			if errors.Is(err, flow.ErrUnreachable) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, time(one.Load))
		}
		if got := time(r.Load); got > least*(1+1e-9) {
			t.Errorf("%s, hop %v: %v, within some limit %v", g.Name(), hop, got, least)
		}
	}
}
