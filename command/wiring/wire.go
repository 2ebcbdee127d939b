package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// same is the difference up to which losses are equal except for rounding.
const same = 1e-9

// planAll is the number of GPUs up to which every layout is planned. Beyond it a plan takes
// seconds, so layouts that cannot be the best keep their bounds.
const planAll = 32

// Wire compares the ways to plug the ports of GPUs into switches of a radix: how much longer
// operations take on each than on one ideal switch with all ports. Every number is the time of a
// plan, unless the row says that it is a bound.
func Wire(ctx context.Context, r WireRequest, options ...command.Option) (*LayoutTable, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	all := r.layouts()
	if len(all) == 0 {
		return nil, r.tooSmall()
	}
	a := &LayoutTable{Schema: WireSchema, Fabric: r.Fabric, Radix: r.Radix, Spares: r.Spares, Layouts: []PluggedLayout{}}
	w := &comparison{WireRequest: &r, e: e, table: a}
	if err := w.price(); err != nil {
		return nil, err
	}
	done, total := 0, (1+len(all))*len(r.For)
	ideal := r.Fabric
	ideal.Layout = layout.Layout{}
	step := func() { e.Report(done, total); done++ }
	unfinished := func(err error) error {
		w.rank()
		return e.Unfinished(ctx, err, func() (any, string) {
			return a, fmt.Sprintf("%d of %d layouts were looked at", len(w.looks), len(all))
		})
	}
	for i, o := range r.For {
		step()
		made, err := w.plan(ctx, ideal, o)
		if err != nil {
			return nil, unfinished(field.In(field.Index("for", i), err))
		}
		a.For = append(a.For, WiredOperation{Op: o.Op, SizeBytes: int64(o.Size), IdealNs: made.Cost.Total()})
		w.sections = append(w.sections, made.Collective.Section())
	}
	promise := map[string]float64{}
	for _, l := range all {
		promise[l.String()] = w.sum(w.bounds(l))
	}
	slices.SortStableFunc(all, func(x, y layout.Layout) int {
		if x, y := promise[x.String()], promise[y.String()]; math.Abs(x-y) > same {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(w.switches(x), w.switches(y)) // among equals, the squarest grids first
	})
	for _, l := range all {
		if err := w.look(ctx, l, step); err != nil {
			return nil, unfinished(err)
		}
	}
	// A faster plan for the ideal switch changes the weights of the operations, so plan layouts
	// again that are no longer hopeless.
	for i := 0; i < len(all); i++ {
		if w.looks[i].Bounded && !w.hopeless(w.looks[i].times) {
			if err := w.again(ctx, i); err != nil {
				return nil, unfinished(err)
			}
			i = -1
		}
	}
	w.rank()
	return a, nil
}

// comparison is a comparison of layouts in progress.
type comparison struct {
	*WireRequest
	e        *command.Run
	table    *LayoutTable
	sections []*collective.Section // the operations, for their bounds
	looks    []look
	parts    *parts.Catalogue
}

// look is the knowledge of a layout.
type look struct {
	PluggedLayout
	layout layout.Layout
	times  []units.Time // of the operations; some are bounds if Bounded
}

// sum returns the sum of the operations' times relative to the ideal switch.
func (w *comparison) sum(times []units.Time) float64 {
	return each.SumBelow(len(times), func(i int) float64 {
		return float64(times[i] / w.table.For[i].IdealNs)
	})
}

// switches counts the switches of a layout.
func (w *comparison) switches(l layout.Layout) int {
	if p, err := l.Plug(w.Fabric.Nodes, w.Fabric.Ports); err == nil && p != nil {
		return p.Switches()
	}
	return 1
}

// bounds returns a lower bound for each operation on a layout.
func (w *comparison) bounds(l layout.Layout) []units.Time {
	f := w.Fabric
	f.Layout = l
	return each.Below(len(w.For), func(i int) units.Time {
		return bound.OfOperation(&f, w.sections[i]).Total()
	})
}

// hopeless reports whether a layout with these times can no longer be the best, or can only tie
// with one that loses nothing.
func (w *comparison) hopeless(times []units.Time) bool {
	return w.Fabric.Nodes > planAll && slices.ContainsFunc(w.looks, func(x look) bool {
		return x.Reason == "" && !x.Bounded && (w.sum(times) > w.sum(x.times)+same || w.sum(x.times) <= float64(len(w.For))+same)
	})
}

// look examines one more layout.
func (w *comparison) look(ctx context.Context, l layout.Layout, step func()) error {
	x, err := w.row(ctx, l, step)
	if err == nil {
		w.looks = append(w.looks, x)
	}
	return err
}

// again plans a layout if only its bounds are known.
func (w *comparison) again(ctx context.Context, i int) error {
	x, err := w.row(ctx, w.looks[i].layout, func() {})
	if err == nil {
		w.looks[i] = x
	}
	return err
}

// row examines one layout.
func (w *comparison) row(ctx context.Context, l layout.Layout, step func()) (look, error) {
	f := w.Fabric
	f.Layout = l
	row := look{PluggedLayout: PluggedLayout{Layout: cmp.Or(l.String(), layout.Ideal)}, layout: l}
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
	row.SparePorts = row.Switches*w.Radix - row.Fibres/2
	if row.PortsUsed > w.Radix-w.Spares {
		row.Reason = fmt.Sprintf("%d ports on one switch; it has %d for them", row.PortsUsed, w.Radix-w.Spares)
		return row, nil
	}
	if err := w.bill(&row.PluggedLayout, p); err != nil {
		return row, err
	}
	row.times = w.bounds(l)
	for i, o := range w.For {
		step()
		if row.Bounded = row.Bounded || w.hopeless(row.times); row.Bounded {
			continue
		}
		ideal := &w.table.For[i].IdealNs
		if l.IsZero() {
			row.times[i] = *ideal
			continue
		}
		made, err := w.plan(ctx, f, o)
		var named *field.Error
		if errors.Is(err, planner.ErrInfeasible) || errors.As(err, &named) {
			row.Reason = fmt.Sprintf("%s: %v", o.Op, err)
			return row, nil
		}
		if err != nil {
			return row, err
		}
		row.times[i] = made.Cost.Total()
		*ideal = min(*ideal, row.times[i]) // the ideal switch can set up whatever a layout can
	}
	return row, nil
}

// rank puts the layouts in order.
func (w *comparison) rank() {
	a := w.table
	for _, x := range w.looks {
		if x.Reason == "" {
			x.Loss = max(0, w.sum(x.times)/float64(len(w.For))-1)
			if x.TimesNs = x.times; x.Bounded {
				x.TimesNs = nil
			}
		}
		a.Layouts = append(a.Layouts, x.PluggedLayout)
	}
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

// plan returns the fastest plan for an operation on a fabric.
func (w *comparison) plan(ctx context.Context, f fabric.Fabric, o collective.Operation) (*plan.Plan, error) {
	return planning.Fastest(ctx, planning.PlanRequest{
		Fabric: f, Planner: w.Planner, Operations: []collective.Operation{o},
	}, w.e)
}
