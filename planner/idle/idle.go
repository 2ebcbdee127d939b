package idle

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Less describes a restriction of a fabric: the ports that remain in use, and whether circuits
// must be two-way.
type Less struct {
	Ports  int
	Duplex bool
}

// Of lists the restrictions of a fabric under which planners may find faster plans. Every plan
// for a restricted fabric is also a plan for the whole one.
//
// Fewer ports may be better in four cases: a reconfiguration costs more the more circuits it
// sets, several circuits to one peer do not add up, switches do not join all GPUs, or a circuit
// has failed that only topologies with more ports use.
//
// Two-way circuits may be better in two cases. If circuits differ or have failed, some planners
// price only the best few of the topologies that they know; these may be others if circuits are
// two-way. In an exchange, searches for graphs of two-way circuits may find closer graphs than
// searches among the far more numerous graphs of one-way circuits; with one port, they find
// sequences of pairs that suit the exchange. Two-way circuits cannot use an odd number of ports on
// an odd number of GPUs.
func Of(f *fabric.Fabric, exchange bool) []Less {
	ways := []bool{f.Duplex}
	if !f.Duplex && (exchange || !f.Links.IsZero() || !f.Avoid.IsZero()) {
		ways = append(ways, true)
	}
	least := f.Ports
	if _, uniform := f.UniformWait(); !uniform && f.Charge == fabric.ChargeChanges || f.CapTheta || !f.Open() {
		least = 1
	}
	var all []Less
	for _, duplex := range ways {
		fewest := least
		if duplex && f.Nodes%2 == 1 && f.Ports%2 == 1 {
			fewest = min(least, max(1, f.Ports-1))
		}
		for ports := f.Ports; ports >= fewest; ports-- {
			less := Less{ports, duplex}
			if narrow := less.On(*f); less != (Less{f.Ports, f.Duplex}) && valid(narrow) {
				all = append(all, less)
			}
		}
	}
	return all
}

// valid reports whether a fabric is valid, with its failures and without them: a base, failed
// ports or two-way circuits may need more ports.
func valid(f fabric.Fabric) bool {
	intact := f
	intact.Avoid = fabric.Failures{} // for stand-ins of failed circuits
	return f.Validate() == nil && intact.Validate() == nil
}

// On returns f restricted to l.
func (l Less) On(f fabric.Fabric) fabric.Fabric { return f.Narrowed(l.Ports, l.Duplex) }

// Planner returns a planner that asks p for plans on the restricted fabric. Its requests and
// plans have the whole fabric; a plan takes the same time on both. It bounds the time of its plan
// if p does.
func (l Less) Planner(p planner.Planner) planner.Planner { return narrowed{p, l} }

// narrowed is a planner on restricted fabrics.
type narrowed struct {
	planner.Planner
	less Less
}

// Traits implements planner.Described.
func (n narrowed) Traits() planner.Traits {
	of := planner.TraitsOf(n.Planner)
	t := planner.Traits{Baseline: of.Baseline, Listed: of.Listed, Last: of.Last, Partly: true, Compare: n.compare}
	if of.Compact != nil {
		t.Compact = func(f *fabric.Fabric) bool {
			less := n.less.On(*f)
			return of.Compact(&less)
		}
	}
	if of.Bound == nil {
		return t
	}
	t.Bound = func(ctx context.Context, r planner.Request) (least, most units.Time, err error) {
		r.Fabric = n.less.On(r.Fabric)
		return of.Bound(ctx, r)
	}
	return t
}

// Plan implements planner.Planner. The plan has the bound of its operation, since the bound of
// its algorithm may be for other steps: steps can depend on the number of ports.
func (n narrowed) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	within := r
	within.Fabric, within.Bare, within.Better, within.Made = n.less.On(r.Fabric), true, nil, nil
	made, err := n.Planner.Plan(ctx, within)
	if err == nil {
		err = widen(ctx, made, &r)
	}
	if err != nil {
		return nil, err
	}
	if !r.Bare {
		err = n.compare(ctx, r, made)
	}
	return made, err
}

// widen turns a plan for a restricted fabric into one for the fabric of the request.
func widen(ctx context.Context, made *plan.Plan, r *planner.Request) error {
	made.Fabric, made.SameAlgorithm = r.Fabric, plan.Baselines{}
	made.IdlePlanes()
	if err := made.PriceContext(ctx); err != nil {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		return fmt.Errorf("%w: with ports unused: %w", planner.ErrInfeasible, err)
	}
	if err := r.Beyond(made.Cost.Total()); err != nil {
		return err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return nil
}

// Widen turns a plan for a restricted fabric into one for the whole fabric f. Its errors are
// those of a planner.
func Widen(ctx context.Context, made *plan.Plan, f *fabric.Fabric) error {
	return widen(ctx, made, &planner.Request{Fabric: *f})
}

// compare is planner.Traits.Compare. The baselines may use the whole fabric. If the algorithm has
// other steps for all ports, they take those steps.
func (n narrowed) compare(ctx context.Context, r planner.Request, p *plan.Plan) error {
	if len(r.Collective.Steps) > 0 {
		laid := p.Laid(ctx)
		r.Collective, r.Size = laid.Collective, laid.Size
	}
	if compare := planner.TraitsOf(n.Planner).Compare; compare != nil {
		return compare(ctx, r, p)
	}
	return nil
}
