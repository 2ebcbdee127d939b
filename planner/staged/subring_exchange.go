package staged

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
)

// exchange is a phase in which every node sends to the two nodes a distance away.
type exchange struct {
	distance int     // 1 to half of the nodes
	up, down float64 // bytes each way, as parts of the collective's size
}

// exchangesOf reads the phases of a collective.
func exchangesOf(c *collective.Collective) ([]exchange, error) {
	if len(c.Steps) == 0 {
		return nil, fmt.Errorf("subring: %s has no steps", c.Algorithm)
	}
	if c.Space.Kind == collective.Sections || !c.Space.Homogeneous() {
		return nil, fmt.Errorf("subring: %s has more than one size", c.Algorithm)
	}
	phases := make([]exchange, len(c.Steps))
	for i, step := range c.Steps {
		e, ok := exchangeOf(c, step)
		if !ok {
			return nil, fmt.Errorf("subring: step %d of %s is no exchange between all nodes that are one distance apart", i+1, c.Algorithm)
		}
		phases[i] = e
	}
	return phases, nil
}

// exchangeOf reads a step that looks the same from every node. Half of what goes to the
// node opposite counts as going up and half as going down.
func exchangeOf(c *collective.Collective, step collective.Step) (e exchange, ok bool) {
	n := c.Nodes
	if len(step.Group.Dims) != 1 || step.Group.Dims[0] != n || step.Group.Stride[0] != 1 {
		return e, false
	}
	for i, t := range step.Base {
		offset := (t.Dst - t.Src + n) % n
		distance := min(offset, n-offset)
		if i == 0 {
			e.distance = distance
		}
		bytes := c.Space.Bytes(1, t.Chunks)
		switch {
		case distance != e.distance:
			return e, false
		case 2*distance == n:
			e.up, e.down = e.up+bytes/2, e.down+bytes/2
		case offset == distance:
			e.up += bytes
		default:
			e.down += bytes
		}
	}
	return e, e.distance > 0
}
