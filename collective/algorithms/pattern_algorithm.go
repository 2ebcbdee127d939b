package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
	"reflect"
	"slices"
)

// WithPattern returns a registry that also knows the steps of a pattern, as an algorithm for
// the pattern's operation on its number of nodes. It is named like the pattern's plans,
// pattern:NAME, so a pattern can be compared, tuned and swept with all other algorithms.
func (r *Registry) WithPattern(p *collective.PatternFile) (*Registry, error) {
	if p.Op == collective.Pattern {
		return nil, fmt.Errorf("%q names no operation; want a %s file with \"op\"", p.Algorithm, collective.PatternSchema)
	}
	if slices.ContainsFunc(r.Algorithms(), func(a Algorithm) bool { return a.Name == p.Algorithm }) {
		return nil, fmt.Errorf("%s: there is an algorithm of that name", p.Algorithm)
	}
	made := Own(
		Algorithm{
			Name: p.Algorithm, About: "the steps of a pattern", Ops: []collective.Op{p.Op},
			Sizes: fmt.Sprintf("the %d nodes of the pattern", p.Nodes), Ports: "as its steps do",
		},
		func(_ collective.Op, s *collective.Shape) error {
			switch {
			case s.Nodes != p.Nodes:
				return fmt.Errorf("the %d nodes of the pattern, not %d", p.Nodes, s.Nodes)
			case !reflect.DeepEqual(s.Demand, p.Space.Sizes):
				return fmt.Errorf("the bytes per pair of the pattern")
			}
			return nil
		},
		func(collective.Op, collective.Shape) (collective.Space, []collective.Step) { return p.Space, p.Steps },
	)
	more := &Registry{}
	if r != nil {
		more.own = slices.Clone(r.own)
	}
	more.own = append(more.own, made)
	return more, nil
}
