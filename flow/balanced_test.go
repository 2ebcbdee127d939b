package flow

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// fromZero is a uniform all-to-all with amount 1, seen from node 0.
func fromZero(t *testing.T, g *topology.Graph) Problem {
	t.Helper()
	group, ok := g.Symmetry()
	if !ok {
		t.Fatalf("%s does not look the same from every node", g.Name())
	}
	p := Problem{Graph: g, Group: group}
	for v := 1; v < g.Nodes(); v++ {
		p.Demands = append(p.Demands, Demand{0, v, 1})
	}
	return p
}

// If two paths per demand claim to be optimal, they are as good as the linear program over all
// paths: on tori and two-way circulants, with even, odd and different sides.
func TestBalancedPathsAreOptimalWhereTheySaySo(t *testing.T) {
	answered := 0
	for _, g := range []*topology.Graph{
		topology.Torus(4, 4), topology.Torus(2, 4), topology.Torus(3, 4), topology.Torus(4, 6), topology.Torus(5, 5),
		topology.Torus(2, 4, 4), topology.Torus(3, 4, 2), topology.Circulant(12, 1), topology.Circulant(16, 1, 4),
		topology.Circulant(13, 1, 5), topology.DirectedCirculant(16, 1, 4), topology.DirectedCirculant(12, 1, 1, 3),
	} {
		t.Run(g.Name(), func(t *testing.T) {
			p := fromZero(t, g)
			cl, err := newClasses(g, p.Group)
			if err != nil {
				t.Fatal(err)
			}
			short := &Result{Method: MethodShortest}
			if short.Routes, err = shortestRoutes(t.Context(), g, p.Demands); err != nil {
				t.Fatal(err)
			}
			if short.Load, err = loadOf(g, cl, p.Demands, short.Routes); err != nil {
				t.Fatal(err)
			}
			short.Bound = min(countingBound(p, cl, workOf(p.Demands, short.Routes)), short.Load.Peak)
			balanced, ok, err := solveBalanced(t.Context(), p, cl, short)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := solveColumns(t.Context(), p, cl, short, balanced, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			if balanced.Bound > exact.Load.Peak*(1+optimalityGap) {
				t.Errorf("bound %v, optimum %v", balanced.Bound, exact.Load.Peak)
			}
			if !ok {
				return
			}
			answered++
			if !meets(balanced.Load.Peak, exact.Load.Peak) || balanced.Load.Hops != short.Load.Hops {
				t.Errorf("%+v, the optimum is %+v", balanced.Load, exact.Load)
			}
		})
	}
	if answered < 8 {
		t.Errorf("proven in %d cases only", answered)
	}
}

// All-to-all on large tori needs no linear program: the longest ring decides. On a ring of k
// nodes, k even, the distances are 1..k/2-1 twice and k/2 once.
func TestAllToAllOnTorusIsAClosedForm(t *testing.T) {
	for _, sides := range [][]int{{32, 32}, {4, 4, 8, 8}, {16, 64}} {
		t.Run(fmt.Sprint(sides), func(t *testing.T) {
			g := topology.Torus(sides...)
			res, err := Solve(t.Context(), fromZero(t, g), Optimal)
			if err != nil {
				t.Fatal(err)
			}
			longest := sides[len(sides)-1]
			want := float64(g.Nodes()/longest) * float64(longest*longest) / 4 / 2 // over two directions
			if !meets(res.Load.Peak, want) || !meets(want, res.Bound) || res.Method != MethodBalanced {
				t.Errorf("%s: peak %v, bound %v, want %v", res.Method, res.Load.Peak, res.Bound, want)
			}
		})
	}
}
