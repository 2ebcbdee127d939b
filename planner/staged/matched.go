package staged

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// addEveryMatched adds the matched topology of every step and returns their places;
// -1 for a step that has none.
func (p *pool) addEveryMatched(w *workload) ([]int, error) {
	byClass := make([]int, len(w.classes))
	for i := range byClass {
		byClass[i] = math.MinInt
	}
	own := make([]int, len(w.steps))
	for i := range w.steps {
		class := w.classOf[i]
		if byClass[class] == math.MinInt {
			byClass[class] = -1
			if fitsPorts(p.fabric, w.steps[i]) {
				place, err := p.addMatched(w, i)
				if err != nil {
					return nil, err
				}
				byClass[class] = place
			}
		}
		own[i] = byClass[class]
	}
	return own, nil
}

// addMatched adds the topology that gives every pair of a step its own circuits, and
// returns its place.
func (p *pool) addMatched(w *workload, step int) (int, error) {
	f := p.fabric
	s := w.steps[step]
	if k, ok := s.Rotation(); ok && !f.Duplex {
		return p.add(ringCandidate(f.Nodes, k, f.Ports)), nil
	}
	name := fmt.Sprintf("matched:%d", step+1)
	if c := p.matchedCirculant(w, step, name); c != nil {
		return p.add(c), nil
	}
	g, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, s.Pairs(), name)
	if err != nil {
		return 0, err
	}
	return p.add(graphCandidate(p.kept(w, g))), nil
}

// matchedCirculant is topology.Matched for a step of several offsets that looks the same from
// every node, which says what the jumps are; nil for another, and where circuits are two-way
// or some stay or have failed. A ring has thousands of such steps.
func (p *pool) matchedCirculant(w *workload, step int, name string) *candidate {
	f := p.fabric
	jumps := slices.Clone(w.classes[w.classOf[step]].offsets)
	slices.Sort(jumps)
	jumps = slices.Compact(jumps)
	if len(jumps) < 2 || jumps[0] == 0 || len(jumps) > f.Ports || f.Duplex || f.Avoid != "" || p.keeps(w) {
		return nil
	}
	var wide []int
	for _, j := range jumps {
		wide = append(wide, repeat(j, f.Ports/len(jumps))...)
	}
	c := circulantCandidate(f.Nodes, wide)
	c.name = name
	return c
}

// addNarrow adds, where free ports are of use, the matched topologies with fewer circuits
// for each pair: what they leave free can be set up for the next step meanwhile.
func (p *pool) addNarrow(w *workload) error {
	f := p.fabric
	if f.Overlap.Kind != fabric.OverlapPorts {
		return nil
	}
	for i := range w.classes {
		s := w.classes[i].step
		for ports := 1; ports < f.Ports; ports++ {
			if k, ok := s.Rotation(); ok && !f.Duplex {
				p.add(ringCandidate(f.Nodes, k, ports))
				continue
			}
			g, err := topology.Matched(f.Nodes, ports, f.Duplex, s.Pairs(), fmt.Sprintf("matched:%d/%d", i+1, ports))
			if errors.Is(err, topology.ErrTooManyPorts) {
				continue
			}
			if err != nil {
				return err
			}
			p.add(graphCandidate(g))
		}
	}
	return nil
}
