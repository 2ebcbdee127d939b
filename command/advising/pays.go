package advising

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// adviseSizes returns the sizes for which Advise finds the break-even delay: from 1KiB to 1GiB.
func adviseSizes() []units.Bytes {
	var sizes []units.Bytes
	for s := units.KiB; s <= units.GiB; s *= 4 {
		sizes = append(sizes, s)
	}
	return sizes
}

// findPaysBelow finds the delays below which the best plan reconfigures: where the line with the
// fewest changes takes over on the frontier.
func (a *Advice) findPaysBelow(ctx context.Context, r *AdviseRequest, e *command.Run, step func()) error {
	if comparing.DelaysAddUp(&r.Fabric) != nil || r.Operation.Demand != nil || r.Operation.Generator != "" {
		return nil
	}
	for _, size := range adviseSizes() {
		step()
		o := r.Operation
		o.Size = size
		frontier, err := comparing.FindFrontier(ctx, comparing.FrontierRequest{Operation: o, Fabric: r.Fabric, Planner: r.Planner}, command.WithRegistry(e.Search.Planners()))
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return err
		}
		last := frontier.Points[len(frontier.Points)-1]
		from := last.FromNs
		p := PaysBelow{SizeBytes: int64(size), ReconfigNs: &from}
		if last.Reconfigurations > leastChanges(&r.Fabric) {
			p.ReconfigNs = nil // every plan reconfigures
		}
		a.PaysBelow = append(a.PaysBelow, p)
	}
	return nil
}

// leastChanges returns how many changes a plan on one topology has.
func leastChanges(f *fabric.Fabric) int {
	if f.Initial == fabric.InitialFree || f.Initial == fabric.InitialBase {
		return 0
	}
	return 1
}
