package expand

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/arrival"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// solver finds allgathers for expressions that have been parsed.
type solver struct{ opts Options }

// solve returns the frontier of allgathers on the graph of an expression or, if reversed, on
// its transpose, with the node numbers of the graph.
func (s *solver) solve(ctx context.Context, e topology.Expr, reversed bool) ([]*Allgather, error) {
	if e.Family == "Transpose" {
		return s.solve(ctx, e.Graphs[0], !reversed)
	}
	g, err := e.Build()
	if err != nil {
		return nil, err
	}
	if reversed {
		// A two-way graph is its own transpose.
		if turned := g.Transpose("Transpose(" + g.Name() + ")"); !turned.Equal(g) {
			g = turned
		} else {
			reversed = false
		}
	}
	var constructed []*Allgather
	if s.opts.Methods != OnlyBFB && s.opts.Chunks == 0 {
		if constructed, err = s.construct(ctx, e, reversed); err != nil {
			return nil, err
		}
	}
	for i, a := range constructed {
		named := *a
		named.Graph = g
		constructed[i] = &named
	}
	if s.opts.Methods == OnlyConstruction && len(constructed) > 0 {
		return pareto(constructed), nil
	}
	broadcast, err := s.broadcast(ctx, g)
	if err != nil {
		return nil, err
	}
	return pareto(append([]*Allgather{broadcast}, constructed...)), nil
}

// bothWays solves for the graph and for its transpose.
func (s *solver) bothWays(ctx context.Context, e topology.Expr) (forward, backward []*Allgather, err error) {
	if forward, err = s.solve(ctx, e, false); err != nil {
		return nil, nil, err
	}
	if forward[0].Graph.Bidirectional() {
		return forward, forward, nil
	}
	backward, err = s.solve(ctx, e, true)
	return forward, backward, err
}

// broadcast returns the breadth-first broadcast on a graph.
func (s *solver) broadcast(ctx context.Context, g *topology.Graph) (*Allgather, error) {
	opts := bfb.Options{Chunks: s.opts.Chunks}
	if s.opts.Progress != nil {
		opts.Progress = func(done, total int) { s.opts.Progress(g.Name(), done, total) }
	}
	return solveBFB(ctx, g, opts)
}

// construct returns the schedules that are constructed for an expression from those of the
// expressions in it; there may be none.
func (s *solver) construct(ctx context.Context, e topology.Expr, reversed bool) ([]*Allgather, error) {
	switch e.Family {
	case "Bidirect":
		return s.bidirect(ctx, e.Graphs[0])
	case "Line":
		expand := Line
		if reversed {
			expand = lineOfTranspose
		}
		return s.expand(ctx, e.Graphs[0], reversed, func(a *Allgather) (*Allgather, error) {
			return expand(ctx, a, e.Numbers[0])
		})
	case "Degree":
		return s.expand(ctx, e.Graphs[0], reversed, func(a *Allgather) (*Allgather, error) { return Degree(a, e.Numbers[0]) })
	case "Idle":
		return s.expand(ctx, e.Graphs[0], reversed, func(a *Allgather) (*Allgather, error) { return Idle(a, e.Numbers[0]) })
	case "Power":
		return s.expand(ctx, e.Graphs[0], reversed, func(a *Allgather) (*Allgather, error) { return Power(a, e.Numbers[0]) })
	case "Product":
		if !allEqual(e.Graphs) {
			return nil, nil
		}
		return s.expand(ctx, e.Graphs[0], reversed, func(a *Allgather) (*Allgather, error) { return Power(a, len(e.Graphs)) })
	}
	return s.known(ctx, e, reversed)
}

// allEqual reports whether a product is a power.
func allEqual(factors []topology.Expr) bool {
	return !slices.ContainsFunc(factors[1:], func(e topology.Expr) bool {
		return e.String() != factors[0].String()
	})
}

// expand applies an expansion to all schedules of an operand.
func (s *solver) expand(ctx context.Context, operand topology.Expr, reversed bool, expansion func(*Allgather) (*Allgather, error)) ([]*Allgather, error) {
	bases, err := s.solve(ctx, operand, reversed)
	if err != nil {
		return nil, err
	}
	all := make([]*Allgather, 0, len(bases))
	for _, base := range bases {
		a, err := expansion(base)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// bidirect combines the schedules of both directions of an operand.
func (s *solver) bidirect(ctx context.Context, operand topology.Expr) ([]*Allgather, error) {
	forward, backward, err := s.bothWays(ctx, operand)
	if err != nil {
		return nil, err
	}
	var all []*Allgather
	for _, f := range forward {
		for _, b := range backward {
			a, err := Bidirect(ctx, f, b)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		}
	}
	return all, nil
}

// known returns the schedule in which data waits, if a search has found one.
func (s *solver) known(ctx context.Context, e topology.Expr, reversed bool) ([]*Allgather, error) {
	if reversed {
		e = topology.Expr{Family: "Transpose", Graphs: []topology.Expr{e}}
	}
	times, ok := arrival.Of(e.String())
	if !ok {
		return nil, nil
	}
	g, err := e.Build()
	if err != nil {
		return nil, err
	}
	a, err := Arrivals(ctx, g, times)
	if err != nil {
		return nil, err
	}
	return []*Allgather{a}, nil
}

// pareto keeps the allgathers that no other beats.
func pareto(all []*Allgather) []*Allgather {
	return frontier(all, func(a *Allgather) Figures { return a.Figures })
}

// frontier returns the elements that no other matches or beats in both steps and bandwidth, by
// ascending steps. Of equal elements it keeps the first.
func frontier[T any](all []T, figures func(T) Figures) []T {
	slices.SortStableFunc(all, func(a, b T) int {
		x, y := figures(a), figures(b)
		return cmp.Or(cmp.Compare(x.Steps, y.Steps), x.Bandwidth.Cmp(y.Bandwidth))
	})
	kept := all[:1]
	for _, a := range all[1:] {
		if figures(a).Bandwidth.Cmp(figures(kept[len(kept)-1]).Bandwidth) < 0 {
			kept = append(kept, a)
		}
	}
	return kept
}
