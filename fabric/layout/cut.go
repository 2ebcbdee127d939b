package layout

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// cut is the first GPUs of a grid whose last points are missing: it fits any number of GPUs,
// even primes.
type cut struct{ grid *grid }

var cutKind = kind{syntax: "cut:8x8 (a grid without its last points)", reads: named("cut"), parse: parseCut}

func parseCut(text string) (plugger, error) {
	g, err := parseGrid(after(text))
	if err != nil {
		return nil, err
	}
	if whole := g.(*grid); len(whole.sides) > 1 {
		return &cut{whole}, nil
	}
	return nil, fmt.Errorf("a grid has two digits or more")
}

func (c *cut) String() string { return "cut:" + c.grid.String() }

func (c *cut) plug(p *Plugging) error {
	all := 1
	for _, side := range c.grid.sides {
		all *= side
	}
	if all < p.nodes {
		return fmt.Errorf("%s has %d points, the fabric %d GPUs", c, all, p.nodes)
	}
	whole := &Plugging{nodes: all, ports: p.ports, at: make([]int32, all*p.ports)}
	if err := c.grid.plug(whole); err != nil {
		return err
	}
	number := map[int32]int32{} // of switches with at least one GPU
	for i := range p.at {
		s := whole.at[i]
		if _, known := number[s]; !known {
			number[s] = int32(len(number))
		}
		p.at[i] = number[s]
	}
	return nil
}

// Cuts lists grids of two digits, the squarest first, without their last points, whose lines
// fit on switches with the given number of ports.
func Cuts(nodes, ports, radix int) []Layout {
	var all []Layout
	for side := 2; side <= radix && side < nodes; side++ {
		rows := arithmetic.CeilDiv(nodes, side)
		if rows < 2 || rows > radix || rows > side {
			continue
		}
		for _, share := range evenShares(2, ports) {
			if g, err := Grid([]int{rows, side}, share); err == nil {
				sides, ports := g.Grid(ports)
				all = append(all, newLayout(&cut{&grid{sides, ports}}))
			}
		}
	}
	return all[:min(len(all), mostCuts)]
}

// mostCuts is the most grids with missing points that are listed.
const mostCuts = 4
