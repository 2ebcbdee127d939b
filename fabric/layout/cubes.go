package layout

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/each"
)

// cube joins opposite faces of cubes: for each axis and place on a face there is one switch,
// which joins that place on both faces of all cubes (TPU v4: Jouppi et al., ISCA 2023, section
// 2.1: 48 switches join 64 cubes of 4x4x4). A GPU has one port for each axis, and two along a
// side of 1, where it is on both faces. Ports of GPUs that are not on a face are not plugged
// in. GPUs are numbered cube by cube, the last coordinate fastest.
type cube struct{ sides []int }

var cubesKind = kind{syntax: "cubes:4x4x4", reads: named("cubes"), parse: parseCubes}

func parseCubes(text string) (plugger, error) {
	sides, err := numbers(after(text), "x", 1)
	if err == nil && len(sides) != 3 {
		err = fmt.Errorf("a cube has three sides")
	}
	return &cube{sides}, err
}

func (c *cube) String() string { return "cubes:" + join(c.sides, "x") }

func (c *cube) plug(p *Plugging) error {
	volume := c.sides[0] * c.sides[1] * c.sides[2]
	ports := each.Sum(c.sides, faces)
	switch {
	case p.nodes%volume != 0:
		return fmt.Errorf("%s is for a multiple of %d GPUs, the fabric has %d", c, volume, p.nodes)
	case p.ports != ports:
		return fmt.Errorf("%s needs %d ports, a GPU has %d", c, ports, p.ports)
	}
	for u := range p.nodes {
		at, rest := [3]int{}, u%volume
		for axis := 2; axis >= 0; axis-- {
			at[axis], rest = rest%c.sides[axis], rest/c.sides[axis]
		}
		port, first := 0, 0
		for axis, side := range c.sides {
			b, d := (axis+1)%3, (axis+2)%3
			s := unplugged
			if at[axis] == 0 || at[axis] == side-1 {
				s = first + at[b]*c.sides[d] + at[d]
			}
			for range faces(side) {
				p.at[u*p.ports+port] = int32(s)
				port++
			}
			first += c.sides[b] * c.sides[d]
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
