package flow

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// Whether shortest paths are tried first or not, the time is the minimum over all limits on
// hops, each solved separately here. A limit on the time changes no routes, and a search is
// abandoned only if its routes take longer than the limit. Shortest paths settle some of the
// cases, but not all.
func TestFewestHopsFirstIsTheFastestOfAllLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 36))
	settled := map[bool]int{}
	for _, uneven := range []bool{false, true} {
		g, err := topology.Parse("GenKautz(3,48)")
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{Graph: g}
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				if u == v {
					continue
				}
				amount := 1.0
				if uneven {
					amount += float64(rng.IntN(3))
				}
				p.Demands = append(p.Demands, Demand{Src: u, Dst: v, Amount: amount})
			}
		}
		short, err := Solve(t.Context(), p, Shortest)
		if err != nil {
			t.Fatal(err)
		}
		var loads []Load // of the best routing within each limit
		for _, hops := range []int{short.Load.Hops, short.Load.Hops + 1, 0} {
			limited := p
			limited.MaxHops = hops
			r, err := Solve(t.Context(), limited, Optimal)
			if err != nil {
				t.Fatal(err)
			}
			loads = append(loads, r.Load)
		}
		for _, hop := range map[bool][]float64{false: {0.01, 3}, true: {0.05, 0.4}}[uneven] {
			time := func(l Load) float64 { return hop*short.Bound*float64(l.Hops) + l.Peak }
			least := math.Inf(1)
			for _, l := range loads {
				least = min(least, time(l))
			}
			l, err := newLadder(p)
			if err != nil {
				t.Fatal(err)
			}
			f := &fastest{ladder: l, time: time, limit: math.Inf(1), least: math.Inf(1), bound: math.Inf(1)}
			done, err := f.fewestHops(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			settled[done]++
			if !done && (f.best != nil || f.work != 0 || !math.IsInf(f.bound, 1)) {
				t.Errorf("uneven %v, hop %v: not settled, and left %+v", uneven, hop, f)
			}
			if done && math.Abs(f.least-least) > 1e-6*least {
				t.Errorf("uneven %v, hop %v: settled with %v, and the best of all limits takes %v", uneven, hop, f.least, least)
			}
			if !done {
				continue // what follows then is what it was
			}
			f = &fastest{ladder: l, time: time, limit: 0.98 * least, least: math.Inf(1), bound: math.Inf(1)}
			if done, err := f.fewestHops(t.Context()); err != nil || done && min(f.least, f.bound) <= f.limit || done && min(f.least, f.bound) > least*(1+1e-6) {
				t.Errorf("uneven %v, hop %v: within %v: settled %v with %v, at least %v; %v", uneven, hop, f.limit, done, f.least, f.bound, err)
			}
			got, err := FastestWithin(t.Context(), p, Optimal, time, 1.01*least)
			if err != nil || math.Abs(time(got.Load)-least) > 1e-6*least {
				t.Errorf("uneven %v, hop %v: %v takes %v, the least is %v", uneven, hop, err, time(got.Load), least)
			}
			if got, err = FastestWithin(t.Context(), p, Optimal, time, 0.98*least); !errors.Is(err, ErrSlower) {
				t.Errorf("uneven %v, hop %v: faster than the fastest: %+v, %v", uneven, hop, got, err)
			}
		}
	}
	if settled[true] < 2 || settled[false] < 2 {
		t.Errorf("settled or not: %v", settled)
	}
}

// If one more hop takes longer than the limit, the program without a hop limit is not solved,
// however small it is, unless shortest paths keep to the limit.
func TestALimitRulesOutLongRoutesFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1024))
	settled := map[bool]int{}
	for range 10 {
		p := Problem{Graph: randomDigraph(rng, 14, 3)}
		for u := range 14 {
			p.Demands = append(p.Demands, Demand{u, (u + 1 + rng.IntN(13)) % 14, 1 + 9*rng.Float64()})
		}
		cl, short, split := starts(t, p)
		p.MaxHops = short.Load.Hops
		fewest, err := solveColumns(t.Context(), p, cl, short, split, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		p.MaxHops = 0
		for _, part := range []float64{0.99, 1.01} {
			time := func(l Load) float64 { return 10*short.Bound*float64(l.Hops) + l.Peak }
			l, err := newLadder(p)
			if err != nil {
				t.Fatal(err)
			}
			f := &fastest{ladder: l, time: time, limit: part * time(fewest.Load), least: math.Inf(1), bound: math.Inf(1)}
			done, err := f.fewestHops(t.Context())
			if err != nil || done != (part < 1) || done && (f.bound <= f.limit || f.bound > time(fewest.Load)*(1+1e-9)) || f.best != nil || l.lengths != nil {
				t.Errorf("within %v of %v: settled %v, at least %v, best %v, %v", f.limit, time(fewest.Load), done, f.bound, f.best, err)
			}
			settled[done]++
		}
	}
	if settled[true] == 0 || settled[false] == 0 {
		t.Errorf("settled or not: %v", settled)
	}
}
