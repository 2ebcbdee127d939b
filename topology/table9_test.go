package topology

import (
	"context"
	"fmt"
	"testing"
)

// table9Row is a member of a family with what Zhao et al., Table 9, prints for the
// family: degree, size, latency, reverse-symmetry, self-loops and parallel circuits.
type table9Row struct {
	expr          string
	degree, nodes int
	steps         int // the diameter; a negative number is an upper bound
	marks
}

type marks struct {
	reverse         bool // false: not for all members
	loops, multiple bool
}

func integerPower(base, k int) int {
	result := 1
	for range k {
		result *= base
	}
	return result
}

// moore is the latency of rows that Table 9 marks as Moore optimal.
func moore(nodes, degree int) int {
	k, _ := MooreDiameter(nodes, degree, false)
	return k
}

func table9Rows() (rows []table9Row) {
	add := func(degree, nodes, steps int, m marks, format string, args ...any) {
		rows = append(rows, table9Row{fmt.Sprintf(format, args...), degree, nodes, steps, m})
	}
	for m := 2; m <= 9; m++ {
		add(m-1, m, moore(m, m-1), marks{true, false, false}, "K(%d)", m)
	}
	jumps := "1"
	for d := 2; d <= 8; d++ {
		jumps += fmt.Sprintf(",%d", d)
		add(d, 2*d, moore(2*d, d), marks{true, false, false}, "K(%d,%d)", d, d)
		add(d, d+2, moore(d+2, d), marks{true, false, false}, "DC(%d;%s)", d+2, jumps)
	}
	for n := 1; n <= 4; n++ {
		for q := 2; q <= 5; q++ {
			add(n*(q-1), integerPower(q, n), n, marks{true, false, false}, "H(%d,%d)", n, q)
		}
		add(n, 1<<n, n, marks{true, false, false}, "Q(%d)", n)
	}
	for d := 2; d <= 5; d++ {
		for n := range 4 {
			kautz, deBruijn := integerPower(d, n)*(d+1), integerPower(d, n+1)
			add(d, kautz, moore(kautz, d), marks{true, false, false}, "Kautz(%d,%d)", d, n)
			add(d, deBruijn, moore(deBruijn, d), marks{true, true, false}, "DeBruijn(%d,%d)", d, n+1)
		}
		for m := d + 1; m <= 30; m++ {
			add(d, m, -(moore(m, d) + 1), marks{false, m%(d+1) != 0, false}, "GenKautz(%d,%d)", d, m)
		}
	}
	for m := 3; m <= 12; m++ {
		for d := 2; d <= 8; d += 2 {
			add(d, m, m/2, marks{true, false, d > 2}, "BiRing(%d,%d)", d, m)
		}
		for d := 1; d <= 4; d++ {
			add(d, m, m-1, marks{true, false, d > 1}, "UniRing(%d,%d)", d, m)
		}
		add(2, m, m/2, marks{true, false, false}, "Ring(%d)", m)
	}
	for n := 7; n <= 40; n++ {
		a, b, _ := OptimalTwoJumps(n)
		add(4, n, a, marks{true, false, false}, "C(%d;%d,%d)", n, a, b)
	}
	// Section 6.2: the latency of a torus is the sum of half the sides; a side of 2 is
	// one two-way circuit.
	add(2+1+2, 3*2*5, 1+1+2, marks{true, false, false}, "Torus(3,2,5)")
	add(1+1, 4, 2, marks{true, false, false}, "Torus(2,2)")
	add(1+2, 10, 1+2, marks{true, false, false}, "Torus(2,5)")
	// The latencies of the graphs that are drawn are those of schedules in which data waits;
	// breadth-first broadcasts would take as many steps or fewer.
	add(2, 8, moore(8, 2), marks{false, false, false}, "Diamond")
	add(2, 8, -4, marks{true, false, false}, "DBJMod(2,3)")
	add(2, 16, -5, marks{false, false, false}, "DBJMod(2,4)")
	add(3, 9, -3, marks{false, false, false}, "DBJMod(3,2)")
	add(4, 16, -3, marks{false, false, false}, "DBJMod(4,2)")
	return rows
}

func TestFamiliesAreAsTable9Says(t *testing.T) {
	for _, row := range table9Rows() {
		g := mustParse(t, row.expr)
		diameter, connected := g.Diameter()
		if g.Nodes() != row.nodes || g.Degree() != row.degree || !g.Regular() || !connected {
			t.Errorf("%s: %d nodes of degree %d, want %d of %d", row.expr, g.Nodes(), g.Degree(), row.nodes, row.degree)
		}
		if diameter != row.steps && (row.steps >= 0 || diameter > -row.steps) {
			t.Errorf("%s: diameter %d, want %d", row.expr, diameter, row.steps)
		}
		loops, multiple := false, false
		for e := range g.Edges() {
			loops = loops || e.From == e.To
			multiple = multiple || e.Count > 1
		}
		if loops != row.loops || multiple != row.multiple {
			t.Errorf("%s: self-loops %v, parallel circuits %v", row.expr, loops, multiple)
		}
		if symmetric, err := g.ReverseSymmetric(context.Background()); err != nil || row.reverse && !symmetric {
			t.Errorf("%s is not reverse-symmetric, %v", row.expr, err)
		}
	}
}
