package topology

import (
	"fmt"
	"math/bits"
	"testing"
)

// Sanders, Speck and Träff: both trees are binary, as low as they can be, and the nodes
// with children in one are leaves of the other.
func TestDoubleTreeSharesTheInnerWork(t *testing.T) {
	for n := 1; n <= 300; n++ {
		var children [2][]int
		for i, parent := range DoubleTree(n) {
			children[i] = make([]int, n)
			for u := range n {
				if parent[u] >= 0 {
					children[i][parent[u]]++
				}
				depth := 0
				for v := u; parent[v] >= 0 && depth <= n; v = parent[v] {
					depth++
				}
				if depth >= bits.Len(uint(n)) {
					t.Fatalf("n = %d: node %d at depth %d of tree %d", n, u, depth, i)
				}
			}
		}
		for u := range n {
			if first, second := children[0][u], children[1][u]; first > 2 || second > 2 || first > 0 && second > 0 {
				t.Fatalf("n = %d: node %d has %d and %d children", n, u, first, second)
			}
		}
	}
	mustPanic(t, func() { DoubleTree(0) })
}

func TestDoubleTreeOfSeven(t *testing.T) {
	const want = "[[1 3 1 -1 5 3 5] [2 0 -1 4 2 4 0]]"
	if got := fmt.Sprint(DoubleTree(7)); got != want {
		t.Errorf("parents %s, want %s", got, want)
	}
}

// No node needs more than four ports, all 2(m-1) edges are there in both directions, and from
// four nodes on the degree is four.
func TestDBTNeedsFourPorts(t *testing.T) {
	for m := 2; m <= 100; m++ {
		expr := fmt.Sprintf("DBT(%d)", m)
		e, err := ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		g := mustParse(t, expr)
		checkInvariant(t, g)
		_, connected := g.Diameter()
		if e.Nodes() != m || g.Nodes() != m || g.Circuits() != 4*(m-1) || g.Degree() != min(m, 4) ||
			!g.Bidirectional() || !connected || g.Regular() != (m == 2) || g.Name() != expr {
			t.Errorf("%s: %d nodes, %d circuits, degree %d", expr, g.Nodes(), g.Circuits(), g.Degree())
		}
	}
}
