package layout

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Plugging is a layout for a given number of GPUs and ports.
type Plugging struct {
	nodes, ports int
	at           []int32 // the switch of port p of GPU u, at u*ports+p
	switches     int
	plugged      []int // ports on each switch
	bundles      []bundle
	of           [][]place // bundles of each GPU, ascending
	first        []int     // the number of the first pair of each GPU with one of its bundles
	rooms        []int     // by pair: circuits that the GPU may have there
	single       bool      // any two GPUs have at most one bundle in common
	far          farthest
	networks     [2]network // of one-way and of two-way circuits
}

// farthest is the result of Hops.
type farthest struct {
	once        sync.Once
	first, most int
}

// network is the result of Network.
type network struct {
	once  sync.Once
	graph *topology.Graph
}

// Plug returns the plugging of a layout for the given GPUs and ports per GPU, or why they do
// not match. It is computed once.
func (l Layout) Plug(nodes, ports int) (*Plugging, error) {
	if l.IsZero() {
		return nil, fmt.Errorf("the ideal switch has all ports")
	}
	w := l.read
	w.made.Lock()
	defer w.made.Unlock()
	key := [2]int{nodes, ports}
	if p := w.memory[key]; p != nil {
		return p, nil
	}
	p, err := newPlugging(nodes, ports)
	if err != nil {
		return nil, err
	}
	if err := w.plug(p); err != nil {
		return nil, err
	}
	p.finish()
	if w.memory == nil {
		w.memory = map[[2]int]*Plugging{}
	}
	w.memory[key] = p
	return p, nil
}

// Switch returns the switch of a port, -1 if it is not plugged in.
func (p *Plugging) Switch(gpu, port int) int { return int(p.at[gpu*p.ports+port]) }

// Switches returns how many switches there are.
func (p *Plugging) Switches() int { return p.switches }

// Radix returns the most ports that are plugged into one switch.
func (p *Plugging) Radix() int { return slices.Max(p.plugged) }

// Fibres returns the number of fibres: two for each port that is plugged in.
func (p *Plugging) Fibres() int {
	return each.Sum(p.plugged, func(ports int) int { return 2 * ports })
}

// Each returns the most ports of a GPU on one switch, at least 1.
func (p *Plugging) Each() int {
	return each.Max(1, p.bundles, func(b bundle) int { return int(slices.Max(b.each)) })
}

// Nth returns the number, from 0, of a port among its GPU's ports on the same switch.
func (p *Plugging) Nth(gpu, port int) int {
	return each.Count(p.at[gpu*p.ports:gpu*p.ports+port], func(s int32) bool {
		return s == p.at[gpu*p.ports+port]
	})
}

// Plugged returns how many ports of a GPU are plugged in.
func (p *Plugging) Plugged(gpu int) int {
	return each.Count(p.at[gpu*p.ports:(gpu+1)*p.ports], func(s int32) bool { return s >= 0 })
}

// Without returns the plugging with some ports unplugged.
func (p *Plugging) Without(failed func(gpu, port, onSwitch int) bool) *Plugging {
	left := &Plugging{nodes: p.nodes, ports: p.ports, at: slices.Clone(p.at)}
	for i, s := range left.at {
		if s >= 0 && failed(i/p.ports, i%p.ports, int(s)) {
			left.at[i] = unplugged
		}
	}
	left.finish()
	left.switches = p.switches
	return left
}

// OneSwitch returns the plugging in which one switch has all ports.
func OneSwitch(nodes, ports int) (*Plugging, error) {
	p, err := newPlugging(nodes, ports)
	if err != nil {
		return nil, err
	}
	p.finish()
	return p, nil
}

// newPlugging returns a plugging with all ports on switch 0.
func newPlugging(nodes, ports int) (*Plugging, error) {
	if nodes*ports > maxPorts {
		return nil, fmt.Errorf("%d ports; there may be %d", nodes*ports, maxPorts)
	}
	return &Plugging{nodes: nodes, ports: ports, at: make([]int32, nodes*ports)}, nil
}
