package lightpath

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
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

// layouts are the ways to carry an operation out: one if its algorithm is named, else
// one for every algorithm that can.
type layouts struct {
	names []string
	lay   func(i int) (collective.Sized, error)
}

// layouts reports what makes the operation meaningless on a fabric.
func (o *Operation) layouts(f *fabric.Fabric) (*layouts, error) {
	shape, size, err := o.shape(f)
	if err != nil {
		return nil, err
	}
	l := &layouts{names: []string{o.Algorithm}}
	if o.Algorithm == "" || o.Algorithm == Auto {
		l.names = nil
		for _, a := range collective.For(o.Op, shape) {
			l.names = append(l.names, a.Name)
		}
		if len(l.names) == 0 {
			return nil, fmt.Errorf("no algorithm does %s on %d nodes", o.Op, shape.Nodes)
		}
	}
	l.lay = func(i int) (collective.Sized, error) {
		made := collective.Sized{Size: size}
		var err error
		if shape.Demand != nil {
			made, err = collective.NewExchange(l.names[i], shape.Demand, shape.Ports)
		} else {
			made.Collective, err = collective.New(o.Op, l.names[i], shape.Nodes, shape.Ports)
		}
		if err != nil {
			return made, err
		}
		made.Collective, err = made.On(o.GPUs, f.Nodes)
		return made, err
	}
	return l, nil
}

// shape returns what an algorithm is laid out for, and the size.
func (o *Operation) shape(f *fabric.Fabric) (collective.Shape, units.Bytes, error) {
	s := collective.Shape{Nodes: f.Nodes, Ports: f.Ports}
	if o.GPUs != nil {
		if err := collective.CheckMembers(o.GPUs, f.Nodes); err != nil {
			return s, 0, fmt.Errorf("gpus: %w", err)
		}
		s.Nodes = len(o.GPUs)
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
	if err := o.Demand.Check(s.Nodes); err != nil {
		return s, 0, fmt.Errorf("demand: %w", err)
	}
	s, size := collective.ExchangeShape(o.Demand, f.Ports)
	return s, size, nil
}
