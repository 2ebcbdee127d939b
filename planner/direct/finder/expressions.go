package finder

import (
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// If several expressions name the same graph up to the numbering of nodes, only one of them is
// built: the one that names a family, if there is one.

func family(name string, numbers ...int) topology.Expr {
	return topology.Expr{Family: name, Numbers: numbers}
}

func operator(name string, g topology.Expr, numbers ...int) topology.Expr {
	return topology.Expr{Family: name, Graphs: []topology.Expr{g}, Numbers: numbers}
}

// lineExpr returns the line graph of g.
func lineExpr(g topology.Expr) topology.Expr {
	switch {
	case g.Family == "Line":
		return operator("Line", g.Graphs[0], g.Numbers[0]+1)
	case g.Family == "K" && len(g.Numbers) == 1:
		return family("Kautz", g.Numbers[0]-1, 1)
	case g.Family == "Kautz":
		return family("Kautz", g.Numbers[0], g.Numbers[1]+1)
	}
	return operator("Line", g, 1)
}

// productExpr returns the Cartesian product.
func productExpr(graphs ...topology.Expr) topology.Expr {
	var factors []topology.Expr
	for _, g := range graphs {
		factors = append(factors, factorsOf(g)...)
	}
	slices.SortStableFunc(factors, func(a, b topology.Expr) int { return strings.Compare(a.String(), b.String()) })
	if sides, ok := sidesOf(factors); ok {
		return torusExpr(sides)
	}
	first := factors[0].String()
	if slices.ContainsFunc(factors, func(g topology.Expr) bool { return g.String() != first }) {
		return topology.Expr{Family: "Product", Graphs: factors}
	}
	return powerExpr(factors[0], len(factors))
}

// powerExpr returns the k-th Cartesian power, k >= 2.
func powerExpr(g topology.Expr, k int) topology.Expr {
	if g.Family == "K" && len(g.Numbers) == 1 {
		if g.Numbers[0] == 2 {
			return family("Q", k)
		}
		return family("H", k, g.Numbers[0])
	}
	if sides, ok := sidesOf([]topology.Expr{g}); ok {
		return torusExpr(slices.Repeat(sides, k))
	}
	return operator("Power", g, k)
}

// factorsOf takes a product apart.
func factorsOf(g topology.Expr) []topology.Expr {
	switch g.Family {
	case "Product":
		return g.Graphs
	case "Power":
		return slices.Repeat(g.Graphs, g.Numbers[0])
	case "Q":
		return slices.Repeat([]topology.Expr{family("K", 2)}, g.Numbers[0])
	case "H":
		return slices.Repeat([]topology.Expr{family("K", g.Numbers[1])}, g.Numbers[0])
	case "Torus":
		return each.Of(g.Numbers, ringExpr)
	}
	return []topology.Expr{g}
}

// sidesOf returns the sides of the torus that is the product of those graphs. ok is false if
// the product is no torus or is better known by another name.
func sidesOf(factors []topology.Expr) (sides []int, ok bool) {
	rings := false
	for _, g := range factors {
		switch {
		case g.Family == "Ring":
			rings = true
		case g.Family != "K" || len(g.Numbers) != 1 || g.Numbers[0] > 3:
			return nil, false
		}
		sides = append(sides, g.Numbers[0])
	}
	return sides, rings || slices.Min(sides) < slices.Max(sides)
}

// torusExpr returns the torus with these sides, the longest first.
func torusExpr(sides []int) topology.Expr {
	slices.SortFunc(sides, func(a, b int) int { return b - a })
	return family("Torus", sides...)
}

// ringExpr returns the two-way ring.
func ringExpr(m int) topology.Expr {
	if m <= 3 {
		return family("K", m)
	}
	return family("Ring", m)
}
