package layout

import "fmt"

// pairwise is a kind of layouts that this file adds: GPUs 2i and 2i+1 share a switch for each of
// their first ports, and the last ports of all GPUs share one more switch.
type pairwise struct{}

// Pairwise is its entry in the list of kinds.
var Pairwise = kind{
	syntax: "pairwise", reads: named("pairwise"),
	parse: func(string) (plugger, error) { return pairwise{}, nil },
}

func (pairwise) String() string { return "pairwise" }

func (pairwise) plug(p *Plugging) error {
	if p.nodes%2 != 0 || p.ports < 2 {
		return fmt.Errorf("pairwise is for an even number of GPUs with 2 ports and more")
	}
	own := p.ports - 1
	for u := range p.nodes {
		for port := range own {
			p.at[u*p.ports+port] = int32(1 + u/2*own + port)
		}
		p.at[u*p.ports+own] = 0
	}
	return nil
}

// Add enters a kind into the list, and returns a function that removes it.
func Add(k kind) (remove func()) {
	before := kinds
	kinds = append(kinds[:len(kinds):len(kinds)], k)
	return func() { kinds = before }
}
