package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A program within fewer hops that begins near the routes without a limit ends with the same peak
// as one that begins with shortest paths, and with about the same total of bytes x hops. Some of
// the routes without a limit are too long for it.
func TestProgramsThatBeginNearEndTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 8))
	tooLong := 0
	for range 12 {
		n := 8 + rng.IntN(10)
		p := Problem{Graph: randomDigraph(rng, n, 2)}
		for u := range n {
			for v := range n {
				if u != v {
					p.Demands = append(p.Demands, Demand{u, v, 1 + 9*rng.Float64()})
				}
			}
		}
		cl, short, split := starts(t, p)
		wide, err := solveColumns(t.Context(), p, cl, short, split, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, p.MaxHops = range []int{short.Load.Hops, short.Load.Hops + 1} {
			if wide.Load.Hops > p.MaxHops {
				tooLong++
			}
			want, err := solveColumns(t.Context(), p, cl, short, split, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			got, err := solveColumnsFrom(t.Context(), p, cl, begins{short, split, wide}, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Load.Peak-want.Load.Peak) > 2*optimalityGap*want.Load.Peak || got.Load.Hops > p.MaxHops || got.Bound > want.Load.Peak*(1+optimalityGap) {
				t.Errorf("%d nodes within %d hops: %+v, at least %v; from shortest paths %+v", n, p.MaxHops, got.Load, got.Bound, want.Load)
			}
			// The peak that the second phase holds differs by rounding, which decides the last hops.
			if x, y := workOf(p.Demands, got.Routes), workOf(p.Demands, want.Routes); math.Abs(x-y) > 0.01*y {
				t.Errorf("%d nodes within %d hops: bytes x hops %v, from shortest paths %v", n, p.MaxHops, x, y)
			}
		}
	}
	if tooLong == 0 {
		t.Error("no limit rules out any route")
	}
}
