package pool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// AddEveryMatched adds the matched topology of every step and returns its index for each step, or
// -1 for a step without one.
func (p *Pool) AddEveryMatched(ctx context.Context, w *pricing.Workload) ([]int, error) {
	byClass := slices.Repeat([]int{math.MinInt}, len(w.Classes))
	own := make([]int, len(w.Steps))
	for i := range w.Steps {
		class := w.ClassOf[i]
		if byClass[class] == math.MinInt {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			byClass[class] = -1
			if pricing.FitsPorts(p.Fabric, w.Steps[i]) {
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

// addMatched adds the topology that gives every pair of a step its own circuits, and returns its
// index.
func (p *Pool) addMatched(w *pricing.Workload, step int) (int, error) {
	f := p.Fabric
	s := w.Steps[step]
	if k, ok := s.Rotation(); ok && !f.Duplex {
		return p.Add(pricing.RingCandidate(f.Nodes, k, f.Ports)), nil
	}
	name := fmt.Sprintf("matched:%d", step+1)
	if c := p.matchedCirculant(w, step, name); c != nil {
		return p.Add(c), nil
	}
	g, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, s.Pairs(), name)
	if err != nil {
		return 0, err
	}
	return p.Add(pricing.GraphCandidate(p.kept(w, g))), nil
}

// matchedCirculant is topology.Matched for a step of several offsets that looks the same from
// every node: the offsets are the jumps. It returns nil for other steps, and if circuits are
// two-way, have failed or may stay. A ring algorithm has thousands of such steps.
func (p *Pool) matchedCirculant(w *pricing.Workload, step int, name string) *pricing.Candidate {
	f := p.Fabric
	jumps := slices.Clone(w.Classes[w.ClassOf[step]].Offsets)
	slices.Sort(jumps)
	jumps = slices.Compact(jumps)
	if len(jumps) < 2 || jumps[0] == 0 || len(jumps) > f.Ports || f.Duplex || !f.Open() || p.keeps(w) {
		return nil
	}
	var wide []int
	for _, j := range jumps {
		wide = append(wide, slices.Repeat([]int{j}, f.Ports/len(jumps))...)
	}
	c := pricing.CirculantCandidate(f.Nodes, wide)
	c.Name = name
	return c
}

// addNarrow adds, if free ports are useful, the matched topologies with fewer circuits for each
// pair. Meanwhile the ports that they leave free can be set up for the next step.
func (p *Pool) addNarrow(ctx context.Context, w *pricing.Workload) error {
	f := p.Fabric
	if f.Overlap.Kind != fabric.OverlapPorts {
		return nil
	}
	for i := range w.Classes {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := w.Classes[i].Step
		for ports := 1; ports < f.Ports; ports++ {
			if k, ok := s.Rotation(); ok && !f.Duplex {
				p.Add(pricing.RingCandidate(f.Nodes, k, ports))
				continue
			}
			g, err := topology.Matched(f.Nodes, ports, f.Duplex, s.Pairs(), fmt.Sprintf("matched:%d/%d", i+1, ports))
			if errors.Is(err, topology.ErrTooManyPorts) {
				continue
			}
			if err != nil {
				return err
			}
			p.Add(pricing.GraphCandidate(g))
		}
	}
	return nil
}
