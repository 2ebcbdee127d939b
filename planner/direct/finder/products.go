package finder

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// addProducts adds the fastest Cartesian product of graphs whose breadth-first broadcasts
// are bandwidth-optimal, if it is faster than what the pool has: then so is its own, and
// nothing but the diameter counts. Products of more than two graphs are products of
// products. Factors whose diameters are too large by the Moore bound are not looked for.
func (f *Finder) addProducts(ctx context.Context, k key, p *pool) error {
	for degree := 1; 2*degree <= k.degree; degree++ {
		for n := 2; n <= k.nodes/2; n++ {
			if k.nodes%n != 0 || 2*degree == k.degree && n > k.nodes/n {
				continue
			}
			left := key{n, degree, k.twoWay}
			right := key{k.nodes / n, k.degree - degree, k.twoWay}
			if err := f.addProduct(ctx, k, p, left, right); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Finder) addProduct(ctx context.Context, k key, p *pool, left, right key) error {
	limit := math.MaxInt
	if best, ok := p.fastest(factor); ok {
		limit = best.cost.Steps
	}
	least, ok := f.leastSteps(left)
	rest, also := f.leastSteps(right)
	if !ok || !also || least+rest >= limit {
		return nil
	}
	g, ok, err := f.fastestFactor(ctx, left)
	if err != nil || !ok || g.cost.Steps+rest >= limit {
		return err
	}
	h, ok, err := f.fastestFactor(ctx, right)
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

func (f *Finder) fastestFactor(ctx context.Context, k key) (candidate, bool, error) {
	best, err := f.best(ctx, k)
	if err != nil {
		return candidate{}, false, err
	}
	c, ok := best.fastest(factor)
	return c, ok, nil
}

// leastSteps is the Moore bound, and false where it says that there is no such graph.
func (f *Finder) leastSteps(k key) (int, bool) {
	diameter, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	return f.halves * diameter, ok
}
