package timetable

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// maxTable bounds how many bytes of a timetable are read.
const maxTable = 512 << 20

// Read reads what WriteJSON wrote. Follow finds out whether its commands can be executed.
func Read(r io.Reader) (*Table, error) {
	var t Table
	if err := strict.Decode(io.LimitReader(r, maxTable), &t); err != nil {
		return nil, err
	}
	switch {
	case t.Schema != Schema:
		return nil, fmt.Errorf("schema is %q, this version reads %q", t.Schema, Schema)
	case t.Nodes < 1 || t.Nodes > fabric.MaxNodes:
		return nil, fmt.Errorf("nodes is %d, not in 1..%d", t.Nodes, fabric.MaxNodes)
	case t.PortMap != nil:
		if err := t.PortMap.Check(); err != nil {
			return nil, fmt.Errorf("port_map: %w", err)
		}
		if !slices.Equal(t.Names, t.PortMap.Names()) || t.Switches != len(t.Names) {
			return nil, fmt.Errorf("names has %d switches and switches is %d, port_map has %d", len(t.Names), t.Switches, len(t.PortMap.Names()))
		}
		return &t, nil
	case t.Layout != "":
		if err := t.plug(); err != nil {
			return nil, err
		}
	case t.Switches < 1 || t.Switches > fabric.MaxPorts:
		return nil, fmt.Errorf("switches is %d, not in 1..%d", t.Switches, fabric.MaxPorts)
	}
	switch {
	case t.PortsPerGPU < 1 || t.PortsPerGPU > fabric.MaxPorts:
		return nil, fmt.Errorf("ports_per_gpu is %d, not in 1..%d", t.PortsPerGPU, fabric.MaxPorts)
	case t.Size != t.Nodes*t.PortsPerGPU:
		return nil, fmt.Errorf("size is %d, not %d nodes x %d ports_per_gpu", t.Size, t.Nodes, t.PortsPerGPU)
	case t.Initial != fabric.InitialFree && len(t.Up) == 0:
		return nil, fmt.Errorf("initial is %q, but up lists no circuit of it", t.Initial)
	}
	return &t, nil
}

// plug derives the switches of a table with a layout.
func (t *Table) plug() error {
	if t.Ports < 1 || t.Ports > fabric.MaxPorts {
		return fmt.Errorf("ports is %d, not in 1..%d", t.Ports, fabric.MaxPorts)
	}
	l, err := layout.Parse(t.Layout)
	if err == nil {
		t.plugged, err = l.Plug(t.Nodes, t.Ports)
	}
	switch {
	case err != nil:
		return fmt.Errorf("layout: %w", err)
	case t.Switches != t.plugged.Switches():
		return fmt.Errorf("switches is %d, the layout has %d", t.Switches, t.plugged.Switches())
	case t.PortsPerGPU != t.plugged.Each():
		return fmt.Errorf("ports_per_gpu is %d, the layout has %d", t.PortsPerGPU, t.plugged.Each())
	}
	return nil
}

// Follow executes the commands and yields, stage by stage, the number of circuits from one GPU to
// another; it ends early if yield returns false. The error is for a command that cannot be
// executed: an unknown fibre or number, one already in use, or removing a cross-connect that does
// not exist.
func (t *Table) Follow(yield func(stage int, circuits map[[2]int]int) bool) error {
	to, from := map[Fibre]Fibre{}, map[Fibre]Fibre{}
	circuits := map[[2]int]int{}
	connect := func(c Change) error {
		if err := t.numbered(c); err != nil {
			return err
		}
		if _, used := to[c.In]; used {
			return fmt.Errorf("GPU %d already transmits on its port %d", c.In.GPU, c.In.Port)
		}
		if _, used := from[c.Out]; used {
			return fmt.Errorf("GPU %d already receives on its port %d", c.Out.GPU, c.Out.Port)
		}
		to[c.In], from[c.Out] = c.Out, c.In
		circuits[[2]int{c.In.GPU, c.Out.GPU}]++
		return nil
	}
	for i, u := range t.Up {
		if err := connect(Change{Switch: u.Switch, In: u.In, Out: u.Out, Ingress: u.Ingress, Egress: u.Egress}); err != nil {
			return fmt.Errorf("up[%d]: %w", i, err)
		}
	}
	for i := range t.Stages {
		s := &t.Stages[i]
		if s.Stage != i+1 {
			return fmt.Errorf("stages[%d]: stage is %d, not %d", i, s.Stage, i+1)
		}
		for k, c := range s.Changes {
			var err error
			switch c.Action {
			case Connect:
				err = connect(c)
			case Disconnect:
				if err = t.numbered(c); err != nil {
					break
				}
				if out, there := to[c.In]; !there || out != c.Out {
					err = errors.New("there is no such cross-connect to take away")
					break
				}
				delete(to, c.In)
				delete(from, c.Out)
				circuits[[2]int{c.In.GPU, c.Out.GPU}]--
			default:
				err = fmt.Errorf("action is %q, not %s or %s", c.Action, Connect, Disconnect)
			}
			if err == nil && !(c.Earliest >= 0 && c.Earliest <= c.Latest) {
				err = fmt.Errorf("not before %v, but by %v", c.Earliest, c.Latest)
			}
			if err != nil {
				return fmt.Errorf("stage %d: changes[%d]: %w", i+1, k, err)
			}
		}
		if !yield(i, circuits) {
			return nil
		}
	}
	return nil
}

// numbered returns an error for unknown fibres and for wrong port numbers.
func (t *Table) numbered(c Change) error {
	if t.PortMap != nil {
		want, err := t.onMap(c)
		if err == nil && c != want {
			err = fmt.Errorf("switch %d (@%d),(@%d) is not what the port map has: switch %d (@%d),(@%d)",
				c.Switch, c.Ingress, c.Egress, want.Switch, want.Ingress, want.Egress)
		}
		return err
	}
	for _, f := range []Fibre{c.In, c.Out} {
		most := t.PortsPerGPU * t.Switches
		if t.plugged != nil {
			most = t.Ports
		}
		if f.GPU < 0 || f.GPU >= t.Nodes || f.Port < 0 || f.Port >= most {
			return fmt.Errorf("port %d of GPU %d: there are %d GPUs with up to %d ports", f.Port, f.GPU, t.Nodes, most)
		}
	}
	want := t.change(c.Action, Circuit{In: c.In, Out: c.Out}, c.Earliest, c.Latest)
	if t.switchOf(c.Out) != want.Switch {
		return fmt.Errorf("port %d of GPU %d is not on switch %d", c.Out.Port, c.Out.GPU, want.Switch)
	}
	if c != want {
		return fmt.Errorf("switch %d (@%d),(@%d) is not port %d of GPU %d and port %d of GPU %d: want switch %d (@%d),(@%d)",
			c.Switch, c.Ingress, c.Egress, c.In.Port, c.In.GPU, c.Out.Port, c.Out.GPU, want.Switch, want.Ingress, want.Egress)
	}
	return nil
}
