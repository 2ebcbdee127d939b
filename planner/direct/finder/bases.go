package finder

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

// addBases adds graphs of families, including user-defined ones.
func (f *Finder) addBases(ctx context.Context, k key, p *pool) error {
	own, err := f.opts.Families.Members(k.nodes, k.degree)
	if err != nil {
		return err
	}
	if err := f.addFamilies(ctx, k, p, append(bases(k.nodes, k.degree), own...)); err != nil {
		return err
	}
	return f.addStored(ctx, k, p, true)
}

// addLowDiameterBases adds graphs of families that are made for few steps. Transposing a graph
// swaps the costs of allgather and reduce-scatter, so the transpose is a topology of its own
// unless both are needed.
func (f *Finder) addLowDiameterBases(ctx context.Context, k key, p *pool) error {
	var all []topology.Expr
	for _, expr := range lowDiameterBases(k.nodes, k.degree) {
		all = append(all, expr)
		if f.halves == 1 && !expr.Traits().ReverseSymmetric {
			all = append(all, operator("Transpose", expr))
		}
	}
	if f.beyondMoore(k) {
		return nil
	}
	if err := f.addFamilies(ctx, k, p, all); err != nil {
		return err
	}
	return f.addStored(ctx, k, p, false)
}

func (f *Finder) addFamilies(ctx context.Context, k key, p *pool, exprs []topology.Expr) error {
	least, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	if !ok {
		return nil
	}
	for _, expr := range exprs {
		t := expr.Traits()
		if t.DistanceRegular && p.covers(f.floor(k, least), distanceRegular|published(expr)) {
			continue
		}
		g, err := expr.Build()
		if err != nil {
			return err
		}
		if t.DistanceRegular {
			f.addDistanceRegular(k, p, expr, g)
			continue
		}
		c := candidate{traits: graphTraits(g) | published(expr)}
		if t.ReverseSymmetric {
			c.traits |= reversible
		}
		if p.covers(f.floor(k, least), c.hopes()) {
			continue
		}
		if _, err := f.checkGraph(ctx, k, p, expr, g, c.traits); err != nil {
			return err
		}
	}
	return nil
}

// distanceRegular holds the traits of distance-regular graphs.
const distanceRegular = plain | simple | twoWay | reversible | balanced

// addDistanceRegular adds a distance-regular graph, whose broadcast is bandwidth-optimal and
// takes equally long from all nodes. (Zhao et al., Theorem 18.)
func (f *Finder) addDistanceRegular(k key, p *pool, expr topology.Expr, g *topology.Graph) {
	dist := make([]int32, k.nodes)
	reached := g.Distances(0, dist, nil)
	f.addChecked(k, p, expr, f.floor(k, int(dist[reached[len(reached)-1]])), distanceRegular|published(expr))
}

// published returns the trait constructed, or none if the graph's family was added to those of
// Zhao et al.
func published(expr topology.Expr) traits {
	if expr.Traits().Added {
		return 0
	}
	return constructed
}

// bases returns the graphs of n >= 2 nodes and degree d that are not expansions of others and
// whose breadth-first broadcasts are expected to be bandwidth-optimal. Circulants whose jumps
// have to be searched for are not among them. (Zhao et al., Table 9.)
func bases(n, d int) []topology.Expr {
	switch {
	case n == 2 && d == 1:
		return []topology.Expr{family("K", 2)}
	case n == 2 || d == 1:
		return []topology.Expr{family("UniRing", d, n)}
	case d == n-1:
		return []topology.Expr{family("K", n)}
	}
	var all []topology.Expr
	if n == 2*d {
		all = append(all, family("K", d, d))
	}
	if d >= n {
		all = append(all, completeMultigraph(n, d))
	}
	if d == 2 {
		all = append(all, ringExpr(n))
	}
	if d >= 4 && d%2 == 0 && n <= 4 {
		all = append(all, family("BiRing", d, n))
	}
	if d == 4 && n >= 5 {
		all = append(all, closestCirculant(n))
	}
	if n == d+2 {
		all = append(all, directedCirculant(n))
	}
	return append(all, topology.Searched(topology.ForBandwidth, n, d)...)
}

// lowDiameterBases returns the graphs that are made for few steps.
func lowDiameterBases(n, d int) []topology.Expr {
	if d == 1 || n < d+2 {
		return nil
	}
	return topology.Searched(topology.ForSteps, n, d)
}

// closestCirculant is the two-way circulant of two jumps and least diameter.
// (Zhao et al., Theorem 22, for n > 6; the smaller two have diameters 1 and 2.)
func closestCirculant(n int) topology.Expr {
	m := 1
	for 2*m*(m+1)+1 < n { // m >= (sqrt(2n-1)-1)/2
		m++
	}
	m = min(m, (n-1)/2-1)
	return family("C", n, m, m+1)
}

// directedCirculant has all jumps but one: after the first step a node misses one shard,
// which all others can send it. (Zhao et al., Table 9.)
func directedCirculant(n int) topology.Expr {
	numbers := []int{n}
	for a := 1; a <= n-2; a++ {
		numbers = append(numbers, a)
	}
	return family("DC", numbers...)
}

// completeMultigraph joins all pairs by as many circuits as d >= n-1 ports allow. It spreads
// the remaining ports over jumps, two-way if their number allows.
func completeMultigraph(n, d int) topology.Expr {
	times := make([]int, n)
	for a := 1; a < n; a++ {
		times[a] = d / (n - 1)
	}
	rest := d % (n - 1)
	if rest%2 == 1 && n%2 == 0 {
		times[n/2]++
		rest--
	}
	for a := 1; rest > 0; a++ {
		times[a]++
		rest--
		if rest > 0 {
			times[n-a]++
			rest--
		}
	}
	numbers := []int{n}
	for a, count := range times {
		for range count {
			numbers = append(numbers, a)
		}
	}
	return family("DC", numbers...)
}
