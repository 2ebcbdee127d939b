package lightpath

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/units"
)

// Operation is a collective operation to carry out.
type Operation struct {
	Op        collective.Op
	Size      units.Bytes // as the operation defines it
	Algorithm string      // a name, one with options such as swing:8x8, or Auto or "": the fastest
	// GPUs take part, in this order; nil: all.
	GPUs []int
	// Demand gives every pair of an all-to-all its own bytes. Size is then not used.
	Demand collective.Demand
}

// way is one way to carry an operation out: an algorithm with a planner, or a planner
// that makes its own steps.
type way struct {
	algorithm string
	planner   planner.Planner
	strategy  string // of planner exchange, if it is one by name
	lay       func() (collective.Sized, error)
}

// ways lists the ways to carry an operation out with a planner: one if the algorithm is
// named, else one for every algorithm that can do it. It reports what makes the operation
// meaningless on a fabric.
func (o *Operation) ways(f *fabric.Fabric, p planner.Planner, options exchange.Options) ([]way, error) {
	shape, size, err := o.shape(f)
	if err != nil {
		return nil, err
	}
	open := o.Algorithm == "" || o.Algorithm == Auto
	if c, ok := p.(planner.Composer); ok {
		if !open && o.Algorithm != c.Composes() {
			return nil, fmt.Errorf("planner %s makes its own steps, algorithm %s, not %s", c.Name(), c.Composes(), o.Algorithm)
		}
		return o.composed(f, shape, size, c)
	}
	for _, c := range composers(options) {
		if !open && o.Algorithm == c.Composes() {
			if p.Name() != Auto {
				return nil, fmt.Errorf("algorithm %s is made by planner %s, not by %s", o.Algorithm, c.Name(), p.Name())
			}
			return o.composed(f, shape, size, c)
		}
	}
	names := []string{o.Algorithm}
	if open {
		names = nil
		for _, a := range collective.For(o.Op, shape) {
			names = append(names, a.Name)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no algorithm does %s on %d nodes", o.Op, shape.Nodes)
		}
	}
	var ways []way
	for _, name := range names {
		ways = append(ways, way{algorithm: name, planner: p, lay: func() (collective.Sized, error) { return o.lay(f, shape, size, name) }})
	}
	if open && p.Name() == Auto {
		for _, c := range composers(options) {
			if more, err := o.composed(f, shape, size, c); err == nil {
				ways = append(ways, more...)
			}
		}
	}
	return ways, nil
}

// lay lays an algorithm out.
func (o *Operation) lay(f *fabric.Fabric, shape collective.Shape, size units.Bytes, name string) (collective.Sized, error) {
	made := collective.Sized{Size: size}
	var err error
	if shape.Demand != nil {
		made, err = collective.NewExchange(name, shape.Demand, shape.Ports)
	} else {
		made.Collective, err = collective.New(o.Op, name, shape.Nodes, shape.Ports)
	}
	if err != nil {
		return made, err
	}
	made.Collective, err = made.On(o.members(f), f.Nodes)
	return made, err
}

// composed is the way of a planner that makes its own steps, if it can.
func (o *Operation) composed(f *fabric.Fabric, shape collective.Shape, size units.Bytes, c planner.Composer) ([]way, error) {
	space := collective.SpaceOf(o.Op, f.Nodes, 1)
	space.Members, space.Sizes = o.members(f), shape.Demand
	task := &collective.Collective{Op: o.Op, Algorithm: c.Composes(), Nodes: f.Nodes, Space: space}
	if err := c.Supports(task, f); err != nil {
		return nil, err
	}
	return []way{{algorithm: c.Composes(), planner: c, lay: func() (collective.Sized, error) { return collective.Sized{Collective: task, Size: size}, nil }}}, nil
}

// members lists the GPUs that take part, nil if all do. Those that have failed do not.
func (o *Operation) members(f *fabric.Fabric) []int {
	if o.GPUs != nil {
		return o.GPUs
	}
	return f.Alive()
}

// shape returns what an algorithm is laid out for, and the size.
func (o *Operation) shape(f *fabric.Fabric) (collective.Shape, units.Bytes, error) {
	s := collective.Shape{Nodes: f.Nodes, Ports: f.Ports}
	members := o.members(f)
	if members != nil {
		if err := collective.CheckMembers(members, f.Nodes); err != nil {
			return s, 0, fmt.Errorf("gpus: %w", err)
		}
		s.Nodes = len(members)
	}
	failed := f.Avoided().GPUs
	for _, u := range members {
		if failed[u] {
			return s, 0, fmt.Errorf("gpus: GPU %d is to be avoided", u)
		}
	}
	if o.Demand == nil {
		if o.Size <= 0 {
			return s, 0, fmt.Errorf("size: must be above 0B")
		}
		return s, o.Size, nil
	}
	if o.Op != collective.AllToAll {
		return s, 0, fmt.Errorf("demand: bytes per pair are for %s, not %s", collective.AllToAll, o.Op)
	}
	if len(o.Demand) != s.Nodes {
		return s, 0, fmt.Errorf("demand: it is for %d GPUs, but %d take part", len(o.Demand), s.Nodes)
	}
	if err := o.Demand.Check(s.Nodes); err != nil {
		return s, 0, fmt.Errorf("demand: %w", err)
	}
	s, size := collective.ExchangeShape(o.Demand, f.Ports)
	return s, size, nil
}
