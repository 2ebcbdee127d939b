package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// rates are the bandwidths, as fractions of the fabric's, for which plans are also made. A
// planner weighs bytes against steps and reconfigurations. If circuits differ, the bandwidth of
// the busiest is between these rates, or beyond them and much like the nearest. The rates do not
// depend on the circuits, so better circuits leave the same plans to choose from.
var rates = []struct{ times, over int64 }{{1, 2}, {1, 4}, {2, 1}}

// mostRated is the largest number of GPUs for which plans are also made for other bandwidths: the
// planner may take seconds for each.
const mostRated = 1 << 8

// Needed reports whether some circuits of a fabric differ or have failed.
func Needed(f *fabric.Fabric) bool { return !f.Links.IsZero() || len(f.Avoid.Links()) > 0 }

// Fabrics returns the fabrics that stand in for one, the most natural first.
func Fabrics(f *fabric.Fabric) []fabric.Fabric {
	alike := *f
	alike.Links = fabric.Links{}
	all := []fabric.Fabric{alike}
	if intact := f.Avoid.WithoutLinks(); !intact.Equal(f.Avoid) {
		alike.Avoid = intact
		all = append(all, alike)
	}
	if f.Links.IsZero() {
		return all
	}
	for _, rate := range rates {
		if f.Nodes > mostRated {
			break
		}
		rated := alike
		rated.Bandwidth = f.Bandwidth * units.Bandwidth(rate.times) / units.Bandwidth(rate.over)
		all = append(all, rated)
	}
	for _, out := range leftOut(f) {
		without := *f
		without.Links, without.Avoid = fabric.Links{}, f.Avoid.And(out)
		all = append(all, without)
	}
	return slices.DeleteFunc(all, func(f fabric.Fabric) bool { return f.Validate() != nil })
}

// leftOut lists sets of circuits to do without: those that are worse than the fabric says, and
// all that differ.
func leftOut(f *fabric.Fabric) []fabric.Failures {
	var worse, every []fabric.Failures
	circuits := f.Circuits()
	for _, l := range circuits.List() {
		out := fabric.FailedLink(l.From, l.To, false)
		every = append(every, out)
		if bandwidth, delay := circuits.Of(l.From, l.To); bandwidth < f.Bandwidth || delay > f.Delta {
			worse = append(worse, out)
		}
	}
	if len(worse) == 0 {
		return nil
	}
	lists := []fabric.Failures{fabric.Failures{}.And(worse...)}
	if len(worse) < len(every) {
		lists = append(lists, fabric.Failures{}.And(every...))
	}
	return lists
}

// Make makes plans on circuits that are alike, and around failed circuits as well as it can. Its
// errors are those of a planner.
type Make func(ctx context.Context, r planner.Request) (*plan.Plan, error)

