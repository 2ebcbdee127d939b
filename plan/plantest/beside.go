package plantest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// Beside returns a plan for a fabric that adds islands or fixed links to the circuits of
// another plan. Random transfers go over these, or over a mix of all, whole or in part. The
// last step of a stage keeps at least one transfer that uses circuits.
func Beside(t testing.TB, r *rand.Rand, p *plan.Plan, f fabric.Fabric) *plan.Plan {
	t.Helper()
	if p.Staggered() {
		t.Fatal("planes have no tiers")
	}
	made := *p
	made.Fabric, made.Slots, made.Bound = f, 0, 0
	made.Stages = slices.Clone(p.Stages)
	for i := range made.Stages {
		s := &made.Stages[i]
		s.Steps = slices.Clone(s.Steps)
		for j := range s.Steps {
			step := &s.Steps[j]
			step.Base = slices.Clone(step.Base)
			step.Unfold(p.Collective.Space)
			whole := j < len(s.Steps)-1 && r.IntN(2) == 0 // use as few circuits as possible
			for k := range step.Base {
				x := &step.Base[k]
				if path := shortest(&f, s, x.Src, x.Dst, []plan.Tier{plan.OverLink, plan.OverIsland}); whole && path != nil {
					x.Routes = []flow.Route{{Path: path, Share: 1}}
					continue
				}
				if r.IntN(3) == 0 || j == len(s.Steps)-1 && k == 0 {
					continue
				}
				tiers := [][]plan.Tier{{plan.OverLink}, {plan.OverIsland}, {plan.OverLink, plan.OverIsland}, {plan.OverCircuit, plan.OverLink, plan.OverIsland}}[r.IntN(4)]
				path := shortest(&f, s, x.Src, x.Dst, tiers)
				switch {
				case path == nil:
				case r.IntN(3) == 0 && !slices.Equal(path, x.Routes[0].Path):
					x.Routes = halved(x.Routes, path)
				default:
					x.Routes = []flow.Route{{Path: path, Share: 1}}
				}
			}
		}
	}
	if err := made.Price(); err != nil {
		t.Fatal(err)
	}
	return &made
}

// halved gives a path one half of the share of the routes.
func halved(routes []flow.Route, path []int32) []flow.Route {
	all := []flow.Route{{Path: path, Share: 0.5}}
	for _, r := range routes {
		r.Share /= 2
		all = append(all, r)
	}
	return all
}

// shortest returns the shortest path over some tiers; nil if there is none.
func shortest(f *fabric.Fabric, s *plan.Stage, src, dst int, tiers []plan.Tier) []int32 {
	from := slices.Repeat([]int{-1}, f.Nodes)
	from[src] = src
	for queue := []int{src}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for v := range f.Nodes {
			if from[v] < 0 && slices.Contains(tiers, plan.TierOf(f, s.Topology, u, v)) {
				from[v] = u
				queue = append(queue, v)
			}
		}
	}
	if from[dst] < 0 || src == dst {
		return nil
	}
	path := []int32{int32(dst)}
	for u := dst; u != src; u = from[u] {
		path = append(path, int32(from[u]))
	}
	slices.Reverse(path)
	return path
}
