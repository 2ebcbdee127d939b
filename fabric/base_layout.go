package fabric

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
)

// layoutBase is the default base if the switches cannot set up that of the port count: the same
// within each group of switches that have the same GPUs.
func (f *Fabric) layoutBase() (*topology.Graph, error) {
	p, err := f.plugged()
	if err != nil {
		return nil, field.In("switches", err)
	}
	if g := f.gridBase(); g != nil {
		return g, nil
	}
	var edges []topology.Edge
	for group := range p.Groups() {
		ports := min(group.Ports, f.Ports)
		if ports < 1 || len(group.GPUs) < 2 {
			continue
		}
		small := defaultBase(len(group.GPUs), ports, f.Duplex)
		for e := range small.Edges() {
			edges = append(edges, topology.Edge{From: group.GPUs[e.From], To: group.GPUs[e.To], Count: e.Count})
		}
	}
	g := f.Possible(topology.New(f.Nodes, "rings on switches "+f.Layout.Short(), edges))
	if err := f.Fits(g); err != nil || !g.Joins(f.Alive()...) {
		return nil, field.Errorf("base", "no default base of switches %s reaches all GPUs; name one", f.Layout.Short())
	}
	return g, nil
}

// Mixed returns circuits with short paths between GPUs that the switches of a layout can set
// up; nil if there are none, and if ports have failed or are left unused. Rails can set up
// nearly everything that one switch can.
func (f *Fabric) Mixed() *topology.Graph {
	if !f.Restricts() || f.Layout.Parallel() || !f.Avoid.IsZero() || f.Ports < f.AllPorts() {
		return nil
	}
	p, err := f.plugged()
	if err != nil {
		return nil
	}
	if g := p.Network(f.twoWay()); g != nil && f.Fits(g) == nil {
		return g
	}
	return nil
}

// MixedNarrow returns the results of Mixed for the same grid with fewer ports in some digits,
// if it has few GPUs, so that more ports are never worse.
func (f *Fabric) MixedNarrow() []*topology.Graph {
	if f.Mixed() == nil {
		return nil
	}
	var all []*topology.Graph
	for _, p := range f.Layout.Narrower(f.Nodes, f.AllPorts()) {
		if g := p.Network(f.twoWay()); g != nil && f.Fits(g) == nil {
			all = append(all, g)
		}
	}
	return all
}

// gridBase returns the product of the bases of the digits of a grid, nil if that cannot be set
// up.
func (f *Fabric) gridBase() *topology.Graph {
	sides, share := f.Layout.Grid(f.AllPorts())
	if sides == nil {
		return nil
	}
	if f.Ports < f.AllPorts() { // some are left unused
		fewer := layout.Shares(len(sides), f.Ports)
		if fewer == nil {
			return nil
		}
		for d := range share {
			share[d] = min(share[d], fewer[d])
		}
	}
	var factors []string
	for d, side := range sides {
		factors = append(factors, factor(side, share[d], f.Duplex))
	}
	e, err := topology.ParseExpr("Product(" + strings.Join(factors, ",") + ")")
	if err != nil {
		return nil
	}
	g, err := e.Build()
	if err != nil {
		return nil
	}
	if g = f.Without(g); f.Fits(g) != nil {
		return nil
	}
	return g
}

// factor returns the base of one digit as an expression.
func factor(side, ports int, duplex bool) string {
	if side == 2 {
		return fmt.Sprintf("UniRing(%d,2)", ports)
	}
	return defaultBase(side, ports, duplex).Name()
}
