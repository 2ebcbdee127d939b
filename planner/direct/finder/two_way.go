package finder

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// twoWays returns the two-way versions of one-way graphs of half the degree. One half of every
// shard takes the circuits of the graph and the other those of its transpose. If both look the
// same, the cost does not change. (Zhao et al., appendix F.)
func (f *Finder) twoWays(ctx context.Context, k key, from source) ([]open, error) {
	if !k.twoWay || k.degree%2 != 0 {
		return nil, nil
	}
	graphs, err := from(ctx, key{nodes: k.nodes, degree: k.degree / 2})
	if err != nil {
		return nil, err
	}
	least, _ := topology.MooreDiameter(k.nodes, k.degree, true)
	var found []open
	for _, g := range graphs {
		c := candidate{
			expr:     operator("Bidirect", g.expr),
			cost:     g.cost,
			method:   MethodBidirect,
			traits:   g.traits&(plain|constructed) | twoWay | reversible,
			diameter: least,
		}
		if !g.traits.has(reversible) {
			if c.cost, err = f.mirrored(ctx, g); err != nil {
				return nil, err
			}
		}
		found = append(found, open{candidate: c})
	}
	return found, nil
}

// mirrored returns the cost of the two-way version of a graph that is not isomorphic to its
// transpose: a step takes as long as its slower direction. The cost has no bandwidth if the
// schedule of the graph is not a breadth-first broadcast: the steps of other schedules are not
// known here.
func (f *Finder) mirrored(ctx context.Context, c candidate) (Cost, error) {
	if c.method != MethodBFB {
		return Cost{}, nil
	}
	g, err := c.expr.Build()
	if err != nil {
		return Cost{}, err
	}
	s, err := bfb.Solve(ctx, g, bfb.Options{Op: bfb.AllReduce, Progress: f.progress(c.expr)})
	if err != nil {
		return Cost{}, err
	}
	// The reduce-scatter comes first and runs the steps on the transpose backwards.
	steps := s.Steps / 2
	sum := new(big.Rat)
	for t := range steps {
		gather, scatter := s.PerStep[steps+t], s.PerStep[steps-1-t]
		if gather.Cmp(scatter) < 0 {
			gather = scatter
		}
		sum.Add(sum, gather)
	}
	sum.Mul(sum, big.NewRat(int64(f.halves)*int64(s.Degree), int64(s.Nodes)))
	return Cost{f.halves * steps, sum}, nil
}
