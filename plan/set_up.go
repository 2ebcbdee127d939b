package plan

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/ports"
)

// SetUp returns the circuits of a stage with their ports and switches if the fabric has a
// layout, and nil if one ideal switch has all ports. Planes are rails: lane p is port p of
// every GPU.
func (p *Plan) SetUp(stage int) ([]layout.Circuit, error) {
	s := &p.Stages[stage]
	switch {
	case p.Fabric.Layout.IsZero():
		return nil, nil
	case s.Circuits != nil:
		return s.Circuits, nil
	case s.Lanes == nil:
		return p.Fabric.SetUp(s.Topology)
	}
	var made []layout.Circuit
	for port, lane := range s.Lanes {
		if lane.Circuits == nil {
			continue
		}
		for e := range lane.Circuits.Edges() {
			for range e.Count {
				made = append(made, layout.Circuit{From: e.From, FromPort: port, To: e.To, ToPort: port, Switch: port})
			}
		}
	}
	return made, nil
}

// Wire returns the wiring of a stage, given the wiring before it (nil for none): the ports and
// switches of SetUp or, on an ideal switch, those of ports.Wiring.Next. A file may name ports
// that no GPU has, which is an error.
func (p *Plan) Wire(now *ports.Wiring, stage int) (*ports.Wiring, error) {
	if now == nil {
		now = ports.None(&p.Fabric)
	}
	if p.Fabric.Layout.IsZero() {
		return now.Next(p.Stages[stage].Topology)
	}
	circuits, err := p.SetUp(stage)
	if err != nil {
		return nil, err
	}
	for _, c := range circuits {
		for _, end := range []ports.Fibre{{GPU: c.From, Port: c.FromPort}, {GPU: c.To, Port: c.ToPort}} {
			if end.GPU < 0 || end.GPU >= p.Fabric.Nodes || end.Port < 0 || end.Port >= p.Fabric.Ports {
				return nil, fmt.Errorf("circuit %d-%d: there is no port %d of GPU %d", c.From, c.To, end.Port, end.GPU)
			}
		}
	}
	return now.Set(circuits), nil
}
