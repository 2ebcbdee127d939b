package plan

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// CostOn is CostOf for unequal circuits. load is the load on the wires' Shares; flight is the
// delay of the longest route.
//
//	alpha + the largest sum of delays along a route
//	      + the largest (bytes on a bundle)/(circuits x their bandwidth) + gamma*reduced
//
// Congestion is relative to a circuit of the fabric's bandwidth, and so is a cap on theta.
func CostOn(f *fabric.Fabric, w *fabric.Uneven, load flow.Load, flight units.Time, pairBytes, reduced float64) StepCost {
	bytes := load.Peak
	if f.Forwarding == fabric.StoreAndForward {
		bytes = max(bytes, load.Dilation)
	}
	transmission := w.Unit.Transmit(bytes)
	if f.CapTheta {
		transmission = max(transmission, f.Bandwidth.Transmit(pairBytes))
	}
	return StepCost{
		Startup:      f.Alpha.Time(),
		Propagation:  flight,
		Transmission: transmission,
		Reduction:    f.Gamma.Of(reduced),
		Hops:         load.Hops,
		Congestion:   float64(transmission / f.Bandwidth.Transmit(pairBytes)),
	}
}

// Flight returns the delay of the longest route.
func Flight(w *fabric.Uneven, routes [][]flow.Route) units.Time {
	longest := units.Time(0)
	for _, ways := range routes {
		longest = each.Max(longest, ways, func(r flow.Route) units.Time { return w.Flight(r.Path) })
	}
	return longest
}

// priceUneven prices a step on circuits that are not all equal. The wires must have the step's
// symmetry, so that images take as long as the transfers that they are images of.
func (p *pricer) priceUneven(ctx context.Context, w *fabric.Uneven, step *Step) (StepCost, error) {
	if !step.Group.Invariant(w.Kinds) {
		return StepCost{}, flow.ErrNotInvariant
	}
	load, pairBytes, err := p.loadOf(ctx, w.Shares, step)
	if err != nil {
		return StepCost{}, err
	}
	flight := units.Time(0)
	for i := range step.Base {
		flight = max(flight, Flight(w, [][]flow.Route{step.Base[i].Routes}))
	}
	return CostOn(&p.Fabric, w, load, flight, pairBytes, p.reduced(step)), nil
}