// Plan returns the fastest of the plans made for the fabrics that stand in for the request's,
// with their GPUs as they are and renumbered.
func Plan(ctx context.Context, make Make, r planner.Request) (*plan.Plan, error) {
	goal := collective.Section{Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space}
	if err := r.Beyond(bound.OfOperation(&r.Fabric, &goal).Total()); err != nil {
		return nil, err
	}
	c := contest{fabric: &r.Fabric, circuits: r.Fabric.Circuits(), others: multiples(r.Fabric.Nodes)}
	all := Fabrics(&r.Fabric)
	for i, alike := range all {
		r.Report(i, len(all))
		within := r
		// Times on the stand-in are not times here: no limit, no better plans.
		within.Fabric, within.Limit, within.Progress, within.Better = alike, 0, nil, nil
		within.Bare = true
		made, err := make(ctx, within)
		if errors.Is(err, planner.ErrInfeasible) {
			c.reason = cmp.Or(c.reason, err)
			continue
		}
		if err == nil {
			err = c.enter(ctx, made)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.best == nil {
		return nil, c.reason
	}
	c.best.Bound = min(c.best.OperationBound().Total(), c.best.Cost.Total())
	return c.best, r.Beyond(c.best.Cost.Total())
}

// contest keeps the fastest plan so far on a fabric.
type contest struct {
	fabric   *fabric.Fabric
	circuits *fabric.Circuits // nil if they are alike
	others   []numbering
	best     *plan.Plan
	reason   error // why there is none
}

// triedTransfers limits the transfers of plans that are priced renumbered, and everyTransfers
// those of a plan that is priced with all numberings.
const (
	triedTransfers = 1 << 17
	everyTransfers = triedTransfers / 120
)

// enter tries a plan as it is and renumbered. If no circuits differ, all renumbered plans that
// fit the fabric are equally good, so one is enough.
func (c *contest) enter(ctx context.Context, p *plan.Plan) error {
	fits := true
	transfers := 1
	for i := range p.Stages {
		fits = fits && c.fabric.Fits(p.Stages[i].Topology) == nil
		for j := range p.Stages[i].Steps {
			transfers += p.Stages[i].Steps[j].Len()
		}
	}
	renumbered := renumberable(p)
	others := c.others
	switch {
	case !renumbered || fits && c.fabric.Links.IsZero():
	case p.Fabric.Nodes <= mostEvery && transfers <= everyTransfers:
		others = every(p.Fabric.Nodes)
	case p.Fabric.Nodes <= mostSought:
		others = append(seek(ctx, p, badness(c.fabric), others), others...)
	}
	if !c.fabric.Links.IsZero() {
		others = others[:min(len(others), max(fewestTried, triedTransfers/transfers))]
	}
	for _, n := range others {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !renumbered || fits && c.fabric.Links.IsZero() {
			break
		}
		if n.unfolds(p) > mostUnfolded {
			c.reason = cmp.Or(c.reason, errUnfolded)
			continue
		}
		graphs := n.graphs(p, c.fabric)
		if graphs == nil {
			continue
		}
		if err := c.price(ctx, n.plan(p, graphs)); err != nil {
			return err
		}
		if c.fabric.Links.IsZero() {
			break
		}
	}
	if !fits {
		return nil
	}
	return c.price(ctx, p)
}

// mostUnfolded limits the transfers, and the chunks in them, of steps whose symmetry a plan loses
// here. A plan with more is skipped, because they would take gigabytes and minutes.
const mostUnfolded = 1 << 22

// unfolded returns how many transfers, and chunks in them, a step has without symmetry.
func unfolded(s *plan.Step) int {
	each := 0
	for i := range s.Base {
		each += 1 + s.Base[i].Chunks.Len()
	}
	return s.Group.Order() * each
}

// unfolds returns how many transfers, and chunks in them, a plan has in the steps that lose their
// symmetry when it is renumbered.
func (n *numbering) unfolds(p *plan.Plan) int {
	all := 0
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			if step := &p.Stages[i].Steps[j]; n.factor == 0 || len(step.Group.Dims) > 1 {
				all += unfolded(step)
			}
		}
	}
	return all
}

// errUnfolded says that all plans were skipped.
var errUnfolded = fmt.Errorf("%w: on circuits that differ, the plans have more than %d transfers and chunks without symmetry", planner.ErrInfeasible, mostUnfolded)

// price turns a plan into one for the fabric and keeps it if it is the fastest. It skips a plan
// that needs more than mostUnfolded.
func (c *contest) price(ctx context.Context, p *plan.Plan) error {
	p.Fabric = *c.fabric
	var unfold []*plan.Step
	transfers := 0
	for i := range p.Stages {
		stage := &p.Stages[i]
		if c.circuits == nil || !c.circuits.Differ(stage.Topology) {
			continue // the symmetry of its steps holds
		}
		kinds := c.circuits.On(stage.Topology).Kinds
		for j := range stage.Steps {
			if step := &stage.Steps[j]; !step.Group.Invariant(kinds) {
				unfold = append(unfold, step)
				transfers += unfolded(step)
			}
			if transfers > mostUnfolded {
				c.reason = cmp.Or(c.reason, errUnfolded)
				return ctx.Err()
			}
		}
	}
	for _, step := range unfold {
		if err := ctx.Err(); err != nil {
			return err
		}
		step.Unfold(p.Collective.Space)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.PriceContext(ctx); err != nil {
		return err
	}
	if c.best == nil || p.Cost.Total() < c.best.Cost.Total() {
		c.best = p
	}
	return nil
}
