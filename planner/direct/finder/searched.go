package finder

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/topology"
)

// addStored adds stored graphs, either those of least bandwidth or the others. The cost of an
// allreduce is stored with them. An allgather or a reduce-scatter costs half of that on a
// two-way graph; on a one-way graph its cost is computed.
func (f *Finder) addStored(ctx context.Context, k key, p *pool, best bool) error {
	if f.opts.Unstored {
		return nil
	}
	if err := f.addStoredGathers(ctx, k, p, best); err != nil {
		return err
	}
	for _, s := range stored.Of(k.nodes, k.degree, k.twoWay) {
		if (s.Bandwidth.Cmp(leastBandwidth(2, k.nodes)) == 0) != best || f.beyondDiameter(k, s.Steps/2) {
			continue
		}
		if p.covers(f.floor(k, s.Steps/2), distanceRegular) {
			continue
		}
		if f.opts.Op != bfb.AllReduce && !s.TwoWay {
			for _, expr := range []topology.Expr{s.Expr, operator("Transpose", s.Expr)} {
				if _, err := f.check(ctx, k, p, expr, 0); err != nil {
					return err
				}
			}
			continue
		}
		g, err := s.Expr.Build()
		if err != nil {
			return err
		}
		cost := Cost{s.Steps / 2 * f.halves, new(big.Rat).Mul(s.Bandwidth, big.NewRat(int64(f.halves), 2))}
		f.addChecked(k, p, s.Expr, cost, graphTraits(g))
	}
	return nil
}

// addStoredGathers adds the stored graphs that were searched for an allgather only. A
// reduce-scatter takes as long on their transposes.
func (f *Finder) addStoredGathers(ctx context.Context, k key, p *pool, best bool) error {
	if k.twoWay || f.halves == 2 {
		return nil
	}
	for _, s := range stored.ForGather(k.nodes, k.degree) {
		if (s.Bandwidth.Cmp(leastBandwidth(1, k.nodes)) == 0) != best || p.covers(Cost{s.Steps, s.Bandwidth}, simple|balanced) || f.beyondDiameter(k, s.Steps) {
			continue
		}
		expr := s.Expr
		if f.opts.Op == bfb.ReduceScatter {
			expr = operator("Transpose", expr)
		}
		if _, err := f.check(ctx, k, p, expr, 0); err != nil {
			return err
		}
	}
	return nil
}
