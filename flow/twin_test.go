package flow_test

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// minPeak is the twin of column generation: the same optimum from a different
// formulation (flow conservation per source and node, one variable per source and
// bundle, no paths) and a different method (two-phase tableau with Bland's rule).
// It is slow and short on purpose.
func minPeak(g *topology.Graph, demands []flow.Demand) float64 {
	return edgeProgram(g, demands, 0)
}

// minHops is the smallest total of bytes x hops with at most the given peak.
func minHops(g *topology.Graph, demands []flow.Demand, peak float64) float64 {
	return edgeProgram(g, demands, peak)
}

// edgeProgram minimises the peak, or with a limit on the peak the total flow.
func edgeProgram(g *topology.Graph, demands []flow.Demand, limit float64) float64 {
	n := g.Nodes()
	var edges []topology.Edge
	for e := range g.Edges() {
		if e.From != e.To {
			edges = append(edges, e)
		}
	}
	m := len(edges)
	bySource := map[int][]flow.Demand{}
	var sources []int
	for _, d := range demands {
		if bySource[d.Src] == nil {
			sources = append(sources, d.Src)
		}
		bySource[d.Src] = append(bySource[d.Src], d)
	}
	// Variables: f[s][e], then L, then a slack per edge.
	vars := len(sources)*m + 1 + m
	peak := len(sources) * m
	var a [][]float64
	var b []float64
	for s, src := range sources {
		for v := range n {
			if v == src {
				continue
			}
			row := make([]float64, vars)
			for e, edge := range edges {
				if edge.To == v {
					row[s*m+e]++
				}
				if edge.From == v {
					row[s*m+e]--
				}
			}
			need := 0.0
			for _, d := range bySource[src] {
				if d.Dst == v {
					need += d.Amount
				}
			}
			a, b = append(a, row), append(b, need)
		}
	}
	for e, edge := range edges {
		row := make([]float64, vars)
		for s := range sources {
			row[s*m+e] = 1
		}
		if limit == 0 {
			row[peak] = -float64(edge.Count)
		}
		row[peak+1+e] = 1
		a, b = append(a, row), append(b, limit*float64(edge.Count))
	}
	cost := make([]float64, vars)
	for i := range peak {
		if limit > 0 {
			cost[i] = 1
		}
	}
	cost[peak] = 1
	return tableau(a, b, cost)
}

// tableau minimises cost*x subject to a*x = b, x >= 0, with b >= 0.
func tableau(a [][]float64, b, cost []float64) float64 {
	const eps = 1e-9
	rows, vars := len(a), len(cost)
	t := make([][]float64, rows)
	basis := make([]int, rows)
	for i := range t {
		t[i] = make([]float64, vars+rows+1)
		copy(t[i], a[i])
		t[i][vars+i] = 1
		t[i][vars+rows] = b[i]
		basis[i] = vars + i
	}
	run := func(cost []float64, width int) float64 {
		for {
			enter := -1
			for j := range width {
				reduced := cost[j]
				for i, v := range basis {
					reduced -= cost[v] * t[i][j]
				}
				if reduced < -eps {
					enter = j
					break
				}
			}
			if enter < 0 {
				sum := 0.0
				for i, v := range basis {
					sum += cost[v] * t[i][vars+rows]
				}
				return sum
			}
			leave, best := -1, math.Inf(1)
			for i := range t {
				if t[i][enter] > eps {
					r := t[i][vars+rows] / t[i][enter]
					if r < best-eps || r < best+eps && basis[i] < basis[leave] {
						leave, best = i, r
					}
				}
			}
			pivot := t[leave][enter]
			for j := range t[leave] {
				t[leave][j] /= pivot
			}
			for i := range t {
				if f := t[i][enter]; i != leave && f != 0 {
					for j := range t[i] {
						t[i][j] -= f * t[leave][j]
					}
				}
			}
			basis[leave] = enter
		}
	}
	first := make([]float64, vars+rows)
	for i := range rows {
		first[vars+i] = 1
	}
	if run(first, vars) > 1e-7 {
		return math.Inf(1)
	}
	// Artificial variables that are still basic, at zero, get a prohibitive cost.
	second := make([]float64, vars+rows)
	copy(second, cost)
	for i := range rows {
		second[vars+i] = 1e6
	}
	return run(second, vars)
}
