package plugging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// same is the difference of losses that are the same except for rounding.
const same = 1e-9

// Wire compares the ways to plug the ports of GPUs into switches of a radix: how much longer
// operations take on each than on one ideal switch with all ports. Every number is the time of a
// plan.
func Wire(ctx context.Context, r WireRequest, options ...command.Option) (*LayoutTable, error) {
	e := command.NewEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	all := r.layouts()
	if len(all) == 0 {
		return nil, field.Errorf("radix", "%d: no grid of %d GPUs with %d ports has lines of at most %d; use larger switches",
			r.Radix, r.Fabric.Nodes, r.Fabric.Ports, r.Radix-r.Spares)
	}
	a := &LayoutTable{Schema: WireSchema, Fabric: r.Fabric, Radix: r.Radix, Spares: r.Spares}
	done, total := 0, (1+len(all))*len(r.For)
	ideal := r.Fabric
	ideal.Layout = layout.Layout{}
	for i, o := range r.For {
		e.Report(done, total)
		done++
		time, err := r.time(ctx, e, ideal, o)
		if err != nil {
			return nil, field.In(field.Index("for", i), err)
		}
		a.For = append(a.For, WiredOperation{Op: o.Op, SizeBytes: int64(o.Size), IdealNs: time})
	}
	for _, l := range all {
		row, err := r.row(ctx, e, l, a, func() { e.Report(done, total); done++ })
		if err != nil {
			a.rank()
			return nil, e.Unfinished(ctx, err, func() (any, string) {
				return a, fmt.Sprintf("%d of %d layouts were looked at", len(a.Layouts), len(all))
			})
		}
		a.Layouts = append(a.Layouts, row)
	}
	a.rank()
	return a, nil
}

// row looks at one layout.
func (r *WireRequest) row(ctx context.Context, e *command.Environment, l layout.Layout, a *LayoutTable, step func()) (PluggedLayout, error) {
	f := r.Fabric
	f.Layout = l
	row := PluggedLayout{Layout: cmp.Or(l.String(), layout.Ideal)}
	p := f.Plugging()
	if l.IsZero() {
		one, err := layout.OneSwitch(f.Nodes, f.Ports)
		if err != nil {
			return row, err
		}
		p = one
	}
	if p == nil {
		_, err := l.Plug(f.Nodes, f.Ports)
		return row, field.In("fabric.switches", err)
	}
	row.Switches, row.PortsUsed, row.Fibres = p.Switches(), p.Radix(), p.Fibres()
	row.SparePorts = row.Switches*r.Radix - row.Fibres/2
	if row.PortsUsed > r.Radix-r.Spares {
		row.Reason = fmt.Sprintf("%d ports on one switch; it has %d for them", row.PortsUsed, r.Radix-r.Spares)
		return row, nil
	}
	sum := 0.0
	for i, o := range r.For {
		step()
		time, err := a.For[i].IdealNs, error(nil)
		if !l.IsZero() {
			time, err = r.time(ctx, e, f, o)
		}
		var named *field.Error
		if errors.Is(err, planner.ErrInfeasible) || errors.As(err, &named) {
			row.Reason, row.TimesNs = fmt.Sprintf("%s: %v", o.Op, err), nil
			return row, nil
		}
		if err != nil {
			return row, err
		}
		row.TimesNs = append(row.TimesNs, time)
		sum += float64(time / a.For[i].IdealNs)
	}
	row.Loss = sum/float64(len(r.For)) - 1
	return row, nil
}

// rank puts the layouts in order.
func (a *LayoutTable) rank() {
	slices.SortStableFunc(a.Layouts, func(x, y PluggedLayout) int {
		switch {
		case (x.Reason == "") != (y.Reason == ""):
			return cmp.Compare(len(x.Reason), len(y.Reason))
		case x.Loss < y.Loss-same:
			return -1
		case x.Loss > y.Loss+same:
			return 1
		}
		return cmp.Compare(x.Switches, y.Switches)
	})
	if len(a.Layouts) > 0 && a.Layouts[0].Reason == "" {
		a.Best = a.Layouts[0].Layout
	}
}

// time is how long an operation takes on a fabric.
func (r *WireRequest) time(ctx context.Context, e *command.Environment, f fabric.Fabric, o collective.Operation) (units.Time, error) {
	made, err := planning.Fastest(ctx, planning.PlanRequest{
		Fabric: f, Planner: r.Planner, Operations: []collective.Operation{o},
	}, e)
	if err != nil {
		return 0, err
	}
	return made.Cost.Total(), nil
}
