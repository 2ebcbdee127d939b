package flow

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// Recomputing a few nodes finds the same widest paths as recomputing all.
func TestSplitRoutesAreTheWidestLeft(t *testing.T) {
	for _, g := range []*topology.Graph{
		topology.DirectedCirculant(60, 1, 7, 19), topology.DirectedCirculant(64, 1, 63, 8, 56), topology.GenKautz(3, 50), topology.Torus(4, 4, 4),
	} {
		var demands []Demand
		for u := range g.Nodes() {
			demands = append(demands, Demand{Src: 0, Dst: u, Amount: 1}, Demand{Src: u, Dst: 3, Amount: 1})
		}
		demands = slices.DeleteFunc(demands, func(d Demand) bool { return d.Src == d.Dst })
		got, err := splitRoutes(t.Context(), g, demands)
		if err != nil {
			t.Fatal(err)
		}
		s := newSplitter(g)
		err = toEach(t.Context(), g, demands, func(dist []int32, here []int) {
			for _, i := range here {
				s.divide(dist, demands[i].Src)
				var want []Route
				for {
					s.widen(dist)
					share := s.width[demands[i].Src]
					if share < shareFloor {
						break
					}
					path := []int32{int32(demands[i].Src)}
					for u := demands[i].Src; dist[u] > 0; u = int(path[len(path)-1]) {
						s.left[s.best[u]] -= share
						to, _ := g.Row(u)
						path = append(path, to[int(s.best[u])-g.RowStart(u)])
					}
					want = append(want, Route{Path: path, Share: share})
				}
				clear(s.left)
				want = normalise(want)
				if !slices.EqualFunc(got[i], want, func(a, b Route) bool { return a.Share == b.Share && slices.Equal(a.Path, b.Path) }) {
					t.Fatalf("%s %+v: %v, want %v", g.Name(), demands[i], got[i], want)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
