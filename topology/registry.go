package topology

import (
	"fmt"
	"maps"
	"slices"
)

// Family is a user-defined family of topologies, for a Registry. An expression names it with
// numbers in parentheses, alone or inside operators.
type Family struct {
	Name  string // letters and digits, as it is written in an expression
	Usage string // how it is written, e.g. "Star(m)"
	Least int    // the fewest numbers that it takes, at least 1
	Most  int    // the most numbers; 0: any
	// Size returns the number of nodes of the graph for these numbers, and the most circuits
	// that leave or enter a node, or what is wrong with the numbers.
	Size func(numbers []int) (nodes, degree int, err error)
	// Build makes the graph of numbers that Size has accepted. It has no self-loops.
	Build func(numbers []int) (*Graph, error)
	// Members, if not nil, lists the numbers of the graphs that a search for topologies of that
	// size and degree should try.
	Members func(nodes, degree int) [][]int
	// Traits hold for all its graphs. Members are tried whatever Search says.
	Traits Traits
}

// Registry holds the families that expressions may name: the built-in ones and the
// user-defined ones it was created with. It is immutable; nil has the built-in ones.
type Registry struct{ own map[string]Family }

// NewRegistry returns a registry with additional families.
func NewRegistry(own ...Family) (*Registry, error) {
	r := &Registry{own: map[string]Family{}}
	for _, f := range own {
		p := parser{text: f.Name}
		_, builtIn := grammar[f.Name]
		_, twice := r.own[f.Name]
		switch {
		case f.Name == "" || p.word() != f.Name || !letter(f.Name[0]):
			return nil, fmt.Errorf("topology family %q: a name is a letter, then letters and digits", f.Name)
		case builtIn || twice:
			return nil, fmt.Errorf("topology family %s: there is one of that name", f.Name)
		case f.Least < 1 || f.Most != 0 && f.Most < f.Least:
			return nil, fmt.Errorf("topology family %s: %d to %d numbers make no sense", f.Name, f.Least, f.Most)
		case f.Size == nil || f.Build == nil:
			return nil, fmt.Errorf("topology family %s: Size and Build must be given", f.Name)
		}
		r.own[f.Name] = f
	}
	return r, nil
}

// Names lists the families and operators in alphabetical order.
func (r *Registry) Names() []string {
	names := slices.Collect(maps.Keys(grammar))
	if r != nil {
		names = slices.AppendSeq(names, maps.Keys(r.own))
	}
	slices.Sort(names)
	return names
}

// ParseExpr is the function ParseExpr with the families of the registry.
func (r *Registry) ParseExpr(s string) (Expr, error) { return parse(s, r) }

// Parse reads an expression and builds its graph.
func (r *Registry) Parse(s string) (*Graph, error) {
	e, err := r.ParseExpr(s)
	if err != nil {
		return nil, err
	}
	return e.Build()
}

// Members lists the graphs of the registry's own families that have n nodes of the given degree,
// by the names of the families.
func (r *Registry) Members(n, degree int) ([]Expr, error) {
	if r == nil {
		return nil, nil
	}
	var all []Expr
	for _, name := range slices.Sorted(maps.Keys(r.own)) {
		f := r.own[name]
		if f.Members == nil {
			continue
		}
		for _, numbers := range f.Members(n, degree) {
			e, err := r.ParseExpr(Expr{Family: name, Numbers: numbers}.String())
			if err != nil {
				return nil, err
			}
			if _, ports, _ := f.Size(numbers); e.Nodes() != n || ports != degree {
				return nil, fmt.Errorf("topology family %s: %v has %d nodes of degree %d, not %d of %d", name, e, e.Nodes(), ports, n, degree)
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// family returns one of the registry's own families.
func (r *Registry) family(name string) (Family, bool) {
	if r == nil {
		return Family{}, false
	}
	f, ok := r.own[name]
	return f, ok
}

// rule returns what the grammar says of a name.
func (r *Registry) rule(name string) (rule, bool) {
	if f, ok := r.family(name); ok {
		return rule{form: numbersForm, usage: f.Usage, least: f.Least, most: f.Most, size: f.size}, true
	}
	known, ok := grammar[name]
	return known, ok
}

// size is Size in the form that the grammar uses. Of the nodes only the largest number of
// circuits is known.
func (f Family) size(x []int, _ []size) (size, *fault) {
	nodes, degree, err := f.Size(x)
	switch {
	case err != nil:
		return size{}, wrong(-1, "%v", err)
	case nodes < 1 || degree < 0:
		return size{}, wrong(-1, "%d nodes of degree %d make no sense", nodes, degree)
	}
	return size{nodes: int64(nodes), degree: int64(degree), irregular: true}, nil
}

// build makes the graph and checks that it is as Size has said.
func (f Family) build(name string, x []int) (*Graph, error) {
	nodes, degree, err := f.Size(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g, err := f.Build(x)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case g == nil || g.Nodes() != nodes:
		return nil, fmt.Errorf("%s: its family has not built the %d nodes that it said", name, nodes)
	}
	for u, in := range g.InDegrees() {
		switch out := g.OutDegree(u); {
		case out > degree || in > degree:
			return nil, fmt.Errorf("%s: node %d has %d circuits out and %d in, its family said at most %d", name, u, out, in, degree)
		case g.Count(u, u) > 0:
			return nil, fmt.Errorf("%s: node %d has a circuit to itself", name, u)
		}
	}
	return g.Named(name), nil
}
