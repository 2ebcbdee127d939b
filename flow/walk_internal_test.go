package flow

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// ringRoutes returns the routes of one root on a ring to some nodes, either as prefixes of one
// path in memory or as copies. With back, the routes lead from the nodes that many hops before
// the last node to the last node, and are suffixes of the path.
func ringRoutes(n int, to []int, copied, back bool) (demands []Demand, routes [][]Route) {
	path := make([]int32, n)
	for i := range path {
		path[i] = int32(i)
	}
	for _, v := range to {
		d, way := Demand{Src: 0, Dst: v, Amount: float64(3 + v%5)}, path[:v+1:v+1]
		if back {
			d.Src, d.Dst, way = n-1-v, n-1, path[n-1-v:]
		}
		demands = append(demands, d)
		if copied {
			way = slices.Clone(way)
		}
		routes = append(routes, []Route{{Path: way, Share: 1}})
	}
	return demands, routes
}

// Long routes that share memory have the same loads as copies, with and without a group, in any
// order.
func TestLongRoutesInTheSameMemoryLoadLikeCopies(t *testing.T) {
	n := 3 * longWalk
	g := topology.DirectedCirculant(n, 1)
	for name, to := range map[string][]int{
		"ascending":  {1, 7, longWalk - 1, longWalk, longWalk + 1, 2 * longWalk, 2*longWalk + 7, n - 1},
		"descending": {n - 1, 2 * longWalk, longWalk, 5},
		"mixed":      {2 * longWalk, 3, n - 1, longWalk + 2, longWalk + 2, n - 2},
	} {
		for _, group := range []topology.Translations{{}, topology.Rotations(n, 1), topology.Rotations(n, n/4)} {
			for _, back := range []bool{false, true} {
				demands, shared := ringRoutes(n, to, false, back)
				_, copies := ringRoutes(n, to, true, back)
				got, err := LoadOf(g, group, demands, shared)
				if err != nil {
					t.Fatal(err)
				}
				want, err := LoadOf(g, group, demands, copies)
				if err != nil {
					t.Fatal(err)
				}
				if got.Hops != want.Hops || math.Abs(got.Peak-want.Peak) > 1e-9*want.Peak || math.Abs(got.Dilation-want.Dilation) > 1e-9*want.Dilation {
					t.Errorf("%s, %v: %+v, want %+v", name, group, got, want)
				}
			}
		}
	}
}

// A root's routes on a ring are walked once: only the longest is read, however many there are.
func TestLongRoutesInTheSameMemoryAreWalkedOnce(t *testing.T) {
	n := 2 * longWalk
	g := topology.DirectedCirculant(n, 1)
	cl, err := newClasses(g, topology.Translations{})
	if err != nil {
		t.Fatal(err)
	}
	var to []int
	for v := longWalk; v < n; v++ {
		to = append(to, v)
	}
	for _, back := range []bool{false, true} {
		demands, routes := ringRoutes(n, to, false, back)
		w := walk{back: back}
		bytes := make([]float64, len(cl.circuits))
		for i, d := range demands {
			if _, err := w.long(g, cl, d, routes[i][0], bytes); err != nil {
				t.Fatal(err)
			}
		}
		if len(w.classes) != n-1 || slices.Max(bytes) != 0 {
			t.Errorf("back %t: %d hops were walked, and bytes were added before the end: %v", back, len(w.classes), slices.Max(bytes))
		}
	}
}

// Wrong long routes are refused like wrong short ones.
func TestWrongLongRoutesAreRefused(t *testing.T) {
	n := 2 * longWalk
	g := topology.DirectedCirculant(n, 1)
	for name, spoil := range map[string]func(r *Route, d *Demand){
		"another end":    func(_ *Route, d *Demand) { d.Dst-- },
		"another start":  func(_ *Route, d *Demand) { d.Src++ },
		"a hop too long": func(r *Route, _ *Demand) { r.Path[longWalk+1] = 3 },
		"outside":        func(r *Route, _ *Demand) { r.Path[longWalk+1] = int32(n) },
		"less than all":  func(r *Route, _ *Demand) { r.Share = 0.5 },
		"negative":       func(r *Route, _ *Demand) { r.Share = -1 },
	} {
		for _, back := range []bool{false, true} {
			demands, routes := ringRoutes(n, []int{longWalk + 5, n - 2}, false, back)
			spoil(&routes[1][0], &demands[1])
			if _, err := LoadOf(g, topology.Translations{}, demands, routes); !errors.Is(err, ErrRoute) {
				t.Errorf("%s, back %t: %v", name, back, err)
			}
		}
	}
}
