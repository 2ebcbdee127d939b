package layout

import (
	"fmt"
	"slices"
)

// Plugging is a layout on so many GPUs and ports.
type Plugging struct {
	nodes, ports int
	at           []int32 // the switch of port p of GPU u, at u*ports+p
	switches     int
	plugged      []int // ports on each switch
	bundles      []bundle
	of           [][]place // bundles of each GPU, ascending
	first        []int     // the number of the first pair of each GPU and one of its bundles
	rooms        []int     // of these: circuits that the GPU may have there
	single       bool      // two GPUs have at most one bundle in common
}

// Plug returns the plugging of a layout on so many GPUs with so many ports each, or why they do
// not match. It is made once.
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
	if nodes*ports > maxPorts {
		return nil, fmt.Errorf("%d ports; there may be %d", nodes*ports, maxPorts)
	}
	p := &Plugging{nodes: nodes, ports: ports, at: make([]int32, nodes*ports)}
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

// Switch returns the switch of a port, -1 where it is not plugged in.
func (p *Plugging) Switch(gpu, port int) int { return int(p.at[gpu*p.ports+port]) }

// Switches returns how many switches there are.
func (p *Plugging) Switches() int { return p.switches }

// Radix returns the most ports that are plugged into one switch.
func (p *Plugging) Radix() int { return slices.Max(p.plugged) }

// Fibres returns how many fibres there are: two for each port that is plugged in.
func (p *Plugging) Fibres() int {
	sum := 0
	for _, ports := range p.plugged {
		sum += 2 * ports
	}
	return sum
}

// Each returns the most ports of a GPU on one switch, at least 1.
func (p *Plugging) Each() int {
	most := 1
	for _, b := range p.bundles {
		most = max(most, int(slices.Max(b.each)))
	}
	return most
}

// Nth returns which of the ports of its GPU on its switch a port is, counted from 0.
func (p *Plugging) Nth(gpu, port int) int {
	nth := 0
	for _, s := range p.at[gpu*p.ports : gpu*p.ports+port] {
		if s == p.at[gpu*p.ports+port] {
			nth++
		}
	}
	return nth
}

// Plugged returns how many ports of a GPU are plugged in.
func (p *Plugging) Plugged(gpu int) int {
	count := 0
	for _, s := range p.at[gpu*p.ports : (gpu+1)*p.ports] {
		if s >= 0 {
			count++
		}
	}
	return count
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

func (w *written) plug(p *Plugging) error {
	switch w.kind {
	case rails:
		for i := range p.at {
			p.at[i] = int32(i % p.ports)
		}
		return nil
	case grid:
		return w.plugGrid(p)
	case cubes:
		return w.plugCubes(p)
	case table:
		return w.plugTable(p)
	}
	panic(fmt.Sprintf("layout: unknown kind %d", w.kind))
}

func (w *written) plugGrid(p *Plugging) error {
	nodes := 1
	for _, side := range w.sides {
		nodes *= side
	}
	if nodes != p.nodes {
		return fmt.Errorf("%s is for %d GPUs, the fabric has %d", w.text, nodes, p.nodes)
	}
	share := w.share
	if share == nil {
		if share = Shares(len(w.sides), p.ports); share == nil {
			return fmt.Errorf("%s: %d ports for %d digits", w.text, p.ports, len(w.sides))
		}
	}
	sum := 0
	for _, ports := range share {
		sum += ports
	}
	if sum != p.ports {
		return fmt.Errorf("%s shares out %d ports, a GPU has %d", w.text, sum, p.ports)
	}
	firstSwitch, firstPort, weight := 0, 0, nodes
	for d, side := range w.sides {
		weight /= side // of this digit
		for u := range nodes {
			line := u/(weight*side)*weight + u%weight
			for j := range share[d] {
				p.at[u*p.ports+firstPort+j] = int32(firstSwitch + line*share[d] + j)
			}
		}
		firstSwitch += nodes / side * share[d]
		firstPort += share[d]
	}
	return nil
}

// Shares shares ports out to digits as evenly as can be, the first digits having one more; nil
// where there are fewer ports than digits.
func Shares(digits, ports int) []int {
	if ports < digits {
		return nil
	}
	share := make([]int, digits)
	for d := range share {
		share[d] = ports / digits
		if d < ports%digits {
			share[d]++
		}
	}
	return share
}

// plugCubes plugs a cube's faces: the two of an axis meet, place by place, with those of all other
// cubes, on one switch for each axis and place (TPU v4: Jouppi et al., ISCA 2023, section 2.1: 48
// switches join 64 cubes of 4x4x4). A GPU has one port for each axis, and two along a side of 1,
// where it is on both faces; GPUs that are not on a face have those not plugged in. GPUs are
// numbered cube by cube, the last coordinate fastest.
func (w *written) plugCubes(p *Plugging) error {
	volume := w.sides[0] * w.sides[1] * w.sides[2]
	ports := 0
	for _, side := range w.sides {
		ports += faces(side)
	}
	switch {
	case p.nodes%volume != 0:
		return fmt.Errorf("%s is for a multiple of %d GPUs, the fabric has %d", w.text, volume, p.nodes)
	case p.ports != ports:
		return fmt.Errorf("%s needs %d ports, a GPU has %d", w.text, ports, p.ports)
	}
	for u := range p.nodes {
		at, rest := [3]int{}, u%volume
		for axis := 2; axis >= 0; axis-- {
			at[axis], rest = rest%w.sides[axis], rest/w.sides[axis]
		}
		port, first := 0, 0
		for axis, side := range w.sides {
			b, c := (axis+1)%3, (axis+2)%3
			s := unplugged
			if at[axis] == 0 || at[axis] == side-1 {
				s = first + at[b]*w.sides[c] + at[c]
			}
			for range faces(side) {
				p.at[u*p.ports+port] = int32(s)
				port++
			}
			first += w.sides[b] * w.sides[c]
		}
	}
	return nil
}

// faces returns on how many faces of an axis a GPU can be.
func faces(side int) int {
	if side == 1 {
		return 2
	}
	return 1
}

func (w *written) plugTable(p *Plugging) error {
	if len(w.rows) > p.nodes {
		return fmt.Errorf("GPU %d is plugged in, the fabric has GPUs 0..%d", len(w.rows)-1, p.nodes-1)
	}
	for i := range p.at {
		p.at[i] = unplugged
	}
	for u, row := range w.rows {
		if len(row) > p.ports {
			return fmt.Errorf("port %d of GPU %d is plugged in, a GPU has ports 0..%d", len(row)-1, u, p.ports-1)
		}
		copy(p.at[u*p.ports:], row)
	}
	return nil
}

// OneSwitch is the plugging in which one switch has all ports.
func OneSwitch(nodes, ports int) (*Plugging, error) {
	if nodes*ports > maxPorts {
		return nil, fmt.Errorf("%d ports; there may be %d", nodes*ports, maxPorts)
	}
	p := &Plugging{nodes: nodes, ports: ports, at: make([]int32, nodes*ports)}
	p.finish()
	return p, nil
}
