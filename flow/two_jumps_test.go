package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

func TestTwoJumpsEqualTheLinearProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	answered := 0
	for range samples.Draws(200, 400) {
		n := 3 + rng.IntN(40)
		a, b := 1+rng.IntN(n-1), 1+rng.IntN(n-1)
		jumps := []int{a, b}
		for range rng.IntN(3) {
			jumps = append(jumps, a)
		}
		if rng.IntN(3) == 0 {
			jumps[1] = n - a // as those of a ring
		}
		g := topology.DirectedCirculant(n, jumps...)
		p := Problem{Graph: g, Group: topology.Rotations(n, 1)}
		for range 1 + rng.IntN(2)*rng.IntN(6) {
			src := rng.IntN(n)
			p.Demands = append(p.Demands, Demand{Src: src, Dst: (src + 1 + rng.IntN(n-1)) % n, Amount: 1 + 10*rng.Float64()})
		}
		if rng.IntN(2) == 0 {
			p.MaxHops = 1 + rng.IntN(n)
		}
		cl, err := newClasses(g, p.Group)
		if err != nil {
			t.Fatal(err)
		}
		short, err := Solve(context.Background(), p, Shortest)
		if err != nil || p.MaxHops > 0 && short.Load.Hops > p.MaxHops {
			continue
		}
		split, err := Solve(context.Background(), p, ShortestSplit)
		if err != nil {
			t.Fatal(err)
		}
		closed, ok := solveTwoJumps(p, cl)
		if !ok {
			continue // one jump only
		}
		answered++
		exact, err := solveColumns(context.Background(), p, cl, short, split, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(closed.Load.Peak-exact.Load.Peak) > 1e-8*exact.Load.Peak {
			t.Errorf("%s, %v within %d hops: closed form %v, linear program %v", g.Name(), p.Demands, p.MaxHops, closed.Load.Peak, exact.Load.Peak)
		}
		if got, want := bytesTimesHops(p, closed), bytesTimesHops(p, exact); got > want*(1+2*hopGap) {
			t.Errorf("%s, %v within %d hops: closed form %v bytes times hops, linear program %v", g.Name(), p.Demands, p.MaxHops, got, want)
		}
		if p.MaxHops > 0 && closed.Load.Hops > p.MaxHops {
			t.Errorf("%s: %d hops, the limit is %d", g.Name(), closed.Load.Hops, p.MaxHops)
		}
	}
	if answered < samples.Draws(100, 200) {
		t.Errorf("the closed form answered only %d times", answered)
	}
}

func TestHopLimitTradesHopsForCongestion(t *testing.T) {
	// On a two-way ring of 8, a shift by 3 takes 3 or 5 hops: with the short way alone
	// the peak is 3, with both (shares 5/8 and 3/8) it is 15/8.
	p := Problem{
		Graph: topology.Circulant(8, 1), Group: topology.Rotations(8, 1),
		Demands: []Demand{{Src: 0, Dst: 3, Amount: 1}},
	}
	for limit, want := range map[int]float64{0: 15.0 / 8, 3: 3, 4: 3, 5: 15.0 / 8} {
		p.MaxHops = limit
		r, err := Solve(context.Background(), p, Optimal)
		if err != nil || math.Abs(r.Load.Peak-want) > 1e-9 {
			t.Errorf("at most %d hops: %v, %v; want a peak of %v", limit, r, err, want)
		}
	}
	p.MaxHops = 2
	if _, err := Solve(context.Background(), p, Optimal); err == nil {
		t.Error("a route of 2 hops was found to a node 3 hops away")
	}
}

func TestHopLimitIsKeptByTheLinearProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for range samples.Draws(30, 60) {
		n := 6 + rng.IntN(12)
		g := topology.GenKautz(2+rng.IntN(2), n)
		perm := rng.Perm(n)
		p := Problem{Graph: g}
		for u, v := range perm {
			if u != v {
				p.Demands = append(p.Demands, Demand{u, v, 1})
			}
		}
		free, err := Solve(context.Background(), p, Optimal)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(1)
		for limit := 1; limit <= n; limit++ {
			p.MaxHops = limit
			r, err := Solve(context.Background(), p, Optimal)
			if err != nil {
				continue // too short for some demand
			}
			if r.Load.Hops > limit && r.Method == MethodColumns {
				t.Errorf("%d hops with a limit of %d", r.Load.Hops, limit)
			}
			if r.Load.Peak > last*(1+1e-8) || r.Load.Peak < free.Load.Peak*(1-1e-8) {
				t.Errorf("limit %d: peak %v, after %v with fewer hops; without a limit %v", limit, r.Load.Peak, last, free.Load.Peak)
			}
			last = r.Load.Peak
		}
		if last > free.Load.Peak*(1+1e-8) {
			t.Errorf("without a limit %v, with the largest %v", free.Load.Peak, last)
		}
	}
}

func TestSymmetryIsDetected(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, g := range []*topology.Graph{
		topology.Circulant(12, 1, 3), topology.Torus(4, 5), topology.Torus(3, 3, 2), topology.Hypercube(4),
		topology.DirectedCirculant(10, 1, 2, 5),
	} {
		whole, ok := g.Symmetry()
		if !ok {
			t.Fatalf("%s has no symmetry", g.Name())
		}
		n := g.Nodes()
		p := Problem{Graph: g}
		for range 1 + rng.IntN(2) {
			to, amount := 1+rng.IntN(n-1), 1+rng.Float64()
			for k := range whole.Order() {
				p.Demands = append(p.Demands, Demand{whole.Apply(k, 0), whole.Apply(k, to), amount})
			}
		}
		rng.Shuffle(len(p.Demands), func(i, j int) { p.Demands[i], p.Demands[j] = p.Demands[j], p.Demands[i] })
		found, ok := detect(p)
		if !ok || found.group.Order() != n {
			t.Errorf("%s: found %+v", g.Name(), found)
			continue
		}
		for i, d := range p.Demands {
			rep := found.reps[found.rep[i]]
			if moved := (Demand{found.group.Apply(found.by[i], rep.Src), found.group.Apply(found.by[i], rep.Dst), rep.Amount}); moved != d {
				t.Errorf("%s: demand %v is said to be %v", g.Name(), d, moved)
			}
		}
		res, err := Solve(context.Background(), p, Optimal)
		if err != nil {
			t.Fatal(err)
		}
		load, err := LoadOf(g, topology.Translations{}, p.Demands, res.Routes)
		if err != nil || math.Abs(load.Peak-res.Load.Peak) > 1e-9*load.Peak || load.Hops != res.Load.Hops {
			t.Errorf("%s: routes give %v, claimed %v (%v)", g.Name(), load, res.Load, err)
		}
		// One demand more breaks it: the claim is checked, not believed.
		p.Demands[0].Amount *= 2
		if found, ok := detect(p); ok && found.group.Order() == n {
			t.Errorf("%s: a symmetry was found that is not there", g.Name())
		}
	}
}
