package finder

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

// source finds the topologies that are expanded.
type source func(ctx context.Context, k key) ([]candidate, error)

// addBestExpansions adds expansions of graphs of least bandwidth. The theorems do not promise
// that a breadth-first broadcast on an expansion keeps the least bandwidth, but often it does.
func (f *Finder) addBestExpansions(ctx context.Context, k key, p *pool) error {
	from := func(ctx context.Context, k key) ([]candidate, error) {
		best, err := f.best(ctx, k)
		if err != nil {
			return nil, err
		}
		return best.with(balanced), nil
	}
	return f.expand(ctx, k, p, from, f.lines, f.copies)
}

// addExpansions adds expansions of all graphs.
func (f *Finder) addExpansions(ctx context.Context, k key, p *pool) error {
	from := func(ctx context.Context, k key) ([]candidate, error) {
		all, err := f.all(ctx, k)
		if err != nil {
			return nil, err
		}
		return all.members, nil
	}
	return f.expand(ctx, k, p, from, f.lines, f.copies, f.powers, f.twoWays)
}

// expander returns expansions of the topologies of a source.
type expander func(ctx context.Context, k key, from source) ([]open, error)

func (f *Finder) expand(ctx context.Context, k key, p *pool, from source, expanders ...expander) error {
	var found []open
	for _, expand := range expanders {
		some, err := expand(ctx, k, from)
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	return f.settle(ctx, k, p, found)
}

// lines returns line graphs of graphs of n/d nodes. These include line graphs, so that one
// application is enough: the cost of L^k(G) is that of k applications of Theorem 1.
func (f *Finder) lines(ctx context.Context, k key, from source) ([]open, error) {
	n := k.nodes / k.degree
	if k.twoWay || k.degree < 2 || k.nodes%k.degree != 0 || n < 2 {
		return nil, nil
	}
	graphs, err := from(ctx, key{nodes: n, degree: k.degree})
	var found []open
	for _, g := range graphs {
		if linesAreFamily(g.expr) {
			continue
		}
		found = append(found, open{
			candidate: candidate{
				expr:     lineExpr(g.expr),
				cost:     lineCost(g.cost, f.halves, n),
				method:   MethodLine,
				traits:   lineTraits(g.traits),
				diameter: g.diameter + 1,
			},
			exact: g.method == MethodBFB && g.traits.has(simple|twoWay),
		})
	}
	return found, err
}

// linesAreFamily reports whether the line graphs of a graph belong to the same family. For a
// transpose, it looks at the graph that is transposed.
func linesAreFamily(g topology.Expr) bool {
	if g.Family == "Transpose" {
		g = g.Graphs[0]
	}
	return g.Traits().LinesWithin
}

// lineTraits returns the traits of the line graph. Circuits become its nodes, so that no two of
// its circuits are parallel.
func lineTraits(t traits) traits {
	kept := t & (plain | reversible | constructed)
	if t.has(plain) {
		kept |= simple
	}
	return kept
}

// copies returns degree expansions. It does not expand degree expansions again: taking all
// copies at once costs less.
func (f *Finder) copies(ctx context.Context, k key, from source) ([]open, error) {
	var found []open
	for times := 2; times <= k.degree; times++ {
		n := k.nodes / times
		if k.degree%times != 0 || k.nodes%times != 0 || n < 2 {
			continue
		}
		graphs, err := from(ctx, key{n, k.degree / times, k.twoWay})
		if err != nil {
			return nil, err
		}
		for _, g := range graphs {
			if !g.traits.has(plain) || g.expr.Family == "Degree" {
				continue
			}
			found = append(found, open{candidate: candidate{
				expr:     operator("Degree", g.expr, times),
				cost:     degreeCost(g.cost, f.halves, n, times),
				method:   MethodDegree,
				traits:   g.traits &^ balanced,
				diameter: max(g.diameter, 2), // copies of a node are not neighbours
			}})
		}
	}
	return found, nil
}

// powers returns Cartesian powers. It leaves out powers of powers, which are powers of the base
// at the same cost.
func (f *Finder) powers(ctx context.Context, k key, from source) ([]open, error) {
	var found []open
	for times := 2; times <= k.degree; times++ {
		n := radix(k.nodes, times)
		if k.degree%times != 0 || n < 2 || !isPower(k.nodes, n, times) {
			continue
		}
		graphs, err := from(ctx, key{n, k.degree / times, k.twoWay})
		if err != nil {
			return nil, err
		}
		for _, g := range graphs {
			if g.expr.Family == "Power" {
				continue
			}
			found = append(found, open{candidate: candidate{
				expr:     powerExpr(g.expr, times),
				cost:     powerCost(g.cost, n, times, k.nodes),
				method:   MethodPower,
				traits:   g.traits &^ balanced,
				diameter: g.diameter * times,
			}})
		}
	}
	return found, nil
}

// isPower reports whether n is base^k.
func isPower(n, base, k int) bool {
	for range k {
		if n%base != 0 {
			return false
		}
		n /= base
	}
	return n == 1
}
