package collective

import (
	"fmt"
	"reflect"
	"slices"
)

// WithPattern returns a registry that also knows the steps of a pattern, as an algorithm for the
// operation that the pattern carries out on its number of nodes. Its name is that of the pattern's
// plans, pattern:NAME, so a pattern can be compared, tuned and swept beside all other algorithms.
func (r *Registry) WithPattern(p *PatternFile) (*Registry, error) {
	if p.Op == Pattern {
		return nil, fmt.Errorf("%q carries out no operation that others do; want a %s file with \"op\"", p.name, PatternSchema)
	}
	if slices.ContainsFunc(r.Algorithms(), func(a Algorithm) bool { return a.Name == p.Algorithm }) {
		return nil, fmt.Errorf("%s: there is an algorithm of that name", p.Algorithm)
	}
	made := Own(
		Algorithm{
			Name: p.Algorithm, About: "the steps of a pattern", Ops: []Op{p.Op},
			Sizes: fmt.Sprintf("the %d nodes of the pattern", p.Nodes), Ports: "as its steps do",
		},
		func(_ Op, s *Shape) error {
			switch {
			case s.Nodes != p.Nodes:
				return fmt.Errorf("the %d nodes of the pattern, not %d", p.Nodes, s.Nodes)
			case !reflect.DeepEqual(s.Demand, p.Space.Sizes):
				return fmt.Errorf("the bytes per pair of the pattern")
			}
			return nil
		},
		func(Op, Shape) (Space, []Step) { return p.Space, p.Steps },
	)
	more := &Registry{}
	if r != nil {
		more.own = slices.Clone(r.own)
	}
	more.own = append(more.own, made)
	return more, nil
}

// Operation is what a pattern carries out, if that is an operation.
func (p *PatternFile) Operation() (Operation, bool) {
	return Operation{Op: p.Op, Size: p.Size, Demand: p.Space.Sizes}, p.Op != Pattern
}
