package pool

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// subsetsOf lists the different proper subsets of GPUs that take part.
func subsetsOf(w *pricing.Workload) [][]int {
	spaces := []collective.Space{w.Space}
	for _, s := range w.Space.Sections {
		spaces = append(spaces, s.Space)
	}
	var sets [][]int
	for _, s := range spaces {
		if s.Members != nil && !slices.ContainsFunc(sets, func(known []int) bool { return slices.Equal(known, s.Members) }) {
			sets = append(sets, s.Members)
		}
	}
	return sets
}

// kept returns a topology that serves some GPUs and leaves the circuits of the others as they
// are: only the ports involved are reconfigured (Light Bends §3.1). The other circuits are those
// up at the start or, if the start is free, those of the base. If every reconfiguration costs the
// same, keeping circuits saves no time, and only plans for a subset do it.
func (p *Pool) kept(w *pricing.Workload, g *topology.Graph) *topology.Graph {
	if !p.keeps(w) {
		return g
	}
	old, err := p.Fabric.InitialTopology()
	if err == nil && old == nil {
		old, err = p.Fabric.BaseTopology()
	}
	if err != nil {
		return g
	}
	return topology.Keep(g, old, p.Fabric.Ports, p.Fabric.Duplex)
}

// keeps reports whether kept may keep circuits.
func (p *Pool) keeps(w *pricing.Workload) bool {
	_, uniform := w.Fabric.Reconfig.Uniform()
	return !uniform || len(subsetsOf(w)) > 0
}

// addSubsetRings adds the rings of every jump over the GPUs that take part, as the base's shifts
// are for all GPUs. With several ports, either all lead the same way or half of them lead back.
func (p *Pool) addSubsetRings(w *pricing.Workload) {
	f := p.Fabric
	for _, members := range subsetsOf(w) {
		for jump := 1; jump < len(members); jump++ {
			for _, twoWay := range []bool{false, true} {
				if twoWay != f.Duplex && (f.Duplex || f.Ports < 2 || 2*jump >= len(members)) {
					continue
				}
				g, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, ringPairs(members, jump, twoWay),
					ringName(members, jump, twoWay))
				if err == nil {
					p.addFitting(p.kept(w, g))
				}
			}
		}
	}
}

func ringPairs(members []int, jump int, twoWay bool) [][2]int {
	var pairs [][2]int
	for i, u := range members {
		v := members[(i+jump)%len(members)]
		pairs = append(pairs, [2]int{u, v})
		if twoWay {
			pairs = append(pairs, [2]int{v, u})
		}
	}
	return pairs
}

func ringName(members []int, jump int, twoWay bool) string {
	kind := "ring"
	if twoWay {
		kind = "two-way ring"
	}
	return fmt.Sprintf("%s of %d GPUs, jump %d", kind, len(members), jump)
}
