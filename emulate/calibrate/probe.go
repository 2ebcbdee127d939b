package calibrate

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// shot is one kind of measured step.
type shot struct {
	bytes units.Bytes
	hops  int
}

// shots returns all sizes over one hop, which show the bandwidth, and a small and a large size
// over several hops, which show the time that a hop adds.
func shots(nodes int) []shot {
	var list []shot
	for _, b := range []units.Bytes{4, 4 * units.KiB, 32 * units.KiB, 128 * units.KiB, 512 * units.KiB} {
		list = append(list, shot{b, 1})
	}
	for _, h := range []int{2, 4} {
		if h < nodes {
			list = append(list, shot{4, h}, shot{64 * units.KiB, h})
		}
	}
	return list
}

// probe is a plan whose steps are worth measuring: all ranks send at once, each to the rank some
// hops further on a ring. The first stage has every shot several times; each later stage changes
// all circuits once.
func probe(nodes, repeats, changes int) (*plan.Plan, []shot, error) {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, 1
	if err := f.Validate(); err != nil {
		return nil, nil, err
	}
	p := &plan.Plan{Fabric: f, Provenance: plan.Provenance{Planner: "calibrate"}}
	space := &p.Collective.Space
	*space = collective.Space{Kind: collective.Listed, Nodes: nodes}
	var order []shot
	index := 0
	add := func(stage *plan.Stage, s shot, jump int) {
		step := plan.Step{}
		for u := range nodes {
			v := (u + s.hops*jump) % nodes
			chunk := len(space.Pieces)
			space.Pieces = append(space.Pieces, collective.Piece{Bytes: float64(s.bytes), From: []int{u}, To: []int{v}})
			path := []int32{int32(u)}
			for h := 1; h <= s.hops; h++ {
				path = append(path, int32((u+h*jump)%nodes))
			}
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: u, Dst: v, Action: collective.Copy, Chunks: collective.Single(chunk)},
				Routes:   []flow.Route{{Path: path, Share: 1}},
			})
			p.Collective.Size += s.bytes
		}
		index++
		step.Index = index
		stage.Steps = append(stage.Steps, step)
		order = append(order, s)
	}
	p.Stages = append(p.Stages, plan.Stage{Topology: topology.DirectedCirculant(nodes, 1)})
	for range repeats {
		for _, s := range shots(nodes) {
			add(&p.Stages[0], s, 1)
		}
	}
	for c := range changes {
		jump := 1 + (c+1)%2
		if nodes == 2 {
			jump = 1
		}
		stage := plan.Stage{Topology: topology.DirectedCirculant(nodes, jump)}
		add(&stage, shot{4, 1}, jump)
		p.Stages = append(p.Stages, stage)
	}
	p.Collective.Op, p.Collective.Algorithm = collective.Pattern, "calibrate"
	if err := p.Price(); err != nil {
		return nil, nil, fmt.Errorf("calibrate: %w", err)
	}
	return p, order, nil
}
