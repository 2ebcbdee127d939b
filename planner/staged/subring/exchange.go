package subring

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
)

// Exchange is a phase in which every node sends to the two nodes a distance away.
type Exchange struct {
	Distance int     // 1 to half of the nodes
	Up, Down float64 // bytes each way, as parts of the collective's size
}

// ExchangesOf reads the phases of a collective.
func ExchangesOf(c *collective.Collective) ([]Exchange, error) {
	if len(c.Steps) == 0 {
		return nil, fmt.Errorf("subring: %s has no steps", c.Algorithm)
	}
	if c.Space.Kind == collective.Sections || !c.Space.Homogeneous() {
		return nil, fmt.Errorf("subring: %s has more than one size", c.Algorithm)
	}
	phases := make([]Exchange, len(c.Steps))
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
func exchangeOf(c *collective.Collective, step collective.Step) (e Exchange, ok bool) {
	n := c.Nodes
	if len(step.Group.Dims) != 1 || step.Group.Dims[0] != n || step.Group.Stride[0] != 1 {
		return e, false
	}
	for i, t := range step.Base {
		offset := (t.Dst - t.Src + n) % n
		distance := min(offset, n-offset)
		if i == 0 {
			e.Distance = distance
		}
		bytes := c.Space.Bytes(1, t.Chunks)
		switch {
		case distance != e.Distance:
			return e, false
		case 2*distance == n:
			e.Up, e.Down = e.Up+bytes/2, e.Down+bytes/2
		case offset == distance:
			e.Up += bytes
		default:
			e.Down += bytes
		}
	}
	return e, e.Distance > 0
}
