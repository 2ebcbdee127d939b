package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/fixed"
	"github.com/lightpath-net/lightpath/planner/sliced"
)

// part returns the fabric of only the GPUs that take part. It returns nil if all take part, if
// the operation is not suitable, or if the fabric has no islands, fixed links, layout, other
// jobs, spares or failed circuits, for which renumbering GPUs in a small fabric helps.
func (r *Request) part() *sliced.Part {
	f := &r.Fabric
	if f.Charge != fabric.ChargeChanges {
		return nil // a part's base is not a base of the whole
	}
	if r.Pattern != nil || len(r.Operations) != 1 || !f.Tiered() && f.Layout.IsZero() && f.Avoid.Held() == "" && f.Spares.IsZero() && len(f.Avoid.Links()) == 0 {
		return nil
	}
	o := &r.Operations[0]
	members := []int(o.GPUs)
	if members == nil {
		members = f.Alive()
	}
	if members == nil || o.Demand != nil || o.Generator != "" || f.Ports < f.AllPorts() {
		return nil
	}
	for _, u := range members {
		if u < 0 || u >= f.Nodes || f.Avoid.GPU(u) {
			return nil // NewTask says so
		}
	}
	p, err := sliced.New(f, members)
	if err != nil {
		return nil
	}
	return p
}

// onPart returns the fastest plan for the GPUs that take part. It tries plans for a fabric of
// only these GPUs and, unless other jobs hold some GPUs, plans in which the other GPUs forward
// data.
func (r *Request) onPart(ctx context.Context, part *sliced.Part, by planner.Planner, s *Search) (*plan.Plan, error) {
	made, err := r.OnlyPart(ctx, part, by, s.Quiet().Unseen().within(0).unknowing())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && (r.Fabric.Avoid.Held() != "" || !r.Fabric.Spares.IsZero()):
		s.show(made)
		return made, nil
	case err != nil:
		return r.byFabric(ctx, by, s)
	}
	s.show(made)
	known := made
	if k := s.scope.known; k != nil && k.Cost.Total() < made.Cost.Total() {
		known = k
	}
	other, err := r.byFabric(ctx, by, s.knowing(known))
	if err != nil && (ctx.Err() != nil || !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond)) {
		return nil, err
	}
	if err == nil && other.Cost.Total() < made.Cost.Total() {
		return other, nil
	}
	return made, nil
}

// OnlyPart returns the fastest plan for a fabric of only the GPUs that take part. If fixed links
// form blocks of a torus, it tries what is left of the torus's circuits as the base.
func (r *Request) OnlyPart(ctx context.Context, part *sliced.Part, by planner.Planner, s *Search) (*plan.Plan, error) {
	bases := []string{""}
	for _, g := range fixed.Faces(&r.Fabric) {
		on := part.Fabric
		if on.Base = part.Base(g); on.Base != "" && on.Validate() == nil {
			bases = append(bases, on.Base)
		}
	}
	return planner.FastestOf(bases, nil, func(base string) (*plan.Plan, error) {
		alone := &Request{Operations: append(r.Operations[:0:0], r.Operations...), Fabric: part.Fabric}
		alone.Operations[0].GPUs, alone.Fabric.Base = nil, base
		made, err := alone.Fastest(ctx, by, s)
		if err == nil {
			return part.Embed(made, &r.Fabric)
		}
		if errors.Is(err, planner.ErrBeyond) {
			err = errors.Join(planner.ErrInfeasible, err)
		}
		return nil, err
	})
}

// onMended plans on a fabric with spares for everything that has failed as if nothing had failed.
func (r *Request) onMended(ctx context.Context, by planner.Planner, s *Search) (*plan.Plan, error) {
	whole := *r
	whole.Fabric.Avoid, whole.Fabric.Spares = fabric.Failures{}, fabric.Spares{}
	made, err := whole.Fastest(ctx, by, s)
	if err != nil {
		return nil, err
	}
	made.Fabric = r.Fabric
	return made, made.Price()
}
