package synthesis

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Evaluate prices one topology. The result's bound comes from counting alone.
func Evaluate(ctx context.Context, p Problem, g *topology.Graph) (*Result, error) {
	iv, err := newInterval(p)
	if err != nil {
		return nil, err
	}
	if err := iv.fits(g); err != nil {
		return nil, err
	}
	e, err := iv.price(ctx, g, units.Time(inf))
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("%w: %s leaves some demand without a path", ErrInfeasible, g.Name())
	}
	return newResult(iv, e, iv.count().time, 1, nil), nil
}
