package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric/ports"
)

// Holds returns what the plan occupies while it runs, in the syntax of fabric.ParseHeld: the
// GPUs that take part, and those ports of other GPUs that have a circuit in some stage.
func (p *Plan) Holds() (string, error) {
	takes := make([]bool, p.Fabric.Nodes)
	spaces := []collective.Space{p.Collective.Space}
	for i := range p.Collective.Space.Sections {
		spaces = append(spaces, p.Collective.Space.Sections[i].Space)
	}
	for i := range spaces {
		s := &spaces[i]
		switch {
		case s.Kind == collective.Sections:
		case s.Kind == collective.Listed:
			for _, piece := range s.Pieces {
				for _, u := range append(slices.Clone(piece.From), piece.To...) {
					takes[u] = true
				}
			}
		default:
			for m := range s.MembersCount() {
				takes[s.Member(m)] = true
			}
		}
	}
	used := map[ports.Fibre]bool{}
	var now *ports.Wiring
	for i := range p.Stages {
		next, err := p.Wire(now, i)
		if err != nil {
			return "", fmt.Errorf("stage %d: %w", i+1, err)
		}
		for c := range next.Circuits() {
			used[c.In], used[c.Out] = true, true
		}
		now = next
	}
	var items []string
	for u := 0; u < len(takes); u++ {
		if takes[u] {
			last := u
			for last+1 < len(takes) && takes[last+1] {
				last++
			}
			if last > u {
				items = append(items, fmt.Sprintf("%d-%d", u, last))
			} else {
				items = append(items, fmt.Sprint(u))
			}
			u = last
			continue
		}
		for port := range p.Fabric.Ports {
			if used[ports.Fibre{GPU: u, Port: port}] {
				items = append(items, fmt.Sprintf("%d.%d", u, port))
			}
		}
	}
	return strings.Join(items, ","), nil
}
