package finder

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// addProducts adds the fastest Cartesian product of graphs whose breadth-first broadcasts are
// bandwidth-optimal, if it is faster than what the pool has. The product's broadcast is then
// bandwidth-optimal too, so that only the diameter counts. Products of more than two graphs are
// products of products. Factors whose diameters are too large by the Moore bound are not
// searched for. addProducts looks for a product of constructed factors, and for one of any
// factors.
func (f *Finder) addProducts(ctx context.Context, k key, p *pool) error {
	for degree := 1; 2*degree <= k.degree; degree++ {
		for n := 2; n <= k.nodes/2; n++ {
			if k.nodes%n != 0 || 2*degree == k.degree && n > k.nodes/n {
				continue
			}
			left := key{n, degree, k.twoWay}
			right := key{k.nodes / n, k.degree - degree, k.twoWay}
			for _, of := range []traits{factor | constructed, factor} {
				if err := f.addProduct(ctx, k, p, [2]key{left, right}, of); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addProduct adds the product of the fastest factors of some traits.
func (f *Finder) addProduct(ctx context.Context, k key, p *pool, factors [2]key, of traits) error {
	left, right := factors[0], factors[1]
	limit := math.MaxInt
	if best, ok := p.fastest(of); ok {
		limit = best.cost.Steps
	}
	least, ok := f.leastSteps(left)
	rest, also := f.leastSteps(right)
	if !ok || !also || least+rest >= limit {
		return nil
	}
	g, ok, err := f.fastestFactor(ctx, left, of)
	if err != nil || !ok || g.cost.Steps+rest >= limit {
		return err
	}
	h, ok, err := f.fastestFactor(ctx, right, of)
	if err != nil || !ok || g.cost.Steps+h.cost.Steps >= limit {
		return err
	}
	c := candidate{
		expr:     productExpr(g.expr, h.expr),
		cost:     productCost(f.halves, k.nodes, g.cost.Steps, h.cost.Steps),
		method:   MethodProduct,
		traits:   g.traits & h.traits,
		diameter: g.diameter + h.diameter,
	}
	f.met(k, c.cost)
	p.add(c)
	return nil
}

func (f *Finder) fastestFactor(ctx context.Context, k key, of traits) (candidate, bool, error) {
	best, err := f.best(ctx, k)
	if err != nil {
		return candidate{}, false, err
	}
	c, ok := best.fastest(of)
	return c, ok, nil
}

// leastSteps returns the Moore bound on the steps, and false if it rules out such a graph.
func (f *Finder) leastSteps(k key) (int, bool) {
	diameter, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	return f.halves * diameter, ok
}
